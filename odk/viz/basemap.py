"""The offline basemap: outlines and place names from assets/, cut to a window, as deck.gl layers.

Around France the outlines are fine (Natural Earth 1:10m), elsewhere coarse (1:50m, states of the USA from the Census
Bureau); `note` says which. Nothing is requested from outside. Boxes are (west, south, east, north) in degrees.
"""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd

from odk.viz.theme import palette

ASSETS = Path(__file__).resolve().parents[2] / "assets"
FINE = (-5.5, 41.0, 10.0, 51.5)  # where assets/france_*.geojson.gz are drawn
SOURCES = "Natural Earth, US Census Bureau, GeoNames (CC BY 4.0)"
Box = tuple[float, float, float, float]
Ring = list[list[float]]


@cache
def features(name: str) -> tuple[tuple[Box, dict[str, Any]], ...]:
    """Geometries of one file of assets/ with their boxes; none where the folder is absent (an installed wheel)."""
    path = ASSETS / f"{name}.geojson.gz"
    if not path.is_file():
        return ()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        geometries = [feature["geometry"] for feature in json.load(file)["features"]]
    return tuple((_box_of(geometry), geometry) for geometry in geometries)


@cache
def places() -> pd.DataFrame:
    """Places of the world, largest first: name, lat, lon, people, quarter (1: a part of a town)."""
    path = ASSETS / "places.csv.gz"
    if not path.is_file():
        return pd.DataFrame({"name": [], "lat": [], "lon": [], "people": [], "quarter": []})
    return pd.read_csv(path, keep_default_na=False)


def _box_of(geometry: dict[str, Any]) -> Box:
    lines = geometry["coordinates"] if geometry["type"] != "Polygon" else geometry["coordinates"][:1]
    xs = [point[0] for line in lines for point in line]
    ys = [point[1] for line in lines for point in line]
    return min(xs), min(ys), max(xs), max(ys)


def meets(a: Box, b: Box) -> bool:
    """Whether two boxes share a point."""
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]


def inside(a: Box, b: Box) -> bool:
    """Whether box a lies within box b."""
    return b[0] <= a[0] and a[2] <= b[2] and b[1] <= a[1] and a[3] <= b[3]


def clip_ring(ring: Ring, box: Box) -> Ring:
    """The part of a ring within a box (Sutherland-Hodgman); empty where they do not meet.

    Written by hand because no library we depend on cuts polygons; what lies along the box's edge is never stroked.
    """
    for axis, limit, side in ((0, box[0], 1), (0, box[2], -1), (1, box[1], 1), (1, box[3], -1)):
        if not ring:
            return []
        out: Ring = []
        before = ring[-1]
        for point in ring:
            was, now = (before[axis] - limit) * side >= 0, (point[axis] - limit) * side >= 0
            if was != now:
                t = (limit - before[axis]) / (point[axis] - before[axis])
                out.append([before[0] + t * (point[0] - before[0]), before[1] + t * (point[1] - before[1])])
            if now:
                out.append(point)
            before = point
        ring = out
    return [[round(x, 4), round(y, 4)] for x, y in ring]


def _polygons(name: str, box: Box) -> list[dict[str, Any]]:
    """Polygons of a file within a box."""
    found: list[dict[str, Any]] = []
    for bounds, geometry in features(name):
        if inside(bounds, box):
            found.append(geometry)
        elif meets(bounds, box):
            rings = [clipped for ring in geometry["coordinates"] if len(clipped := clip_ring(ring, box)) > 2]
            if rings:
                closed = [[*ring, ring[0]] for ring in rings]
                found.append({"type": "Polygon", "coordinates": closed})
    return found


def _lines(name: str, box: Box) -> list[dict[str, Any]]:
    """Lines of a file whose run of points meets a box."""
    found: list[dict[str, Any]] = []
    for bounds, geometry in features(name):
        if meets(bounds, box):
            runs = [run for run in geometry["coordinates"] if meets(_box_of({"type": "", "coordinates": [run]}), box)]
            if runs:
                found.append({"type": "MultiLineString", "coordinates": runs})
    return found


