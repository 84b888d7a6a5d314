"""TwinCut: a cut of the origin tree and one of the destination tree with the least mean G (SPEC 2.2).

For a fixed cut of one axis every node of the other has an aggregation penalty α and a suppression penalty σ that do not depend
on the other zones of its axis. So the best cut of one axis is an exact pruning of its tree (001, appendix I), and TwinCut
alternates the axes. What is minimised is G = Σα / (V - Σσ), not Σα: with Dinkelbach's method each σ costs at least the G
that is already reached, and more where the budget binds. A step is kept only if G falls and every budget holds.

Alternation stops at a local optimum. So it starts from ODkAnon's walk, from cuts that are a pair's best for one common
multiplier on both axes (a path of falling multipliers: neither axis can then spend the other's share), from single levels
around the best cut found, and in the end from the best cut with one axis made coarser.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from odk.algorithms._base import Algorithm, Problem, register
from odk.algorithms._levels import Work
from odk.algorithms._prune import ALPHA, EACH, LEAD, TIGHT, Fit, Penalties, Pruning, fitting, prune, spend
from odk.algorithms.odkanon import LateOptions, run_late
from odk.cells import Ints
from odk.errors import InputError
from odk.release import Release, TreeRelease, cut_release

_PATH = (12.0, 8.0, 6.0, 5.0, 4.0, 3.5, 3.0, 2.5, 2.0)
_COARSER = (0.5, 0.8, 0.95)
_EPS = 1e-9
SMALL = 20_000
"""Pairs up to which the full search takes well under a second."""


@dataclass(frozen=True, kw_only=True)
class TwincutOptions:
    """Options of `twincut`."""

    effort: int | None = None
    """0: alternate from ODkAnon's walk only; 1: also from common multipliers; 2: also from single levels and coarser
    cuts; None: 2 up to 20,000 pairs, else 1, and on very large data no new start after two seconds' worth of passes."""
    drift: float = 0.03
    """Drift of the walk that the first start comes from (see odkanon)."""

    def __post_init__(self) -> None:
        if self.effort not in (None, 0, 1, 2) or isinstance(self.effort, bool | float):
            raise InputError(f"effort ({self.effort!r}) must be 0, 1, 2 or None")
        LateOptions(drift=self.drift)


@dataclass(frozen=True, eq=False)
class _State:
    cuts: tuple[Ints, Ints]
    g: float


