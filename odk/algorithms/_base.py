"""One interface for every algorithm, one registry that the next ones only join, and the door to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from odk.errors import BudgetError, InputError, UnsafeError
from odk.matrix import MICRO, ODMatrix
from odk.protection import UNITS, Budget, Protection
from odk.release import Release

Progress = Callable[[float, str], None]
"""Called with the share done (0 to 1) and a short message; raising odk.Cancelled in it stops the run."""
Kind = Literal["homogeneous", "tree", "boxes", "noise"]


@dataclass(frozen=True)
class Problem:
    """What an algorithm is given."""

    matrix: ODMatrix
    protection: Protection
    budget: Budget
    options: Any
    progress: Progress | None = None

    def tick(self, share: float, message: str) -> None:
        """Report progress; the callback may raise Cancelled."""
        if self.progress is not None:
            self.progress(min(max(share, 0.0), 1.0), message)

    @property
    def allowed(self) -> dict[str, int]:
        """Largest droppable volume per budgeted measure, exact units."""
        return {str(m): most for m, most in self.budget.allowed(self.matrix, self.protection).items()}


@dataclass(frozen=True)
class Algorithm:
    """An entry of the registry."""

    name: str
    title: str
    kind: Kind
    source: str
    """Where it comes from: a paper's section, or ours."""
    summary: str
    """What it does, in a sentence."""
    when: str
    """When to use it and when not, in a sentence."""
    options: type
    """Frozen dataclass of its options, each with a default."""
    run: Callable[[Problem], Release] = field(repr=False)
    budget_in: Literal["volume", "pairs"] = "volume"
    """What its budget counts unless the caller says."""
    suppresses: bool = True
    """False where the algorithm never drops anything."""
    honours_budget: bool = True
    """False for baselines that ignore the budget and report what they cost."""
    slow: bool = False
    """True where a run on a survey takes more than a few seconds: the app runs it in the background."""


_REGISTRY: dict[str, Algorithm] = {}
_ORDER = (
    *("odkanon", "odkanon-late", "twincut", "oigh", "atg-soft", "atg-dual", "atg-joint", "mondrian"),
    *("glove", "glove-sk", "suppression", "laplace", "ipf-dp"),
)
"""Order in which users see them: homogeneous, trees, boxes, noise."""


def register(algorithm: Algorithm) -> Algorithm:
    """Add an algorithm under its name."""
    if algorithm.name not in _ORDER:
        raise InputError(f"algorithm ({algorithm.name}) must have its place in the order of names")
    _REGISTRY[algorithm.name] = algorithm
    return algorithm


def names() -> list[str]:
    """Names of all algorithms: homogeneous ones first, then trees, boxes and noise."""
    return [name for name in _ORDER if name in _REGISTRY]


def get(name: str) -> Algorithm:
    """The algorithm of a name."""
    if not isinstance(name, str) or name not in _REGISTRY:
        raise InputError(f"algorithm ({name!r}) must be one of {', '.join(names())}")
    return _REGISTRY[name]


def anonymise(
    matrix: ODMatrix,
    protection: Protection,
    algorithm: str = "twincut",
    budget: float = 0.10,
    *,
    budget_in: Literal["volume", "pairs"] | None = None,
    options: object = None,
    progress: Progress | None = None,
) -> Release:
    """Release of `matrix` in which every published cell reaches every threshold of `protection`.

    `budget` is the largest share that may be suppressed. `options` is the algorithm's own Options, or a mapping.
    The release is checked again before it is returned; one that is unsafe or over budget is an error, never a result.
    """
    entry = get(algorithm)
    if not isinstance(protection, Protection):
        raise InputError(f"protection ({protection!r}) must be an odk.Protection")
    if not isinstance(matrix, ODMatrix):
        raise InputError(f"matrix ({type(matrix).__name__}) must be an odk.ODMatrix: ODMatrix.from_trips makes one")
    protection.check(matrix)
    if matrix.n_pairs < 2 and entry.kind != "noise":
        pair = f"{matrix.origins.label(0)} to {matrix.destinations.label(0)}"
        raise InputError(
            f"matrix (all {matrix.total_trips:,} trips in one pair, {pair}) must hold at least two pairs to generalise"
        )
    within = budget_in if budget_in is not None else entry.budget_in
    onward = None if progress is None else _onward(progress)
    problem = Problem(matrix, protection, Budget(budget, within), _options(entry, options), onward)
    problem.tick(0.0, f"{entry.title}: starting")
    release = entry.run(problem)
    if release.matrix is not matrix or (release.protection, release.budget) != (protection, problem.budget):
        raise UnsafeError(f"{entry.name} released for another protection, budget or matrix; nothing is released")
    check(release, entry)
    problem.tick(1.0, f"{entry.title}: done")
    return release


