"""The session's state: what the user chose (Settings), and results computed once per session.

Raw and uploaded trips stay in `st.session_state`: nothing shared between users holds them. Only the demo survey, which
is synthetic, is shared. Results are kept by what they were made of: a content hash and frozen options.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

import odk
from odk.cells import resolution, to_ids
from odk.demo import CENTRE
from odk.matrix import exact_sums
from odk.metrics import View, generalisation
from odk.viz import maps
from odk.viz.flows import flow_table
from odk.viz.maps import Window
from odk.viz.zones import failing_table, zone_table

KEPT = 128  # results per session; the oldest go first
DEFAULT_ALGORITHM = "twincut"
EFFORT = {"quick": 0, "normal": 1, "thorough": 2}
TARGETS = ("participants", "population", "both", "persons")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Settings:
    """What the sidebar says. Every field is a widget's key, and a parameter of the page's address."""

    data: Literal["demo", "upload"] = "demo"
    area: Literal["whole", "centre"] = "whole"
    k: int = 10
    population: float | None = None
    """The population's own threshold in weighted trips; None: k times the mean weight of a trip."""
    budget: int = 10
    """Per cent."""
    budget_in: Literal["own", "volume", "pairs"] = "own"
    target: Literal["participants", "population", "both", "persons"] = "participants"
    algorithm: str = DEFAULT_ALGORITHM
    resolution: int = 10
    levels: int = 3
    """L of odkanon's filter."""
    drift: int = 3
    """Per cent."""
    effort: Literal["quick", "normal", "thorough"] = "quick"
    """How long TwinCut searches; quick keeps up with a slider."""
    axis: Literal["origins", "destinations"] = "origins"


def settings() -> Settings:
    """The current settings, from the widgets; what has no value yet has its default."""
    chosen = {f.name: st.session_state.get(f.name) for f in fields(Settings)}
    return Settings(**{name: value for name, value in chosen.items() if value is not None})


def cached(key: Hashable, make: Callable[[], Made]) -> Made:
    """The result of `make`, computed once per session for a key; refusals are not kept."""
    kept: dict[Hashable, Any] = st.session_state.setdefault("_results", {})
    if key not in kept:
        made = make()
        while len(kept) >= KEPT:
            kept.pop(next(iter(kept)))
        kept[key] = made
    kept[key] = kept.pop(key)  # the newest last
    return kept[key]


@st.cache_resource(show_spinner="Drawing the demo survey")
def demo_trips() -> odk.Trips:
    """The synthetic survey, one for all users."""
    return odk.demo_survey(seed=0)


@st.cache_resource(show_spinner="Counting the demo survey", max_entries=6)
def demo_matrix(resolution: int, area: str) -> odk.ODMatrix:
    """The synthetic survey's matrix, one for all users."""
    matrix = odk.ODMatrix.from_trips(demo_trips(), resolution=resolution)
    return matrix.within(CENTRE) if area == "centre" else matrix


def uploaded() -> odk.Trips | None:
    """The last file that could be read, if the user chose to upload one."""
    return st.session_state.get("_uploaded") if settings().data == "upload" else None


def trips() -> odk.Trips:
    """The trips that every page shows: the upload once it could be read, else the demo survey."""
    return uploaded() or demo_trips()


def matrix() -> odk.ODMatrix:
    """The matrix of the trips at the chosen resolution and area."""
    chosen, own = settings(), uploaded()
    return demo_matrix(chosen.resolution, chosen.area) if own is None else matrix_of(own)


def tree_of(own: odk.Trips) -> odk.Hierarchy | None:
    """The tree of zones that came with uploaded trips; None: H3 cells."""
    return st.session_state.get("_trees", {}).get(own.fingerprint)


def matrix_of(own: odk.Trips) -> odk.ODMatrix:
    """The matrix of uploaded trips; cells of a file that are coarser than the chosen resolution stay as they are."""
    level, tree = settings().resolution, tree_of(own)
    if tree is not None:
        return cached(("matrix", own.fingerprint), lambda: odk.ODMatrix.from_trips(own, hierarchy=tree))
    if own.has_cells:
        ids = np.concatenate([to_ids(own.table[end].iloc[:1].to_numpy()) for end in ("origin", "destination")])
        level = min(level, int(resolution(ids).min()))  # a file's cells are of one resolution
    return cached(("matrix", own.fingerprint, level), lambda: odk.ODMatrix.from_trips(own, resolution=level))


def whole() -> odk.ODMatrix:
    """The matrix without the choice of an area: thresholds of an area are those of the whole survey, as published."""
    own = uploaded()
    return demo_matrix(settings().resolution, "whole") if own is None else matrix()


def weighted(k: int) -> float:
    """K trips in weighted trips: k times the mean weight of a trip of the whole survey."""
    return odk.Protection.population_of(whole(), k).population or 0.0


def unweighted() -> bool:
    """Whether all trips weigh the same, so that participants and population are protected by one rule."""
    data = matrix()
    return cached(("unweighted", data.hash), lambda: bool(np.ptp(data.population / data.trips) < 1))


