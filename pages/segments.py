"""Segments: who gets coarser zones, is it their data or the algorithm, and what would one common zoning cost them?"""

import streamlit as st

import odk
from odk.equity import cost_of_common, parity, segment_table
from odk.viz import charts_segments, maps, small, tables
from odk.viz.theme import count, counted, rule
from pages import _frame, _segment_table, _segmented, _state

chosen, mode, trips = _state.settings(), _frame.mode(), _segmented.trips()
view, guard = _state.view(chosen.target), _state.protection(chosen.target)
if not trips.segments:
    st.info(
        "Nothing parts these trips: the file has no start times, and no column with few different values, such as sex, "
        "age band or user type, is used. Choose some in the sidebar: Columns of the file, Segments.",
        icon=":material/groups:",
    )
    st.stop()
left, right = st.columns([1, 3], vertical_alignment="center")
column = left.selectbox(
    "Segments by", trips.segments, key="segments", bind="query-params", label_visibility="collapsed"
)
missing = int(trips.table[column].isna().sum())
right.caption(
    f"{odk.algorithms.get(chosen.algorithm).title} on each value of *{column}* alone, {rule(guard)} "
    f"(the whole survey's thresholds), view: {view}. "
    + (f"{count(missing)} trips have no value. " if missing else "")
    + (f"Only the {_segmented.MOST} largest are shown." if trips.table[column].nunique() > _segmented.MOST else "")
)
outcomes = _segmented.outcomes(column)
table = segment_table(outcomes, view)
found = parity(table)
if found:
    st.markdown("**Are all segments served alike?** The worst served against the best served:")
    for item, box in zip(found, st.columns(len(found)), strict=True):
        with box:
            _segmented.card(item)
for label, outcome in outcomes.items():
    if outcome.error:
        st.error(f"**{label}**: {outcome.error}", icon=":material/block:")

chart, shared = st.columns(2)
with chart:
    st.markdown("**Is it the data or the algorithm?** Tick: the lower bound; dot: achieved; number: how far above.")
    drawn = charts_segments.achieved_chart(table, view, mode)
    st.altair_chart(drawn, theme=None, alt="G of every segment beside its lower bound, as in the table below.")
with shared:
    st.markdown("**What would one common zoning cost each segment?** It leaves nothing to subtract between releases.")
    with _frame.refusals("Raise the suppression budget, lower k, or choose a column with larger segments."):
        together = _segmented.common(column)
        if together is not None:
            cost = cost_of_common(table, together, view)
            st.markdown(":blue[●] its own zoning, :red[◆] the common one, and how many times as far.")
            drawn = charts_segments.common_chart(cost, mode)
            st.altair_chart(drawn, theme=None, alt="Mean metres with an own zoning (blue) and with a common one (red).")
            with st.expander("As a table"):
                st.dataframe(tables.marked(cost, mode=mode), **_segment_table.LOOK)

drawable = {label: outcome.release for label, outcome in outcomes.items() if outcome.release is not None}
zones = {label: _segmented.zones(column, label, release) for label, release in drawable.items()}
shade = "density" if all(t["density"].notna().any() for t in zones.values()) else "trips"
limits, where = (
    maps.breaks([t[shade] for t in zones.values()]),
    _state.window(zones.values(), width=586),
)  # as wide as they are, for their height
with st.container(horizontal=True, vertical_alignment="center"):
    asked = f"**Where are the zones coarse?** {chosen.axis.capitalize()} of each segment, one colour scale."
    st.markdown(asked, width="content")
    if limits:
        st.html(maps.legend([t[shade] for t in zones.values()], view, shade, mode), width="content")
across = _segmented.across(len(zones))
look = {"view": view, "figure_shown": shade, "mode": mode, "width": 300 if across > 3 else 370}
for start in range(0, len(zones), across):
    row = list(zones.items())[start : start + across]
    for (label, part), box in zip(row, st.columns(across), strict=False):
        size = counted(len(part), chosen.axis[:-1])
        words = f"{label}: {size}"
        with box.container(gap="xsmall"):
            st.markdown(f"**{label}** · {size}")
            st.html(small.small_map(part, where, limits, words, **look))
_segment_table.draw(table, mode)
