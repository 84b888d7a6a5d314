"""Footprint of boxes in four dimensions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from odk import boxes as rectangles
from odk.cells import Floats, Ints
from odk.footprints._base import Bools, Footprint, Sizes
from odk.release import BoxRelease


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
