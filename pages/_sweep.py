"""Sweeps of k and budget for the Trade-offs page: the quick one at once, another algorithm's in the background."""

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

import odk
from odk.tradeoffs import WALKED, sweep
from pages import _jobs, _state

COLUMNS = {
    "cells": st.column_config.NumberColumn("flows", format="localized"),
    "origins": st.column_config.NumberColumn("origins", format="localized"),
    "destinations": st.column_config.NumberColumn("destinations", format="localized"),
    "budget": st.column_config.NumberColumn("budget", format="percent"),
    "g": st.column_config.NumberColumn("G (leaves)", format="%,.1f"),
    "s": st.column_config.NumberColumn("suppressed", format="percent"),
    "best": st.column_config.CheckboxColumn("unbeaten"),
}


def _arguments(name: str, ks: Sequence[int], budgets: Sequence[float]) -> dict[str, Any]:
    return {
        "matrix": _state.matrix(),
        "whole": _state.whole(),
        "ks": tuple(ks),
        "budgets": tuple(budgets),
        "names": (name,),
        "targets": (_state.settings().target,),
        "options": {name: _state.options(name)},
    }


def _key(name: str, ks: Sequence[int], budgets: Sequence[float]) -> Hashable:
    given = _arguments(name, ks, budgets)
    return ("sweep", given.pop("matrix").hash, given.pop("whole").hash, str(given))


def quick(ks: Sequence[int], budgets: Sequence[float]) -> pd.DataFrame:
    """The sweep of odkanon-late, whose one walk serves all settings."""
    with st.spinner(f"Trying {len(ks) * len(budgets)} settings"):
        return _state.cached(_key(WALKED, ks, budgets), lambda: sweep(**_arguments(WALKED, ks, budgets)))


def finished(name: str, ks: Sequence[int], budgets: Sequence[float]) -> dict[str, pd.DataFrame]:
    """The sweep of another algorithm by its name, where it was made."""
    key = _key(name, ks, budgets)
    job = _jobs.find(key)
    if job is not None and job.state not in ("running", "cancelled"):
        _jobs.forget(key)  # first: a job that failed must not meet every later visit
        made = job.result
        _state.cached(key, lambda: made)
    return {name: _state.cached(key, pd.DataFrame)} if name != WALKED and _state.known(key) else {}


def offer(name: str, ks: Sequence[int], budgets: Sequence[float]) -> None:
    """A button that starts the sweep of the chosen algorithm, or its progress."""
    key = _key(name, ks, budgets)
    if name == WALKED or _state.known(key):
        return
    title, runs = odk.algorithms.get(name).title, len(ks) * len(budgets)
    if key not in _jobs.running():
        st.button(
            f"Sweep {title} too: {runs} runs",
            key="sweep",
            on_click=_start,
            args=(name, tuple(ks), tuple(budgets)),
            icon=":material/hourglass_top:",
            help=f"{odk.algorithms.get(WALKED).title} needs one walk for all settings; {title} must be run for each of them, "
            "which is done in the background.",
        )
    _jobs.watch(key)


def title(name: str) -> str:
    """An algorithm's name as people read it."""
    return odk.algorithms.get(name).title


def settings(every: pd.DataFrame) -> None:
    """All settings as a table."""
    failed = ["error"] if (every["error"] != "").any() else []
    order = ["algorithm", "k", "budget", "g", "s", "origins", "destinations", "cells", "best", *failed]
    named = every.assign(algorithm=[title(name) for name in every["algorithm"]])
    st.dataframe(named, hide_index=True, column_order=order, column_config=COLUMNS, height=300)


def _start(name: str, ks: Sequence[int], budgets: Sequence[float]) -> None:
    title = odk.algorithms.get(name).title
    _jobs.start("odk.tradeoffs:sweep", _arguments(name, ks, budgets), key=_key(name, ks, budgets), label=title)
