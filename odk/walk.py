"""ODkAnon as one fixed walk (SPEC 2.1): why no merging is needed.

ODkAnon (000, algorithm 3) merges, on one axis at a time, the sibling group with the least total into its parent P.
1. The cost of merging into P is P's own total: it never changes.
2. P's total is at least each child's. So on one axis the merges happen in the fixed order (total, greater depth
   first, node id), whatever the other axis does: the cheapest parent not merged yet has only merged children.
3. Which axis moves depends only on how many zones each axis has, the step's parity, and what is left.
So the whole run is known in advance, and a cell that is publishable stays so in every later step: the stopping step
is found by bisection, with about 16 aggregations instead of tens of thousands of merges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from odk.cells import Ints
from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.matrix import MICRO, Groups, ODMatrix
from odk.protection import Protection

ORIGINS, DESTINATIONS = 0, 1
AXES = ("origins", "destinations")
DRIFT = 0.03


@dataclass(frozen=True, eq=False)
class WalkStep:
    """The state after a number of merges."""

    step: int
    axis: str | None
    """Axis of the merge that led here; None at the start."""
    merged: int | None
    """Node that its children were merged into."""
    group: Ints
    """The children that were merged (nodes of that axis)."""
    o_cut: Ints
    d_cut: Ints
    minimum: dict[str, float | int | None]
    """Least value of each measure over all cells (natural units)."""
    failing: int
    """Cells that are not publishable."""
    suppressed: dict[str, float]
    """Share of each volume that lies in cells that are not publishable."""


def check_drift(drift: float) -> None:
    """Refuse a drift that is no share."""
    if isinstance(drift, bool) or not isinstance(drift, int | float) or not 0 <= drift < 1:
        raise InputError(f"drift ({drift!r}) must be a number in [0, 1)")


class Walk:
    """The walk of ODkAnon over a matrix. `lead` is the measure whose totals are the costs of merging."""

    def __init__(self, matrix: ODMatrix, *, lead: str = "trips", drift: float = DRIFT) -> None:
        check_drift(drift)
        self.matrix = matrix
        self.lead = lead
        self.drift = drift
        self.trees: tuple[Hierarchy, Hierarchy] = (matrix.origins, matrix.destinations)
        volume = matrix.volume(lead)
        orders = []
        for tree, leaf in zip(self.trees, (matrix.o, matrix.d), strict=True):
            at_leaves = np.zeros(tree.n_leaves, dtype=np.int64)
            np.add.at(at_leaves, leaf, volume)
            orders.append(_merge_order(tree, tree.sum_up(at_leaves)))
        self.orders: tuple[Ints, Ints] = (orders[0], orders[1])

    @property
    def n_steps(self) -> int:
        """Merges until both axes are a single zone."""
        return len(self.orders[0]) + len(self.orders[1])

    @cached_property
    def axes(self) -> Ints:
        """Axis of every step: ORIGINS or DESTINATIONS."""
        # A loop over steps, in plain Python: each depends on the zone counts that the last one left.
        shrink = [(self.trees[a].n_children[self.orders[a]] - 1).tolist() for a in (0, 1)]
        zones = [tree.n_leaves for tree in self.trees]
        left = [len(order) for order in self.orders]
        done = [0, 0]
        # origins/destinations against (1 -+ drift) times its first value, cross-multiplied: exact, for a drift that is
        # met to the zone must not depend on rounding.
        drift = Fraction(repr(float(self.drift)))
        scale = zones[1] * drift.denominator
        low, high = (zones[0] * (drift.denominator + sign * drift.numerator) for sign in (-1, 1))
        out = np.empty(self.n_steps, dtype=np.int64)
        for step in range(self.n_steps):
            have = zones[0] * scale
            axis = ORIGINS if have > zones[1] * high else DESTINATIONS if have < zones[1] * low else step & 1
            if done[axis] == left[axis]:
                axis = 1 - axis
            zones[axis] -= shrink[axis][done[axis]]
            done[axis] += 1
            out[step] = axis
        return out

    @cached_property
    def _origin_steps(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self.axes == ORIGINS)]).astype(np.int64)

    @cached_property
    def _ranks(self) -> tuple[Ints, Ints]:
        ranks = []
        for tree, order in zip(self.trees, self.orders, strict=True):
            rank = np.full(tree.n_nodes, -1, dtype=np.int64)  # leaves are there from the start
            rank[order] = np.arange(len(order))
            ranks.append(rank)
        return ranks[0], ranks[1]

    def merges(self, step: int) -> tuple[int, int]:
        """How many of the first `step` merges were on the origins and on the destinations."""
        origins = int(self._origin_steps[step])
        return origins, step - origins

    def cuts(self, step: int) -> tuple[Ints, Ints]:
        """Both cuts after `step` merges."""
        o, d = (self._cut(axis, done) for axis, done in enumerate(self.merges(step)))
        return o, d

    def _cut(self, axis: int, done: int) -> Ints:
        rank, parent = self._ranks[axis], self.trees[axis].parent
        here = rank < done
        above = np.append(here, False)[parent]  # the root's parent is -1: nothing above it
        return np.flatnonzero(here & ~above)

    def groups(self, step: int, *, persons: bool) -> Groups:
        """All cells after `step` merges."""
        return self._sum(self.matrix, step, persons)

    def _sum(self, matrix: ODMatrix, step: int, persons: bool) -> Groups:
        o_cut, d_cut = self.cuts(step)
        return matrix.group(self.trees[0].zone_of_leaf(o_cut), self.trees[1].zone_of_leaf(d_cut), persons=persons)

    def at(self, step: int, protection: Protection) -> WalkStep:
        """The state after `step` merges, as the replay shows it."""
        if not 0 <= step <= self.n_steps:
            raise InputError(f"step ({step}) must lie between 0 and {self.n_steps}")
        groups = self.groups(step, persons=True)
        bad = ~protection.publishable(groups)
        axis, merged, group = None, None, np.empty(0, dtype=np.int64)
        if step:
            a = int(self.axes[step - 1])
            axis, merged = AXES[a], int(self.orders[a][self.merges(step - 1)[a]])
            group = self.trees[a].children(merged)
        o_cut, d_cut = self.cuts(step)
        return WalkStep(
            step=step,
            axis=axis,
            merged=merged,
            group=group,
            o_cut=o_cut,
            d_cut=d_cut,
            minimum={
                "trips": int(groups.trips.min()),
                "persons": None if groups.persons is None else int(groups.persons.min()),
                "population": int(groups.population.min()) / MICRO,
            },
            failing=int(bad.sum()),
            suppressed={
                "trips": int(groups.trips[bad].sum()) / self.matrix.total_trips,
                "population": int(groups.population[bad].sum()) / self.matrix.total_population,
            },
        )

    def first_step(self, good: Callable[[int], bool], *, start: int = 0) -> int | None:
        """First step from `start` on at which `good` holds (it must stay so once it does); None if it never does."""
        low, high = start, self.n_steps
        if not good(high):
            return None
        while low < high:
            middle = (low + high) // 2
            if good(middle):
                high = middle
            else:
                low = middle + 1
        return low

    def search(self, good: Callable[[Groups], bool], *, persons: bool) -> int | None:
        """First step whose cells are `good` (they must stay so once they are); None if those of no step are.

        As `first_step`, but a step that is not good leaves only coarser ones to look at, so what follows sums its cells
        instead of all pairs: the whole search costs little more than its first step.
        """
        matrix, low, high = self.matrix, 0, self.n_steps + 1
        while low < high:
            step = min((low + high) // 2, self.n_steps)
            groups = self._sum(matrix, step, persons)
            if good(groups):
                high = step
            else:
                low, matrix = step + 1, matrix.coarsen(groups, persons=persons)
        return low if low <= self.n_steps else None


def _merge_order(tree: Hierarchy, total: Ints) -> Ints:
    """Inner nodes in the order (total, greater depth first, id) in which their children merge into them."""
    inner = np.flatnonzero(tree.height > 0)
    order = np.lexsort((tree.order[inner], -tree.depth[inner], total[inner]))
    return inner[order]
