"""Zones of one axis that do not come from a cut of the observed tree: a public zoning, or the zones of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import h3.api.basic_int as h3i
import numpy as np

from odk import cells
from odk.cells import Floats, Ids, Ints
from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix

AREA_RISE = 5
"""Resolutions from the leaves up to the cells that stand for the area where none is given (253 km² for leaves of 10)."""


@dataclass(frozen=True, eq=False)
class Zoning:
    """A flat list of zones, and the zone of every leaf of a tree."""

    ids: Ids = field(repr=False)
    """H3 cell of each zone; for other kinds its number."""
    lat: Floats = field(repr=False)
    lon: Floats = field(repr=False)
    of_leaf: Ints = field(repr=False)
    """Zone of every leaf of the axis; -1 where it lies in none."""
    labels: tuple[str, ...] | None = field(default=None, repr=False)
    """Names where zones are not H3 cells."""

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def size(self) -> Ints:
        """Observed leaves in each zone (0 where nothing was observed)."""
        return np.bincount(self.of_leaf[self.of_leaf >= 0], minlength=len(self)).astype(np.int64)

    def names(self, zones: Ints) -> list[str]:
        """Names of some zones: hex for cells."""
        if self.labels is None:
            return cells.to_hex(self.ids[zones])
        return [self.labels[z] for z in zones.tolist()]

    @classmethod
    def of_cut(cls, tree: Hierarchy, cut: Ints) -> Zoning:
        """The zones of a cut of a tree."""
        nodes = np.sort(cut)
        of_leaf = np.searchsorted(nodes, tree.zone_of_leaf(nodes))
        virtual = tree.labels is None and bool((tree.ids[nodes] == 0).any())
        labels = tuple(tree.names(nodes)) if tree.labels is not None or virtual else None
        return cls(tree.ids[nodes], tree.lat[nodes], tree.lon[nodes], of_leaf, labels)


def leaf_resolution(matrix: ODMatrix) -> int:
    """H3 resolution of the leaves."""
    return int(cells.resolution(matrix.origins.ids[:1])[0])


def observed_area(matrix: ODMatrix, finest: int | None = None) -> Ids:
    """Coarse H3 cells that hold an end of a trip: the area, where no public one is given."""
    rise = max(0, leaf_resolution(matrix) - AREA_RISE)
    res = rise if finest is None else min(rise, finest)
    ends = [tree.ids[: tree.n_leaves] for tree in (matrix.origins, matrix.destinations)]
    return np.unique(cells.parent(np.concatenate(ends), res))


def parse_area(area: Sequence[str]) -> Ids:
    """The H3 cells of an area that the user gave; none may lie in another."""
    ids = np.unique(cells.to_ids(area))
    if not len(ids):
        raise InputError("area (none) must hold at least one H3 cell")
    res = cells.resolution(ids)
    for coarse in np.unique(res).tolist():
        finer = ids[res > coarse]
        if np.isin(cells.parent(finer, coarse), ids[res == coarse]).any():
            raise InputError("area must not hold a cell and another one inside it")
    return ids


def h3_zonings(matrix: ODMatrix, area: Ids, resolution: int) -> tuple[Zoning, Zoning]:
    """All H3 cells of one level over an area, observed or not, for both axes."""
    found = [np.array(h3i.cell_to_children(c, resolution), dtype=np.uint64) for c in area.tolist()]
    ids = np.sort(np.concatenate(found))
    lat, lon = cells.centres(ids)
    sides = []
    for tree in (matrix.origins, matrix.destinations):
        up = cells.parent(tree.ids[: tree.n_leaves], resolution)
        at = np.minimum(np.searchsorted(ids, up), len(ids) - 1)
        sides.append(Zoning(ids, lat, lon, np.where(ids[at] == up, at, -1)))
    return sides[0], sides[1]


def named_zonings(matrix: ODMatrix, names: Sequence[str] | None) -> tuple[Zoning, Zoning]:
    """Named zones (leaves of a table or a clustering): those given, else all that were observed on either axis."""
    trees = (matrix.origins, matrix.destinations)
    seen = [tree.names(range(tree.n_leaves)) for tree in trees]
    place: dict[str, tuple[float, float]] = {}
    for tree, leaves in zip(trees, seen, strict=True):
        place |= {name: (tree.lat[i], tree.lon[i]) for i, name in enumerate(leaves)}
    labels = tuple(sorted(place if names is None else {str(n) for n in names}))
    if not labels:
        raise InputError("area (none) must hold at least one zone")
    number = {name: i for i, name in enumerate(labels)}
    lat = np.array([place.get(n, (np.nan, np.nan))[0] for n in labels])
    lon = np.array([place.get(n, (np.nan, np.nan))[1] for n in labels])
    ids = np.arange(len(labels), dtype=np.uint64)
    sides = [
        Zoning(ids, lat, lon, np.array([number.get(n, -1) for n in leaves], dtype=np.int64), labels) for leaves in seen
    ]
    return sides[0], sides[1]
