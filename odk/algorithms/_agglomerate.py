"""Greedy agglomeration of points into boxes, without looking at one merge at a time.

Greedy merging takes the two nearest clusters, again and again. Two clusters that are each other's nearest stay so
until they are merged: under complete linkage a merge elsewhere never comes nearer than its parts were, and a cluster
that is finished only takes itself away. So all pairs of mutual nearest neighbours can be merged at once, and the
result is that of the greedy order, ties included: by (distance, smaller number, greater number), where the number of
a cluster is the least of its points' numbers.

The distance of two boxes is the largest L1 distance of a point in one and a point in the other. With centres c and
half perimeters s that is |c - c'|₁ + s + s': an L1 distance in five dimensions, so a k-d tree finds exact nearest
boxes. Coordinates are whole numbers and stay doubled (lo + hi, hi - lo), so distances are exact and ties are ties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from odk.cells import Floats, Ints

BRUTE = 2_000_000
"""Distances that are computed outright instead of through a tree."""
_TIES = 6  # neighbours asked for at first; more where all of them are equally near
Bools = npt.NDArray[np.bool_]


@dataclass(eq=False)
class Clusters:
    """Boxes around points; a cluster is known by the least of its points."""

    low: Floats
    high: Floats
    root: Ints
    """Cluster of every point."""
    open: Bools
    """Clusters that still look for a partner."""
    center2: Floats = field(init=False)
    half2: Floats = field(init=False)
    """Twice the centre, and twice the sum of the half widths."""

    def __post_init__(self) -> None:
        self.center2 = self.low + self.high
        self.half2 = (self.high - self.low).sum(axis=1)

    @classmethod
    def of_points(cls, points: Floats, is_open: Bools) -> Clusters:
        """Every point for itself. Coordinates must be whole numbers below 2^48 (metres will do)."""
        return cls(points.copy(), points.copy(), np.arange(len(points)), is_open.copy())

    def distance2(self, a: Ints, b: Ints) -> Floats:
        """Twice the largest L1 distance of a point in the box a and one in the box b."""
        gap = np.abs(self.center2[a] - self.center2[b]).sum(axis=-1)
        return np.asarray(gap + self.half2[a] + self.half2[b])

    def merge(self, a: Ints, b: Ints) -> None:
        """Put the clusters b into the clusters a (a < b, none twice)."""
        self.low[a] = np.minimum(self.low[a], self.low[b])
        self.high[a] = np.maximum(self.high[a], self.high[b])
        self.center2[a] = self.low[a] + self.high[a]
        self.half2[a] = (self.high[a] - self.low[a]).sum(axis=1)
        into = np.arange(len(self.root))
        into[b] = a
        self.root = into[self.root]
        self.open[b] = False

    def nearest(self, wanted: Ints, among: Ints) -> Ints:
        """For each wanted cluster the nearest other one of `among` (sorted), the least number where several are."""
        if len(wanted) * len(among) <= BRUTE:
            return self._nearest_brute(wanted, among)
        tree = cKDTree(
            np.column_stack([self.center2[among], self.half2[among]]), balanced_tree=False, compact_nodes=False
        )
        found = np.empty(len(wanted), dtype=np.int64)
        todo, ask = np.arange(len(wanted)), _TIES
        while len(todo):
            k = min(ask + 1, len(among))
            here = wanted[todo]
            far, at = tree.query(np.column_stack([self.center2[here], np.zeros(len(here))]), k=k, p=1)
            other = among[at]
            far = np.where(other == here[:, None], np.inf, far)
            least = far.min(axis=1)
            found[todo] = np.where(far == least[:, None], other, np.iinfo(np.int64).max).min(axis=1)
            todo = todo[(far[:, -1] == least) & (k < len(among))]  # more may be as near
            ask *= 4
        return found

    def _nearest_brute(self, wanted: Ints, among: Ints) -> Ints:
        far = np.abs(self.center2[wanted][:, None, :] - self.center2[among][None, :, :]).sum(axis=2)
        far += self.half2[among]
        far[wanted[:, None] == among[None, :]] = np.inf
        return np.asarray(among[far.argmin(axis=1)])  # among is sorted: the first is the least


def agglomerate(
    clusters: Clusters,
    finished: Callable[[Clusters, Ints], Bools],
    *,
    neighbours: int | None = None,
    tick: Callable[[int], None] = lambda _: None,
) -> int:
    """Merge the nearest open clusters until at most one is open; returns the number of merges.

    `finished(clusters, some)` says which of some new clusters are done: they are closed. With `neighbours`, only
    clusters joined by a graph of that many nearest neighbours may merge; where it has no edge left, it is made anew.
    """
    merges = 0
    while int(clusters.open.sum()) > 1:
        step = _by_graph(clusters, finished, neighbours, tick) if neighbours else _by_tree(clusters, finished, tick)
        merges += step
    return merges


def _close(clusters: Clusters, a: Ints, b: Ints, finished: Callable[[Clusters, Ints], Bools]) -> None:
    clusters.merge(a, b)
    clusters.open[a[finished(clusters, a)]] = False


def _by_tree(clusters: Clusters, finished: Callable[[Clusters, Ints], Bools], tick: Callable[[int], None]) -> int:
    n = len(clusters.open)
    partner = np.zeros(n, dtype=np.int64)
    changed = np.ones(n, dtype=bool)
    merges = 0
    while True:
        here = np.flatnonzero(clusters.open)
        tick(len(here))
        if len(here) < 2:
            return merges
        lost = here[changed[here] | changed[partner[here]]]  # all others still have their nearest
        partner[lost] = clusters.nearest(lost, here)
        a = here[(partner[partner[here]] == here) & (here < partner[here])]
        b = partner[a]
        changed[:] = False
        changed[a] = changed[b] = True
        _close(clusters, a, b, finished)
        merges += len(a)


def _by_graph(
    clusters: Clusters,
    finished: Callable[[Clusters, Ints], Bools],
    neighbours: int,
    tick: Callable[[int], None],
) -> int:
    n = len(clusters.open)
    x, y = _edges(clusters, neighbours)
    merges = 0
    while len(x):
        tick(int(clusters.open.sum()))
        far = clusters.distance2(x, y)
        least = np.full(n, np.inf)
        np.minimum.at(least, x, far)
        np.minimum.at(least, y, far)
        partner = np.full(n, n, dtype=np.int64)
        for one, other in ((x, y), (y, x)):
            near = far == least[one]
            np.minimum.at(partner, one[near], other[near])
        mutual = (partner[x] == y) & (partner[y] == x)
        a, b = x[mutual], y[mutual]
        _close(clusters, a, b, finished)
        merges += len(a)
        into = np.arange(n)
        into[b] = a
        x, y = _distinct(into[x], into[y], clusters.open)
    return merges


def _edges(clusters: Clusters, neighbours: int) -> tuple[Ints, Ints]:
    here = np.flatnonzero(clusters.open)
    tree = cKDTree(np.column_stack([clusters.center2[here], clusters.half2[here]]))
    k = min(neighbours + 1, len(here))
    at = tree.query(np.column_stack([clusters.center2[here], np.zeros(len(here))]), k=k, p=1)[1]
    return _distinct(np.repeat(here, k), here[at].ravel(), clusters.open)


def _distinct(x: Ints, y: Ints, is_open: Bools) -> tuple[Ints, Ints]:
    """Edges between two different open clusters, the lesser one first, each once."""
    good = is_open[x] & is_open[y] & (x != y)
    n = len(is_open)
    key = np.unique(np.minimum(x[good], y[good]) * n + np.maximum(x[good], y[good]))
    return key // n, key % n
