"""The flows of ATG as one forest in arrays, and its pruning (001, sections 3.3-3.4, appendices D, I, J).

Every origin zone has its own copy of the destination tree. A node of a copy is a flow (origin zone, destination node);
only publishable flows are kept, because nothing below an unpublishable one can ever be published: its volume is simply
what is lost by splitting its parent.

Leaves stand in depth-first order, so once the pairs are sorted by (origin zone, destination leaf) every flow is one run
of pairs: its sums are differences of running totals, and no level needs a group-by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from odk.algorithms._arrays import running, runs, stable_order
from odk.cells import Floats, Ints
from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix
from odk.protection import Protection

Bools = npt.NDArray[np.bool_]
INFINITE = (1.0, 0.0)
"""λ as a ratio: the price at which nothing is ever suppressed for a finer zone."""


@dataclass(frozen=True, eq=False)
class Pruning:
    """One pruning of a forest: which flows are split, and the line α + λσ that it costs."""

    split: Bools
    alpha: float
    """Σ (|o|+|d|) v over its published flows."""
    sigma: float
    """Volume that it suppresses, lost origins included."""


@dataclass(frozen=True, eq=False)
class Forest:
    """Publishable flows, parents before children; flows of one level are sorted by (origin zone, destination)."""

    o_node: Ints
    d_node: Ints
    parent: Ints
    """Number of the flow above; -1 for a whole origin."""
    levels: tuple[slice, ...]
    """Runs of flows of equal depth, whole origins first."""
    leaf: Bools
    """Whether the destination is a leaf and so cannot be split."""
    size: Ints
    """|o| + |d| of each flow."""
    volume: Ints
    """Lead volume of each flow, exact units."""
    budgeted: Mapping[str, Ints]
    """Volume of each flow in every measure that has a budget."""
    start: Ints
    stop: Ints
    """Run of sorted pairs of each flow."""
    order: Ints
    """Pairs of the matrix, sorted by (origin zone, destination leaf)."""
    total: int
    """Lead volume of the matrix."""

    @cached_property
    def alpha(self) -> Floats:
        """Aggregation penalty of each flow (eq. 3.1); in floats, since population in 10^-6 would exceed int64."""
        return self.size.astype(np.float64) * self.volume

    @cached_property
    def loss(self) -> Floats:
        """Volume dropped at once by splitting a flow: its unpublishable children (eq. 3.2)."""
        kept = np.zeros(len(self.parent) + 1)
        np.add.at(kept, self.parent, self.volume.astype(np.float64))
        return np.where(self.leaf, 0.0, self.volume - kept[:-1])

    @cached_property
    def lost(self) -> float:
        """Volume of the origins that are unpublishable as a whole: no pruning can save it."""
        return float(self.total - int(self.volume[self.levels[0]].sum()))

    def prune(self, price: tuple[float, float]) -> Pruning:
        """Best pruning for λ = p/q, given as (p, q) (algorithms 1 and 4); ties aggregate, as their strict "<" says.

        A flow is split if q·(α - α of the best split) > p·(what the split suppresses). No division: a product of two
        whole floats is rounded from its exact value, so ties, which breakpoints are made of, compare as equal.
        """
        p, q = price
        n = len(self.parent)
        a, s = np.zeros(n), self.loss.copy()  # of the best split: sums over the children
        split = np.zeros(n, dtype=bool)
        for level in reversed(self.levels):
            gain = self.alpha[level] - a[level]
            if q == 0:
                cut = (s[level] == 0) & (gain > 0)
            else:
                cut = q * gain > p * s[level]
            cut &= ~self.leaf[level]
            split[level] = cut
            best_a, best_s = np.where(cut, a[level], self.alpha[level]), np.where(cut, s[level], 0.0)
            if level.start == 0:  # whole origins: sum them all
                return Pruning(split, float(best_a.sum()), float(best_s.sum()) + self.lost)
            up = self.parent[level]
            low = int(up[0])  # parents ascend within a level
            more_a = np.bincount(up - low, weights=best_a)
            a[low : low + len(more_a)] += more_a
            s[low : low + len(more_a)] += np.bincount(up - low, weights=best_s)
        raise AssertionError("the first level of a forest starts at 0")

    def published(self, pruning: Pruning) -> Ints:
        """Flows that a pruning publishes: not split, and everything above them split."""
        reached = np.zeros(len(self.parent) + 1, dtype=bool)
        reached[-1] = True
        above = np.append(pruning.split, True)
        for level in self.levels:
            up = self.parent[level]
            reached[level] = reached[up] & above[up]
        return np.flatnonzero(reached[:-1] & ~pruning.split)

    def suppressed(self, pruning: Pruning, totals: Mapping[str, int]) -> dict[str, int]:
        """What a pruning suppresses of every budgeted measure, in exact units."""
        flows = self.published(pruning)
        return {m: totals[m] - int(volume[flows].sum()) for m, volume in self.budgeted.items()}

    def pairs_of(self, flows: Ints) -> tuple[Ints, Ints]:
        """Pairs of the matrix in the given flows, and the flow of each of them."""
        places, flow = runs(self.start[flows], self.stop[flows])
        return self.order[places], flows[flow]


class Flows:
    """What every forest of one matrix shares: orders and paths that do not depend on the origin zones."""

    def __init__(self, matrix: ODMatrix, protection: Protection, budgeted: Mapping[str, Ints]) -> None:
        self.matrix, self.protection, self.budgeted = matrix, protection, budgeted
        tree = matrix.destinations
        self.down = [ancestors.astype(np.int32) for ancestors in _down(tree)]  # half the memory to go through
        self.by_d = np.argsort(matrix.d, kind="stable")
        self.d_sorted = matrix.d[self.by_d].astype(np.int32)
        if protection.needs_persons:
            assert matrix.person_pair is not None
            assert matrix.person is not None
            rank = np.empty(matrix.n_pairs, dtype=np.int64)
            rank[self.by_d] = np.arange(matrix.n_pairs)
            place = rank[matrix.person_pair]
            self.rows_by_d = np.argsort(place, kind="stable")
            self.rows_by_person = np.lexsort((place, matrix.person))
            self.rows_of_pair = np.bincount(matrix.person_pair, minlength=matrix.n_pairs)

    def forest(self, origin_cut: Ints) -> Forest:
        """The forest over the given origin zones (a cut of the origin tree)."""
        matrix, tree = self.matrix, self.matrix.destinations
        zones = origin_cut[np.argsort(matrix.origins.first[origin_cut], kind="stable")]
        code = np.repeat(np.arange(len(zones)), matrix.origins.size[zones])[matrix.o]
        code_by_d = code[self.by_d]
        by_zone = stable_order(code_by_d, len(zones))
        order, d, zone = self.by_d[by_zone], self.d_sorted[by_zone], code_by_d[by_zone]
        total = {name: running(values[order]) for name, values in self._measures().items()}
        persons = self._previous(code, order, len(zones)) if self.protection.needs_persons else None

        pos, leaf, own = np.arange(len(order)), d, zone  # pairs still going down, their leaf, and the flow each is in
        parts: list[tuple[Ints, Ints, Ints, Ints]] = []  # per level: node, parent, start, stop
        levels: list[slice] = []
        count = 0
        for depth, ancestors in enumerate(self.down):
            if not len(pos):
                break
            node = ancestors[leaf]
            changes = (node[1:] != node[:-1]) | (own[1:] != own[:-1])
            heads = np.concatenate([[0], np.flatnonzero(changes) + 1])
            ends = np.append(heads[1:], len(pos))
            start, stop = pos[heads], pos[ends - 1] + 1
            sums = {m: so_far[stop] - so_far[start] for m, so_far in total.items()}
            distinct = None if persons is None else _distinct(persons, start, stop)
            none = start  # stands for a measure that is not guarded
            good = self.protection.reached(sums.get("trips", none), sums.get("population", none), distinct)
            parents = own[heads][good] if depth else np.full(int(good.sum()), -1, dtype=np.int64)
            parts.append((node[heads][good].astype(np.int64), parents, start[good], stop[good]))
            levels.append(slice(count, count + int(good.sum())))
            go_on = good & (node[heads] >= tree.n_leaves)
            number, length = (count + np.cumsum(good) - 1)[go_on], (ends - heads)[go_on]
            count = levels[-1].stop
            stay = np.repeat(go_on, ends - heads)
            pos, leaf, own = pos[stay], leaf[stay], np.repeat(number, length)
        d_node, parent, start, stop = (np.concatenate([part[i] for part in parts]) for i in range(4))
        o_node = zones[zone[start]]
        return Forest(
            o_node=o_node,
            d_node=d_node,
            parent=parent,
            levels=tuple(level for level in levels if level.stop > level.start or level.start == 0),
            leaf=d_node < tree.n_leaves,
            size=matrix.origins.size[o_node] + tree.size[d_node],
            volume=total[self.protection.lead][stop] - total[self.protection.lead][start],
            budgeted={m: total[m][stop] - total[m][start] for m in self.budgeted},
            start=start,
            stop=stop,
            order=order,
            total=matrix.total(self.protection.lead),
        )

    def _measures(self) -> dict[str, Ints]:
        needed = {m for m in self.protection.guards if m != "persons"} | {self.protection.lead}
        return {m: self.matrix.volume(m) for m in sorted(needed)} | dict(self.budgeted)

    def _previous(self, code: Ints, order: Ints, n_zones: int) -> tuple[Ints, Ints]:
        """For each (pair, person) row in sorted order, the last earlier row of that person in that origin zone (or -1).

        Also where the rows of each sorted pair begin. A person of a flow is then counted at the first of his rows in
        the flow's run: the one whose earlier row lies before the run.
        """
        matrix = self.matrix
        assert matrix.person_pair is not None
        assert matrix.person is not None
        row_zone = code[matrix.person_pair]
        rows = self.rows_by_d[stable_order(row_zone[self.rows_by_d], n_zones)]
        place = np.empty(len(rows), dtype=np.int64)
        place[rows] = np.arange(len(rows))
        theirs = self.rows_by_person[stable_order(row_zone[self.rows_by_person], n_zones)]
        same = np.ones(len(rows) - 1, dtype=bool)
        for of_row in (matrix.person, row_zone):
            same &= of_row[theirs[1:]] == of_row[theirs[:-1]]
        previous = np.full(len(rows), -1, dtype=np.int64)
        previous[place[theirs[1:][same]]] = place[theirs[:-1][same]]
        return previous, running(self.rows_of_pair[order])


def cheapest(
    forest: Forest, totals: Mapping[str, int], allowed: Mapping[str, int], *, guess: tuple[float, float] | None = None
) -> tuple[Pruning, tuple[float, float]] | None:
    """Pruning at the smallest λ whose suppression fits every budget, and that λ; None where nothing fits.

    Specific breakpoints (001, algorithm 3). Each pruning is a line α + λσ, so the tangents of the algorithm meet where
    two lines do. The upper end is not a bound on λ but the pruning of least (σ, α), which is feasible if any is. As
    λ grows prunings only shrink (every node's gain from splitting falls), so every measure's suppression falls with it.
    `guess` is a λ to try first; the result does not depend on it.
    """

    def fits(pruning: Pruning) -> bool:
        gone = forest.suppressed(pruning, totals)
        return all(gone[m] <= most for m, most in allowed.items())

    right = forest.prune(INFINITE)
    if not fits(right):
        return None
    left, price = forest.prune((0.0, 1.0)), (0.0, 1.0)
    if fits(left):
        return left, price
    if guess is not None:
        middle = forest.prune(guess)
        if fits(middle):
            right = middle
        else:
            left = middle
    while True:
        price = (right.alpha - left.alpha, left.sigma - right.sigma)
        middle = forest.prune(price)
        if not right.sigma < middle.sigma < left.sigma:  # the lines are neighbours: this is the breakpoint
            return right, price
        if fits(middle):
            right = middle
        else:
            left = middle


def prune_tree(tree: Hierarchy, cost: Floats) -> Ints:
    """Cut of least total cost, bottom-up; a node is split only if that is strictly cheaper (001, algorithm 1)."""
    best, below = cost.copy(), np.zeros(tree.n_nodes)
    stop = np.ones(tree.n_nodes, dtype=bool)
    for i, level in enumerate(tree.levels):
        if i:
            stop[level] = below[level] >= cost[level]
            best[level] = np.minimum(below[level], cost[level])
        up = tree.parent[level]
        if level.stop < tree.n_nodes:
            np.add.at(below, up, best[level])
    return tree.cut_of_marks(stop)


def _down(tree: Hierarchy) -> list[Ints]:
    """Per depth, the ancestor of every leaf at that depth; a leaf that ends higher up stays itself."""
    depth, leaves = tree.depth[: tree.n_leaves], np.arange(tree.n_leaves)
    return [tree.paths[np.maximum(depth - at, 0), leaves] for at in range(int(depth.max()) + 1)]


def _distinct(persons: tuple[Ints, Ints], start: Ints, stop: Ints) -> Ints:
    """Distinct persons in each run of sorted pairs."""
    previous, first_row = persons
    begin, end = first_row[start], first_row[stop]
    rows, run = runs(begin, end)
    return np.bincount(run, weights=previous[rows] < begin[run], minlength=len(start)).astype(np.int64)