class _Search:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.work = Work.of(problem)
        self.known: dict[tuple[int, bytes], Penalties] = {}
        self.best: _State | None = None
        self.passes = 0
        limited = problem.options.effort is None  # counted in passes, not in seconds: the same result on every machine
        self.most = max(40, 20_000_000 // problem.matrix.n_pairs) if limited else 1_000_000

    def penalties(self, axis: int, other: Ints) -> Penalties:
        """Penalties of one axis for a cut of the other, computed once."""
        key = (axis, other.tobytes())
        if key not in self.known:
            self.passes += 1
            self.problem.tick(min(0.1 + self.passes / 150, 0.95), "alternating the axes")
            if len(self.known) > 64:
                self.known.clear()
            self.known[key] = self.work.penalties(axis, other)
        return self.known[key]

    def g_of(self, nodes: Penalties, cut: Ints) -> float:
        """G of a cut of one axis; infinite where a budget is broken or nothing is published."""
        total = nodes.of(cut)
        left = self.work.total - total[LEAD]
        return float(total[ALPHA] / left) if left > 0 and (total[EACH:] <= TIGHT).all() else np.inf

    @staticmethod
    def fit(nodes: Penalties, price: float) -> Fit[Pruning]:
        """The best pruning that fits."""
        return fitting(lambda multiplier: prune(nodes, price, multiplier), price)

    def solve(self, axis: int, other: Ints, price: float) -> tuple[float, Ints]:
        """Best cut of one axis for a fixed cut of the other, and its G."""
        nodes = self.penalties(axis, other)
        best_g, best_cut = np.inf, np.array([nodes.tree.root])
        for _ in range(8):
            fit = self.fit(nodes, price)
            cut = fit.solution.cut
            if fit.solution.fits and fit.multiplier > 0:
                cut = spend(nodes, cut, price, fit.multiplier)
            g = self.g_of(nodes, cut)
            if not g < best_g * (1 - _EPS):
                break
            best_g, best_cut, price = g, cut, g
            if fit.multiplier > 0:  # where a budget binds, its multiplier rules, not the price
                break
        return best_g, best_cut

    def alternate(self, cuts: tuple[Ints, Ints], axis: int, price: float) -> _State:
        """Solve one axis after the other until neither improves."""
        now, g, still = list(cuts), np.inf, 0
        while still < 2:
            new_g, cut = self.solve(axis, now[1 - axis], min(g, price))
            if new_g < g * (1 - _EPS):
                g, now[axis], still = new_g, cut, 0
            else:
                still += 1
            axis = 1 - axis
        state = _State((now[0], now[1]), g)
        if self.best is None or state.g < self.best.g * (1 - _EPS):
            self.best = state
        return state

    def path(self, cuts: tuple[Ints, Ints], axis: int, g: float) -> Iterator[tuple[tuple[Ints, Ints], float]]:
        """Cuts that are each other's best for one multiplier on both axes, for falling multipliers, and their σ."""
        now = list(cuts)
        for factor in _PATH:
            value, still, turn, share = np.inf, 0, axis, np.inf
            while still < 2:
                nodes = self.penalties(turn, now[1 - turn])
                pruning = prune(nodes, factor * g, 0.0)
                if pruning.cost(factor * g) < value * (1 - _EPS):
                    value, still = pruning.cost(factor * g), 0
                    now[turn] = pruning.cut
                    share = float(pruning.total[EACH:].max())
                else:
                    still += 1
                turn = 1 - turn
            yield (now[0], now[1]), share
            if share > 1.3:
                return

    def levels(self, start: _State) -> Iterator[tuple[int, Ints]]:
        """Single levels of each axis around the median depth of the best cut."""
        for axis, tree in enumerate(self.work.trees):
            middle = int(np.median(tree.depth[start.cuts[axis]]))
            for depth in (middle, middle - 1, middle + 1):
                if 0 < depth <= int(tree.depth.max()):
                    yield axis, np.unique(tree.depth_cuts[depth])

    def coarser(self, start: _State) -> Iterator[tuple[int, tuple[Ints, Ints]]]:
        """The best cut with one axis solved for a part of the budget."""
        for axis in (0, 1):
            for share in _COARSER:
                nodes = self.penalties(axis, start.cuts[1 - axis])
                scale = np.ones((len(nodes.table), 1))
                scale[EACH:] = share
                pruning = self.fit(Penalties(nodes.ladder, nodes.table / scale), start.g).solution
                if pruning.fits:
                    cuts = list(start.cuts)
                    cuts[axis] = pruning.cut
                    yield axis, (cuts[0], cuts[1])


def run(problem: Problem) -> Release:
    """Alternated optimal cuts from several starts."""
    options: TwincutOptions = problem.options
    effort = options.effort if options.effort is not None else 2 if problem.matrix.n_pairs <= SMALL else 1
    late = run_late(replace(problem, options=LateOptions(drift=options.drift)))
    assert isinstance(late, TreeRelease)
    assert late.o_cut is not None
    assert late.d_cut is not None
    search = _Search(problem)
    start = (late.o_cut, late.d_cut)
    first = search.g_of(search.penalties(0, start[1]), start[0])
    search.best = _State(start, first)
    for axis in (0, 1):
        search.alternate(start, axis, first)
    if effort >= 1:
        for axis in (0, 1):
            for cuts, share in search.path(start, axis, first):
                if search.passes >= search.most:
                    break
                if 0.4 < share <= 1.3:
                    search.alternate(cuts, axis, search.best.g)
    if effort >= 2:
        for axis, level in search.levels(search.best):
            cuts = (level, level)
            g, cut = search.solve(1 - axis, level, search.best.g)
            if np.isfinite(g):
                cuts = (level, cut) if axis == 0 else (cut, level)
                search.alternate(cuts, axis, search.best.g)
        for _ in range(3):
            before = search.best
            for axis, cuts in search.coarser(before):
                search.alternate(cuts, 1 - axis, before.g)
            if search.best is before:
                break
    o_cut, d_cut = search.best.cuts
    return cut_release(
        problem.matrix,
        problem.protection,
        problem.budget,
        algorithm="twincut",
        options=options,
        o_cut=o_cut,
        d_cut=d_cut,
        details={"passes": search.passes, "start_g": first, "effort": effort},
    )


register(
    Algorithm(
        name="twincut",
        title="TwinCut",
        kind="homogeneous",
        source="ours: alternated optimal prunings (001, appendix I)",
        summary="Finds one set of origin zones and one of destination zones with the least loss by pruning both trees in turn.",
        when="Use it by default: the finest map in which one set of zones serves all flows.",
        options=TwincutOptions,
        run=run,
    )
)
