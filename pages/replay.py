"""Replay: ODkAnon's walk merge by merge, on the map and as curves, played or step by step."""

import streamlit as st

from pages import _frame, _frames, _state, _walk

WALKS = {
    "odkanon-late": "merge, and stop as soon as what is still too small fits the budget",
    "odkanon": "drop pairs beyond rescue first, then merge until every cell reaches its threshold",
}

_frame.routed()
with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    st.segmented_control(
        "Walk of",
        list(WALKS),
        key="walk",
        default="odkanon-late",
        required=True,
        label_visibility="collapsed",
        bind="query-params",
    )
    st.caption(f"{WALKS[st.session_state['walk']].capitalize()}. Target: {_state.settings().target}.", width="stretch")
with _frame.refusals():
    with st.spinner("Walking"):
        _walk.film(st.session_state["walk"])
    _frames.stage()
