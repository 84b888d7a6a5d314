"""What was chosen on the maps: its measures in each view, why it is this coarse, and its flows."""

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

import odk
from odk.viz.flows import flows_of
from odk.viz.names import zone_names
from odk.viz.relate import same_place
from odk.viz.theme import count, counted
from pages import _frame, _state

FLOW_COLUMNS = ["way", "from", "to", "trips", "persons", "population"]
HINT = (
    "Click a zone, or choose it above by its name, to see its flows as arcs and why it is this coarse. The maps move together; "
    "**+** marks zones that are finer than on the other map, **−** coarser ones."
)


def choice(**look: Any) -> None:
    """A list of the target's zones by name: the way to a zone without a mouse, and the name of the one that was clicked."""
    table = _state.zones(_state.settings().target)
    names = dict(zip(table["zone"], table["name"], strict=True))
    found = same_place(_state.picked() or "", list(names))
    st.session_state["zone"] = found[0] if found else None

    def chosen() -> None:
        st.session_state["_picked"] = {"view": "", "zone": st.session_state["zone"] or ""}

    ordered = sorted(names, key=names.__getitem__)
    st.selectbox(
        "Zone", ordered, None, key="zone", format_func=names.get, placeholder="Choose a zone", on_change=chosen, **look
    )


def flows(target: str, zones: tuple[str, ...]) -> pd.DataFrame | None:
    """The arcs of chosen zones, largest first; none within a zone."""
    if not zones:
        return None
    every = _state.flows(target)
    parts = [flows_of(every, zone, _state.settings().axis) for zone in zones]
    found = pd.concat(parts).drop_duplicates(["origin", "destination"])
    return found[~found["within"]].sort_values("volume", ascending=False, kind="stable")


def draw(targets: list[str], here: dict[str, tuple[str, ...]]) -> None:
    """Draw the chosen zone in each view, side by side as the maps."""
    picked = _state.picked()
    if picked is None or not any(here.values()):
        st.caption(HINT)
        return
    for target, column in zip(targets, st.columns(len(targets)), strict=True):
        with column:
            _draw_one(target, here[target])


def _draw_one(target: str, zones: tuple[str, ...]) -> None:
    table = _state.zones(target)
    if not zones:
        st.markdown("No zone is published here: its flows are suppressed, or there are none.")
        return
    rows = table[table["zone"].isin(zones)]
    if len(zones) > 1:
        st.markdown(f"**{counted(len(zones), 'finer zone')}** at this place; click one to see why it is no finer.")
        return
    row = rows.iloc[0]
    persons = f" · {counted(int(row['persons']), 'person')}" if "persons" in rows else ""
    found = flows_of(_state.flows(target), zones[0], _state.settings().axis)
    ways = f"{count((~found['incoming']).sum())} flows out, {count(found['incoming'].sum())} in"
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**{row['name']}**", width="content")
        with st.popover(ways, icon=":material/swap_calls:", type="tertiary"):
            shown = found.assign(way=found["incoming"].map({True: "in", False: "out"}))
            st.dataframe(shown, hide_index=True, column_order=FLOW_COLUMNS, column_config=_frame.COLUMNS, height=320)
    st.caption(
        f"{counted(int(row['trips']), 'trip')}{persons} · {count(row['population'])} weighted trips (population)  \n"
        + why(target, zones[0])
    )


def why(target: str, zone: str) -> str:
    """Why a zone is this coarse, in words, with names that people can say."""
    release = _state.release(target)
    if not isinstance(release, odk.TreeRelease) or not release.homogeneous:
        return ":gray[Why a zone is this coarse can be told where one set of zones serves all flows.]"
    found = _state.why(target, zone)
    matrix = release.matrix
    named = {}
    for end, tree in (("origin", matrix.origins), ("destination", matrix.destinations)):
        label = getattr(found, end)
        named[end] = _say(tree, label) if label else ""
    return replace(found, **named).sentence(release.protection)


def _say(tree: odk.Hierarchy, label: str) -> str:
    node = next(n for n in range(tree.n_nodes) if tree.label(n) == label)
    level = odk.cells.resolution(tree.ids[node : node + 1]) if tree.kind == "h3" and tree.ids[node] else [-1]
    return f"*{zone_names(tree.lat[node : node + 1], tree.lon[node : node + 1], level)[0]}*"
