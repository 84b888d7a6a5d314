"""Footprint of noisy flows between the zones of a zoning."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from odk import cells
from odk.cells import Floats, Ints
from odk.footprints._base import Bools, Footprint, Sizes
from odk.footprints._nesting import nested_cells, nested_nodes
from odk.hierarchy import Hierarchy
from odk.release import NoisyRelease
from odk.zoning import Zoning


@dataclass(frozen=True, eq=False)
class ZoningFootprint(Footprint):
    """Cells are pairs of zones that need not have been observed; the pairs of the input in a cell are those that lie
    in it, as none is published as it is.
    """

    zonings: tuple[Zoning, Zoning] = field(kw_only=True, repr=False)
    zones: tuple[Ints, Ints] = field(kw_only=True, repr=False)

    @classmethod
    def of(cls, release: NoisyRelease, sizes: Sizes) -> ZoningFootprint:
        """Footprint of a noisy release: sizes are the observed leaves of a zone, at least 1."""
        m = release.matrix
        zonings, zones = (release.origins, release.destinations), (release.o_zone, release.d_zone)
        why = ""
        if sizes == "descendants" and not all(tree.kind == "h3" for tree in (m.origins, m.destinations)):
            why = "zones that are not H3 cells have no descendants to count"
        elif sizes == "descendants" and not all(z.ids.all() for z in zonings):
            why = "a zone that is all base cells together has no descendants to count"
        count: list[Ints | None] = [None, None]
        if not why:
            count = [_size(m.origins, z, n, sizes) for z, n in zip(zonings, zones, strict=True)]
        span = len(zonings[1])
        o, d = zonings[0].of_leaf[m.o], zonings[1].of_leaf[m.d]
        key, at = zones[0] * span + zones[1], np.where((o >= 0) & (d >= 0), o * span + d, -1)
        place = np.minimum(np.searchsorted(key, at), max(len(key) - 1, 0))  # cells are sorted by (origin, destination)
        cell = np.where(key[place] == at, place, -1) if len(key) else np.full(m.n_pairs, -1, dtype=np.int64)
        return cls(m, cell, count[0], count[1], why, zonings=zonings, zones=zones)

    @cached_property
    def pairs_in(self) -> Ints:
        """Number of pairs of the input that lie in each cell."""
        return np.bincount(self.of_pair[self.published], minlength=len(self.zones[0])).astype(np.int64)

    def at_pairs(self, values: Floats) -> Floats:
        """For each pair of the input, the value of the cell in which it lies."""
        return np.append(values, 0.0)[self.of_pair]

    def at_leaves(self, values: Floats, axis: int) -> Floats:
        """For each leaf of an axis, the sum of the values of the cells over it."""
        zoning = self.zonings[axis]
        in_zone = np.bincount(self.zones[axis], weights=values, minlength=len(zoning))
        return np.append(in_zone, 0.0)[zoning.of_leaf]

    def leaves_by(self, axis: int, group: Ints, n_groups: int) -> tuple[Ints, csr_array]:
        """Sides are the zones."""
        zoning = self.zonings[axis]
        leaf = np.flatnonzero(zoning.of_leaf >= 0)
        entry = (zoning.of_leaf[leaf], group[leaf])
        count = csr_array((np.ones(len(leaf), dtype=np.int64), entry), shape=(len(zoning), n_groups))
        return self.zones[axis], count

    @cached_property
    def centres(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Centres of the zones."""
        (o, d), (a, b) = self.zonings, self.zones
        return o.lat[a], o.lon[a], d.lat[b], d.lon[b]

    @cached_property
    def intrazonal(self) -> Bools:
        """Cells whose two zones are the same, or one of which lies in the other."""
        (o, d), (a, b) = self.zonings, self.zones
        trees = (self.matrix.origins, self.matrix.destinations)
        if all(tree.kind == "h3" for tree in trees):
            return nested_cells(o.ids[a], d.ids[b])
        number = {name: i for i, name in enumerate(dict.fromkeys((*(o.labels or ()), *(d.labels or ()))))}
        o_name, d_name = (np.array([number[n] for n in z.labels or ()], dtype=np.int64) for z in (o, d))
        o_node, d_node = (_nodes(tree, z) for tree, z in zip(trees, (o, d), strict=True))
        return np.asarray((o_name[a] == d_name[b]) | nested_nodes(*trees, o_node[a], d_node[b]))


def _size(tree: Hierarchy, zoning: Zoning, zones: Ints, sizes: Sizes) -> Ints:
    if sizes == "observed":
        return np.maximum(zoning.size, 1)[zones]
    used, number = np.unique(zones, return_inverse=True)
    return cells.descendants(zoning.ids[used], int(cells.resolution(tree.ids[:1])[0]))[number]


def _nodes(tree: Hierarchy, zoning: Zoning) -> Ints:
    """The node of a tree that each named zone is; -1 where it is none."""
    number = {tree.label(i): i for i in range(tree.n_nodes)}
    return np.array([number.get(name, -1) for name in zoning.labels or ()], dtype=np.int64)
