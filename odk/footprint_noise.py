"""Where the cells of a noisy release lie: pairs of zones of a zoning, whether or not a trip was seen there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from odk.cells import Floats, Ints
from odk.footprint import MAKERS, Bools, Footprint, Sizes, nested_cells
from odk.release import NoisyRelease
from odk.zoning import Zoning


@dataclass(frozen=True, eq=False)
class NoisyFootprint(Footprint):
    """Sizes are observed leaves, at least 1: noise in a zone where nothing was seen is spread over one leaf."""

    release: NoisyRelease = field(kw_only=True, repr=False)

    @classmethod
    def of(cls, release: NoisyRelease, sizes: Sizes) -> NoisyFootprint:
        """Footprint of a release with noise."""
        why = "only the observed leaves of a public zone are counted" if sizes == "descendants" else ""
        o = np.maximum(release.origins.size[release.o_zone], 1)
        d = np.maximum(release.destinations.size[release.d_zone], 1)
        return cls(
            release.matrix, release.of_pair, None if why else o, None if why else d, why_no_size=why, release=release
        )

    @cached_property
    def _cell_of_pair(self) -> Ints:
        """Cell over each pair of the input; -1 where no flow is published."""
        r, span = self.release, len(self.release.destinations)
        o, d = r.origins.of_leaf[r.matrix.o], r.destinations.of_leaf[r.matrix.d]
        if not r.n_cells:
            return np.full(r.matrix.n_pairs, -1, dtype=np.int64)
        key, wanted = r.o_zone * span + r.d_zone, o * span + d
        at = np.minimum(np.searchsorted(key, wanted), r.n_cells - 1)
        return np.where((key[at] == wanted) & (o >= 0) & (d >= 0), at, -1)

    @cached_property
    def pairs_in(self) -> Ints:
        """Number of pairs of the input that lie in each cell."""
        cell = self._cell_of_pair
        return np.bincount(cell[cell >= 0], minlength=self.release.n_cells).astype(np.int64)

    def at_pairs(self, values: Floats) -> Floats:
        """For each pair of the input, the value of the cell over it."""
        return np.append(values, 0.0)[self._cell_of_pair]

    def at_leaves(self, values: Floats, axis: int) -> Floats:
        """For each leaf of an axis, the sum of the values of the cells over it."""
        zoning, zone = self._side(axis)
        total = np.bincount(zone, weights=values, minlength=len(zoning) + 1)
        return np.asarray(total[zoning.of_leaf])  # -1: the last, which is 0

    def leaves_by(self, axis: int, group: Ints, n_groups: int) -> tuple[Ints, csr_array]:
        """Sides are the zones; one where nothing was observed has no leaf."""
        zoning, zone = self._side(axis)
        leaf = np.flatnonzero(zoning.of_leaf >= 0)
        entry = (zoning.of_leaf[leaf], group[leaf])
        return zone, csr_array((np.ones(len(leaf), dtype=np.int64), entry), shape=(len(zoning), n_groups))

    @cached_property
    def centres(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Centres of the zones."""
        r = self.release
        o, d = r.origins, r.destinations
        return o.lat[r.o_zone], o.lon[r.o_zone], d.lat[r.d_zone], d.lon[r.d_zone]

    @cached_property
    def intrazonal(self) -> Bools:
        """Cells whose two zones are the same, or for H3 one within the other."""
        r = self.release
        if r.origins.labels is None and r.destinations.labels is None:
            return nested_cells(r.origins.ids[r.o_zone], r.destinations.ids[r.d_zone])
        o, d = np.array(r.origins.names(r.o_zone)), np.array(r.destinations.names(r.d_zone))
        return np.asarray(o == d, dtype=bool)

    def _side(self, axis: int) -> tuple[Zoning, Ints]:
        r = self.release
        return (r.destinations, r.d_zone) if axis else (r.origins, r.o_zone)


MAKERS[NoisyRelease] = NoisyFootprint.of
