"""What noise protects: a trip, or a person whose trips are bounded. Shared by `laplace` and `ipf-dp`.

Noise hides one unit if no unit can move the counts by more than m·w: m trips, each worth w (1, or the largest weight
that counts). What is beyond is left out or cut down here, before anything is counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from odk import cells
from odk.algorithms._base import Problem
from odk.cells import Ints
from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.matrix import MICRO, ODMatrix, trip_cells
from odk.protection import Volume
from odk.trips import Trips

Unit = Literal["trip", "person"]


@dataclass(frozen=True, kw_only=True)
class NoiseOptions:
    """Options that all noisy methods share."""

    epsilon: float | None = 1.0
    """ε: privacy loss of the whole release; smaller is more private."""
    unit: Unit = "trip"
    """Whom ε protects: one trip, or one person with at most `contributions` trips."""
    contributions: int = 10
    """m: trips of one person that count at most (unit "person"); which, is drawn by the seed. A trip counts alone."""
    max_weight: float | None = None
    """w: a trip's weight counts up to this (population only). None: the largest weight found, which is not private."""
    seed: int = 0
    """Seed of every random draw: the same seed, the same release. Who knows it can take the noise away: for a release that
    leaves the house draw one and keep it secret."""
    trips: Trips | None = field(default=None, repr=False)
    """The trips of the matrix, where one by one they are needed: weights of persons, segment columns."""

    def __post_init__(self) -> None:
        if self.epsilon is not None and not (_is_number(self.epsilon) and 0 < self.epsilon < math.inf):
            raise InputError(f"epsilon ({self.epsilon!r}) must be a number above 0")
        if self.unit not in ("trip", "person"):
            raise InputError(f"unit ({self.unit!r}) must be trip or person")
        if not isinstance(self.contributions, int) or isinstance(self.contributions, bool) or self.contributions < 1:
            raise InputError(f"contributions ({self.contributions!r}) must be a whole number of at least 1")
        if self.max_weight is not None and not (_is_number(self.max_weight) and 0 < self.max_weight < math.inf):
            raise InputError(f"max_weight ({self.max_weight!r}) must be a number above 0")
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or self.seed < 0:
            raise InputError(f"seed ({self.seed!r}) must be a whole number of at least 0")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


@dataclass(frozen=True, eq=False)
class Bounded:
    """Counts that may enter a noisy table, and how far one unit can move them."""

    measure: Volume
    pair: Ints
    """Pair of the matrix of each entry."""
    value: Ints
    """What it counts, in exact units (10^-6 weighted trips for population)."""
    row: Ints | None
    """Row of the trips of each entry, where trips were given."""
    m: int
    w: float
    """In natural units."""
    notes: tuple[str, ...]

    @property
    def sensitivity(self) -> float:
        """m·w: the most that one unit adds, over all cells together."""
        return self.m * self.w


def bound(problem: Problem, rng: np.random.Generator) -> Bounded:
    """Entries of the table, bounded per unit. The lead measure of the protection is what is counted."""
    matrix, options = problem.matrix, problem.options
    measure = problem.protection.lead
    person = options.unit == "person"
    notes: list[str] = []
    row = None
    if options.trips is not None:
        pair, who, weight = records_of(matrix, options.trips)
        if person and who is None:
            raise InputError("unit (person) must have a person column in the trips")
        row = np.arange(len(pair)) if not person or who is None else _some(who, options.contributions, rng)
        pair = pair[row]
        value = np.ones(len(pair), dtype=np.int64) if measure == "trips" else weight[row]
        left = len(options.trips.table) - len(row)
    elif person:
        pair, value, left = _of_persons(matrix, measure, options.contributions, rng)
    else:
        pair, value, left = np.arange(matrix.n_pairs), matrix.volume(measure), 0
    if person:
        notes.append(
            f"Privacy unit: a person with at most {options.contributions:,} trips; {left:,} of {matrix.total_trips:,} "
            "trips were left out for that."
        )
    else:
        notes.append("Privacy unit: one trip. Someone with many trips is protected less: ε grows with their number.")
    notes.append("The noise follows from the seed: whoever knows the seed can take the noise away, so keep it secret.")
    w = 1.0
    if measure == "population":
        most = np.ones(len(pair), dtype=np.int64) if options.trips is not None else matrix.trips[pair]
        w, value, said = _clipped(options.max_weight, value, most, options.trips is not None)
        notes.extend(said)
    return Bounded(measure, pair, value, row, options.contributions if person else 1, w, tuple(notes))


