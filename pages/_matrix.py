"""The matrix of Explore: the published table of the target as a heat map with margins, and as CSV."""

import streamlit as st

import odk
from odk.viz.heat import heat_map, largest
from odk.viz.theme import counted
from pages import _frame, _state

SIZES = {"20 largest": 20, "40 largest": 40, "80 largest": 80, "all": None}


def draw() -> None:
    """Draw the target's table; the same for an empty cell and a suppressed one."""
    target = _state.settings().target
    if _state.refused(target):
        st.info("There is no release for this target.", icon=":material/table_chart:")
        return
    release = _state.release(target)
    if isinstance(release, odk.BoxRelease):
        st.info(
            "Boxes of a flow are its own: there is no table of zones. Choose an algorithm with zones, or see the map."
        )
        return
    lead = release.noised if isinstance(release, odk.NoisyRelease) else release.protection.lead
    measure = "weighted trips" if lead == "population" else "trips"
    flows = _state.flows(target)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        size = st.segmented_control(
            "Zones", list(SIZES), key="matrix_size", default="20 largest", required=True, label_visibility="collapsed"
        )
        shown = largest(flows, SIZES[size])
        st.download_button(
            "CSV of what is shown",
            shown[["origin", "destination", "from", "to", lead]].to_csv(index=False).encode(),
            "matrix.csv",
            "text/csv",
            icon=":material/download:",
        )
        st.caption(
            f"{counted(len(shown), 'flow')} of {len(flows):,} published, in {measure}; {target} protected.",
            width="content",
        )
    view = "population" if lead == "population" else "participants"
    chart = heat_map(shown, measure=measure, view=view, totals=flows, mode=_frame.mode())
    st.altair_chart(chart, theme=None, alt=f"Heat map of {len(shown)} published flows between zones, in {measure}.")
    st.caption("A blank cell is empty or suppressed: nobody can tell which. Bars are sums of all published flows.")
