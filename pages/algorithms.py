"""Algorithms: every algorithm on the current data and settings, who is best at what, and the map of any of them."""

import streamlit as st

from odk.glossary import LOSS, PLANNING, TERMS
from odk.outcomes import best, table
from odk.viz import charts_compare, tables
from odk.viz.theme import count, percent, rule
from pages import _compare, _frame, _pick, _state

DISTANCES = ("gdm_mean", "gdm_median", "gdm_std")
FIGURES = {  # so many at a time that no column is cut at 1440 pixels; what a table has room for stands before them
    "loss": (["seconds", "budget_used"], [t for t in LOSS if t.key not in DISTANCES[1:]]),
    "distances": (["zoning", "seconds", "budget_used"], [TERMS[key] for key in DISTANCES]),
    "planning": (["zoning", "seconds"], PLANNING),
}
VIEWS = ["participants", "population"]
WIDTHS = {"g": 70, "above_limit": 76, "e": 57, "d": 57, "s": 64, "c_dm": 82, "c_avg": 72, "gdm_mean": 90} | {
    "column_error": 120
}
SHORTER = {"above_limit": "× bound"}
COLUMNS = {
    "title": st.column_config.TextColumn("algorithm", width=166),
    "zoning": st.column_config.TextColumn(
        "zones", width=84, help="One set of zones for all flows, or zones that differ from origin to origin."
    ),
    "shape": st.column_config.TextColumn(
        "shape", width=100, help="Origin zones × destination zones with a flow, or boxes."
    ),
    "cells": st.column_config.NumberColumn("flows", width=64, help="Published cells."),
    "seconds": st.column_config.NumberColumn("time", width=62, help="The algorithm alone, with the matrix in hand."),
    "budget_used": st.column_config.NumberColumn("budget", width=64, help="Share of the suppression budget it used."),
    **{
        t.key: st.column_config.NumberColumn(SHORTER.get(t.key, t.short), help=t.help, width=WIDTHS.get(t.key, 104))
        for t in TERMS.values()
    },
}

chosen, mode = _state.settings(), _frame.mode()
guard = _state.protection(chosen.target)
budget = "pairs" if chosen.budget_in == "pairs" else "volume"
left, right = st.columns([5, 6], vertical_alignment="center")
hidden = {"required": True, "label_visibility": "collapsed", "bind": "query-params"}
with left.container(horizontal=True):
    seen = st.segmented_control("View", VIEWS, key="seen", default=VIEWS[0], **hidden)
    shown = st.segmented_control("Figures", list(FIGURES), key="figures", default="loss", **hidden)
right.caption(
    f"{rule(guard).capitalize()}; at most {percent(chosen.budget / 100, 0)} of {budget} suppressed. "
    "**★** best of those that keep both rules. Choose a row to see its map."
)
outcomes = _compare.outcomes()
found = {view: table(outcomes, view) for view in VIEWS}
here = found[seen].assign(zoning=[_compare.zoning(outcome) for outcome in outcomes])
here["shape"] = here["shape"].replace("", "no release")
beside, terms = FIGURES[shown]
picked = st.dataframe(
    tables.marked(here, best(here), mode),
    hide_index=True,
    column_order=["title", "shape", "cells", *beside, *(term.key for term in terms)],
    column_config=COLUMNS,
    on_select="rerun",
    selection_mode="single-row",
    row_height=30,
    height=37 + 30 * len(here),
    placeholder="–",
    key="algorithm-rows",
)
_compare.refused(outcomes)
_compare.offer()

rows = [n for n in picked.selection.rows if n < len(outcomes)]
known = [n for n, outcome in enumerate(outcomes) if outcome.release is not None]
default = [n for n in known if outcomes[n].algorithm == chosen.algorithm] or known[:1]
maps, bound, loss, planning, why = st.tabs(
    ["Map", "Against the lower bound", "Loss, both views", "Planning, both views", "What does not apply"]
)
with maps:
    for outcome in [outcomes[n] for n in (rows or default)]:
        st.caption(f"**{outcome.entry.title}.** {outcome.entry.summary} {outcome.entry.when}")
        if outcome.release is None:
            st.error(f"{outcome.error}. Raise the suppression budget, lower k, or choose another target.")
        else:
            _pick.draw(outcome.release, _compare.key(outcome.algorithm), mode, seen, key=outcome.algorithm)
fair = {view: part[part["not_compared"] == ""] for view, part in found.items()}
out = [o.entry.title for o in outcomes if o.not_compared]
left_out = f":gray[Left out, as they break a rule: {', '.join(out)}.]" if out else ""
lead = _state.view(chosen.target)
with bound:
    st.markdown(f"**How far from the best possible?** Tick: the lower bound for releases of its kind. {left_out}")
    words = f"G of {count(len(fair[lead]))} algorithms beside its lower bound, as in the table above."
    st.altair_chart(charts_compare.bound_chart(fair[lead], lead, mode), theme=None, alt=words)
for tab, terms, words in ((loss, LOSS, "loss"), (planning, PLANNING, "planning")):
    with tab:
        st.markdown(f"Every {words} metric in both views. {left_out}")
        chart = charts_compare.metrics_chart(fair, [t.key for t in terms if t.key != "above_limit"], mode)
        st.altair_chart(
            chart, theme=None, alt=f"Every {words} metric of every algorithm in both views, as in the table."
        )
with why:
    _compare.explain(outcomes)