def _clipped(wanted: float | None, value: Ints, trips: Ints, single: bool) -> tuple[float, Ints, list[str]]:
    """w, the values with every trip's weight cut down to it, and what to say about that."""
    by_pair = "Weights were {} by pair, so ε holds only if no trip weighs more: give the trips as well."
    if wanted is None:
        w = float((value / trips).max()) / MICRO
        kind = "weight of a trip" if single else "mean weight of a pair"
        said = [f"w = {w:,.6g} is the largest {kind} in the data, which ε does not cover; give max_weight."]
        return w, value, said if single else [*said, by_pair.format("averaged")]
    top = round(wanted * MICRO)
    cut = np.minimum(value, trips * top)
    said = [f"Weights count up to {wanted:,.6g}; that left out {1 - int(cut.sum()) / int(value.sum()):.1%} of them."]
    if not single:
        said.append(by_pair.format("cut down"))
    return wanted, cut, said


def _some(who: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Rows such that nobody has more than `most`, drawn evenly; ascending."""
    order = np.lexsort((rng.random(len(who)), who))
    first = np.searchsorted(who[order], who[order], side="left")
    return np.sort(order[np.arange(len(who)) - first < most])


def _of_persons(matrix: ODMatrix, measure: Volume, most: int, rng: np.random.Generator) -> tuple[Ints, Ints, int]:
    """Without the trips one by one, a person counts once a pair: at most `most` pairs, each as one trip."""
    if matrix.person is None or matrix.person_pair is None:
        raise InputError("unit (person) must have persons in the data: map a person column, or protect a trip")
    if measure == "population":
        raise InputError("trips (None) must be given where persons are protected and the population is counted")
    pair = matrix.person_pair[_some(matrix.person, most, rng)]
    return pair, np.ones(len(pair), dtype=np.int64), matrix.total_trips - len(pair)


def records_of(matrix: ODMatrix, trips: Trips) -> tuple[Ints, Ints | None, Ints]:
    """Pair, person and weight (10^-6) of every trip; InputError where they are not the trips of the matrix."""
    sides = [_leaves(tree, trips, end) for tree, end in zip(_trees(matrix), ("origin", "destination"), strict=True)]
    key, wanted = (a * matrix.destinations.n_leaves + b for a, b in ((matrix.o, matrix.d), (sides[0], sides[1])))
    pair = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    counted = np.bincount(pair, minlength=matrix.n_pairs)
    if not np.array_equal(key[pair], wanted) or not np.array_equal(counted, matrix.trips):
        raise InputError("trips must be the trips that the matrix was counted from")
    weight = np.rint(trips.table["weight"].to_numpy(dtype=np.float64) * MICRO).astype(np.int64)
    who = None
    if "person" in trips.table.columns:
        who = trips.table["person"].astype("category").cat.codes.to_numpy().astype(np.int64)
    return pair, who, weight


def _trees(matrix: ODMatrix) -> tuple[Hierarchy, Hierarchy]:
    return matrix.origins, matrix.destinations


def _leaves(tree: Hierarchy, trips: Trips, end: str) -> Ints:
    """Leaf of one end of every trip; leaves that are not in the tree end in an error above."""
    leaves = tree.ids[: tree.n_leaves]
    if tree.kind == "h3":
        ids = trip_cells(trips, end, int(cells.resolution(leaves[:1])[0]))
        at = np.minimum(np.searchsorted(leaves, ids), len(leaves) - 1)
        return np.where(leaves[at] == ids, at, -1)
    if end not in trips.table.columns:
        raise InputError("trips must be the trips that the matrix was counted from")
    number = {tree.label(i): i for i in range(tree.n_leaves)}
    return np.array([number.get(name, -1) for name in trips.table[end].astype(str)], dtype=np.int64)
