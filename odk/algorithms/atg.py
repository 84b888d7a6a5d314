"""ATG-Soft and ATG-Dual: origins first, then one map of destinations per origin zone (001, section 3, appendices I-J).

Phase 1 prunes the origin tree so that every zone's outgoing volume is near v_target. Phase 2 prunes one destination
tree per origin zone for α + λσ, under one λ for all: given (Soft), or the smallest that keeps within the budget (Dual).
σ is in the lead measure whatever is guarded, so λ stays a size in leaves and appendix E holds: no published flow has
|o|+|d| above λ, unless its destination is a single leaf.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from odk.algorithms._arrays import weighted_sum
from odk.algorithms._base import Algorithm, Problem, over_budget, register
from odk.algorithms._forest import INFINITE, Flows, Forest, Pruning, cheapest, prune_tree
from odk.cells import Ints
from odk.errors import BudgetError, InputError
from odk.matrix import MICRO, ODMatrix
from odk.protection import UNITS
from odk.release import Release, tree_release

GRID = 24
SOFT_SHARE = 0.10
"""λ of ATG-Soft as a share of the map's leaves (001, section 3.6)."""


@dataclass(frozen=True, kw_only=True)
class DualOptions:
    """Options of `atg-dual`."""

    v_target: float | None = None
    """Outgoing volume to aim at per origin zone, in the lead measure (trips, or weighted trips); none: chosen on a
    geometric grid from the threshold to the total, where origin and destination zones are closest in mean size."""
    grid: int = GRID
    """Number of values on that grid."""

    def __post_init__(self) -> None:
        _check_target(self.v_target, self.grid)


@dataclass(frozen=True, kw_only=True)
class SoftOptions:
    """Options of `atg-soft`."""

    v_target: float | None = None
    """Outgoing volume to aim at per origin zone, in the lead measure (trips, or weighted trips); none: chosen on a
    geometric grid from the threshold to the total, where origin and destination zones are closest in mean size."""
    grid: int = GRID
    """Number of values on that grid."""
    penalty: float | None = None
    """λ: what a suppressed trip costs, as a size |o|+|d| in leaves; none: 10% of the leaves of both axes together."""
    strict: bool = False
    """Keep λ even where it breaks the budget, and err; else it is raised to the smallest value that fits."""

    def __post_init__(self) -> None:
        _check_target(self.v_target, self.grid)
        if self.penalty is not None and not _number(self.penalty, least=0):
            raise InputError(f"penalty ({self.penalty!r}) must be a number of at least 0")
        if not isinstance(self.strict, bool):
            raise InputError(f"strict ({self.strict!r}) must be True or False")


def _check_target(v_target: float | None, grid: int) -> None:
    if v_target is not None and not (_number(v_target, least=0) and v_target > 0):
        raise InputError(f"v_target ({v_target!r}) must be a number above 0")
    if isinstance(grid, bool) or not isinstance(grid, int) or grid < 1:
        raise InputError(f"grid ({grid!r}) must be a whole number of at least 1")


def _number(value: object, *, least: float) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return math.isfinite(float(value)) and float(value) >= least


@dataclass(frozen=True, eq=False)
class Candidate:
    """The outcome for one v_target."""

    v_target: float
    forest: Forest
    pruning: Pruning
    price: tuple[float, float]
    """λ as a ratio."""
    raised: bool = False
    """Whether λ is above the one asked for, to fit the budget."""

    @property
    def penalty(self) -> float:
        """λ as a number of leaves."""
        return self.price[0] / self.price[1]

    def imbalance(self, matrix: ODMatrix) -> int:
        """|Σ|o|v - Σ|d|v| over the published flows: the papers' rule for v_target makes this least."""
        flows = self.forest.published(self.pruning)
        volume = self.forest.volume[flows]
        origin, destination = matrix.origins.size[self.forest.o_node], matrix.destinations.size[self.forest.d_node]
        return abs(weighted_sum(origin[flows], volume) - weighted_sum(destination[flows], volume))


