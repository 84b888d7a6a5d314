"""Where the cells of a release lie: all that metrics must know of its geometry, whatever kind of release it is.

A footprint does not depend on the view. Each kind of release makes its own; a kind that is new joins `footprint`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from odk import boxes as rectangles
from odk import cells
from odk.cells import Floats, Ints
from odk.errors import InputError
from odk.geo import geodesic_m
from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix
from odk.release import BoxRelease, Release, TreeRelease

Sizes = Literal["observed", "descendants"]
Bools = npt.NDArray[np.bool_]


DISTRICT_RISE = 3
"""Resolutions from an H3 leaf up to the district it lies in (5 km² for leaves of resolution 10)."""
DISTRICT_PAIRS = 2_000_000
"""Most pairs of districts that are compared; where there would be more, districts are taken coarser."""


@dataclass(frozen=True, eq=False)
class Districts:
    """Districts of both axes, and how the sides of the cells divide among them."""

    level: str
    pairs: Ints
    """Pairs of districts with a trip in the input: origin x number of destination districts + destination."""
    of_pair: Ints
    """For each pair of leaves, its place in `pairs`."""
    sides: tuple[tuple[Ints, csr_array], tuple[Ints, csr_array]]
    """Per axis: the side of each cell, and the share of each side's leaves that lie in each district."""


