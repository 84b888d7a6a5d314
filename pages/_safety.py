"""What the pages about safety share: the trips in the chosen area, the audit of the release, all four rules, segments."""

from dataclasses import replace
from typing import Any

import streamlit as st

import odk
from odk.demo import CENTRE
from odk.disclosure import SegmentSet, beside, on_common_zones, separately
from odk.zoning import leaf_resolution
from pages import _state

OPTIONS = "_audit_options"
CONTROLS = {  # keys of the Audit page's widgets, by the option that each sets
    "k_m": "a_km", "l_leaves": "a_leaves", "l_values": "a_values", "sensitive": "a_sensitive", "t": "a_t",
    "dominance": "a_dom", "homogeneity": "a_hom", "effective": "a_eff",
}  # fmt: skip
DAY, MOST_DAYS = "day", 31


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


def widgets(asked: odk.AuditOptions | None) -> dict[str, object]:
    """What the session keeps of a reviewer's thresholds: the options, and the controls of the Audit page."""
    found = asked or odk.AuditOptions()
    values = {key: getattr(found, option) for option, key in CONTROLS.items()}
    if found.sensitive is None:
        values.pop(CONTROLS["sensitive"])  # all columns, the control's default
    return {OPTIONS: found, **values}


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


def segmented() -> odk.Trips:
    """The trips of the area, with the day as a segment where there are few of them: two dates are two releases."""
    trips = area_trips()
    if "start_time" not in trips.table or DAY in trips.table:
        return trips

    def make() -> odk.Trips:
        day = trips.table["start_time"].dt.strftime("%Y-%m-%d")
        few = 1 < day.nunique() <= MOST_DAYS
        return replace(trips, table=trips.table.assign(**{DAY: day})) if few else trips

    return _state.cached(("days", trips.fingerprint), make)


def segments(column: str, values: tuple[str, ...], *, common: bool) -> SegmentSet:
    """The chosen release and one of each value: zoned separately with the current settings, or on common zones."""
    chosen = _state.settings()
    rule = _state.protection(chosen.target)
    level = resolution()

    def make() -> SegmentSet:
        if common:
            return on_common_zones(segmented(), column, values, rule, chosen.budget / 100, resolution=level)
        return separately(segmented(), column, values, rule, _state.release(), resolution=level, **settings())

    return _state.cached(_state.release_key("segments", column, values, common), make)


def another(target: str, k: int) -> SegmentSet:
    """The chosen release and one of the same data under another rule."""
    rule = odk.Protection(trips=k) if target == "participants" else odk.Protection(persons=k)
    if target in ("population", "both"):
        rule = odk.Protection(population=_state.weighted(k), trips=k if target == "both" else None)

    def make() -> SegmentSet:
        other = odk.anonymise(_state.matrix(), rule, **settings())
        label = f"k = {k:,}" if target == _state.settings().target else f"{target}, k = {k:,}"
        return beside(_state.release(), {label: other})

    return _state.cached(_state.release_key("beside", rule), make)


def settings() -> dict[str, Any]:
    """What the algorithm is run with, as `odk.anonymise` takes it."""
    chosen = _state.settings()
    return {
        "algorithm": chosen.algorithm,
        "budget": chosen.budget / 100,
        "budget_in": None if chosen.budget_in == "own" else chosen.budget_in,
        "options": _state.options(),
    }
