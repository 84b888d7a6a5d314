"""Segments: who gets coarser zones, is it their data or the algorithm, and what would one common zoning cost them?"""

import streamlit as st

import odk
from odk.equity import cost_of_common, parity, segment_table
from odk.glossary import PLANNING, TERMS
from odk.viz import charts_segments, maps, small, tables
from odk.viz.theme import count, counted, rule
from pages import _frame, _segmented, _state

FIGURES = {  # so many at a time that no column is cut
    "loss": ["cells", "limit", "harder", "worse", "g", "above_limit", "gdm_mean", "s", "e", "d", "c_dm", "c_avg"],
    "distances": ["persons", "cells", "gdm_mean", "gdm_median", "gdm_std"],
    "planning": ["persons", "cells", *(t.key for t in PLANNING)],
}
WIDTHS = {"trips": 66, "persons": 66, "cells": 62, "limit": 82, "harder": 68, "worse": 76, "g": 68, "above_limit": 72} | {
    "gdm_mean": 90, "s": 62, "e": 52, "d": 52, "c_dm": 84, "c_avg": 68, "column_error": 125
}  # fmt: skip
WORDS = {
    "trips": ("trips", "Trips of the segment."),
    "persons": ("persons", "Participants of the segment."),
    "cells": ("flows", "Published cells."),
    "limit": ("bound of G", "No release of this kind has a lower G."),
    "harder": ("data", "Its bound of G over that of the whole."),
    "worse": ("algorithm", "Its G over its bound, against the whole's."),
    "price": ("price", "Mean distance with the common zoning over that with its own."),
    "withheld": ("withheld", "Flows that reach the thresholds but are hidden for what they would give away."),
} | {t.key: (t.short, t.help) for t in TERMS.values()}
WORDS["above_limit"] = ("× bound", WORDS["above_limit"][1])
COLUMNS = {
    name: st.column_config.NumberColumn(short, help=words, width=WIDTHS.get(name, 105))
    for name, (short, words) in WORDS.items()
} | {
    "segment": st.column_config.TextColumn("segment", width=88),
    "shape": st.column_config.TextColumn("shape", width=82, help="Origin zones × destination zones with a flow."),
    "error": st.column_config.TextColumn("remark", width="large"),
}
LOOK = {"hide_index": True, "column_config": COLUMNS, "placeholder": "–", "row_height": 30, "height": "content"}

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
                st.dataframe(tables.marked(cost, mode=mode), **LOOK)

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
kept = {"required": True, "label_visibility": "collapsed"}
figures = st.segmented_control("Figures", list(FIGURES), key="segment-figures", default="loss", **kept)
failed = ["error"] if (table["error"] != "").any() else []
st.dataframe(
    tables.marked(table, mode=mode), column_order=["segment", "trips", "shape", *FIGURES[figures], *failed], **LOOK
)