def _outlines(name: str, box: Box) -> list[dict[str, Any]]:
    """Edges of a file's polygons within a box, without the box's own edge."""
    found: list[dict[str, Any]] = []
    for bounds, geometry in features(name):
        if inside(bounds, box):
            found.append({"type": "MultiLineString", "coordinates": geometry["coordinates"]})
        elif meets(bounds, box):
            runs: list[Ring] = []
            for ring in geometry["coordinates"]:
                steps = [[a, b] for a, b in pairwise(ring)]
                runs += [step for step in steps if meets(_box_of({"type": "", "coordinates": [step]}), box)]
            found.append({"type": "MultiLineString", "coordinates": _joined(runs)})
    return found


def _joined(steps: list[Ring]) -> list[Ring]:
    """Steps that follow each other joined into lines."""
    lines: list[Ring] = []
    for a, b in steps:
        if lines and lines[-1][-1] == a:
            lines[-1].append(b)
        else:
            lines.append([a, b])
    return lines


@dataclass(frozen=True)
class Shape:
    """One part of the basemap: polygons filled, or lines stroked (width in pixels), in a colour."""

    id: str
    geometries: tuple[dict[str, Any], ...]
    colour: tuple[int, ...]
    width: float = 0.0
    """0: filled."""


def _frame(box: Box) -> dict[str, Any]:
    west, south, east, north = box
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


@lru_cache(maxsize=64)
def ground_shapes(box: Box, mode: str | None = "light") -> tuple[Shape, ...]:
    """Sea and land of a window, to draw below everything."""
    if not features("world"):
        return ()
    p = palette(mode)
    found = [Shape("sea", (_frame(box),), p.sea)]
    if not inside(box, FINE):
        found.append(Shape("world", tuple(_polygons("world", box)), p.land))
        found.append(Shape("world-borders", tuple(_outlines("world", box)), p.border, 0.8))
    if meets(box, FINE):
        part = _common(box, FINE)
        found.append(Shape("fine-sea", (_frame(part),), p.sea))
        found.append(Shape("land", tuple(_polygons("france_land", part)), p.land))
    return tuple(found)


@lru_cache(maxsize=64)
def line_shapes(box: Box, mode: str | None = "light") -> tuple[Shape, ...]:
    """Rivers and the borders of regions and countries in a window, faint enough to draw above zones."""
    if not meets(box, FINE):
        return ()
    p, part = palette(mode), _common(box, FINE)
    return (
        Shape("rivers", tuple(_lines("france_rivers", part)), (*p.river, 130), 1.5),
        Shape("regions", tuple(_lines("france_regions", part)), (*p.border, 110), 0.8),
        Shape("borders", tuple(_lines("france_borders", part)), (*p.border, 230), 1.5),
    )


def _common(a: Box, b: Box) -> Box:
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])


def chosen_places(box: Box, most: int = 16, spread: float = 1.0) -> pd.DataFrame:
    """The largest places of a window that can be written without touching: at most `most`.

    A label keeps others away by 0.2 of the window's width and 0.06 of its height, times spread.
    """
    table = places()
    west, south, east, north = box
    within = table[table["lon"].between(west, east) & table["lat"].between(south, north) & (table["quarter"] == 0)]
    wide, high = 0.2 * spread * (east - west), 0.06 * spread * (north - south)
    taken: list[tuple[float, float]] = []
    rows: list[int] = []
    # A loop, because each label depends on those already placed; only the largest thousand can win a place.
    for i, (x, y) in enumerate(zip(within["lon"].head(1000), within["lat"].head(1000), strict=True)):
        if len(rows) == most:
            break
        if all(abs(x - a) > wide or abs(y - b) > high for a, b in taken):
            taken.append((x, y))
            rows.append(i)
    return within.iloc[rows].reset_index(drop=True)


def note(box: Box, shown: Sequence[object] = (True,)) -> str:
    """What the basemap of a window is worth, in words, with its sources."""
    if not shown or not features("world"):
        return "No basemap: the folder assets/ is not here."
    west, south, east, north = box
    centre = ((west + east) / 2, (south + north) / 2)
    fine = FINE[0] <= centre[0] <= FINE[2] and FINE[1] <= centre[1] <= FINE[3]
    return f"Outlines: {SOURCES}." if fine else f"Only coarse outlines here. {SOURCES}."
