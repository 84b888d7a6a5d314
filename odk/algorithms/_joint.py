"""ATG's coupled problem J (001, section 3.1), solved for a multiplier: the engine of `atg-joint` and of the tighter limits.

An origin-major release is an origin cut, and for each origin zone its own destination cut. For a multiplier λ the cost of an
origin *node*, taken as a zone, is the best destination pruning for that node, whatever the other zones are. So:

1. every publishable pair of nodes (origin node, destination node) is an entry, with its parent (same origin node, parent
   destination node). A pair that is not publishable has no publishable pair below it: only publishable ones are kept;
2. the entries of one origin node form a tree, pruned bottom-up like any other: α if taken whole; if split, the sum over the
   entry's children, and λ times the volume that none of them holds;
3. what the top entries (origin node, root) cost is the table of penalties on which the origin tree itself is pruned.

Both prunings are exact, so the value is the minimum of Σα+λΣσ over all origin-major releases, and its dual certifies them.
Everything is written for a *major* and a *minor* axis: destination-major is the same with the axes exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from odk.algorithms._levels import ORIGIN, Rows, Work
from odk.algorithms._prune import (
    ALPHA,
    LEAD,
    MAX_ROUNDS,
    Bools,
    Ladder,
    Penalties,
    Pruning,
    prune,
    split_is_better,
)
from odk.cells import Floats, Ints
from odk.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Rung:
    """The entries whose minor node lies at one depth."""

    key: Ints
    """major node x (number of minor nodes) + minor node, ascending."""
    own: Floats
    """Penalties where the entry is taken whole (α only)."""
    rest: Floats
    """Penalties of the volume that no publishable child holds: what a split suppresses here."""
    leaf: Bools
    """Entries that cannot be split."""
    order: Ints
    """Order of the entries by parent."""
    starts: Ints
    parents: Ints
    """Their parents on the rung above (distinct, ascending) and where each starts in `order`."""


@dataclass(frozen=True, eq=False)
class Forest:
    """All publishable pairs of nodes of a problem, for one order of the axes."""

    work: Work
    major: int
    rungs: tuple[Rung, ...]
    """By depth of the minor node, the root's first."""
    ladder: Ladder
    """Major nodes that have a publishable pair at all."""
    volume: Floats
    """Per major node, rows LEAD and EACH: its whole volume, suppressed if it has no publishable pair (α is 0)."""

    @property
    def trees(self) -> tuple[Hierarchy, Hierarchy]:
        """The major and the minor tree."""
        return self.work.trees[self.major], self.work.trees[1 - self.major]

    @cached_property
    def top_nodes(self) -> Ints:
        """Major node of each top entry."""
        return self.rungs[0].key // self.trees[1].n_nodes

    def solve(self, price: float, multiplier: float) -> JointSolution:
        """The release of least α + price·lead + multiplier·σ (infinite: least σ first)."""
        keeps: list[Bools] = []
        carried: Floats | None = None
        for depth in range(len(self.rungs) - 1, -1, -1):
            rung = self.rungs[depth]
            split = rung.rest.copy()
            if carried is not None:
                below = self.rungs[depth + 1]
                if len(below.parents):
                    split[:, below.parents] += np.add.reduceat(carried[:, below.order], below.starts, axis=1)
            better = split_is_better(rung.own, split, price, multiplier) & ~rung.leaf
            keeps.append(~better)
            carried = np.where(better, split, rung.own)
        table = self.volume.copy()
        if carried is not None:
            table[:, self.top_nodes] = carried
        pruning = prune(Penalties(self.ladder, table), price, multiplier)
        return JointSolution(self, pruning, tuple(reversed(keeps)))


@dataclass(frozen=True, eq=False)
class JointSolution:
    """A release for one choice of multipliers."""

    forest: Forest
    pruning: Pruning
    """Of the major tree."""
    keeps: tuple[Bools, ...]
    """Per rung: entries that are better taken whole than split."""

    @property
    def sigma(self) -> float:
        """Suppressed shares of the budgets, added up."""
        return self.pruning.sigma

    @property
    def fits(self) -> bool:
        """Whether every budget holds."""
        return self.pruning.fits

    def cost(self, price: float) -> float:
        """α + price·lead."""
        return self.pruning.cost(price)


