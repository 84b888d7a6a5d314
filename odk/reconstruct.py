"""Reconstruction (001, section 4.3): flows between a user's own areas, estimated from what a release publishes.

A user of a release knows its zones and flows, and no more. So a flow is spread evenly over its two zones, and an area gets the
share of it that the area covers of each: |area ∩ zone| / |zone|, in H3 cells of one fine resolution (both are public). The
input's own flows between the same areas are given beside, for whoever has the trips. By hour, every hour's trips are
released apart, each in its own zones, and still compared on the same areas (001, appendix H).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import h3
import numpy as np
import pandas as pd

from odk import cells
from odk.algorithms import anonymise
from odk.cells import Floats, Ids, Ints
from odk.errors import InputError, OdkError
from odk.hierarchy import Hierarchy
from odk.matrix import MICRO, ODMatrix
from odk.protection import Protection
from odk.release import BoxRelease, Release, TreeRelease
from odk.trips import Trips

Area = Sequence[str] | Sequence[tuple[float, float]]
"""H3 cells (of any resolutions), or the corners of a polygon as (latitude, longitude)."""
FINE = 9
"""Resolution at which polygons are filled with cells."""
MOST_CELLS = 500_000
SIDE = 10
"""A rectangle is shared out by SIDE x SIDE points in it."""


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Estimated flows between areas."""

    flows: pd.DataFrame
    """origin, destination (names of areas), trips and population as reconstructed, original_trips, original_population."""

    @property
    def error(self) -> float:
        """Σ|reconstructed - original| of trips over the original trips between the areas (NaN where there are none)."""
        total = self.flows["original_trips"].sum()
        gap = (self.flows["trips"] - self.flows["original_trips"]).abs().sum()
        return float(gap / total) if total else float("nan")


def reconstruct(release: Release, zones: Mapping[str, Area]) -> Reconstruction:
    """Flows between the given areas (name -> cells or polygon), as a user of the release would estimate them."""
    areas = _Areas.of(zones)
    if isinstance(release, TreeRelease):
        shares = [
            areas.of_nodes(tree, nodes)
            for tree, nodes in (
                (release.matrix.origins, release.o_node),
                (release.matrix.destinations, release.d_node),
            )
        ]
    elif isinstance(release, BoxRelease):
        shares = [areas.of_boxes(release.boxes[:, :4]), areas.of_boxes(release.boxes[:, 4:])]
    else:
        raise InputError(f"release ({release.algorithm}) must publish zones or boxes to be reconstructed")
    found = {
        m: shares[0] @ (shares[1] * v).T for m, v in (("trips", release.trips), ("population", release.population))
    }
    matrix = release.matrix
    inside = [areas.of_leaves(tree) for tree in (matrix.origins, matrix.destinations)]
    original = {m: _between(inside, matrix, matrix.volume(m), len(areas.names)) for m in ("trips", "population")}
    names = areas.names
    table = pd.DataFrame(
        {
            "origin": np.repeat(names, len(names)),
            "destination": np.tile(names, len(names)),
            "trips": found["trips"].ravel(),
            "population": found["population"].ravel() / MICRO,
            "original_trips": original["trips"].ravel(),
            "original_population": original["population"].ravel() / MICRO,
        }
    )
    return Reconstruction(table)


def reconstruct_by_hour(
    trips: Trips,
    zones: Mapping[str, Area],
    protection: Protection,
    *,
    algorithm: str = "atg-joint",
    budget: float = 0.10,
    resolution: int = 10,
) -> pd.DataFrame:
    """Flows between areas by hour of the day: each hour's trips are released apart, then reconstructed.

    Columns of `Reconstruction.flows`, `hour` (0 to 23), and `error` in words for hours that no release exists of.
    """
    if "start_time" not in trips.table.columns:
        raise InputError("trips must have a start_time to be reconstructed by hour")
    hours = pd.to_datetime(trips.table["start_time"]).dt.hour
    parts = []
    for hour in range(24):
        mine = trips.table[(hours == hour).to_numpy(dtype=bool)]
        if not len(mine):
            continue
        matrix = ODMatrix.from_trips(Trips(table=mine, source=trips.source, ends=trips.ends), resolution)
        try:
            release = anonymise(matrix, protection, algorithm, budget)
            flows, error = reconstruct(release, zones).flows, ""
        except OdkError as problem:  # too few trips in this hour: said in the table, the others go on
            inside = [_Areas.of(zones).of_leaves(t) for t in (matrix.origins, matrix.destinations)]
            flows, error = _nothing(zones, _between(inside, matrix, matrix.trips, len(zones))), str(problem)
        parts.append(flows.assign(hour=hour, error=error))
    return pd.concat(parts, ignore_index=True)


def _nothing(zones: Mapping[str, Area], original: Floats) -> pd.DataFrame:
    names = list(zones)
    table = pd.DataFrame({"origin": np.repeat(names, len(names)), "destination": np.tile(names, len(names))})
    return table.assign(trips=0.0, population=0.0, original_trips=original.ravel(), original_population=np.nan)


