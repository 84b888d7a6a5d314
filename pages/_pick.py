"""Two maps of one release: pick a zone on the first, and the second shows where its flows go."""

from collections.abc import Hashable
from typing import Any

import pandas as pd
import streamlit as st

import odk
from odk.viz import maps
from odk.viz.parts import OTHER, leading_axis, partners
from odk.viz.theme import counted, rule
from odk.viz.twin import Pane
from odk.viz.zones import zone_table
from pages import _frame, _state, _twin

ALL = "all zones"
LISTED = 300  # zones that can be chosen from the list, largest first; any can be clicked on the map
HEIGHT = 360
ZONES = ["name", "trips", "persons", "population", "density", "flows", "level", "zone"]


@st.fragment
def draw(release: odk.Release, made: Hashable, mode: str, view: str, key: str) -> None:
    """Origins on the left, their destinations on the right; the other way round where destinations were cut once.

    `made` is the key that the release is cached under.
    """
    first = leading_axis(release)
    other = OTHER[first]
    whole = _state.cached(("pick", made, first), lambda: zone_table(release, first))
    names = dict(zip(whole["zone"].head(LISTED), whole["name"].head(LISTED), strict=True))
    depends = isinstance(release, odk.TreeRelease) and not release.homogeneous
    options = list(names) if depends else [ALL, *names]
    chosen = st.session_state.get(f"pick-{key}", ALL)
    rest = whole[whole["zone"] == chosen] if chosen not in names else whole.head(0)
    if len(rest):  # clicked, and too small for the list
        names[chosen] = str(rest["name"].iloc[0])
        options.append(chosen)
    elif chosen not in options:  # a zone of other settings
        st.session_state.pop(f"pick-{key}", None)
    with st.container(horizontal=True, vertical_alignment="center"):
        zone = st.selectbox(
            f"Flows of one of the {first}",
            options,
            key=f"pick-{key}",
            format_func=lambda z: names.get(z, ALL),
            width=420,
            label_visibility="collapsed",
        )
        st.caption(_words(release, first))
    right = _state.cached(("pick", made, other), lambda: zone_table(release, other))
    where = _state.window([whole, right])
    if zone != ALL:
        right = _state.cached(("pick", made, first, zone), lambda: partners(release, first, zone))

    def picked(view: str, clicked: str) -> None:
        if clicked or not depends:
            st.session_state[f"pick-{key}"] = clicked or ALL

    of = "" if zone == ALL else f"of {names[zone]}"
    panes = [
        _pane(release, whole, first, mode, view, selected=() if zone == ALL else (zone,)),
        _pane(release, right, other, mode, view, note=of, clicks=False),
    ]
    drawn = _twin.show(panes, where, f"map-{key}", picked, height=HEIGHT)
    with st.expander("Tables", expanded=not drawn):
        for pane, column in zip(panes, st.columns(2), strict=True):
            column.markdown(f"**{pane.title}** {pane.note}")
            column.dataframe(pane.zones, hide_index=True, column_order=ZONES, column_config=_frame.COLUMNS, height=300)


def _pane(release: odk.Release, table: pd.DataFrame, axis: str, mode: str, view: str, **more: Any) -> Pane:
    figure = "density" if table["density"].notna().any() else "trips"
    return Pane(
        id=axis,
        title=counted(len(table), axis[:-1]),
        zones=table,
        values=table[figure],
        view=view,
        limits=maps.breaks([table[figure]]),
        rule=f"Rule: {rule(release.protection)}" if release.k_anonymous else "",
        alt=maps.describe(table, f"{axis} of {release.algorithm}"),
        legend=maps.legend([table[figure]], view, figure, mode),
        **more,
    )


def _words(release: odk.Release, first: str) -> str:
    if isinstance(release, odk.BoxRelease):
        return "Boxes of a flow: a rectangle of origins and one of destinations; they overlap. Click one to see its other end."
    if release.homogeneous:
        return "One set of zones serves all flows. Click a zone to see only its flows."
    return f"Every {first[:-1]} zone has {OTHER[first][:-1]} zones of its own: click one on the map, or choose it here."
