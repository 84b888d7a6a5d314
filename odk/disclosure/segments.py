"""All and some segments of it: what the releases give away together, zoned separately and on one common zoning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from odk.algorithms import anonymise
from odk.disclosure.common import ALL, common_zoning
from odk.disclosure.differencing import Differencing, difference
from odk.disclosure.published import Published, exact, nested_in, scopes
from odk.errors import InputError
from odk.matrix import MICRO, ODMatrix
from odk.protection import Protection
from odk.release import Release, TreeRelease
from odk.trips import Trips

COLUMNS = ("origin", "destination", "all", "segments", "left", "threshold", "safe")


@dataclass(frozen=True, eq=False)
class SegmentSet:
    """The whole and segments of one column, each released, and what they give away by subtraction."""

    releases: Mapping[str, Release]
    """By label: `all`, then the values of the column."""
    tables: tuple[Published, ...] = field(repr=False)
    found: Differencing
    rest: tuple[str, ...]
    """Values of the column that are not released on their own: what is left once the others are subtracted."""
    withheld: Mapping[str, int] = field(default_factory=dict)
    """Cells of a segment that reach the thresholds and are withheld so that nothing is given away."""

    @property
    def whole(self) -> Release:
        """The release of all trips."""
        return self.releases[ALL]

    def remainders(self) -> pd.DataFrame:
        """All − segments in the lead measure that is published, one row a cell of `all` that segments lie inside.

        Columns: origin, destination, all, segments (their sum inside the cell), left, threshold, and safe: whether the
        left-over is zero or reaches the threshold; what is left of least first. Natural units.
        """
        outer, *inner = self.tables
        measures = [m for m in outer.measures if all(m in t.measures for t in inner)]
        if not measures:
            return pd.DataFrame({name: pd.Series(dtype="float64") for name in COLUMNS})
        measure = outer.protection.lead if outer.protection.lead in measures else measures[0]
        total = exact(outer.flows, measure)
        taken = np.zeros(len(total), dtype=np.int64)
        touched = np.zeros(len(total), dtype=bool)
        for table in inner:
            place = nested_in(table, outer)
            fits = place >= 0
            np.add.at(taken, place[fits], exact(table.flows, measure)[fits])
            touched[place[fits]] = True
        left, wanted = total - taken, outer.protection.threshold(measure)
        unit = MICRO if measure == "population" else 1
        at = np.flatnonzero(touched)
        frame = outer.flows.iloc[at][["origin", "destination"]].reset_index(drop=True)
        for name, values in (("all", total), ("segments", taken), ("left", left)):
            frame[name] = values[at] / unit if unit > 1 else values[at]
        frame["threshold"] = wanted / unit
        frame["safe"] = ((left <= 0) | (left >= wanted))[at]
        return frame.sort_values(["safe", "left", "origin", "destination"], ignore_index=True)


def separately(
    trips: Trips,
    column: str,
    values: Sequence[str],
    protection: Protection,
    whole: Release,
    *,
    resolution: int = 10,
    **settings: Any,
) -> SegmentSet:
    """The release of all trips, and one of each value with the same settings (as for `odk.anonymise`), zoned alone."""
    rest = _check(trips, column, values)
    releases: dict[str, Release] = {ALL: whole}
    for value in values:
        matrix = ODMatrix.from_trips(trips.where(**{column: value}), resolution)
        releases[str(value)] = anonymise(matrix, protection, **settings)
    return _set(trips, column, releases, rest, {})


def on_common_zones(
    trips: Trips,
    column: str,
    values: Sequence[str],
    protection: Protection,
    budget: float = 0.10,
    *,
    resolution: int = 10,
) -> SegmentSet:
    """The same releases on one zoning, so that neither they nor their differences give anything away."""
    rest = _check(trips, column, values)
    made = common_zoning(trips, {str(v): {column: str(v)} for v in values}, protection, budget, resolution=resolution)
    return _set(trips, column, dict(made.releases), rest, made.withheld)


def _check(trips: Trips, column: str, values: Sequence[str]) -> tuple[str, ...]:
    if column not in trips.segments:
        raise InputError(f"segment column ({column!r}) must be one of {', '.join(trips.segments) or 'none'}")
    if not values:
        raise InputError(f"segments of {column} (none) must be at least one value")
    every = sorted(trips.table[column].dropna().astype(str).unique())
    return tuple(value for value in every if value not in set(map(str, values)))


def _set(
    trips: Trips, column: str, releases: dict[str, Release], rest: tuple[str, ...], withheld: Mapping[str, int]
) -> SegmentSet:
    parts = scopes(trips, {label: None if label == ALL else {column: label} for label in releases})
    boxes = [label for label, release in releases.items() if not isinstance(release, TreeRelease)]
    if boxes:
        raise InputError(
            f"algorithm ({releases[boxes[0]].algorithm}) must publish zones of a tree to be compared by subtraction"
        )
    tables = tuple(Published.of_release(label, release, parts[label]) for label, release in releases.items())
    return SegmentSet(releases, tables, difference(tables, max_programs=0), rest, withheld)
