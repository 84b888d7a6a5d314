"""k-anonymity beside its neighbours: the papers' comparisons, and k against ε in one chart."""

from typing import Any

import pandas as pd
import streamlit as st

from odk.cells import resolution
from odk.comparison import Comparison, Thesis, in_words
from odk.viz.comparison import figure_12, tradeoff_chart, written
from pages import _frame, _state
from pages._ask import ask

IPF_TABLES = {"none": 14, "0.2": 15, "0.5": 16, "1": 17, "2": 18}
EXTENTS = {"quick": "two days, without glove-sk", "full": "seven days, all solvers: much longer"}


def _table(table: pd.DataFrame, title: str, height: int | str = "content") -> None:
    st.markdown(f"**{title}**")
    st.dataframe(written(table, _frame.mode()), hide_index=True, row_height=30, placeholder="–", height=height)


def mondrian() -> None:
    """Tables 11 to 19 and 23 of 004, on one record a person."""
    trips = _state.trips()
    st.markdown(
        "**Groups or noise, for a table of persons?** Mondrian coarsens columns until k persons look alike; IPF draws new "
        "persons from noisy counts. All persons, whatever the sidebar says; the published figures are of another survey."
    )
    named = {"name": "thesis", "key": ("thesis", trips.fingerprint), "label": "Compare Mondrian and IPF"}
    found: Thesis | None = ask("odk.comparison:thesis_comparison", {"trips": trips}, **named)
    if found is None:
        return
    off: dict[str, Any] = {"delta_color": "off", "delta_arrow": "off", "border": True}
    for box, line in zip(st.columns(3), found.headlines, strict=True):
        box.metric(line.title, line.ours, f"published: {line.published}", help=line.meaning, **off)
    for at, number in zip(2 * st.columns(2), (11, 13, 12, 23), strict=True):
        with at:
            _table(found.tables[number], f"Table {number}. {found.titles[number]}")
    chosen = st.segmented_control("ε of IPF", list(IPF_TABLES), key="ipf-epsilon", default="1", required=True)
    for number in (IPF_TABLES[chosen], 19):
        _table(found.tables[number], f"Table {number}. {found.titles[number]}")
    st.markdown("\n".join(["**How to read them**", "", *(f"- {note}" for note in found.notes)]))


def solvers() -> None:
    """Tables 3, 4 and 6 and figure 12 of 001."""
    trips, level = _state.trips(), int(resolution(_state.matrix().origins.ids[:1])[0])
    st.markdown(
        "**How do ATG's rivals fare on this data?** At least 10 trips in every cell and at most 10% suppressed, as published. "
        "Days stand for the paper's small matrices, all trips together for its big ones."
    )
    extent = st.segmented_control("Extent", list(EXTENTS), key="extent", default="quick", required=True)
    found: Comparison | None = ask(
        "odk.comparison:survey_comparison",
        {"trips": trips, "resolution": level, "quick": extent == "quick"},
        name="solvers",
        key=("solvers", trips.fingerprint, level, extent),
        label=f"Run the solvers: {EXTENTS[extent]}",
    )
    if found is None:
        return
    st.caption(
        "G: leaves a cell stands for. E and D: 0 is perfect; where hardly a pair of leaves has two trips, both are near 2 "
        "for every solver, and only G tells them apart. S below 0: trips made up."
    )
    _table(found.table_3, "Table 3. Means over small matrices; seconds in all")
    if found.big:
        _table(found.table_4, "Table 4. All trips together")
    st.markdown("**Figure 12. Each solver over ATG-Dual: below 1 is better**")
    words = "G, E, D and seconds of each solver over those of ATG-Dual; table 6 has the figures they come from."
    st.altair_chart(figure_12(found.ratios, _frame.mode()), theme=None, alt=words)
    _table(found.table_6, "Table 6. By data set, ours first", height=400)
    for row in found.runs.dropna(subset="error").drop_duplicates(["dataset", "solver"]).itertuples():
        st.caption(f"**{row.solver}**, {row.dataset}: {row.error}.")


def privacy() -> None:
    """Draw k against ε on the chosen data, by the share of trips in the wrong place."""
    data, budget = _state.matrix(), _state.settings().budget / 100
    st.subheader("Groups or noise?", anchor=False)
    st.markdown(
        "k-anonymity promises that a trip hides among k; noise, that nobody can tell if the trip was made at all."
    )
    named = {"name": "privacy", "key": ("privacy", data.hash, budget), "label": "Draw k against ε"}
    table = ask("odk.comparison:privacy_utility", {"matrix": data, "budget": budget}, **named)
    if table is None:
        return
    st.markdown(words := in_words(table))
    st.altair_chart(tradeoff_chart(table, _frame.mode()), theme=None, alt=f"Trips in the wrong place, k and ε. {words}")
    st.caption(
        "A trip is what is protected; noise: mean of three draws. Synthetic trips are drawn in the zones of ODkAnon's release "
        "with k = 10, which ε does not cover."
    )
    with st.expander("k against ε as a table"):
        st.dataframe(written(table, _frame.mode()), hide_index=True, placeholder="–")


PARTS = {"Mondrian against IPF": mondrian, "ATG's solvers": solvers}