def build(work: Work, major: int) -> Forest:
    """All publishable pairs of nodes, by sums up the levels of both trees."""
    tree, minor = work.trees[major], work.trees[1 - major]
    base = work.rows
    a, b = (base.node, base.other) if major == ORIGIN else (base.other, base.node)
    rows = base.merged(a, b, tree.n_nodes, minor.n_nodes)
    deepest = int(minor.depth.max())
    found: list[list[_Entries]] = [[] for _ in range(deepest + 1)]
    for depth in range(int(tree.depth.max()), -1, -1):
        here = tree.depth[rows.node] == depth
        _lift_minor(work, rows.take(here), tree, minor, found)
        if depth:
            up = np.where(here, tree.parent[rows.node], rows.node)
            rows = rows.merged(up, rows.other, tree.n_nodes, minor.n_nodes)
    rungs = tuple(_rungs(work, [_Entries.joined(parts, work) for parts in found], tree, minor))
    alive = np.zeros(tree.n_nodes, dtype=bool)
    alive[rungs[0].key // minor.n_nodes] = True
    return Forest(work, major, rungs, Ladder.of(tree, alive), work.whole_volume[major])


@dataclass(frozen=True, eq=False)
class _Entries:
    """Publishable pairs of nodes at one minor depth, before they are linked."""

    key: Ints
    volume: Floats
    """Row 0: the lead measure; then one row a budgeted measure, as a share of its budget."""

    @classmethod
    def joined(cls, parts: list[_Entries], work: Work) -> _Entries:
        """All parts, by key."""
        if not parts:
            return cls(np.empty(0, dtype=np.int64), np.empty((1 + len(work.budgets), 0)))
        key = np.concatenate([p.key for p in parts])
        order = np.argsort(key, kind="stable")
        return cls(key[order], np.concatenate([p.volume for p in parts], axis=1)[:, order])


def _lift_minor(work: Work, rows: Rows, tree: Hierarchy, minor: Hierarchy, found: list[list[_Entries]]) -> None:
    """Collect the publishable pairs of the given rows (major nodes of one depth) at every minor depth."""
    for depth in range(len(found) - 1, -1, -1):
        here = minor.depth[rows.other] == depth
        good = here & work.publishable(rows)
        volume = [rows.volume(work.lead)[good].astype(np.float64)]
        volume += [rows.volume(m)[good] / most for m, most in work.budgets.items()]
        found[depth].append(_Entries(rows.node[good] * minor.n_nodes + rows.other[good], np.stack(volume)))
        if depth:
            up = np.where(here, minor.parent[rows.other], rows.other)
            rows = rows.merged(rows.node, up, tree.n_nodes, minor.n_nodes)


def _rungs(work: Work, levels: list[_Entries], tree: Hierarchy, minor: Hierarchy) -> list[Rung]:
    out: list[Rung] = []
    sizes, n = (tree.size, minor.size), minor.n_nodes
    held = [np.zeros_like(level.volume) for level in levels]
    links: list[tuple[Ints, Ints, Ints]] = []
    for depth, level in enumerate(levels):
        parents, starts, order = (np.empty(0, dtype=np.int64),) * 3
        if depth and len(level.key):
            node = level.key % n
            up = np.searchsorted(levels[depth - 1].key, level.key - node + minor.parent[node])
            order = np.argsort(up, kind="stable")
            parents, starts = np.unique(up[order], return_index=True)
            held[depth - 1][:, parents] += np.add.reduceat(level.volume[:, order], starts, axis=1)
        links.append((order, starts, parents))
    for level, inside, (order, starts, parents) in zip(levels, held, links, strict=True):
        own = np.zeros((1 + len(level.volume), len(level.key)))
        own[ALPHA] = (sizes[0][level.key // n] + sizes[1][level.key % n]) * level.volume[0]
        rest = np.zeros_like(own)
        rest[LEAD:] = np.maximum(level.volume - inside, 0.0)
        out.append(Rung(level.key, own, rest, minor.height[level.key % n] == 0, order, starts, parents))
    return out


def nodes_of_pairs(
    forest: Forest, cut: Ints, solution_of_zone: Ints, solutions: list[JointSolution]
) -> tuple[Ints, Ints]:
    """Major and minor node of every pair of the matrix, for a cut of the major tree and a solution per zone of it.

    A pair that a solution suppresses gets a pair of nodes that is not publishable.
    """
    tree, minor = forest.trees
    matrix = forest.work.matrix
    a, b = (matrix.o, matrix.d) if forest.major == ORIGIN else (matrix.d, matrix.o)
    number = np.empty(tree.n_nodes, dtype=np.int64)
    number[cut] = np.arange(len(cut))
    zone = tree.zone_of_leaf(cut)[a]
    which = solution_of_zone[number[zone]]
    node = np.full(len(a), -1, dtype=np.int64)
    open_pairs = np.arange(len(a))
    for depth, rung in enumerate(forest.rungs):
        here = minor.depth_cuts[depth][b[open_pairs]]
        key = zone[open_pairs] * minor.n_nodes + here
        at = np.minimum(np.searchsorted(rung.key, key), max(len(rung.key) - 1, 0))
        known = np.zeros(len(key), dtype=bool) if not len(rung.key) else rung.key[at] == key
        stop = ~known
        for i, solution in enumerate(solutions):
            mine = known & (which[open_pairs] == i)
            stop[mine] = solution.keeps[depth][at[mine]]
        node[open_pairs[stop]] = here[stop]
        open_pairs = open_pairs[~stop]
    return zone, node


def lower_bound(forest: Forest, allowed: float) -> float:
    """Largest (B(λ) - λC)/(V - C) over the λ >= 2 tried: a lower bound of G for releases of this order suppressing at most C.

    B(λ) is the least Σα+λΣσ, σ, V and C = `allowed` in the lead measure. The dual is concave in λ with slope Σσ - C, so the
    tangents of its two sides meet ever closer to its maximum. Every value tried is a bound, whether or not the search ends.
    """
    total = forest.work.total
    if not 0 <= allowed < total:
        return 2.0
    low, high = forest.solve(2.0, 0.0), forest.solve(2.0, np.inf)
    best = (low.cost(2.0) - 2.0 * allowed) / (total - allowed)
    if low.pruning.total[LEAD] <= allowed:
        return float(max(best, 2.0))
    for _ in range(MAX_ROUNDS):
        (a, s), (c, t) = low.pruning.total[[ALPHA, LEAD]], high.pruning.total[[ALPHA, LEAD]]
        if s <= t:
            break
        price = max((c - a) / (s - t), 2.0)
        middle = forest.solve(price, 0.0)
        value = (middle.cost(price) - price * allowed) / (total - allowed)
        best = max(best, value)
        if middle.cost(price) >= (a + price * s) * (1 - 1e-12):
            break
        if middle.pruning.total[LEAD] <= allowed:
            high = middle
        else:
            low = middle
    return float(max(best, 2.0))
