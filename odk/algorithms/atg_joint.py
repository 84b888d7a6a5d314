"""ATG-Joint: ATG's coupled problem J, solved, with a certificate (SPEC 2.3).

ATG (001) decouples its problem and pays with a parameter v_target set by hand. The coupled problem is no harder: see `_joint`.
The multiplier is found for the budget as in ATG-Dual, what is left of the budget is spent zone by zone, both orders of the
axes are tried, and the better one is kept. The dual value is a lower bound of G for every release of that order that
suppresses no more: the release carries it as its certificate (`details["bound"]`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odk.algorithms._base import Algorithm, Problem, register
from odk.algorithms._joint import Forest, JointSolution, build, lower_bound, nodes_of_pairs
from odk.algorithms._levels import DESTINATION, ORIGIN, Work
from odk.algorithms._prune import ALPHA, EACH, LEAD, SHARES, below_chosen, choose, fitting, refined
from odk.cells import Floats, Ints
from odk.errors import InputError
from odk.release import Release, tree_release

AXES = {"origin": ORIGIN, "destination": DESTINATION}


@dataclass(frozen=True, kw_only=True)
class JointOptions:
    """Options of `atg-joint`."""

    order: str = "best"
    """Axis whose zones are cut once: origin, destination, or best (both are tried, the lower G is kept)."""

    def __post_init__(self) -> None:
        if self.order not in (*AXES, "best"):
            raise InputError(f"order ({self.order!r}) must be origin, destination or best")


@dataclass(frozen=True, eq=False)
class _Result:
    forest: Forest
    cut: Ints
    solution_of_zone: Ints
    solutions: list[JointSolution]
    g: float
    multiplier: float
    """λ in the unit of the lead measure: what a suppressed trip costs."""


def _g(total: Floats, volume: float) -> float:
    left = volume - total[LEAD]
    return float(total[ALPHA] / left) if left > 0 else np.inf


def _solve(problem: Problem, work: Work, major: int) -> _Result:
    forest = build(work, major)
    price, g = 2.0, np.inf
    while True:
        problem.tick(0.3 + 0.4 * major, "solving for the budget")
        here = price
        fit = fitting(lambda multiplier, here=here: forest.solve(here, multiplier), here)  # type: ignore[misc]
        new = _g(fit.solution.pruning.total, work.total)
        if fit.multiplier > 0 or not new < g * (1 - 1e-9):
            break
        price = g = new  # the budget does not bind: a suppressed trip costs the G that is reached (Dinkelbach)
    base = fit.solution
    cut = base.pruning.cut
    solutions, chosen = [base], np.full(len(cut), -1, dtype=np.int64)
    total = base.pruning.total
    if fit.multiplier > 0 and base.fits:
        finer = [forest.solve(price, share * fit.multiplier) for share in SHARES]
        own, found = base.pruning.at(cut), [s.pruning.at(cut) for s in finer]
        chosen = choose(own, found, 1 - total[EACH:], price)
        total = own.sum(axis=1) + sum(
            ((new - own)[:, chosen == i].sum(axis=1) for i, new in enumerate(found)), np.zeros(len(own))
        )
        solutions += finer
    pick = below_chosen(forest.trees[0], cut, chosen)
    final = refined(forest.trees[0], cut, chosen, [s.pruning.whole for s in solutions[1:]])
    measure = next(iter(work.budgets))
    return _Result(
        forest, final, pick[final] + 1, solutions, _g(total, work.total), price + fit.multiplier / work.budgets[measure]
    )


def run(problem: Problem) -> Release:
    """Solve problem J in one or both orders and keep the better release."""
    work = Work.of(problem)
    wanted = [AXES[problem.options.order]] if problem.options.order in AXES else [ORIGIN, DESTINATION]
    results = [_solve(problem, work, major) for major in wanted]
    best = min(results, key=lambda r: r.g)  # on a tie the first: origins
    zone, node = nodes_of_pairs(best.forest, best.cut, best.solution_of_zone, best.solutions)
    major = best.forest.major
    return tree_release(
        problem.matrix,
        problem.protection,
        problem.budget,
        algorithm="atg-joint",
        options=problem.options,
        o_node=zone if major == ORIGIN else node,
        d_node=node if major == ORIGIN else zone,
        order="origin" if major == ORIGIN else "destination",
        details=_details(work, best, results),
    )


def _details(work: Work, best: _Result, results: list[_Result]) -> dict[str, int | float | str | bool]:
    names = {ORIGIN: "origin", DESTINATION: "destination"}
    details: dict[str, int | float | str | bool] = {"order": names[best.forest.major], "lambda": best.multiplier}
    details |= {f"g_{names[r.forest.major]}_major": r.g for r in results}
    if work.lead in work.budgets and work.budget.within == "volume":
        allowed = float(work.budget.of(work.total))
        details["bound"] = lower_bound(best.forest, allowed)
    return details


register(
    Algorithm(
        name="atg-joint",
        title="ATG-Joint",
        kind="tree",
        source="ours: problem J of 001, section 3.1, solved by nested prunings",
        summary="Chooses the zones of one axis and, for each of them, its own zones of the other, with the least loss there is.",
        when="Use it when the least loss matters more than one common map; it tells how close to the best it is.",
        options=JointOptions,
        run=run,
    )
)
