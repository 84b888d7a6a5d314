"""What the pages about safety share: the trips in the chosen area, the audit of the release, all four rules, segments."""

from dataclasses import replace
from typing import Any

import streamlit as st

import odk
from odk.demo import CENTRE
from odk.disclosure import SegmentSet, on_common_zones, separately
from odk.zoning import leaf_resolution
from pages import _state

OPTIONS = "_audit_options"


def area_trips() -> odk.Trips:
    """The trips that the current matrix counts."""
    trips, chosen = _state.trips(), _state.settings()
    if _state.uploaded() is not None or chosen.area != "centre":
        return trips
    key = ("area", trips.fingerprint, chosen.resolution)
    return _state.cached(key, lambda: trips.within(CENTRE, resolution=chosen.resolution))


def resolution() -> int:
    """Resolution of the current matrix' leaves; cells of a file may be coarser than what was chosen."""
    return leaf_resolution(_state.matrix())


def options() -> odk.AuditOptions:
    """The reviewer's thresholds; measures that are not guarded are held against the chosen k."""
    return replace(st.session_state.get(OPTIONS, odk.AuditOptions()), cross=wanted())


def wanted() -> odk.Protection:
    """Every measure at the chosen k; persons only where they are known."""
    chosen = _state.settings()
    persons = chosen.k if _state.matrix().has_persons else None
    return odk.Protection(trips=chosen.k, persons=persons, population=chosen.population or _state.weighted(chosen.k))


def audit() -> odk.Audit:
    """The audit of the chosen target's release, from the trips again."""
    release, asked = _state.release(), options()
    key = _state.release_key("audit", asked)
    return _state.cached(key, lambda: odk.audit(release, area_trips(), release.protection, asked))


def segments(column: str, values: tuple[str, ...], *, common: bool) -> SegmentSet:
    """The chosen release and one of each value: zoned separately with the current settings, or on common zones."""
    chosen = _state.settings()
    rule = _state.protection(chosen.target)
    level = resolution()

    def make() -> SegmentSet:
        if common:
            return on_common_zones(area_trips(), column, values, rule, chosen.budget / 100, resolution=level)
        return separately(area_trips(), column, values, rule, _state.release(), resolution=level, **settings())

    return _state.cached(_state.release_key("segments", column, values, common), make)


def settings() -> dict[str, Any]:
    """What the algorithm is run with, as `odk.anonymise` takes it."""
    chosen = _state.settings()
    return {
        "algorithm": chosen.algorithm,
        "budget": chosen.budget / 100,
        "budget_in": None if chosen.budget_in == "own" else chosen.budget_in,
        "options": _state.options(),
    }
