"""What to run: a declared grid of segments, algorithms, targets, k and budgets, and the runs it stands for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from odk import algorithms
from odk.demo import CENTRE
from odk.errors import InputError
from odk.matrix import DEFAULT_RESOLUTION, ODMatrix
from odk.protection import Budget, Protection, population_threshold
from odk.trips import Trips

WHOLE = "whole"
EVERYWHERE = "everywhere"
TARGETS = ("participants", "population", "both", "persons")
"""What is protected at k: trips; k times the mean weight; both; distinct persons."""
PAPER_ALGORITHMS = ("odkanon", "atg-soft", "oigh", "mondrian")


@dataclass(frozen=True, order=True)
class Segment:
    """A part of the trips: all of them, or those with one value of a column; everywhere, or with both ends in an area."""

    column: str = WHOLE
    value: str = ""
    area: tuple[str, ...] = ()
    """H3 cells under which both ends lie; none: everywhere."""

    def __str__(self) -> str:
        return self.value or WHOLE

    @property
    def area_name(self) -> str:
        """The area in a word: everywhere, centre (that of the published code), or its cells."""
        if not self.area:
            return EVERYWHERE
        return "centre" if self.area == tuple(CENTRE) else " ".join(self.area)

    def of(self, trips: Trips, resolution: int = DEFAULT_RESOLUTION) -> Trips:
        """The trips of this segment; `resolution` is that of the leaves, which decide on which side of a border a point is."""
        here = trips.within(self.area, resolution=resolution) if self.area else trips
        return here if self.column == WHOLE else here.where(**{self.column: self.value})


@dataclass(frozen=True)
class Run:
    """One run of the grid."""

    segment: Segment
    algorithm: str
    target: str
    k: int
    budget: float
    budget_in: str | None = None
    """volume or pairs; None leaves it to the algorithm."""
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def key(self) -> str:
        """Name of the run that is the same on every machine; results are stored under it."""
        text = json.dumps(asdict(self), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def protection(self, whole: ODMatrix) -> Protection:
        """Thresholds of the target; the population's come from the whole survey, also for a segment (SPEC 1)."""
        return target_protection(self.target, self.k, whole)


def target_protection(target: str, k: int, whole: ODMatrix) -> Protection:
    """Protection of a target at k, with the mean weight of the whole survey."""
    match target:
        case "participants":
            return Protection(trips=k)
        case "population":
            return Protection(population=population_threshold(whole, k))
        case "both":
            return Protection(trips=k, population=population_threshold(whole, k))
        case "persons":
            return Protection(persons=k)
    raise InputError(f"target ({target!r}) must be one of {', '.join(TARGETS)}")


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Every combination of the given values. Vary one with `dataclasses.replace`."""

    segments: tuple[Segment, ...] = (Segment(),)
    algorithms: tuple[str, ...] = PAPER_ALGORITHMS
    targets: tuple[str, ...] = ("participants", "population")
    ks: tuple[int, ...] = (10,)
    budgets: tuple[float, ...] = (0.10,)
    budget_in: str | None = None
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Options by algorithm, or by "algorithm/target"."""
    resolution: int = 10
    limits: bool = True
    """Whether to compute the intrinsic limit of every run too."""

    def __post_init__(self) -> None:
        for name in self.algorithms:
            algorithms.get(name)
        for target in self.targets:
            if target not in TARGETS:
                raise InputError(f"target ({target!r}) must be one of {', '.join(TARGETS)}")
        for share in self.budgets:
            Budget(share)
        for k in self.ks:
            if isinstance(k, bool) or not isinstance(k, int) or k < 2:
                raise InputError(f"k ({k!r}) must be a whole number of at least 2")
        empty = [n for n in ("segments", "algorithms", "targets", "ks", "budgets") if not getattr(self, n)]
        if empty:
            raise InputError(f"{empty[0]} (none) must hold at least one value")

    def runs(self) -> Iterator[Run]:
        """Every run, segment by segment."""
        for segment in self.segments:
            for algorithm in self.algorithms:
                for target in self.targets:
                    given = self.options.get(f"{algorithm}/{target}", self.options.get(algorithm, {}))
                    options = tuple(sorted(given.items()))
                    for k in self.ks:
                        for budget in self.budgets:
                            yield Run(segment, algorithm, target, k, budget, self.budget_in, options)

    def with_segments(self, trips: Trips, columns: Sequence[str] | None = None) -> Grid:
        """The grid on the whole and on every value of the given segment columns (default: all of them)."""
        return replace(self, segments=segments_of(trips, columns))


def segments_of(trips: Trips, columns: Sequence[str] | None = None, area: Sequence[str] = ()) -> tuple[Segment, ...]:
    """The whole, then every value of the given segment columns, sorted; in an area, if one is given."""
    where = tuple(area)
    found = [Segment(area=where)]
    for column in trips.segments if columns is None else columns:
        if column not in trips.segments:
            raise InputError(f"segment column ({column!r}) must be one of {', '.join(trips.segments) or 'none'}")
        values = trips.table[column].dropna().astype(str).unique().tolist()
        found += [Segment(column, value, where) for value in sorted(values)]
    return tuple(found)


def paper_grid(trips: Trips, area: Sequence[str] = ()) -> Grid:
    """The grid of 000: 4 algorithms x 2 targets x (whole and every segment); ATG-Soft with its published v_target.

    Of the demo's columns it takes sex, age and profession, the papers' three. With an area, only trips with both ends in
    it are released; thresholds stay those of all trips, as published.
    """
    papers = [c for c in ("sex", "age", "profession") if c in trips.segments]
    weighted = round(1000 * float(trips.table["weight"].mean()))  # the same 1000 trips, in weighted trips
    grid = Grid(options={"atg-soft": {"v_target": 1000}, "atg-soft/population": {"v_target": weighted}})
    return replace(grid, segments=segments_of(trips, papers or None, area))
