"""Footprint of zones of trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from odk.cells import Floats, Ints
from odk.footprints._base import Bools, Footprint, Sizes
from odk.footprints._nesting import nested_cells, nested_nodes
from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix
from odk.release import TreeRelease


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
        return nested_nodes(o, d, self.o_node, self.d_node)


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
