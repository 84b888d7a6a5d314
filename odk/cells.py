"""H3 cells as uint64 arrays: the one place where odk meets the grid.

Inside odk a cell is a uint64; hex strings live only in files and on maps. Parents come from bit arithmetic:
bits 52-55 of an index hold its resolution, and each finer digit takes three bits, 7 where unused. This also
holds for the twelve pentagons, whose indices are built in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import h3.api.basic_int as h3i
import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.errors import InputError

Ids = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MAX_RESOLUTION = 15
EARTH_RADIUS_M = 6_371_007.180918475  # the authalic radius that H3 uses for its own lengths
_RES_SHIFT = np.uint64(52)
_RES_MASK = np.uint64(0xF) << _RES_SHIFT
_PENTAGONS = np.array([h3i.get_base_cell_number(cell) for cell in h3i.get_pentagons(0)])


def to_ids(values: Iterable[Any] | npt.NDArray[Any]) -> Ids:
    """Cells as uint64 from hex strings or integers; InputError names the first value that is no cell."""
    array = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    if array.dtype == object and all(isinstance(v, int | np.integer) and 0 <= v < 2**64 for v in array):
        array = array.astype(np.uint64)
    if array.dtype.kind in "ui":
        ids = array.astype(np.uint64)
        bad = ~valid(ids)
        if bad.any():
            raise InputError(f"cell ({array[bad.argmax()]}) must be an H3 index; {int(bad.sum()):,} value(s) are not")
        return ids
    codes, unique = pd.factorize(array.astype(object), use_na_sentinel=False)
    ids_of = np.zeros(len(unique), dtype=np.uint64)
    wrong: list[object] = []
    for i, text in enumerate(unique):  # over distinct cells only: h3 has no vectorised parser
        number = parse(text)
        if number is None:
            wrong.append(text)
        else:
            ids_of[i] = number
    if wrong:
        raise InputError(f"cell ({wrong[0]!r}) must be an H3 index; {len(wrong):,} distinct value(s) are not")
    return ids_of[codes]


def parse(text: object) -> int | None:
    """The index of one cell written in hex (or already a number), None where it is no cell."""
    try:
        number = int(text) if isinstance(text, int | np.integer) else int(str(text).strip(), 16)
    except ValueError:
        return None
    if not 0 < number < 2**63:
        return None
    return number if h3i.is_valid_cell(number) else None


def valid(ids: Ids) -> npt.NDArray[np.bool_]:
    """Which of the ids are H3 cells, by the rules of the index: what h3.is_valid_cell asks one at a time."""
    ids = np.asarray(ids, dtype=np.uint64)
    res, base = resolution(ids), ((ids >> np.uint64(45)) & np.uint64(127)).astype(np.int64)
    good = ((ids >> np.uint64(56)) == 8) & (base < 122)  # a cell (mode 1), and no other of the upper bits
    leading = np.zeros(len(ids), np.int64)  # the first digit that is not 0: a pentagon has no children along axis 1
    for level in range(1, MAX_RESOLUTION + 1):
        digit = ((ids >> np.uint64(3 * (MAX_RESOLUTION - level))) & np.uint64(7)).astype(np.int64)
        good &= np.where(level <= res, digit < 7, digit == 7)
        leading = np.where((leading == 0) & (level <= res), digit, leading)
    return np.asarray(good & ~((leading == 1) & np.isin(base, _PENTAGONS)), dtype=np.bool_)


def to_hex(ids: Ids) -> list[str]:
    """Cells as the 15 hex digits that files, maps and JavaScript use."""
    return [f"{i:x}" for i in np.asarray(ids, dtype=np.uint64).tolist()]


def resolution(ids: Ids) -> Ints:
    """Resolution (0 to 15) of each cell."""
    return ((np.asarray(ids, dtype=np.uint64) & _RES_MASK) >> _RES_SHIFT).astype(np.int64)


def check_resolution(res: int) -> None:
    """Refuse what is no resolution of H3."""
    if isinstance(res, bool) or not isinstance(res, int | np.integer) or not 0 <= res <= MAX_RESOLUTION:
        raise InputError(f"resolution ({res!r}) must be a whole number between 0 and {MAX_RESOLUTION}")


def parent(ids: Ids, res: int) -> Ids:
    """Ancestor of each cell at resolution res; a cell already coarser than res is an error."""
    ids = np.asarray(ids, dtype=np.uint64)
    check_resolution(res)
    if len(ids) and int(resolution(ids).min()) < res:
        raise InputError(f"resolution ({res}) must not be finer than the cells' own ({int(resolution(ids).min())})")
    unused = np.uint64((1 << (3 * (MAX_RESOLUTION - res))) - 1)  # digits finer than res are all 7
    return (ids & ~_RES_MASK) | (np.uint64(res) << _RES_SHIFT) | unused


def from_points(lat: npt.ArrayLike, lon: npt.ArrayLike, res: int) -> Ids:
    """Cell of each point (degrees). h3 indexes one point a call; a loop over lists is the fastest way it offers."""
    check_resolution(res)
    lats = np.asarray(lat, dtype=np.float64).tolist()
    lons = np.asarray(lon, dtype=np.float64).tolist()
    call = h3i.latlng_to_cell
    return np.fromiter((call(a, b, res) for a, b in zip(lats, lons, strict=True)), np.uint64, len(lats))


def centres(ids: Ids) -> tuple[Floats, Floats]:
    """Latitude and longitude (degrees) of the centre of each cell."""
    unique, codes = np.unique(np.asarray(ids, dtype=np.uint64), return_inverse=True)
    points = np.array([h3i.cell_to_latlng(c) for c in unique.tolist()], dtype=np.float64).reshape(-1, 2)
    return points[codes, 0], points[codes, 1]


def descendants(ids: Ids, res: int) -> Ints:
    """How many H3 cells of resolution res each cell has (a pentagon has fewer)."""
    return np.array([h3i.cell_to_children_size(c, res) for c in np.asarray(ids).tolist()], dtype=np.int64)


def distance_m(lat1: npt.ArrayLike, lon1: npt.ArrayLike, lat2: npt.ArrayLike, lon2: npt.ArrayLike) -> Floats:
    """Great-circle distance in metres (haversine; antimeridian and poles included)."""
    a1, b1, a2, b2 = (np.radians(np.asarray(x, dtype=np.float64)) for x in (lat1, lon1, lat2, lon2))
    h = np.sin((a2 - a1) / 2) ** 2 + np.cos(a1) * np.cos(a2) * np.sin((b2 - b1) / 2) ** 2
    return np.asarray(2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(np.minimum(h, 1.0))), dtype=np.float64)