def _between(inside: list[Ints], matrix: ODMatrix, volume: Ints, n: int) -> Floats:
    """Volume of the input between n areas; `inside` gives the area of every leaf, -1 for none."""
    o, d = inside[0][matrix.o], inside[1][matrix.d]
    both = (o >= 0) & (d >= 0)
    flat = np.bincount(o[both] * n + d[both], weights=volume[both], minlength=n * n)
    return np.asarray(flat.reshape(n, n), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Areas:
    names: list[str]
    ids: Ids
    """Cells of all areas, of one resolution, sorted."""
    owner: Ints
    """Area of each cell."""
    resolution: int

    @classmethod
    def of(cls, zones: Mapping[str, Area]) -> _Areas:
        """The areas as cells of the finest resolution among them."""
        if not zones:
            raise InputError("zones (none) must hold at least one area")
        lists = {name: _cells_of(name, area) for name, area in zones.items()}
        finest = max(int(cells.resolution(ids).max()) for ids in lists.values())
        parts = {name: _children(ids, finest) for name, ids in lists.items()}
        ids = np.concatenate(list(parts.values()))
        owner = np.repeat(np.arange(len(parts)), [len(p) for p in parts.values()])
        order = np.argsort(ids, kind="stable")
        ids, owner = ids[order], owner[order]
        twice = np.flatnonzero(ids[1:] == ids[:-1])
        if len(twice):
            a, b = (list(parts)[int(owner[twice[0] + i])] for i in (0, 1))
            raise InputError(f"areas ({a!r} and {b!r}) must not overlap: both hold cell {int(ids[twice[0]]):x}")
        return cls(list(parts), ids, owner, finest)

    def of_nodes(self, tree: Hierarchy, nodes: Ints) -> Floats:
        """Share of each node (columns) that each area (rows) covers."""
        if tree.kind != "h3":
            raise InputError(f"hierarchy ({tree.kind}) must be of H3 cells: areas are given as cells")
        unique, place = np.unique(nodes, return_inverse=True)
        shares = np.stack([self._of_cell(int(tree.ids[n]), tree, int(n)) for n in unique.tolist()], axis=1)
        return np.asarray(shares[:, place])

    def _of_cell(self, cell: int, tree: Hierarchy, node: int) -> Floats:
        if cell == 0:  # a virtual root: its parts are the base cells below it, of about one size
            kids = tree.children(node)
            return np.asarray(np.mean([self._of_cell(int(tree.ids[k]), tree, int(k)) for k in kids], axis=0))
        res = h3.get_resolution(f"{cell:x}")
        out = np.zeros(len(self.names))
        if res >= self.resolution:  # the zone lies in one cell of the areas, or in none
            up = cells.parent(np.array([cell], dtype=np.uint64), self.resolution)[0]
            at = int(np.searchsorted(self.ids, up))
            if at < len(self.ids) and self.ids[at] == up:
                out[self.owner[at]] = 1.0
            return out
        mine = cells.parent(self.ids, res) == np.uint64(cell)
        np.add.at(out, self.owner[mine], 1.0)
        return np.asarray(out / cells.descendants(np.array([cell], dtype=np.uint64), self.resolution)[0])

    def of_boxes(self, boxes: Floats) -> Floats:
        """Share of each rectangle (columns: west, south, east, north) that each area covers, by a grid of points in it."""
        west, south, east, north = (boxes[:, i, None] for i in range(4))
        wide = np.where(east >= west, east - west, east - west + 360)  # a box may cross the antimeridian
        step = (np.arange(SIDE) + 0.5) / SIDE
        lon = np.repeat(np.mod(west + step * wide + 180, 360) - 180, SIDE, axis=1)  # (box, point): SIDE x SIDE points
        lat = np.tile(south + step * (north - south), (1, SIDE))
        at = cells.from_points(lat.ravel(), lon.ravel(), self.resolution)
        place = np.minimum(np.searchsorted(self.ids, at), len(self.ids) - 1)
        inside = self.ids[place] == at
        box = np.repeat(np.arange(len(boxes)), SIDE * SIDE)
        out = np.zeros((len(self.names), len(boxes)))
        np.add.at(out, (self.owner[place[inside]], box[inside]), 1 / SIDE**2)
        return out

    def of_leaves(self, tree: Hierarchy) -> Ints:
        """Area of every leaf of a tree; -1 where it lies in none."""
        ids = tree.ids[: tree.n_leaves]
        if tree.kind != "h3":
            raise InputError(f"hierarchy ({tree.kind}) must be of H3 cells: areas are given as cells")
        res = int(cells.resolution(ids[:1])[0])
        if res < self.resolution:
            raise InputError(f"areas must not be finer (resolution {self.resolution}) than the data's leaves ({res})")
        up = cells.parent(ids, self.resolution)
        at = np.minimum(np.searchsorted(self.ids, up), len(self.ids) - 1)
        return np.where(self.ids[at] == up, self.owner[at], -1)


def _cells_of(name: str, area: Area) -> Ids:
    if not len(area):
        raise InputError(f"area ({name!r}) must hold at least one cell or three corners")
    if isinstance(area[0], str):
        return np.unique(cells.to_ids(area))
    corners = [(float(corner[0]), float(corner[1])) for corner in area]
    if len(corners) < 3:
        raise InputError(f"area ({name!r}) must have at least three corners")
    found = h3.h3shape_to_cells(h3.LatLngPoly(corners), FINE)
    if not found:
        raise InputError(f"area ({name!r}) must be large enough to hold the centre of a cell of resolution {FINE}")
    return np.unique(cells.to_ids(found))


def _children(ids: Ids, resolution: int) -> Ids:
    """All descendants of cells at one resolution."""
    count = int(cells.descendants(ids, resolution).sum())
    if count > MOST_CELLS:
        raise InputError(f"areas ({count:,} cells) must hold at most {MOST_CELLS:,} cells of resolution {resolution}")
    kids = [k for i in ids.tolist() for k in h3.cell_to_children(f"{i:x}", resolution)]
    return cells.to_ids(kids)
