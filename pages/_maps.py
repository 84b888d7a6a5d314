"""The maps of Explore: one for each target, moving together; a click chooses a zone in all of them."""

from collections.abc import Iterable

import pandas as pd
import streamlit as st

from odk.viz import basemap, maps, twin
from odk.viz.relate import differences, same_place
from odk.viz.theme import broken, percent, rule
from pages import _frame, _state, _twin, _zone


def draw(targets: list[str]) -> bool:
    """Draw the maps of these targets, and below them what was chosen; False where the browser draws no maps."""
    chosen, mode, online = _state.settings(), _frame.mode(), st.session_state.get("online", False)
    tables = {target: _state.zones(target) for target in targets}
    shade = _shade(tables.values())
    where = _state.window(tables.values(), width=500 if len(targets) < 3 else 330)
    figures = [table[shade] for table in tables.values()]
    limits = maps.breaks(figures)
    picked = _state.picked()
    here = {t: same_place(picked, tables[t]["zone"].tolist()) if picked else () for t in targets}
    panes = []
    for target, table in tables.items():
        held = _state.other(target)
        view = "population" if target == "population" else "participants" if target == "participants" else "neutral"
        marks = None
        if target in ("participants", "population") and len(targets) > 1:
            there = tables[targets[1 - targets.index(target)]]
            marks = differences(table["zone"].tolist(), there["zone"].tolist())
        fails = bool((table["failing"] > 0).any())
        panes.append(
            twin.Pane(
                id=target,
                title=f"{target.capitalize()} protected:",
                note=rule(_state.protection(target)),
                zones=table,
                values=table[shade],
                view=view,
                rule=f"Rule: {rule(_state.protection(target))}",
                fails=broken(held) if held else "",
                alt=maps.describe(table, f"{chosen.axis.capitalize()} when {target} are protected"),
                legend=maps.legend(
                    figures,
                    view,
                    shade,
                    mode,
                    fails=fails,
                    marks=marks is not None and bool(marks.any()),
                    arcs=bool(here[target]),
                ),
                marks=marks,
                selected=here[target],
                flows=_zone.flows(target, here[target]),
            )
        )
    if not _twin.show(panes, where, "map", _picked, limits=limits):
        return False
    _zone.draw(targets, here)
    same = "All trips weigh the same here: both rules are one. " if _same_rule() else ""
    if where.share < 0.99:
        same += (
            f"These trips lie far apart: the map shows the place of {percent(where.share)} of them; tables show all. "
        )
    st.caption(same + (twin.ONLINE["credit"] if online else basemap.note(where.box)))
    return True


def _picked(view: str, zone: str) -> None:
    st.session_state["_picked"] = {"view": view, "zone": zone}


def _shade(tables: Iterable[pd.DataFrame]) -> str:
    """The figure that colours the zones; trips where these zones do not have the chosen one."""
    chosen: str = st.session_state["colour"]
    return chosen if all(chosen in table and table[chosen].notna().any() for table in tables) else "trips"


def _same_rule() -> bool:
    return _state.settings().population is None and _state.unweighted()
