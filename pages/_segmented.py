"""Outcomes of the current algorithm on the segments of a column, and the job that looks for one common zoning."""

from collections.abc import Hashable
from typing import Any

import pandas as pd
import streamlit as st

import odk
from odk.demo import CENTRE
from odk.equity import Common, Parity
from odk.experiment.grid import WHOLE
from odk.glossary import TERMS
from odk.outcomes import Outcome, run
from odk.viz.tables import FORMATS, times
from odk.viz.theme import count, figure
from odk.viz.zones import zone_table
from odk.zoning import leaf_resolution
from pages import _compare, _jobs, _state

MOST = 16  # segments of a column that are shown, largest first
OWN = " G counts the segment's own leaves, so that a small one has a small G; metres compare."
LABELS = {"zones": "Zones", "g": "G", "gdm_mean": "Mean distance", "s": "Suppressed", "above_limit": "G over bound"}


def trips() -> odk.Trips:
    """The trips of the chosen area, with the parts of the day and of the week that they start in."""
    chosen, own = _state.settings(), _state.trips()
    if _state.uploaded() is not None or chosen.area == "whole":
        return _state.cached(("by time", own.fingerprint), own.by_time)
    key = ("area", own.fingerprint, chosen.area, chosen.resolution)
    return _state.cached(key, lambda: own.within(CENTRE, resolution=chosen.resolution).by_time())


def values(column: str) -> list[str]:
    """The values of a column, sorted; the largest of them where there are many."""
    counts = trips().table[column].dropna().astype(str).value_counts()
    return sorted(counts.head(MOST).index)


def outcomes(column: str) -> dict[str, Outcome]:
    """The current algorithm on the whole and on each segment; progress is shown while they are computed."""
    name = _state.settings().algorithm
    labels = [WHOLE, *values(column)]
    todo = [label for label in labels if not _state.known(_key(column, label))]
    place = st.empty()
    for done, label in enumerate(todo):
        place.progress(done / len(todo), f"{label}: {done + 1} of {len(todo)} segments")
        given = {**_compare.arguments(name), "matrix": _matrix(column, label)}
        _state.cached(_key(column, label), lambda given=given: run(**given))
    place.empty()
    return {label: _state.cached(_key(column, label), _compare._never) for label in labels}


def zones(column: str, label: str, release: odk.Release) -> pd.DataFrame:
    """The zones of a segment on the chosen axis."""
    axis = _state.settings().axis
    return _state.cached(("zones of", _key(column, label), axis), lambda: zone_table(release, axis))


def across(number: int) -> int:
    """How many little maps stand in a row: up to four, or five where one would be left alone."""
    return max(1, number) if number <= 4 else min((4, 5), key=lambda n: -number % n)


def _key(column: str, label: str) -> Hashable:
    made = _compare.key(_state.settings().algorithm)
    return made if label == WHOLE else ("segment", column, label, made)


def _matrix(column: str, label: str) -> odk.ODMatrix:
    if label == WHOLE:
        return _state.matrix()
    tree = _state.tree_of(_state.trips())
    part = lambda: trips().where(**{column: label})  # noqa: E731
    make = lambda: odk.ODMatrix.from_trips(part(), resolution=_resolution(), hierarchy=tree)  # noqa: E731
    return _state.cached(("segment matrix", column, label, _state.matrix().hash), make)


def _resolution() -> int:
    data = _state.matrix()
    return leaf_resolution(data) if data.origins.kind == "h3" else _state.settings().resolution


def card(found: Parity) -> None:
    """How unequal segments are in one figure."""
    write = FORMATS.get(found.figure, count if found.figure == "zones" else figure)
    help_ = TERMS[found.figure].help if found.figure in TERMS else "Origin zones plus destination zones with a flow."
    st.metric(
        LABELS[found.figure],
        times(found.ratio) if found.ratio is not None else f"{write(found.best_value)} to {write(found.worst_value)}",
        f"{found.worst}: {write(found.worst_value)}; {found.best}: {write(found.best_value)}"
        if found.worst != found.best
        else f"all alike: {write(found.best_value)}",
        delta_color="off",
        delta_arrow="off",
        border=True,
        help=f"The worst served segment against the best served one, each with its own zoning. {help_}"
        + (OWN if found.figure == "g" else ""),
    )


def common(column: str) -> Common | None:
    """One common zoning for all segments, where it was asked for; else a button, or its progress."""
    if _state.tree_of(_state.trips()) is not None:
        st.caption("A common zoning is made of H3 cells; these trips are between named zones.")
        return None
    chosen = _state.settings()
    rule = _state.protection(chosen.target)
    given: dict[str, Any] = {
        "trips": trips(),
        "column": column,
        "values": values(column),
        "protection": rule,
        "budget": chosen.budget / 100,
        "resolution": _resolution(),
    }
    key = ("common", column, _state.matrix().hash, rule, chosen.budget)
    job = _jobs.find(key)
    if job is not None and job.state not in ("running", "cancelled"):
        _jobs.forget(key)
        made = job.result
        _state.cached(key, lambda: made)
    if _state.known(key):
        return _state.cached(key, _compare._never)
    if key not in _jobs.running():
        start = lambda: _jobs.start("odk.equity:common", given, key=key, label="One zoning for all")  # noqa: E731
        with st.container(border=True):
            st.markdown(
                "Zones of its own for each segment are finest, but two of them, or one and the whole, can be subtracted. "
                "One zoning that is safe for all of them cannot; it is coarser, and this shows by how many metres."
            )
            st.button("Find one zoning for all segments", key="common", on_click=start, icon=":material/join_inner:")
    _jobs.watch(key)
    return None
