"""All rules beside each other: what each leaves unguarded and what it costs; and the reviewer's thresholds."""

import streamlit as st

import odk
from odk.guards import guard_table
from odk.viz.guards import cost_chart, cross_table
from pages import _frame, _safety, _state


def thresholds() -> None:
    """The thresholds of what is not promised, kept for the session."""
    known: odk.AuditOptions = st.session_state.get(_safety.OPTIONS, odk.AuditOptions())
    keep = {"persist_state": "session"}
    with st.popover("Thresholds", icon=":material/tune:"):
        left, right = st.columns(2)
        k = _state.settings().k
        k_m = left.number_input(
            "kᵐ: people who share a trip's ends", 1, None, known.k_m, key="a_km", placeholder=str(k), **keep
        )
        leaves = left.number_input("l-diversity: leaves at each end", 1, 100, known.l_leaves, key="a_leaves", **keep)
        values = left.number_input(
            "l-diversity: values of a sensitive column", 1, 100, known.l_values, key="a_values", **keep
        )
        columns = _state.trips().segments
        sensitive = left.multiselect("Sensitive columns", columns, columns, key="a_sensitive", **keep)
        t = right.slider("t-closeness: largest distance", 0.0, 1.0, known.t, 0.05, key="a_t", **keep)
        dominance = right.slider(
            "Dominance: largest person's share", 0.0, 1.0, known.dominance, 0.05, key="a_dom", **keep
        )
        same = right.slider("Homogeneity: share to one zone", 0.0, 1.0, known.homogeneity, 0.05, key="a_hom", **keep)
        effective = right.number_input(
            "Effective sample size", 0.1, None, known.effective, key="a_eff", placeholder=f"{k / 2:g}", **keep
        )
    asked = odk.AuditOptions(
        k_m=k_m,
        l_leaves=leaves,
        l_values=values,
        sensitive=None if set(sensitive) == set(columns) else tuple(sensitive),
        t=t,
        dominance=dominance,
        homogeneity=same,
        effective=effective,
    )
    if asked != known:
        st.session_state[_safety.OPTIONS] = asked
        st.rerun()


def draw() -> None:
    """Cross k of four rules, and G of each."""
    releases, refused = {}, {}
    for target in _state.TARGETS:
        if target == "persons" and not _state.matrix().has_persons:
            refused[target] = "the data does not say who travels"
            continue
        try:
            releases[target] = _state.release(target)
        except odk.OdkError as error:
            refused[target] = str(error)
    wanted = _safety.wanted()
    table = _state.cached(_state.release_key("guards", wanted, tuple(releases)), lambda: guard_table(releases, wanted))
    st.markdown("**Cross k**: every rule against every threshold. ✓ what a rule guards; what else it keeps is luck.")
    st.html(cross_table(table, wanted, _frame.mode()))
    st.markdown(
        "**What each rule costs**: G, the mean size of a trip's two zones in leaves; lower is finer. "
        "Cost: G over that of the first rule."
    )
    st.altair_chart(cost_chart(table, _frame.mode()), theme=None, alt="G of each rule in both views, as in the table.")
    for target, why in refused.items():
        st.caption(f"No release for *{target}*: {why}.")
