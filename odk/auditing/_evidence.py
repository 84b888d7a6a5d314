"""The recount: which published cell every trip supports, and the sums that follow.

A trip supports a published cell if the release put its pair there (`of_pair`; a pair inside published zones may have
been suppressed) and the published zones or boxes cover both its ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.auditing._places import ENDS, Cover, cover_of, describe, leaves_of_rows, leaves_of_tree
from odk.errors import InputError
from odk.release import Release
from odk.trips import Trips

Ints = npt.NDArray[np.int64]
UNIT = 1_000_000  # a weight is a whole number of millionths, so that sums are exact
SUPPRESSED, UNKNOWN = -1, -2


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows of the input with the cell that each supports, and the published cells recounted."""

    rows: pd.DataFrame
    """cell (SUPPRESSED, UNKNOWN: its pair is not in the release's input), origin and destination (leaf codes), count,
    micro (weight in millionths), person (code) where known, and the segment columns."""
    leaves: dict[str, list[str]]
    """Names of the leaf codes, per end."""
    cells: pd.DataFrame
    """One row a published cell: origin, destination (text), origin zone, destination zone (codes of distinct zones or
    rectangles); trips, persons, micro: recounted."""
    published: pd.DataFrame
    """What the release says of the same cells: its flows."""
    misplaced: Ints
    """Trips per cell that the release counts there although its zones do not cover them."""
    segments: tuple[str, ...]
    release: Release
    """What is audited; only its published description is used."""

    @property
    def has_persons(self) -> bool:
        """Whether persons can be counted."""
        return "person" in self.rows.columns

    @property
    def inside(self) -> pd.DataFrame:
        """The rows that support a published cell."""
        return self.rows[self.rows["cell"] >= 0]

    @property
    def total(self) -> tuple[int, int]:
        """Trips and millionths of weighted trips in all the rows given."""
        return int(self.rows["count"].sum()), int(self.rows["micro"].sum())

    def minimum(self) -> dict[str, float | int | None]:
        """Least value of each measure over the published cells."""
        if not len(self.cells):
            return {"trips": None, "persons": None, "population": None}
        return {
            "trips": int(self.cells["trips"].min()),
            "persons": int(self.cells["persons"].min()) if self.has_persons else None,
            "population": int(self.cells["micro"].min()) / UNIT,
        }


def recount(release: Release, trips: Trips | pd.DataFrame) -> Evidence:
    """Recount a release from trips, or from a table of pairs as `ODMatrix.from_pairs` takes it."""
    rows, segments = _rows(trips)
    matrix = release.matrix
    leaves: dict[str, list[str]] = {}
    numbers = []
    for end, tree in zip(ENDS, (matrix.origins, matrix.destinations), strict=True):
        codes, names = leaves_of_rows(rows, end, tree)
        numbers.append(leaves_of_tree(tree).get_indexer(pd.Index(names, dtype="str"))[codes].astype(np.int64))
        leaves[end] = names
        rows[f"{end} leaf"] = codes
    cell = _claimed(release, numbers[0], numbers[1])
    misplaced = np.zeros(release.n_cells, dtype=np.int64)
    supports = cell >= 0
    cells = describe(release)
    for end in ENDS:
        zone_of_cell, cover = cover_of(release, end)
        cells[f"{end} zone"] = zone_of_cell
        leaf, zone = rows[f"{end} leaf"].to_numpy(), np.append(zone_of_cell, -1)[np.maximum(cell, -1)]
        supports[supports] = _covered(cover, leaf[supports], leaves[end], zone[supports])
    outside = (cell >= 0) & ~supports
    np.add.at(misplaced, cell[outside], rows["count"].to_numpy()[outside])
    cell[outside] = SUPPRESSED
    keep = ["count", "micro", *(["person"] if "person" in rows.columns else []), *segments]
    table = rows[keep].assign(origin=rows["origin leaf"], destination=rows["destination leaf"], cell=cell)
    return Evidence(
        rows=table,
        leaves=leaves,
        cells=_sums(table, cells),
        published=release.flows,  # type: ignore[attr-defined]
        misplaced=misplaced,
        segments=segments,
        release=release,
    )


def _rows(trips: Trips | pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """One row a trip (or a counted pair), with count, micro and person codes."""
    if isinstance(trips, Trips):
        rows = trips.table.copy()
        if "person" in rows.columns:
            rows["person"] = pd.factorize(rows["person"])[0].astype(np.int64)
        rows["count"] = np.int64(1)
        rows["micro"] = _micro(rows["weight"])
        return rows, tuple(trips.segments)
    if not isinstance(trips, pd.DataFrame):
        raise InputError(f"trips ({type(trips).__name__}) must be odk.Trips, or a table of counted pairs")
    names = {"start_h3": "origin", "end_h3": "destination", "trips": "count", "total_weight": "population"}
    rows = trips.rename(columns={a: b for a, b in names.items() if b not in trips.columns}).reset_index(drop=True)
    lacking = [name for name in ("origin", "destination", "count") if name not in rows.columns]
    if lacking:
        raise InputError(f"table of counted pairs must have a column ({lacking[0]}); it has {list(trips.columns)}")
    rows = rows[[name for name in ("origin", "destination", "count", "population") if name in rows.columns]].copy()
    rows["micro"] = _micro(rows["population"] if "population" in rows.columns else rows["count"])
    rows["count"] = rows["count"].astype(np.int64)
    return rows, ()


def _micro(weight: pd.Series) -> Ints:
    return np.asarray(np.rint(weight.to_numpy(dtype=np.float64) * UNIT), dtype=np.int64)


def _claimed(release: Release, origin: Ints, destination: Ints) -> Ints:
    """Cell that the release puts each row in, by its leaves' numbers (-1: unknown to the release)."""
    matrix = release.matrix
    span = matrix.destinations.n_leaves
    pairs = pd.Index(matrix.o * span + matrix.d)
    known = (origin >= 0) & (destination >= 0)
    pair = pairs.get_indexer(pd.Index(np.where(known, origin * span + destination, -1)))
    cell = np.append(np.where(release.of_pair < 0, SUPPRESSED, release.of_pair), UNKNOWN)
    return np.asarray(cell[pair], dtype=np.int64)  # pair -1 takes the last entry


def _covered(cover: Cover, leaf: Ints, names: list[str], zone: Ints) -> npt.NDArray[np.bool_]:
    """Whether the zone of each row covers its leaf; asked once per distinct (leaf, zone)."""
    span = int(zone.max()) + 1 if len(zone) else 1
    codes, keys = pd.factorize(leaf * span + zone)
    asked = ((names[key // span], key % span) for key in keys.tolist())
    answers = np.fromiter((cover(name, number) for name, number in asked), bool, len(keys))
    return np.asarray(answers[codes])


def _sums(rows: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    inside = rows[rows["cell"] >= 0]
    sums = inside.groupby("cell")[["count", "micro"]].sum().reindex(range(len(cells)), fill_value=0)
    out = cells.assign(trips=sums["count"].astype("int64"), micro=sums["micro"].astype("int64"))
    if "person" in rows.columns:
        people = inside[["cell", "person"]].drop_duplicates().groupby("cell").size()
        out["persons"] = people.reindex(range(len(cells)), fill_value=0).astype("int64")
    return out
