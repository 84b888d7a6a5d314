"""The metrics of the Methods page, some at a time: formula, plain words, limits, source."""

import streamlit as st

from odk.methods import metric_texts

METRICS = {
    "Loss": ["g", "e", "d", "c_dm", "c_avg"],
    "Left out, moved, how near the best": ["s", "gdm_mean", "above_limit"],
    "Planning": ["row_error", "length_shift", "intrazonal", "corridors"],
}


def draw() -> None:
    """Draw the chosen group."""
    st.caption(
        "D: the input. D⁺: what is published. |E|: volume of a published cell, in trips (participants' view) or weighted "
        "trips (population's view). |o|, |d|: leaves observed in the whole input under its zones. k: threshold of the view."
    )
    chosen = st.segmented_control(
        "Metrics", METRICS, key="metrics", default=next(iter(METRICS)), required=True, label_visibility="collapsed"
    )
    for text in (metric_texts()[key] for key in METRICS[chosen]):
        left, right = st.columns([2, 3], gap="large", vertical_alignment="center")
        left.markdown(f"**{text.name}**")
        left.latex(text.formula)
        right.markdown(f"{text.words} **Limits.** {text.limits}")
        right.caption(f"Source: {text.source}.")
