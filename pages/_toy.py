"""The toy matrix of the Methods page: edit a cell, move k, see what is published."""

import streamlit as st

from odk import algorithms
from odk.methods import PLACES, TOY_ALGORITHMS, play, toy_table
from odk.viz import toy
from odk.viz.theme import count, figure, percent
from pages import _frame

COLUMNS = {
    place: st.column_config.NumberColumn(place, min_value=0, max_value=999, step=1, width=58) for place in PLACES
}
TREE = "town → quarters **A** (A1, A2) and **B** (B1, B2)"


def draw(mode: str) -> None:
    """Draw it in light or dark."""
    st.markdown(f"Trips between four places; rows are origins. The tree, for both axes: {TREE}. Edit any cell.")
    controls, left, right = st.columns([1.1, 1.25, 1.65], gap="large")
    with controls:
        k = st.slider("k: trips a published cell must hold", 2, 40, 10, key="toy-k")
        share = st.slider("Suppression budget", 0, 50, 20, format="%d%%", key="toy-budget")
        titles = {name: algorithms.get(name).title for name in TOY_ALGORITHMS}
        name = st.selectbox("Algorithm", TOY_ALGORITHMS, 1, format_func=titles.get, key="toy-algorithm")
    with left:
        st.markdown("**The input**, to edit")
        trips = st.data_editor(toy_table(), column_config=COLUMNS, key="toy", height="content", width="stretch")
    with _frame.refusals():
        made = play(trips, k, share / 100, name)
        _result(made, k, left, right, mode)


def _result(made, k, left, right, mode) -> None:
    total, large = int(made.trips.to_numpy().sum()), int(made.publishable.to_numpy().sum())
    with left:
        safe = int(made.trips.where(made.publishable, 0).to_numpy().sum())
        st.markdown(f"**As it is**: {count(large)} cells reach {k} and hold {count(safe)} of {count(total)} trips")
        st.dataframe(toy.input_table(made, mode), height="content", width="stretch")
        st.caption("Green: may be published as it is. Amber: too small.")
    with right:
        st.markdown("**Published**: each pair with its zones and the trips of that cell")
        if made.error:
            st.error(f"{made.error}. Raise the budget or lower k.", icon=":material/block:")
            return
        st.dataframe(toy.zones_table(made, mode), height="content", width="stretch")
        bound = f", lower bound {figure(made.bound)}" if made.bound is not None else ""
        st.markdown(
            f"{count(len(made.published))} cells, {percent(made.suppressed)} suppressed, G {figure(made.g)}{bound}. "
            "A blank is empty or suppressed: nobody may tell which."
        )
        for merge in made.merges:
            st.markdown(
                f"{merge.step}. {merge.axis}: {' + '.join(merge.group)} → **{merge.into}**; {count(merge.failing)} cells "
                f"still below {k}, the least {count(merge.least)}"
            )
