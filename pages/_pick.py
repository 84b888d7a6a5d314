"""Two maps of one release: pick a zone on the first, and the second shows where its flows go."""

from collections.abc import Hashable

import pandas as pd
import streamlit as st

import odk
from odk.viz import maps
from odk.viz.maps import Window
from odk.viz.parts import OTHER, leading_axis, partners
from odk.viz.theme import counted
from odk.viz.zones import zone_table
from pages import _state

ALL = "all zones"
LISTED = 300  # zones that can be chosen from the list, largest first; any can be clicked on the map
HEIGHT = 330


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
    clicked = _clicked(key, whole)
    if clicked is not None and clicked not in names:
        names[clicked] = str(whole.set_index("zone").loc[clicked, "name"])
        options.append(clicked)
    if clicked is not None and st.session_state.get(f"last-{key}") != clicked:
        st.session_state[f"pick-{key}"] = st.session_state[f"last-{key}"] = clicked
    if st.session_state.get(f"pick-{key}") not in options:  # a zone of other settings
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
    columns = st.columns(2)
    for axis, table, column in ((first, whole, columns[0]), (other, right, columns[1])):
        with column:
            of = "" if axis == first or zone == ALL else f" of {names[zone]}"
            st.markdown(f"**{counted(len(table), axis[:-1])}{of}**")
            _map(release, table, where, axis, mode, view, key)


def _map(release: odk.Release, table: pd.DataFrame, where: Window, axis: str, mode: str, view: str, key: str) -> None:
    figure = "density" if table["density"].notna().any() else "trips"
    limits = maps.breaks([table[figure]])
    deck = maps.zones_map(table, where, view=view, figure_shown=figure, limits=limits, mode=mode)
    words = maps.describe(table, f"{axis} of {release.algorithm}")
    select = {"on_select": "rerun", "selection_mode": "single-object"} if axis == leading_axis(release) else {}
    st.pydeck_chart(deck, height=HEIGHT, key=f"map-{key}-{axis}", alt=words, **select)
    if limits:
        st.html(maps.legend(limits, view, figure, mode))


def _clicked(key: str, whole: pd.DataFrame) -> str | None:
    """The zone that was clicked on the first map; looked up again, as a selection can be of an older map."""
    for axis in ("origins", "destinations"):
        state = st.session_state.get(f"map-{key}-{axis}")
        for found in (state or {}).get("selection", {}).get("objects", {}).get("zones", []):
            if found.get("zone") in set(whole["zone"]):
                return str(found["zone"])
    return None


def _words(release: odk.Release, first: str) -> str:
    if isinstance(release, odk.BoxRelease):
        return "Boxes of a flow: a rectangle of origins and one of destinations; they overlap. Click one to see its other end."
    if release.homogeneous:
        return "One set of zones serves all flows. Click a zone to see only its flows."
    return f"Every {first[:-1]} zone has {OTHER[first][:-1]} zones of its own: click one on the map, or choose it here."