class _Search:
    """One run: the matrix prepared once, then a candidate per v_target."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.matrix = problem, problem.matrix
        self.lead = problem.protection.lead
        if problem.budget.within == "pairs":
            self.allowed: Mapping[str, int] = {"pairs": problem.budget.of(self.matrix.n_pairs)}
            self.budgeted = {"pairs": np.ones(self.matrix.n_pairs, dtype=np.int64)}
        else:
            self.allowed = problem.allowed
            self.budgeted = {m: self.matrix.volume(m) for m in self.allowed}
        self.totals = {m: int(values.sum()) for m, values in self.budgeted.items()}
        self.flows = Flows(self.matrix, problem.protection, self.budgeted)
        at_leaves = np.zeros(self.matrix.origins.n_leaves, dtype=np.int64)
        np.add.at(at_leaves, self.matrix.o, self.matrix.volume(self.lead))
        self.unit = MICRO if self.lead == "population" else 1
        self.outgoing = self.matrix.origins.sum_up(at_leaves).astype(
            np.float64
        )  # exact units: squares of small ones too
        self.map_size = leaves_of_both(self.matrix)

    def grid(self, n: int) -> list[float]:
        """Values of v_target to try: geometric from the lead threshold to the total, in whole units (exact ties)."""
        guards = self.problem.protection.guards
        low = max(1.0, float(guards.get(self.lead, guards.get("persons", 1.0))))
        high = max(low, float(self.outgoing[-1]) / self.unit)
        values = np.unique(np.rint(np.geomspace(low, high, n)) if n > 1 else np.rint([high]))
        return [float(v) for v in values]

    def origin_cut(self, v_target: float) -> Ints:
        """Phase 1 (001, algorithm 2): prune the origin tree for Σ (v_target - outgoing volume)²."""
        return prune_tree(self.matrix.origins, (v_target * self.unit - self.outgoing) ** 2)

    def shortfall(self, gone: Mapping[str, int]) -> BudgetError:
        """The error for a run that suppresses too much: the measure furthest over its budget."""
        worst = max(self.allowed, key=lambda m: (gone[m] - self.allowed[m]) / max(self.totals[m], 1))
        name = "atg-soft" if isinstance(self.problem.options, SoftOptions) else "atg-dual"
        return over_budget(name, worst, gone[worst], self.allowed[worst], self.totals[worst])

    def dual(self, v_target: float, forest: Forest, guess: tuple[float, float] | None) -> Candidate:
        """Phase 2 with the λ that the budget asks for."""
        found = cheapest(forest, self.totals, self.allowed, guess=guess)
        if found is None:
            raise self.shortfall(forest.suppressed(forest.prune(INFINITE), self.totals))
        return Candidate(v_target, forest, *found)

    def soft(self, v_target: float, forest: Forest, guess: tuple[float, float] | None) -> Candidate:
        """Phase 2 with the λ that was given; where it breaks the budget it is raised, or that is an error (strict)."""
        options: SoftOptions = self.problem.options
        # 10% of a whole number of leaves is kept as a ratio of whole numbers: ties are then exact
        asked = (float(self.map_size), 1 / SOFT_SHARE) if options.penalty is None else (options.penalty, 1.0)
        pruning = forest.prune(asked)
        gone = forest.suppressed(pruning, self.totals)
        if all(gone[m] <= most for m, most in self.allowed.items()):
            return Candidate(v_target, forest, pruning, asked)
        if options.strict:
            raise self.shortfall(gone)
        return replace(self.dual(v_target, forest, guess), raised=True)

    def candidate(self, v_target: float, guess: tuple[float, float] | None = None) -> Candidate:
        """Both phases for one v_target."""
        forest = self.flows.forest(self.origin_cut(v_target))
        method = self.soft if isinstance(self.problem.options, SoftOptions) else self.dual
        return method(v_target, forest, guess)

    def best(self, n: int) -> Candidate:
        """The candidate of the grid whose origin and destination zones are closest in size; ties: the finer origins."""
        chosen: Candidate | None = None
        least, guess, error = 0, None, None
        values = self.grid(n)
        for i, v_target in enumerate(values):
            self.problem.tick(0.1 + 0.8 * i / len(values), f"trying v_target {v_target:,.0f}")
            try:
                found = self.candidate(v_target, guess)
            except BudgetError as short:  # too fine for the budget; one zone for all origins always fits (Dual)
                error = short
                continue
            guess = found.price
            imbalance = found.imbalance(self.matrix)
            if chosen is None or imbalance < least:
                chosen, least = found, imbalance
        if chosen is None:
            assert error is not None
            raise error
        return chosen


def leaves_of_both(matrix: ODMatrix) -> int:
    """Number of distinct leaves that occur as an origin or as a destination: the size of the map."""
    o, d = matrix.origins, matrix.destinations
    if o.labels is not None and d.labels is not None:
        return len(set(o.labels[: o.n_leaves]) | set(d.labels[: d.n_leaves]))
    return len(np.union1d(o.ids[: o.n_leaves], d.ids[: d.n_leaves]))


def run(problem: Problem) -> Release:
    """ATG-Dual or ATG-Soft, as the options say."""
    matrix, options = problem.matrix, problem.options
    search = _Search(problem)
    automatic = options.v_target is None
    chosen = search.best(options.grid) if automatic else search.candidate(float(options.v_target))
    pairs, flow = chosen.forest.pairs_of(chosen.forest.published(chosen.pruning))
    keep = np.zeros(matrix.n_pairs, dtype=bool)
    keep[pairs] = True
    o_node, d_node = matrix.o.copy(), matrix.d.copy()
    o_node[pairs], d_node[pairs] = chosen.forest.o_node[flow], chosen.forest.d_node[flow]
    soft = isinstance(options, SoftOptions)
    details: dict[str, int | float | str | bool] = {
        "v_target": chosen.v_target,
        "v_target_automatic": automatic,
        "lambda": chosen.penalty,
    }
    notes = []
    if automatic:
        notes.append(
            f"v_target was set to {chosen.v_target:,.0f} {UNITS[search.lead]}: of {len(search.grid(options.grid))} "
            "values tried, the one for which origin and destination zones are closest in size."
        )
    if soft:
        asked = SOFT_SHARE * search.map_size if options.penalty is None else options.penalty
        details |= {"lambda_asked": asked, "lambda_raised": chosen.raised}
        if chosen.raised:
            notes.append(
                f"λ was raised from {asked:,.6g} to {chosen.penalty:,.6g} leaves, the smallest value that keeps the "
                "suppression within the budget."
            )
    return tree_release(
        matrix,
        problem.protection,
        problem.budget,
        algorithm="atg-soft" if soft else "atg-dual",
        options=options,
        o_node=o_node,
        d_node=d_node,
        keep=keep,
        order="origin",
        notes=tuple(notes),
        details=details,
    )


register(
    Algorithm(
        name="atg-soft",
        title="ATG-Soft",
        kind="tree",
        source="001, sections 3.3 and 3.6",
        summary="Cuts origins to even volumes, then each origin's destinations at a fixed price of suppression.",
        when="Use it when no flow may be coarser than a given size; ATG-Dual spends the same budget better.",
        options=SoftOptions,
        run=run,
    )
)
register(
    Algorithm(
        name="atg-dual",
        title="ATG-Dual",
        kind="tree",
        source="001, section 3, appendix J (algorithms 2-4)",
        summary="Cuts origins to even volumes, then each origin's destinations at the price that spends the budget.",
        when="Use it for fine flows where destination zones may differ by origin; ATG-Joint needs no v_target.",
        options=DualOptions,
        run=run,
    )
)
