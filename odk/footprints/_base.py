"""What all footprints share: places of the cells, districts, and what each kind of release must tell of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from odk import cells
from odk.cells import Floats, Ints
from odk.geo import geodesic_m
from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix

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
        level, (o_of, d_of) = district_of_leaf(self.matrix)
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
        return np.asarray(twins(o, d)[self.matrix.o] == self.matrix.d)


def district_of_leaf(matrix: ODMatrix) -> tuple[str, tuple[Ints, Ints]]:
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


def twins(a: Hierarchy, b: Hierarchy) -> Ints:
    """For every node of `a`, the node of `b` that is the same zone; -1 where there is none."""
    if a.labels is None and b.labels is None:
        order = np.argsort(b.ids, kind="stable")
        at = order[np.minimum(np.searchsorted(b.ids[order], a.ids), b.n_nodes - 1)]
        return np.where(b.ids[at] == a.ids, at, -1)
    number = {b.label(i): i for i in range(b.n_nodes)}
    return np.array([number.get(a.label(i), -1) for i in range(a.n_nodes)], dtype=np.int64)
