"""Best pruning of a tree (001, appendix I), and the multiplier that makes a pruning fit its budgets.

Every node of a tree has an aggregation penalty α and, per budgeted measure, a suppression penalty σ: what it costs to take
the node as a zone. A pruning is a cut of the tree; its penalties are the sums over its nodes. For a fixed multiplier the
best cut comes from one pass bottom-up: a node is split where its children together cost strictly less (ties aggregate).

A node without a publishable cell has none below it either, and splitting it changes nothing. So the pass goes over the
*live* nodes only, those with α > 0; what a live node's dead children would suppress is added to its split.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from odk.cells import Floats, Ints
from odk.hierarchy import Hierarchy

Bools = npt.NDArray[np.bool_]
ALPHA, LEAD, EACH = 0, 1, 2
"""Rows of a table of penalties: α, suppressed volume in the lead measure, then one row a budgeted measure."""
MAX_ROUNDS = 60
"""Most multipliers tried in one search; the tangents meet after about ten."""
SHARES = (0.0, 0.25, 0.5, 0.75, 0.9)
"""Shares of a multiplier at which finer sub-cuts are looked for."""
TIGHT = 1 + 1e-12


@dataclass(frozen=True, eq=False)
class Ladder:
    """The live nodes of a tree, in the order in which a pass bottom-up takes them."""

    tree: Hierarchy
    live: Ints
    """Nodes with a publishable cell, ascending, so children before parents; the root in any case."""

    @classmethod
    def of(cls, tree: Hierarchy, alive: Bools) -> Ladder:
        """The ladder of the marked nodes (a node above a marked one must be marked too)."""
        alive = alive.copy()
        alive[tree.root] = True
        return cls(tree, np.flatnonzero(alive))

    @cached_property
    def place(self) -> Ints:
        """Place of every node among the live ones; -1 for the dead."""
        place = np.full(self.tree.n_nodes, -1, dtype=np.int64)
        place[self.live] = np.arange(len(self.live))
        return place

    @cached_property
    def leaves(self) -> Bools:
        """Which live nodes are leaves of the tree."""
        return np.asarray(self.tree.height[self.live] == 0)

    @cached_property
    def dead(self) -> Ints:
        """Dead nodes below a live one."""
        return np.flatnonzero((self.place < 0) & (np.append(self.place, -1)[self.tree.parent] >= 0))

    def dead_below(self, table: Floats) -> Floats:
        """For every live node, the penalties of its dead children together."""
        up, n = self.place[self.tree.parent[self.dead]], len(self.live)
        return np.stack([np.bincount(up, weights=row[self.dead], minlength=n).astype(np.float64) for row in table])

    @cached_property
    def rungs(self) -> list[tuple[slice, Ints, Ints, Ints]]:
        """Per height: its live nodes, their order by parent, where each parent starts in it, the parents."""
        height = self.tree.height[self.live]
        up = np.append(self.place, -1)[self.tree.parent[self.live]]
        out = []
        for h in np.unique(height).tolist():
            here = slice(*np.searchsorted(height, [h, h + 1]).tolist())
            order = np.argsort(up[here], kind="stable")
            parents, starts = np.unique(up[here][order], return_index=True)
            out.append((here, order, starts, parents))
        return out


@dataclass(frozen=True, eq=False)
class Penalties:
    """Penalties of every node of one tree, the other axis being fixed."""

    ladder: Ladder
    table: Floats
    """Row ALPHA: Σ (|o|+|d|) v over the cells that would be published, v in the lead measure. Row LEAD: volume that would
    be suppressed in the lead measure. Rows from EACH: the same per budgeted measure, as a share of its budget."""

    @property
    def tree(self) -> Hierarchy:
        """The tree."""
        return self.ladder.tree

    def of(self, cut: Ints) -> Floats:
        """Penalties of a cut."""
        return np.asarray(self.table[:, cut].sum(axis=1))

    @cached_property
    def dead_below(self) -> Floats:
        """For every live node, the penalties of its dead children together."""
        return self.ladder.dead_below(self.table)


@dataclass(frozen=True, eq=False)
class Pruning:
    """The best cut below every live node for one choice of multipliers."""

    nodes: Penalties
    keep: Bools
    """Live nodes that are better taken whole than split."""
    table: Floats
    """Penalties of the best cut below each live node; rows as in Penalties."""

    @property
    def total(self) -> Floats:
        """Penalties of the best cut of the whole tree."""
        return np.asarray(self.table[:, -1])

    @property
    def sigma(self) -> float:
        """Suppressed shares of the budgets, added up, of the cut of the whole tree."""
        return float(self.table[EACH:, -1].sum())

    @property
    def fits(self) -> bool:
        """Whether every budget holds for the cut of the whole tree."""
        return bool((self.table[EACH:, -1] <= TIGHT).all())

    def cost(self, price: float) -> float:
        """α + price·lead of the cut of the whole tree."""
        return float(self.table[ALPHA, -1] + price * self.table[LEAD, -1])

    @cached_property
    def whole(self) -> Bools:
        """Nodes of the tree at which the way down stops; the dead are never split."""
        whole = np.ones(self.nodes.tree.n_nodes, dtype=bool)
        whole[self.nodes.ladder.live] = self.keep
        return whole

    @cached_property
    def cut(self) -> Ints:
        """The best cut of the whole tree."""
        return self.nodes.tree.cut_of_marks(self.whole)

    def at(self, cut: Ints) -> Floats:
        """Penalties of the best cuts below the nodes of a cut, one column a node."""
        place = self.nodes.ladder.place[cut]
        return np.where(place < 0, self.nodes.table[:, cut], self.table[:, place])


def split_is_better(own: Floats, split: Floats, price: float, multiplier: float) -> Bools:
    """Where the penalties `split` cost strictly less than `own`: α + price·lead + multiplier·σ (infinite: σ first)."""
    own_cost, split_cost = own[ALPHA] + price * own[LEAD], split[ALPHA] + price * split[LEAD]
    own_sigma, split_sigma = own[EACH:].sum(axis=0), split[EACH:].sum(axis=0)
    if np.isinf(multiplier):
        near = np.abs(split_sigma - own_sigma) <= 1e-12 * np.maximum(1.0, own_sigma)
        return np.asarray(np.where(near, split_cost < own_cost, split_sigma < own_sigma))
    return np.asarray(split_cost + multiplier * split_sigma < own_cost + multiplier * own_sigma)


def prune(nodes: Penalties, price: float, multiplier: float) -> Pruning:
    """Best cuts for α + price·lead + multiplier·σ; an infinite multiplier means least σ, then least α + price·lead."""
    ladder = nodes.ladder
    table = nodes.table[:, ladder.live]
    split = nodes.dead_below.copy()
    keep = np.ones(len(ladder.live), dtype=bool)
    for here, order, starts, parents in ladder.rungs:
        own, other = table[:, here], split[:, here]
        better = split_is_better(own, other, price, multiplier) & ~ladder.leaves[here]
        keep[here] = ~better
        table[:, here] = best = np.where(better, other, own)
        if parents[0] >= 0:
            split[:, parents] += np.add.reduceat(best[:, order], starts, axis=1)
    return Pruning(nodes, keep, table)


class Solution(Protocol):
    """What a search for a multiplier asks of a solution."""

    @property
    def sigma(self) -> float:
        """Suppressed shares of the budgets, added up."""
        ...

    @property
    def fits(self) -> bool:
        """Whether every budget holds."""
        ...

    def cost(self, price: float) -> float:
        """α + price·lead."""
        ...


S = TypeVar("S", bound=Solution)


@dataclass(frozen=True, eq=False)
class Fit(Generic[S]):
    """What the search for a multiplier found."""

    solution: S
    """The best on the convex hull of those that fit (or, where none does, the one of least σ)."""
    multiplier: float
    """The multiplier at which it meets its neighbour that does not fit; 0 where the budgets do not bind."""


def fitting(solve: Callable[[float], S], price: float) -> Fit[S]:
    """The solution of least α + price·lead on the convex hull of those that fit; `solve` takes a multiplier.

    The lower end of the search is multiplier 0, the upper the lexicographic solution (a fixed upper end, as in 001
    algorithm 3, can be infeasible); between them the intersection of the tangents is tried until it gives nothing new
    (specific breakpoints).
    """
    low = solve(0.0)
    if low.fits:
        return Fit(low, 0.0)
    high = solve(np.inf)
    multiplier = 0.0
    for _ in range(MAX_ROUNDS):
        gap = low.sigma - high.sigma
        if gap <= 0:
            break
        multiplier = (high.cost(price) - low.cost(price)) / gap
        middle = solve(multiplier)
        line = low.cost(price) + multiplier * low.sigma
        if middle.cost(price) + multiplier * middle.sigma >= line * (1 - 1e-12):
            break
        if middle.fits:
            high = middle
        else:
            low = middle
    return Fit(high, multiplier)


def choose(own: Floats, found: list[Floats], left: Floats, price: float) -> Ints:
    """Which of several replacements to take for each zone, within what is left of the budgets; -1: none.

    `own` and each of `found` hold penalties, one column a zone. Taken by the greatest fall of α + price·lead per unit of
    σ; the gains of zones add up.
    """
    change = np.stack(found) - own  # replacement, row, zone
    gain = -(change[:, ALPHA] + price * change[:, LEAD])
    more = change[:, EACH:]
    ratio = gain / np.maximum(more.sum(axis=1), 1e-12)
    which, zones = np.nonzero(gain > 1e-9 * max(1.0, float(own[ALPHA].sum())))
    order = np.argsort(-ratio[which, zones], kind="stable")
    chosen = np.full(own.shape[1], -1, dtype=np.int64)
    for i, zone in zip(which[order].tolist(), zones[order].tolist(), strict=True):  # over zones, not over rows
        if chosen[zone] < 0 and (more[i, :, zone] <= left).all():
            chosen[zone] = i
            left = left - more[i, :, zone]
    return chosen


def below_chosen(tree: Hierarchy, cut: Ints, chosen: Ints) -> Ints:
    """For every node: what was chosen for the zone it lies in (itself included); -2 above the zones."""
    number = np.empty(tree.n_nodes, dtype=np.int64)
    number[cut] = np.arange(len(cut))
    zone = tree.zone_of_leaf(cut)[tree.first]  # the zone above the first leaf of each node: above the node, or below it
    below = (tree.size <= tree.size[zone]) & (tree.height <= tree.height[zone])
    return np.where(below, chosen[number[zone]], -2)


def refined(tree: Hierarchy, cut: Ints, chosen: Ints, wholes: list[Bools]) -> Ints:
    """The cut in which each zone that has a choice gives way to the sub-cut that the choice stops at."""
    pick = below_chosen(tree, cut, chosen)
    stop = np.zeros(tree.n_nodes, dtype=bool)
    stop[cut] = chosen < 0
    for i, whole in enumerate(wholes):
        stop[pick == i] = whole[pick == i]
    return tree.cut_of_marks(stop)


def spend(nodes: Penalties, cut: Ints, price: float, multiplier: float) -> Ints:
    """Refine zones of a cut that fits within what is left: each by its best sub-cut for some smaller multiplier."""
    found = [prune(nodes, price, share * multiplier) for share in SHARES]
    chosen = choose(nodes.table[:, cut], [p.at(cut) for p in found], 1 - nodes.of(cut)[EACH:], price)
    return cut if (chosen < 0).all() else refined(nodes.tree, cut, chosen, [p.whole for p in found])
