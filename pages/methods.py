"""Methods: a toy matrix to play with; each algorithm and metric in plain words, with formula, source and limits."""

import pandas as pd
import streamlit as st

from odk import algorithms
from odk.methods import algorithm_texts, levels_table, related_systems
from odk.viz.svg_levels import levels_picture
from odk.viz.theme import figure
from pages import _frame, _metrics, _papers, _toy

KINDS = {
    "homogeneous": "one set of zones for all flows",
    "tree": "zones depend on the other end",
    "boxes": "boxes in four dimensions, no zones of a map",
    "noise": "noise, not k-anonymous",
}
PAPERS = (
    "000: the ODkAnon report. 001: ATG. 003: the thesis on ODkAnon. 004: Mondrian against IPF with differential privacy. "
    "ours: odk's own."
)

mode = _frame.mode()
toy, ways, measures, levels, related, differ = st.tabs(
    ["Toy matrix", "Algorithms", "Metrics", "H3 levels", "Not for OD matrices", "Where code and papers differ"],
    key="methods",
    bind="query-params",
)
with toy:
    _toy.draw(mode)
with ways:
    st.caption(f"{PAPERS} The thresholds: a published cell holds at least k of what is guarded; v is its volume.")
    titles = {algorithms.get(name).title: name for name in algorithms.names()}
    first = next(iter(titles))
    name = titles[
        st.pills("Algorithm", titles, key="method", default=first, required=True, label_visibility="collapsed")
    ]
    entry, text = algorithms.get(name), algorithm_texts()[name]
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader(entry.title, anchor=False)
        st.markdown(text.words)
        st.latex(text.formula)
        st.markdown(f"**Limits.** {text.limits}")
        st.markdown(f"**When.** {entry.when}")
        st.caption(f"Source: {entry.source}. Kind: {KINDS[entry.kind]}. Its budget counts {entry.budget_in}.")
    with right:
        st.markdown("**Options**")
        options = [(o.option, o.default, o.meaning) for o in algorithms.describe(name)]
        if options:
            st.table(
                pd.DataFrame(options, columns=["option", "default", "meaning"]), hide_index=True, border="horizontal"
            )
        else:
            st.caption("None.")
    with st.expander("Options of all algorithms"):
        every = [(o.name, o.option, o.default, o.meaning) for o in algorithms.describe()]
        st.dataframe(pd.DataFrame(every, columns=["algorithm", "option", "default", "meaning"]), hide_index=True)
with measures:
    _metrics.draw()
with levels:
    st.markdown(
        "H3 covers the Earth with hexagons (and 12 pentagons). A cell has seven children; they cover it only nearly, so odk "
        "follows the tree, not the outline. The root of a tree is the finest cell that holds all trips, the leaves are of "
        "level 10 unless chosen otherwise."
    )
    picture, table = st.columns([1, 1.5], gap="large")
    picture.image(
        levels_picture(mode=mode),
        caption="Around Notre-Dame: a cell of level 6, and the way down to level 10.",
        alt="Nested hexagons of levels 6 to 10 around Notre-Dame.",
    )
    rows = levels_table()
    shown = rows.assign(**{"in the papers": rows["in the papers"].map({True: "✓", False: ""})})
    numbers = {"cells on Earth": "{:,}", "area (km²)": lambda v: figure(v) if v >= 1 or v < 0.001 else f"{v:.3g}"}
    numbers |= dict.fromkeys(("edge (m)", "between neighbours (m)"), figure)
    table.dataframe(shown.style.format(numbers), hide_index=True, height="content", row_height=30)
with related:
    st.markdown("Systems that the thesis reviews. Each protects something, but not the cells of a matrix.")
    found = [
        {"system": s.name, "protects": s.protects, "idea": s.idea, "why not here": s.why} for s in related_systems()
    ]
    st.table(pd.DataFrame(found), hide_index=True, border="horizontal")
with differ:
    st.markdown("Found by running the published code; it is why our figures differ from the published ones.")
    _papers.differ()