@dataclass(frozen=True, eq=False)
class Footprint(ABC):
    """Sizes, places and contents of the cells of a release."""

    matrix: ODMatrix = field(repr=False)
    of_pair: Ints = field(repr=False)
    o_size: Ints | None = field(repr=False)
    d_size: Ints | None = field(repr=False)
    """Leaves of the origin and of the destination side of each cell; None where they cannot be counted."""
    why_no_size: str = ""

    # --- what each kind knows --------------------------------------------------------------------------------------
    @cached_property
    @abstractmethod
    def pairs_in(self) -> Ints:
        """Number of pairs of the input that lie in each cell, suppressed ones included."""

    @abstractmethod
    def at_pairs(self, values: Floats) -> Floats:
        """For each pair of the input, the sum of the values of the cells in which it lies."""

    @abstractmethod
    def at_leaves(self, values: Floats, axis: int) -> Floats:
        """For each leaf of an axis (0 origins, 1 destinations), the sum of the values of the cells over it."""

    @cached_property
    @abstractmethod
    def centres(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Latitude and longitude of the origin side, then of the destination side, of each cell (degrees)."""

    @cached_property
    @abstractmethod
    def intrazonal(self) -> Bools:
        """Cells whose two sides overlap: their trips cannot be told from trips that never left the zone."""

    @abstractmethod
    def leaves_by(self, axis: int, group: Ints, n_groups: int) -> tuple[Ints, csr_array]:
        """The side of each cell on an axis, and how many of each side's leaves are of each group (sides x groups)."""

    # --- what follows ----------------------------------------------------------------------------------------------
    @cached_property
    def has_centres(self) -> bool:
        """Whether all leaves and cells have a place on the map."""
        trees = (self.matrix.origins, self.matrix.destinations)
        leaves = all(bool(np.isfinite(t.lat[: t.n_leaves] + t.lon[: t.n_leaves]).all()) for t in trees)
        return leaves and all(bool(np.isfinite(c).all()) for c in self.centres)

    @cached_property
    def published(self) -> Ints:
        """Pairs that are published."""
        return np.flatnonzero(self.of_pair >= 0)

    @cached_property
    def shifts(self) -> tuple[Floats, Ints]:
        """Metres from the leaf's centre to the centre of its side of the cell, origins of all published pairs, then
        destinations; and what sorts them.
        """
        m, cell = self.matrix, self.of_pair[self.published]
        o_lat, o_lon, d_lat, d_lon = (c[cell] for c in self.centres)
        o, d = m.o[self.published], m.d[self.published]
        origins = geodesic_m(m.origins.lat[o], m.origins.lon[o], o_lat, o_lon)
        destinations = geodesic_m(m.destinations.lat[d], m.destinations.lon[d], d_lat, d_lon)
        both = np.concatenate([origins, destinations])
        return both, np.argsort(both, kind="stable")

    @cached_property
    def lengths(self) -> tuple[Floats, Floats, Ints]:
        """Metres from centre to centre: leaves of all pairs of the input, sides of all cells; and what sorts the two
        one after the other.
        """
        o, d = self.matrix.origins, self.matrix.destinations
        before = geodesic_m(o.lat[self.matrix.o], o.lon[self.matrix.o], d.lat[self.matrix.d], d.lon[self.matrix.d])
        after = geodesic_m(*self.centres)
        return before, after, np.argsort(np.concatenate([before, after]), kind="stable")

    @cached_property
    def districts(self) -> Districts:
        """Districts and the shares of them in the sides of the cells."""
        level, (o_of, d_of) = _districts(self.matrix)
        span = int(d_of.max()) + 1
        pairs, of_pair = np.unique(o_of[self.matrix.o] * span + d_of[self.matrix.d], return_inverse=True)
        return Districts(level, pairs, of_pair, (self._shares(0, o_of), self._shares(1, d_of)))

    def _shares(self, axis: int, district: Ints) -> tuple[Ints, csr_array]:
        side, count = self.leaves_by(axis, district, int(district.max()) + 1)
        return side, csr_array(diags_array(1.0 / np.maximum(count.sum(axis=1), 1)) @ count)

    @cached_property
    def same_leaf(self) -> Bools:
        """Pairs of the input whose two ends are the same leaf."""
        o, d = self.matrix.origins, self.matrix.destinations
        return np.asarray(_twins(o, d)[self.matrix.o] == self.matrix.d)


def _districts(matrix: ODMatrix) -> tuple[str, tuple[Ints, Ints]]:
    """The district of every leaf of each axis: the finest allowed that have no more pairs than DISTRICT_PAIRS."""
    trees = (matrix.origins, matrix.destinations)
    if all(tree.kind == "h3" for tree in trees):
        finest = max(0, int(cells.resolution(trees[0].ids[:1])[0]) - DISTRICT_RISE)
        for res in range(finest, -1, -1):
            o, d = (np.unique(cells.parent(t.ids[: t.n_leaves], res), return_inverse=True) for t in trees)
            if len(o[0]) * len(d[0]) <= DISTRICT_PAIRS or res == 0:
                return f"H3 resolution {res}", (o[1], d[1])
    for depth in range(max(len(t.levels) for t in trees), -1, -1):
        o, d = (
            np.unique(np.where(t.at_depth(depth) < 0, np.arange(t.n_leaves), t.at_depth(depth)), return_inverse=True)
            for t in trees
        )
        if len(o[0]) * len(d[0]) <= DISTRICT_PAIRS:
            leaves = len(o[0]) == trees[0].n_leaves and len(d[0]) == trees[1].n_leaves
            return "leaves" if leaves else f"zones at depth {depth}", (o[1], d[1])
    raise AssertionError("the roots are one pair")


def footprint(release: Release, sizes: Sizes = "observed") -> Footprint:
    """The footprint of a release, kept for as long as the release lives: both views use it."""
    if sizes not in ("observed", "descendants"):
        raise InputError(f"sizes ({sizes!r}) must be observed or descendants")
    known = _KNOWN.setdefault(release, {})
    if sizes not in known:
        maker = next((MAKERS[kind] for kind in type(release).__mro__ if kind in MAKERS), None)
        if maker is None:
            raise InputError(f"release ({type(release).__name__}) must have cells of zones or boxes to be measured")
        known[sizes] = maker(release, sizes)
    return known[sizes]


_KNOWN: WeakKeyDictionary[Release, dict[str, Footprint]] = WeakKeyDictionary()
MAKERS: dict[type[Release], Callable[[Any, Sizes], Footprint]] = {}
"""What makes the footprint of each kind of release."""


# --- zones of trees -------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class TreeFootprint(Footprint):
    """Cells are pairs of nodes."""

    o_node: Ints = field(kw_only=True, repr=False)
    d_node: Ints = field(kw_only=True, repr=False)

    @classmethod
    def of(cls, release: TreeRelease, sizes: Sizes) -> TreeFootprint:
        """Footprint of a release of tree zones."""
        trees = (release.matrix.origins, release.matrix.destinations)
        nodes = (release.o_node, release.d_node)
        why = ""
        if sizes == "descendants" and any(tree.kind != "h3" for tree in trees):
            why = "zones that are not H3 cells have no descendants to count"
        count = [None, None] if why else [_size(t, n, sizes) for t, n in zip(trees, nodes, strict=True)]
        return cls(release.matrix, release.of_pair, count[0], count[1], why, o_node=nodes[0], d_node=nodes[1])

    @cached_property
    def _inside(self) -> tuple[Ints, Ints]:
        """Every (pair, cell) such that the pair lies in the cell, sorted by pair."""
        m = self.matrix
        cell = _cell_of_pair(m.origins, m.destinations, m.o, m.d, self.o_node, self.d_node)
        if cell is None:
            cell = _cell_of_pair(m.destinations, m.origins, m.d, m.o, self.d_node, self.o_node)
        if cell is None:
            return _all_cells_of_pairs(m, self.o_node, self.d_node)
        pair = np.flatnonzero(cell >= 0)
        return pair, cell[pair]

    @cached_property
    def pairs_in(self) -> Ints:
        """Number of pairs of the input that lie in each cell, suppressed ones included."""
        return np.bincount(self._inside[1], minlength=len(self.o_node)).astype(np.int64)

    def at_pairs(self, values: Floats) -> Floats:
        """For each pair of the input, the sum of the values of the cells in which it lies."""
        pair, cell = self._inside
        out = np.bincount(pair, weights=values[cell], minlength=self.matrix.n_pairs)
        return out.astype(np.float64)  # without a single pair bincount forgets that weights are floats

    def at_leaves(self, values: Floats, axis: int) -> Floats:
        """For each leaf of an axis, the sum of the values of the cells over it, pushed down the tree."""
        tree = self.matrix.destinations if axis else self.matrix.origins
        acc = np.bincount(self.d_node if axis else self.o_node, weights=values, minlength=tree.n_nodes)
        for level in reversed(tree.levels[:-1]):
            acc[level] += acc[tree.parent[level]]
        return np.asarray(acc[: tree.n_leaves])

    def leaves_by(self, axis: int, group: Ints, n_groups: int) -> tuple[Ints, csr_array]:
        """Sides are the distinct zones; their leaves are runs."""
        tree = self.matrix.destinations if axis else self.matrix.origins
        zones, side = np.unique(self.d_node if axis else self.o_node, return_inverse=True)
        size = tree.size[zones]
        start = np.cumsum(size) - size
        leaf = np.arange(int(size.sum())) + np.repeat(tree.first[zones] - start, size)
        entry = (np.repeat(np.arange(len(zones)), size), group[leaf])
        return side, csr_array((np.ones(len(leaf), dtype=np.int64), entry), shape=(len(zones), n_groups))

    @cached_property
    def centres(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Centres of the zones."""
        o, d = self.matrix.origins, self.matrix.destinations
        return o.lat[self.o_node], o.lon[self.o_node], d.lat[self.d_node], d.lon[self.d_node]

    @cached_property
    def intrazonal(self) -> Bools:
        """Cells whose origin zone is their destination zone, or lies in it, or holds it."""
        o, d = self.matrix.origins, self.matrix.destinations
        if o.kind == d.kind == "h3":
            return nested_cells(o.ids[self.o_node], d.ids[self.d_node])
        to_d, to_o = _twins(o, d), _twins(d, o)
        nested = _nested(d, to_d[self.o_node], self.d_node) | _nested(o, to_o[self.d_node], self.o_node)
        # a tree ends at the finest zone that covers its leaves: a zone above it is only known to the other tree
        return nested | _above(o, int(to_o[d.root]))[self.o_node] | _above(d, int(to_d[o.root]))[self.d_node]


def _size(tree: Hierarchy, nodes: Ints, sizes: Sizes) -> Ints:
    if sizes == "observed":
        return np.asarray(tree.size[nodes])
    used, number = np.unique(nodes, return_inverse=True)
    return tree.descendant_size()[used][number]


def _cell_of_pair(a: Hierarchy, b: Hierarchy, a_leaf: Ints, b_leaf: Ints, a_node: Ints, b_node: Ints) -> Ints | None:
    """Cell in which each pair lies (-1: none), where the zones of `a` are disjoint, and those of `b` for each of them.

    None where they are not. Zones are runs of leaves: one bisection finds the zone of `a`, one the cell.
    """
    if not len(a_node):
        return np.full(len(a_leaf), -1, dtype=np.int64)
    zones = np.unique(a_node)
    zones = zones[np.argsort(a.first[zones], kind="stable")]
    if (a.first[zones][1:] < (a.first + a.size)[zones][:-1]).any():
        return None
    place = np.empty(a.n_nodes, dtype=np.int64)
    place[zones] = np.arange(len(zones))
    span = b.n_leaves
    start = place[a_node] * span + b.first[b_node]
    order = np.argsort(start, kind="stable")
    start, stop = start[order], (start + b.size[b_node])[order]
    if (start[1:] < stop[:-1]).any():
        return None
    zone_of_leaf = np.searchsorted(a.first[zones], np.arange(a.n_leaves), side="right") - 1
    outside = np.arange(a.n_leaves) >= (a.first + a.size)[zones][zone_of_leaf]
    zone_of_leaf[outside | (zone_of_leaf < 0)] = -1
    at = zone_of_leaf[a_leaf] * span + b_leaf
    found = np.searchsorted(start, at, side="right") - 1
    inside = (zone_of_leaf[a_leaf] >= 0) & (found >= 0) & (at < stop[found])
    return np.where(inside, order[found], -1)


def _all_cells_of_pairs(matrix: ODMatrix, o_node: Ints, d_node: Ints) -> tuple[Ints, Ints]:
    """Every (pair, cell) with the pair in the cell, where cells may overlap: one look-up per pair of depths in use."""
    o, d = matrix.origins, matrix.destinations
    span = d.n_nodes
    depths = o.depth[o_node] * (d.depth.max() + 1) + d.depth[d_node]
    pairs, found = [], []
    for both in np.unique(depths).tolist():
        cell = np.flatnonzero(depths == both)
        key = o_node[cell] * span + d_node[cell]
        order = np.argsort(key, kind="stable")
        depth_o, depth_d = divmod(both, int(d.depth.max()) + 1)
        up_o, up_d = o.at_depth(depth_o)[matrix.o], d.at_depth(depth_d)[matrix.d]
        here = np.where((up_o >= 0) & (up_d >= 0), up_o * span + up_d, -1)
        # from the first to the last cell of that key: two cells may even be equal
        first, last = (np.searchsorted(key[order], here, side=side) for side in ("left", "right"))
        many = last - first
        pairs.append(np.repeat(np.arange(matrix.n_pairs), many))
        offset = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        found.append(cell[order[np.repeat(first, many) + offset]])
    pair, cell_of = np.concatenate(pairs), np.concatenate(found)
    by_pair = np.argsort(pair, kind="stable")
    return pair[by_pair], cell_of[by_pair]


def _twins(a: Hierarchy, b: Hierarchy) -> Ints:
    """For every node of `a`, the node of `b` that is the same zone; -1 where there is none."""
    if a.labels is None and b.labels is None:
        order = np.argsort(b.ids, kind="stable")
        at = order[np.minimum(np.searchsorted(b.ids[order], a.ids), b.n_nodes - 1)]
        return np.where(b.ids[at] == a.ids, at, -1)
    number = {b.label(i): i for i in range(b.n_nodes)}
    return np.array([number.get(a.label(i), -1) for i in range(a.n_nodes)], dtype=np.int64)


def _nested(tree: Hierarchy, x: Ints, y: Ints) -> Bools:
    """Which nodes x lie above or below the node y in the same row (-1: nowhere)."""
    start = np.maximum(tree.first[x], tree.first[y])
    stop = np.minimum((tree.first + tree.size)[x], (tree.first + tree.size)[y])
    return np.asarray((x >= 0) & (y >= 0) & (start < stop))


def _above(tree: Hierarchy, node: int) -> Bools:
    """Which nodes are the given one or stand above it (-1: none)."""
    out = np.zeros(tree.n_nodes, dtype=bool)
    while node >= 0:
        out[node] = True
        node = int(tree.parent[node])
    return out


def nested_cells(a: cells.Ids, b: cells.Ids) -> Bools:
    """Which H3 cells are the same as the cell in the same row, or lie in it, or hold it (0: the whole Earth)."""
    res_a, res_b = cells.resolution(a), cells.resolution(b)
    out = (a == 0) | (b == 0)
    coarser = np.minimum(res_a, res_b)
    for res in np.unique(coarser[~out]).tolist():
        rows = np.flatnonzero((coarser == res) & ~out)
        out[rows] = cells.parent(a[rows], res) == cells.parent(b[rows], res)
    return np.asarray(out)


# --- boxes ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class BoxFootprint(Footprint):
    """Cells are rectangles of origins and of destinations; what they cover is told by the leaves' centres."""

    boxes: Floats = field(kw_only=True, repr=False)
    covers: tuple[rectangles.Coverage, rectangles.Coverage] = field(kw_only=True, repr=False)

    @classmethod
    def of(cls, release: BoxRelease, sizes: Sizes) -> BoxFootprint:
        """Footprint of a release of boxes: sizes are the observed leaves whose centre a box covers, at least 1."""
        trees = (release.matrix.origins, release.matrix.destinations)
        sides = (release.boxes[:, :4], release.boxes[:, 4:])
        covers = [
            rectangles.cover(np.column_stack([t.lon[: t.n_leaves], t.lat[: t.n_leaves]]), side)
            for t, side in zip(trees, sides, strict=True)
        ]
        why = "only the observed leaves in a box are counted" if sizes == "descendants" else ""
        count = [None if why else np.maximum(c.count, 1) for c in covers]
        both = (covers[0], covers[1])
        return cls(release.matrix, release.of_pair, count[0], count[1], why, boxes=release.boxes, covers=both)

    @cached_property
    def _pairs(self) -> rectangles.Coverage:
        o, d = self.matrix.origins, self.matrix.destinations
        ends = [o.lon[self.matrix.o], o.lat[self.matrix.o], d.lon[self.matrix.d], d.lat[self.matrix.d]]
        return rectangles.cover(np.column_stack(ends), self.boxes)

    @cached_property
    def pairs_in(self) -> Ints:
        """Number of pairs of the input that lie in each box, suppressed ones included."""
        return self._pairs.count

    def at_pairs(self, values: Floats) -> Floats:
        """For each pair of the input, the sum of the values of the boxes in which it lies."""
        return self._pairs.spread(values)

    def at_leaves(self, values: Floats, axis: int) -> Floats:
        """For each leaf of an axis, the sum of the values of the boxes over it."""
        return self.covers[axis].spread(values)

    def leaves_by(self, axis: int, group: Ints, n_groups: int) -> tuple[Ints, csr_array]:
        """Each box has its own sides."""
        return np.arange(len(self.boxes)), self.covers[axis].count_by(group, n_groups)

    @cached_property
    def centres(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Middles of the rectangles."""
        return rectangles.centres(self.boxes[:, :4]) + rectangles.centres(self.boxes[:, 4:])

    @cached_property
    def intrazonal(self) -> Bools:
        """Cells whose two rectangles share some area."""
        return rectangles.overlapping(self.boxes[:, :4], self.boxes[:, 4:])


MAKERS[TreeRelease] = TreeFootprint.of
MAKERS[BoxRelease] = BoxFootprint.of
