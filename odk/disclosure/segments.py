"""All and some segments of it: what the releases give away together, zoned separately and on one common zoning.

Persons do not subtract, so they are counted: where persons are guarded, the people behind what is left of a cell, once
everything that is published inside it is taken away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.algorithms import anonymise
from odk.disclosure.common import ALL, common_zoning
from odk.disclosure.differencing import Differencing, difference
from odk.disclosure.published import Published, exact, nested_in, scopes
from odk.errors import InputError
from odk.matrix import MICRO, ODMatrix, trip_cells
from odk.protection import Protection
from odk.release import Release, TreeRelease
from odk.trips import Trips
from odk.zoning import leaf_resolution

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
        if any(not table.scope < outer.scope for table in inner):
            raise InputError("remainders must be asked of all and segments of it")
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


def beside(whole: Release, others: Mapping[str, Release]) -> SegmentSet:
    """Releases of the same data under other rules or in other zones, each subtracted from the others."""
    releases = {ALL: whole, **others}
    tables = _tables(releases, dict.fromkeys(releases, frozenset({ALL})))
    return SegmentSet(releases, tables, difference(tables, max_programs=0), ())


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
    where: dict[str, dict[str, str] | None] = {label: {column: label} for label in releases}
    where[ALL] = None
    tables = _tables(releases, scopes(trips, where))
    found = difference(tables, max_programs=0)
    if tables[0].protection.persons is not None:
        found = _with_persons(found, trips, column, releases, tables)
    return SegmentSet(releases, tables, found, rest, withheld)


def _tables(releases: Mapping[str, Release], parts: Mapping[str, frozenset[str]]) -> tuple[Published, ...]:
    boxes = [release.algorithm for release in releases.values() if not isinstance(release, TreeRelease)]
    if boxes:
        raise InputError(f"algorithm ({boxes[0]}) must publish zones of a tree to be compared by subtraction")
    return tuple(Published.of_release(label, release, parts[label]) for label, release in releases.items())


def _with_persons(
    found: Differencing,
    trips: Trips,
    column: str,
    releases: Mapping[str, Release],
    tables: Sequence[Published],
) -> Differencing:
    """Add the cells of `all` in which the trips that are left belong to fewer persons than the threshold."""
    outer, *inner = tables
    threshold = outer.protection.persons or 0
    cell = _cells_of_trips(releases[ALL], trips)
    left, touched = cell >= 0, np.zeros(len(outer.flows), dtype=bool)
    value = trips.table[column].astype(str).to_numpy(dtype=object)
    for table in inner:
        own = np.flatnonzero(value == table.label)
        part = _cells_of_trips(releases[table.label], trips.where(**{column: table.label}))
        holder = nested_in(table, outer)
        inside = np.where(part >= 0, holder[part], -1)
        left[own] &= (inside < 0) | (inside != cell[own])
        touched[holder[holder >= 0]] = True
    rest = pd.DataFrame({"cell": cell[left], "person": trips.table["person"].to_numpy()[left]}).drop_duplicates()
    persons = np.bincount(rest["cell"].to_numpy(dtype=np.int64), minlength=len(outer.flows))
    bad = np.flatnonzero(touched & (persons > 0) & (persons < threshold))
    labels = [table.label for table in inner]
    others = outer.scope - frozenset().union(*(table.scope for table in inner))
    leaks = outer.flows.iloc[bad][["origin", "destination"]].assign(
        about=" or ".join(sorted(others)) or f"{ALL}, unpublished in {' and '.join(labels)}",
        measure="persons",
        value=persons[bad].astype(np.float64),
        threshold=threshold,
        way=" − ".join([ALL, *labels]),
        from_=[f"{ALL}: {n:,}" for n in outer.flows["persons"].iloc[bad].tolist()],
    )
    notes = tuple(note for note in found.notes if not note.startswith("Persons do not subtract"))
    every = leaks if found.leaks.empty else pd.concat([found.leaks, leaks], ignore_index=True)
    return replace(found, leaks=every.reset_index(drop=True), checked=found.checked + int(touched.sum()), notes=notes)


def _cells_of_trips(release: Release, trips: Trips) -> npt.NDArray[np.int64]:
    """The published cell of every trip; -1 where it is suppressed. `trips` are those that the release was made from."""
    matrix = release.matrix
    level = leaf_resolution(matrix)
    at = []
    for tree, end in ((matrix.origins, "origin"), (matrix.destinations, "destination")):
        leaves = tree.ids[: tree.n_leaves]  # in depth-first order, which for H3 cells of one level is that of their ids
        at.append(np.searchsorted(leaves, trip_cells(trips, end, level)))
    span = matrix.destinations.n_leaves
    pair = np.searchsorted(matrix.o * span + matrix.d, at[0] * span + at[1])
    return np.asarray(release.of_pair[pair], dtype=np.int64)
