"""Trade-offs: what every k and budget costs, where more suppression buys little; a click adopts a setting."""

import pandas as pd
import streamlit as st

import odk
from odk.tradeoffs import BUDGETS, KS, WALKED, frontier, headroom, knee
from odk.viz import charts_tradeoffs as charts
from odk.viz.theme import figure, percent, rule
from pages import _comparison, _frame, _state, _sweep, _undo

HEIGHT = 430


def adopt(chart: str) -> None:
    """Make the clicked point the current setting."""
    picked = st.session_state[chart]["selection"].get(charts.PICK, [])
    if picked:
        take(int(picked[0]["k"]), int(picked[0]["percent"]))


def take(k: int, budget: int) -> None:
    """Set k and the budget (per cent) for all pages; an own population threshold goes."""
    _undo.take("tradeoffs", {"k": k, "budget": budget, "population": None})
    st.session_state["_adopted"] = st.session_state.get("_adopted", 0) + 1


def chart(drawn: object, key: str, alt: str) -> None:
    """A chart whose points can be clicked; a new one after each, or a second click on the same point would say nothing."""
    key = f"{key}-{st.session_state.get('_adopted', 0)}"
    st.altair_chart(drawn, theme=None, key=key, alt=alt, on_select=lambda: adopt(key), selection_mode=charts.PICK)


def draw(table: pd.DataFrame, every: pd.DataFrame, at: tuple[int, float] | None) -> None:
    """The heat map of one sweep, and the frontier of all of them."""
    heat, line = st.columns(2)
    with heat:
        st.markdown("**How coarse does each k and budget make the zones?** Click a cell to adopt it.")
        words = f"Heat map of G for {len(ks)} values of k and {len(budgets)} budgets; the table below has its figures."
        chart(charts.heat_map(table, (k, budget), at, mode, view=view, height=HEIGHT), "heat", words)
    with line:
        st.markdown("**How much detail does suppression buy?** Hollow: another one beats it.")
        words = f"G over the share suppressed, a line for each k; {int(every['best'].sum())} settings are unbeaten."
        chart(charts.frontier_chart(every, (k, budget), mode, view=view, height=HEIGHT), "frontier", words)


chosen, mode = _state.settings(), _frame.mode()
k, budget, view = chosen.k, chosen.budget / 100, _state.view(chosen.target)
ks, budgets = sorted({*KS, k}), sorted({*BUDGETS, budget})
with _frame.refusals():
    tables = {WALKED: _sweep.quick(ks, budgets)} | _sweep.finished(chosen.algorithm, ks, budgets)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        shown = WALKED
        if len(tables) > 1:
            hidden = {"required": True, "label_visibility": "collapsed", "format_func": _sweep.title}
            shown = st.segmented_control("Sweep of", list(tables), key="swept", default=chosen.algorithm, **hidden)
        st.markdown(
            f"**{odk.algorithms.get(shown).title}**, {chosen.target}: now {rule(_state.protection(chosen.target))}, "
            f"budget {percent(budget, 0)}.",
            width="content",
        )
        _undo.offer("tradeoffs")
        _sweep.offer(chosen.algorithm, ks, budgets)
    table = tables[shown]
    found = knee(table, k)
    now = table[(table["k"] == k) & (table["budget"] == budget)].iloc[0]
    left, middle, right = st.columns([1, 1, 4])
    left.metric(f"G ({view}) now", figure(now["g"]), border=True, help="Mean generalisation error, leaves.")
    middle.metric("Suppressed now", percent(now["s"]), border=True, help="Share of the volume that is not published.")
    with right.container(border=True, height="stretch"):
        words, button = st.columns([6, 1], vertical_alignment="center")
        if found is None:
            words.markdown(f"No knee at k = {k}: {now['error'] or 'no budget stands out as the place to stop'}.")
        else:
            words.markdown(
                f":material/lightbulb: **A budget of {percent(found.budget, 0)} is the knee at k = {k}.** {found.reason} "
                f"{headroom(table, k, budget)}"
            )
            suggestion = (k, round(found.budget * 100))
            button.button("Adopt", key="adopt-knee", on_click=take, args=suggestion, disabled=found.budget == budget)
    at = None if found is None else (k, found.budget)
    every = pd.concat(tables.values(), ignore_index=True)
    every = every.assign(best=frontier(every))
    if table["g"].notna().any():
        draw(table, every, at)
    else:
        st.info("No k and budget of these has a release: there are too few trips.", icon=":material/balance:")
    with st.expander("All settings as a table"):
        _sweep.settings(every)
_comparison.privacy()
