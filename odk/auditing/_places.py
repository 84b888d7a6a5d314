"""Where trips begin and end, and whether a published zone or box covers that: by the h3 library, one call a place.

A leaf is written as the release writes it: the hex digits of an H3 cell, or the label of a zone.
"""

from __future__ import annotations

from typing import Protocol

import h3.api.basic_int as grid
import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.release import BOX_COLUMNS, BoxRelease, Release, TreeRelease

WHOLE = "root"  # the virtual root above several H3 base cells covers everything
TOLERANCE = 1e-7  # degrees (1 cm): outlines are computed in metres and written in degrees
Ints = npt.NDArray[np.int64]
ENDS = ("origin", "destination")


def leaves_of_tree(tree: Hierarchy) -> pd.Index:
    """Names of the leaves of one axis, in the order of their numbers."""
    if tree.labels is not None:
        return pd.Index(tree.labels[: tree.n_leaves], dtype="str")
    return pd.Index([f"{i:x}" for i in tree.ids[: tree.n_leaves].tolist()], dtype="str")


def leaves_of_rows(table: pd.DataFrame, end: str, tree: Hierarchy) -> tuple[Ints, list[str]]:
    """Leaf of one end of every row: a code, and the name of each code."""
    if tree.labels is not None:
        if end not in table.columns:
            raise InputError(f"trips must have a column ({end}) with zone names, as the release's input had")
        codes, names = pd.factorize(table[end].astype("str"), sort=True)
        return codes.astype(np.int64), [str(name) for name in names]
    res = grid.get_resolution(int(tree.ids[0]))
    if end in table.columns:
        codes, words = pd.factorize(table[end])
        ids = np.array([_up(int(str(word), 16), res) for word in words], dtype=np.uint64)[codes]
    else:
        lat, lon = (table[f"{end}_{c}"].tolist() for c in ("lat", "lon"))
        call = grid.latlng_to_cell
        ids = np.fromiter((call(a, b, res) for a, b in zip(lat, lon, strict=True)), np.uint64, len(lat))
    codes, seen = pd.factorize(ids, sort=True)
    return codes.astype(np.int64), [f"{i:x}" for i in seen.tolist()]


def _up(cell: int, res: int) -> int:
    own = grid.get_resolution(cell)
    if own < res:
        raise InputError(f"trips' cells (resolution {own}) must not be coarser than the release's leaves ({res})")
    return int(grid.cell_to_parent(cell, res))


class Cover(Protocol):
    """Which published zones (or rectangles) of one axis cover which leaves."""

    def __call__(self, leaf: str, zone: int) -> bool:
        """Whether a zone covers a leaf."""


def cover_of(release: Release, end: str) -> tuple[Ints, Cover]:
    """The distinct zones of one axis: which one every published cell has, and what each covers as it is described."""
    tree = release.matrix.origins if end == "origin" else release.matrix.destinations
    if isinstance(release, BoxRelease):
        outline = release.flows[[name for name in BOX_COLUMNS if name.startswith(end)]].to_numpy(dtype=np.float64)
        distinct, codes = np.unique(outline, axis=0, return_inverse=True)
        return codes.astype(np.int64).ravel(), _boxes(distinct.tolist(), tree)
    if isinstance(release, TreeRelease):
        codes, zones = pd.factorize(release.flows[end], sort=True)
        names = [str(zone) for zone in zones]
        return codes.astype(np.int64), _cells(names) if tree.labels is None else _labels(names, tree)
    raise InputError(f"release ({type(release).__name__}) must be of zones of a tree or of boxes to be recounted")


def _cells(zones: list[str]) -> Cover:
    numbers = [0 if zone == WHOLE else int(zone, 16) for zone in zones]
    resolutions = [grid.get_resolution(number) if number else -1 for number in numbers]

    def covers(leaf: str, zone: int) -> bool:
        number, res = numbers[zone], resolutions[zone]
        if not number:
            return True
        below = int(leaf, 16)
        return bool(res <= grid.get_resolution(below) and grid.cell_to_parent(below, res) == number)

    return covers


def _labels(zones: list[str], tree: Hierarchy) -> Cover:
    names = tree.labels or ()
    above = {name: names[p] if p >= 0 else None for name, p in zip(names, tree.parent.tolist(), strict=True)}

    def covers(leaf: str, zone: int) -> bool:
        at: str | None = leaf
        while at is not None and at != zones[zone]:
            at = above.get(at)
        return at is not None

    return covers


def _boxes(outline: list[list[float]], tree: Hierarchy) -> Cover:
    centres: dict[str, tuple[float, float]] = {}
    if tree.labels is not None:
        at = zip(tree.lat.tolist(), tree.lon.tolist(), strict=True)
        centres = dict(zip(tree.labels, at, strict=True))

    def covers(leaf: str, zone: int) -> bool:
        if leaf not in centres:
            centres[leaf] = grid.cell_to_latlng(int(leaf, 16))
        lat, lon = centres[leaf]
        west, south, east, north = outline[zone]
        if not south - TOLERANCE <= lat <= north + TOLERANCE:
            return False
        # A box may cross the antimeridian: its east is then below its west, or beyond 180 (Mondrian writes it so).
        wide = east - west if west <= east else east - west + 360
        return (lon - west + TOLERANCE) % 360 <= wide + 2 * TOLERANCE

    return covers


def describe(release: Release) -> pd.DataFrame:
    """Origin and destination of every published cell as text: zone names, or the rectangle west,south,east,north."""
    flows = release.flows  # type: ignore[attr-defined]
    if isinstance(release, BoxRelease):
        text = {}
        for end in ENDS:
            sides = flows[[name for name in BOX_COLUMNS if name.startswith(end)]].to_numpy(dtype=np.float64)
            text[end] = [",".join(f"{value:.5f}" for value in row) for row in sides.tolist()]
        return pd.DataFrame(text, dtype="str")
    return pd.DataFrame({end: pd.Series(flows[end], dtype="str") for end in ENDS})


def volume_under(release: TreeRelease, end: str, names: list[str], volume: Ints) -> dict[str, int]:
    """Volume of the leaves under every published zone of one axis; zones may be nested."""
    tree = release.matrix.origins if end == "origin" else release.matrix.destinations
    zones = {str(zone) for zone in release.flows[end].unique()}
    sums = dict.fromkeys(zones, 0)
    if tree.labels is None:
        level = pd.Series(volume, index=np.array([int(name, 16) for name in names], dtype=np.uint64))
        # From fine to coarse, each level from the one below, which has fewer cells than there are leaves.
        for res in sorted({grid.get_resolution(int(zone, 16)) for zone in zones - {WHOLE}}, reverse=True):
            up = np.fromiter((grid.cell_to_parent(c, res) for c in level.index.tolist()), np.uint64, len(level))
            level = level.groupby(up).sum()
            sums |= {f"{cell:x}": total for cell, total in zip(level.index.tolist(), level.tolist(), strict=True)}
        sums = {zone: total for zone, total in sums.items() if zone in zones}
        return sums | ({WHOLE: int(volume.sum())} if WHOLE in zones else {})
    above = {
        name: tree.labels[p] if p >= 0 else None for name, p in zip(tree.labels, tree.parent.tolist(), strict=True)
    }
    for name, amount in zip(names, volume.tolist(), strict=True):
        at: str | None = name
        while at is not None:
            if at in sums:
                sums[at] += amount
            at = above.get(at)
    return sums