def _onward(progress: Progress) -> Progress:
    """Progress that never goes back, also where one algorithm starts with another."""
    most = 0.0

    def report(share: float, message: str) -> None:
        nonlocal most
        most = max(most, share)
        progress(most, message)

    return report


def _options(entry: Algorithm, given: object) -> object:
    if given is None:
        return entry.options()
    if isinstance(given, entry.options):
        return given
    if isinstance(given, Mapping):
        known = {f.name for f in fields(entry.options)}
        unknown = sorted(set(given) - known)
        if unknown:
            have = ", ".join(sorted(known)) or "none"
            raise InputError(f"option ({unknown[0]}) of {entry.name} must be one of: {have}")
        return entry.options(**given)
    raise InputError(f"options ({type(given).__name__}) must be {entry.options.__name__} of {entry.name}, or a mapping")


def check(release: Release, entry: Algorithm) -> None:
    """Recount every published cell from the matrix, and refuse one below its threshold or a broken budget."""
    if not release.k_anonymous:
        return
    matrix, protection = release.matrix, release.protection
    persons = protection.needs_persons or release.persons is not None
    again = matrix.regroup(release.of_pair, release.n_cells, persons=persons)
    same = np.array_equal(again.trips, release.trips) and np.array_equal(again.population, release.population)
    if release.persons is not None:
        same = same and again.persons is not None and np.array_equal(again.persons, release.persons)
    if not same:
        raise UnsafeError(f"{entry.name} published sums that differ from the trips; nothing is released")
    if not protection.publishable(again).all():
        low = int((~protection.publishable(again)).sum())
        raise UnsafeError(f"{entry.name} left {low:,} cell(s) below a threshold; nothing is released")
    if not release.n_cells:
        raise BudgetError(
            f"{entry.name} can publish no cell: nothing reaches the thresholds",
            measure="trips",
            needed=1.0,
            allowed=release.budget.share,
        )
    if not entry.honours_budget:
        return
    if release.budget.within == "pairs":
        allowed = release.budget.of(matrix.n_pairs)
        if release.suppressed_pairs > allowed:
            raise over_budget(entry.name, "pairs", release.suppressed_pairs, allowed, matrix.n_pairs)
        return
    for measure, most in release.budget.allowed(matrix, protection).items():
        gone = release.suppressed_volume[measure]
        if gone > most:
            raise over_budget(entry.name, measure, gone, most, matrix.total(measure))


def over_budget(name: str, measure: str, needed: int, allowed: int, total: int) -> BudgetError:
    """The error that names a shortfall (amounts in exact units)."""
    unit = MICRO if measure == "population" else 1
    word = UNITS.get(measure, measure)
    return BudgetError(
        f"{name} would have to suppress {needed / unit:,.6g} of {total / unit:,.6g} {word} ({needed / total:.1%}); "
        f"the budget allows {allowed / unit:,.6g} ({allowed / total:.1%}): short by {(needed - allowed) / unit:,.6g}",
        measure=measure,
        needed=needed / total,
        allowed=allowed / total,
    )
