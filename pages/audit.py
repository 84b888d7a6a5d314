"""Audit: the release checked against the trips again, differences between releases, and what each guard costs."""

import streamlit as st

import odk
from odk.viz.safety import by_weight, failing_cells, failing_zones, short_pane, verdict_list, verdict_rows
from odk.viz.theme import counted, rule
from pages import _differencing, _frame, _guards, _safety, _state, _twin

chosen, mode = _state.settings(), _frame.mode()
ORDER = ["value", "threshold", "from", "to", "measure", "origin", "destination"]
CELLS = {
    "from": st.column_config.TextColumn("from", width=172),
    "to": st.column_config.TextColumn("to", width=172),
    "value": st.column_config.NumberColumn("has", format="%,.4g", width=58),
    "threshold": st.column_config.NumberColumn("needs", format="%,.6g", width=60),
}


def _kind(check: odk.Check) -> str:
    """A flow, or a zone where a check is about all flows of one."""
    return "zone" if (check.failing["cell"] < 0).any() else "flow"


def checks() -> None:
    """One verdict list; beside it the failing cells of one check, on a map and in a table."""
    audit, release = _safety.audit(), _state.release()
    left, right = st.columns([11, 9], gap="medium")
    with left.container(key="checks"):  # as high as the window, with a hint that it goes on (_frame)
        st.html(verdict_list(verdict_rows(by_weight(audit.checks)), mode))
    with right:
        failing = {check.name: check for check in by_weight(audit.checks) if check.n_failing}
        if not failing:
            st.success("No cell falls short of any threshold.", icon=":material/check_circle:")
            return
        top = st.container(horizontal=True, vertical_alignment="bottom")
        name = top.selectbox(
            "What falls short of",
            list(failing),
            format_func=lambda n: f"{failing[n].title} ({counted(failing[n].n_failing, _kind(failing[n]))})",
        )
        check = failing[name]
        table = failing_cells(release, check)
        top.download_button(
            "CSV",
            icon=":material/download:",
            data=table.to_csv(index=False),
            file_name=f"failing {name}.csv",
            on_click="ignore",
        )
        zones = failing_zones(release, check, chosen.axis)
        pane = short_pane(zones, chosen.axis.capitalize(), f"{_kind(check)}s that fall short", check.title, mode)
        _twin.show([pane], _state.window(width=480), "map-failing", height=300)
        size = min(230, 38 + 35 * len(table))
        st.dataframe(table, hide_index=True, column_order=ORDER, column_config=CELLS, height=size)


release_known = not _state.refused(chosen.target)
if not release_known:
    with _frame.refusals():
        _state.release()
else:
    with _frame.refusals():
        audit = _safety.audit()
        promised = [check for check in audit.checks if check.guarded]
        words = f"**{chosen.target.capitalize()}**: {rule(_state.protection(chosen.target))}."
        with st.container(horizontal=True, vertical_alignment="center"):
            if audit.passed:
                st.success(
                    f"{words} All {len(promised)} promised checks hold. {counted(len(audit.advice), 'check')} beyond the "
                    "promise fall short: advice.",
                    icon=":material/verified_user:",
                )
            else:
                bad = [check for check in promised if check.passed is not True]
                st.error(f"{words} {counted(len(bad), 'promise')} broken: {bad[0].sentence}", icon=":material/block:")
            _guards.thresholds()
        tabs = st.tabs(["Checks", "Between releases", "What each rule costs"], key="audit-tab", on_change="rerun")
        for tab, draw in zip(tabs, (checks, _differencing.draw, _guards.draw), strict=True):
            if tab.open:
                with tab:
                    draw()
