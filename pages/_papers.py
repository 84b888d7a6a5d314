"""The papers' tables of the current data: run in the background, kept by the session."""

from collections.abc import Hashable

import pandas as pd
import streamlit as st

import odk
from odk.published import differences, tables
from odk.reproduce import Reproduction, SideBySide, only_published
from odk.viz.theme import counted
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


def offer(about: str) -> None:
    """What the run is of, and the button that starts it, or its progress."""
    st.markdown("**The papers' tables, computed on this data beside the published figures.**")
    st.caption(about)
    if _state.tree_of(_state.trips()) is not None:
        st.info("They are of H3 cells; these trips are between named zones.", icon=":material/info:")
        return
    if found() is None and key() not in _jobs.running():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Compute the tables on this data", key="reproduce", on_click=_start, type="primary")
            size = counted(len(_state.trips()), "trip")
            st.caption(f"{size}. Runs in the background; the other pages can be used meanwhile.", width="content")
    _jobs.watch(key())


def differ() -> None:
    """Where the published code and tables differ from each other or from ours, by what it is about."""
    every = differences()
    about = list(dict.fromkeys(d.about for d in every))
    chosen = st.pills("About", about, key="differ", default=about[1], required=True, label_visibility="collapsed")
    rows = [{"published": d.published, "odk": d.here, "effect": d.effect} for d in every if d.about == chosen]
    st.table(pd.DataFrame(rows), hide_index=True, border="horizontal")


def _start() -> None:
    arguments = {"trips": _state.trips(), "resolution": _state.settings().resolution}
    _jobs.start(RUN, arguments, key=key(), label="The papers' grid")
