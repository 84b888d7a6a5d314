"""Replay's stage: the walk as a film that the browser plays, the curves below it, and the zones as a table."""

import pandas as pd
import streamlit as st

from odk.replay import safe_share
from odk.viz import film, replay, twin
from odk.viz.theme import rule
from odk.walk import AXES
from pages import _frame, _state, _twin, _walk

LISTED = 1_000  # zones in the table, largest first


@st.fragment
def stage() -> None:
    """The film, at the step that was asked for last; the browser plays it, and asks only for steps between its frames."""
    which = st.session_state["walk"]
    shown = _walk.shown(which)
    step = _walk.step(shown, which)
    view, mode = _state.view(_state.settings().target), _frame.mode()
    reel = {"walk": shown.walk, "protection": shown.protection, "stop": shown.stop, "curves": shown.curve}
    extra = None if step in shown.steps else film.film(steps=[step], **reel)
    panes = [
        twin.Pane(
            id=axis,
            title=f"{axis.capitalize()}:",
            zones=EMPTY,
            values=[],
            view=view,
            ramp=replay.ramp(view, mode),
            rule=f"Rule: {rule(shown.protection)}",
            alt=f"{axis.capitalize()} of the walk, step by step.",
            legend=replay.legend(view, mode),
            clicks=False,
        )
        for axis in AXES
    ]
    place = shown.frame_at(step)
    stop = (f"{which} stops", shown.stop)
    open_ = bool(st.session_state.get("replay-table"))
    drawn = _twin.show(
        panes,
        _state.window(),
        "replay-map",
        asked=lambda step, by: _walk.go(shown, step, by),
        limits=replay.LIMITS,
        least=300,
        foot=replay.curves(shown.curve, place, shown.protection, shown.budget, stop, mode),
        film={
            "main": _walk.film(which),
            "extra": extra,
            "at": step,
            "asked": st.session_state.get("_asked", 0),
            "report": open_,
        },
    )
    if not drawn:
        tables(shown, step)
        return
    box = st.expander("Zones as tables", key="replay-table", on_change="rerun")
    if box.open:
        with box:
            tables(shown, step)


def tables(shown: _walk.Shown, step: int) -> None:
    """The zones of both axes after a step."""
    lead = shown.protection.lead
    zones = safe_share(shown.walk, shown.protection, step)
    for tree, found, axis, column in zip(shown.walk.trees, zones, AXES, st.columns(2), strict=True):
        table = replay.step_table(tree, found, lead, LISTED)
        table["percent"] = (100 * table["safe"]).round()
        more = f", the {LISTED:,} largest of {len(found):,}" if len(found) > LISTED else ""
        column.markdown(f"**{axis.capitalize()}** after step {step:,}{more}")
        column.dataframe(table[["name", lead, "percent", "leaves"]], hide_index=True, height=260)


EMPTY = pd.DataFrame(
    {name: [] for name in ("zone", "name", "failing", "lat", "lon")} | {"level": pd.Series([], dtype="int64")}
)
