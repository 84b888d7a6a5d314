"""Bundles: that of the current release, one that was opened, and how both are shown."""

import re

import streamlit as st

import odk
from odk.export import Bundle, make_bundle
from odk.viz.report import printable
from odk.viz.safety import verdict_list
from odk.viz.theme import count, counted
from pages import _adopt, _frame, _safety, _state

NOT_KEPT = ": does not hold everywhere."
SHOWN = 1000  # rows of flows.csv


def current() -> Bundle:
    """The bundle of the chosen target's release; raises OdkError where it may not be made."""
    release, recipe = _state.release(), _adopt.asked()
    asked = recipe.audit_options(_state.whole())

    def make() -> Bundle:
        audit = odk.audit(release, _safety.area_trips(), release.protection, asked)
        return make_bundle(release, audit, recipe=recipe)

    return _state.cached(_state.release_key("bundle", recipe.rounding, asked), make)


def file_name(what: str, ending: str) -> str:
    """A name that says what is inside: release-participants-k10.zip."""
    chosen = _state.settings()
    source = re.sub(r"[^a-z0-9]+", "-", _state.trips().source.lower().split(".")[0]).strip("-")
    return f"{source or 'trips'}-{chosen.target}-k{chosen.k}-{what}.{ending}"


def flows(bundle: Bundle) -> None:
    """The first rows of flows.csv as they will be read."""
    every = len(bundle.published)
    shown = f"all {counted(every, 'flow')}" if every <= SHOWN else f"the first {count(SHOWN)} of {count(every)} flows"
    st.markdown(f"**flows.csv**: {shown}")
    size = min(245, 38 + 35 * len(bundle.published))
    st.dataframe(bundle.flows.head(SHOWN), hide_index=True, column_config=_frame.COLUMNS, height=size)


def advice(bundle: Bundle) -> None:
    """What was not promised and falls short: it stands in the manifest and across the report."""
    found = bundle.manifest["advice"]
    if not found:
        st.success("Every check holds, promised or not.", icon=":material/check_circle:")
        return
    st.caption("Not promised, and not kept everywhere. These remarks stand in the manifest and across the report.")
    parts = [sentence.replace(NOT_KEPT, ".").partition(". ") for sentence in found]
    st.html(verdict_list([("advice", title.rstrip("."), rest) for title, _, rest in parts], _frame.mode()))


def report(bundle: Bundle) -> None:
    """The printable page, in a frame of its own."""
    st.download_button(
        "Report", bundle.report, file_name("report", "html"), icon=":material/download:", on_click="ignore"
    )
    st.iframe(printable(bundle.report), height=620, alt="The report of this release")
