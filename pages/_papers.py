"""The papers' tables of the current data: run in the background, kept by the session."""

from collections.abc import Hashable

import streamlit as st

import odk
from odk.published import tables
from odk.reproduce import Reproduction, SideBySide, only_published
from odk.viz.theme import count
from pages import _jobs, _state

RUN = "odk.reproduce:reproduce"


def key() -> Hashable:
    """Names the reproduction of the current data."""
    return ("reproduction", _state.trips().fingerprint, _state.settings().resolution)


def found() -> Reproduction | None:
    """The reproduction of the current data, once it was run."""
    job = _jobs.find(key())
    if job is not None and job.state not in ("running", "cancelled"):
        try:
            made: Reproduction = job.result
            _state.cached(key(), lambda: made)
        except odk.OdkError as error:
            st.error(str(error), icon=":material/block:")
        _jobs.forget(key())
    return _state.cached(key(), _never) if _state.known(key()) else None


def _never() -> Reproduction:
    raise AssertionError("the reproduction is known")


def side_by_side() -> tuple[SideBySide, ...]:
    """Every table, with ours where there are any."""
    made = found()
    return tuple(map(only_published, tables())) if made is None else made.tables


def offer() -> None:
    """The button that starts the run, or its progress."""
    running = key() in _jobs.running()
    if found() is None and not running:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Compute the tables on this data", key="reproduce", on_click=_start, type="primary")
            st.caption(
                f"Runs in the background, half a minute or so for {count(len(_state.trips()))} trips.", width="content"
            )
    _jobs.watch(key())


def _start() -> None:
    arguments = {"trips": _state.trips(), "resolution": _state.settings().resolution}
    _jobs.start(RUN, arguments, key=key(), label="The papers' grid")