def protection(target: str) -> odk.Protection:
    """The rule of a target at the chosen thresholds."""
    chosen = settings()
    if target == "participants":
        return odk.Protection(trips=chosen.k)
    if target == "persons":
        return odk.Protection(persons=chosen.k)
    threshold = chosen.population or weighted(chosen.k)
    return odk.Protection(population=threshold, trips=chosen.k if target == "both" else None)


def options(algorithm: str | None = None) -> dict[str, int | float]:
    """The chosen options that an algorithm (by default the chosen one) has."""
    chosen = settings()
    known = {f.name for f in fields(odk.algorithms.get(algorithm or chosen.algorithm).options)}
    given = {"levels": chosen.levels, "drift": chosen.drift / 100, "effort": EFFORT[chosen.effort]}
    return {name: value for name, value in given.items() if name in known}


def release(target: str | None = None) -> odk.Release:
    """The release of a target (the chosen one by default) under the current settings."""
    chosen, data = settings(), matrix()
    rule = protection(target or chosen.target)
    return cached(
        _key("release", rule),
        lambda: odk.anonymise(
            data,
            rule,
            algorithm=chosen.algorithm,
            budget=chosen.budget / 100,
            budget_in=None if chosen.budget_in == "own" else chosen.budget_in,
            options=options(),
        ),
    )


def refused(target: str) -> bool:
    """Whether there is no release for a target under the current settings; whoever asks for it gets the reason."""
    try:
        release(target)
    except odk.OdkError:
        return True
    return False


def view(target: str) -> View:
    """The view of a target's lead measure."""
    return "population" if protection(target).lead == "population" else "participants"


def generalisation_of(target: str) -> float | None:
    """G of a target's release in the view of its lead measure; quick, so that it follows a slider."""
    return cached(_key("g", protection(target)), lambda: generalisation(release(target), view(target)))


def bound(target: str, *, wait: bool = True) -> odk.AboveLimit | None:
    """How far G is above its lower bound; where that is not known yet and `wait` is False, None."""
    key = _key("bound", protection(target))
    if not wait and key not in st.session_state.get("_results", {}):
        return None
    return cached(key, lambda: odk.above_limit(release(target)))


def other(target: str) -> odk.Protection | None:
    """The rule, besides its own, that a target's release is held against: the other view's (cross k-anonymity)."""
    against = {"participants": "population", "population": "participants", "persons": "both"}
    return protection(against[target]) if target in against else None


def zones(target: str) -> pd.DataFrame:
    """The zones of a target's release on the chosen axis, with the number of cells that fail the other rule."""
    axis, rule = settings().axis, other(target)
    return cached(_key("zones", protection(target), axis, rule), lambda: zone_table(release(target), axis, rule))


def failing(target: str) -> pd.DataFrame:
    """The cells of a target's release that fail the other rule."""
    rule = other(target)
    return cached(_key("failing", protection(target), rule), lambda: failing_table(release(target), rule))


def known(key: Hashable) -> bool:
    """Whether there is a result for a key."""
    return key in st.session_state.get("_results", {})


def flows(target: str) -> pd.DataFrame:
    """The published flows of a target's release, with names."""
    return cached(_key("flows", protection(target)), lambda: flow_table(release(target)))


def why(target: str, zone: str) -> odk.Why:
    """Why a zone of the chosen axis is not split in a target's release, which must be homogeneous."""
    axis = settings().axis
    return cached(_key("why", protection(target), axis, zone), lambda: odk.why_coarse(release(target), axis, zone))


def picked() -> str | None:
    """The zone that was last clicked on a map, if any; the maps of now may show it finer or coarser."""
    return st.session_state.get("_picked", {}).get("zone") or None


def window(tables: Iterable[pd.DataFrame] = (), width: int = 500) -> Window:
    """The part of the world that maps of these zones show at first, on maps of a width in pixels.

    It is that of the data, and where there are only few zones, theirs as well.
    """
    few = [list(t["zone"]) for t in tables if len(t) <= 12 and (t["level"] >= 0).all()]
    also = tuple(sorted({zone for zones in few for zone in zones}))
    data = matrix()
    tree, leaf = (data.origins, data.o) if settings().axis == "origins" else (data.destinations, data.d)
    n = tree.n_leaves
    make = lambda: maps.window(tree.lat[:n], tree.lon[:n], exact_sums(leaf, data.trips, n), zones=also, width=width)  # noqa: E731
    return cached(("window", data.hash, settings().axis, width, also), make)


def _key(what: str, rule: odk.Protection, *more: Hashable) -> Hashable:
    chosen = settings()
    run = (chosen.algorithm, chosen.budget, chosen.budget_in, tuple(sorted(options().items())))
    return (what, matrix().hash, rule, run, *more)


def release_key(what: str, *more: Hashable) -> Hashable:
    """Names a result that depends on the chosen target's release."""
    return _key(what, protection(settings().target), *more)
