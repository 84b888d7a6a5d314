"""zones.geojson: the zones that have a published flow, and no other.

H3 cells and boxes are drawn from their names alone, so the file says nothing that flows.csv does not. Named zones (of a
table or a clustering) have no outline here: a point, the centre that the hierarchy gives them, where it has one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import h3

from odk import cells
from odk.errors import InputError, UnsafeError
from odk.export._flows import ENDS, Flows
from odk.export._json import loads
from odk.hierarchy import VIRTUAL_ROOT

DECIMALS = 6  # 0.1 m
MOST_ZONES = 200_000
NEAR = 5e-6  # degrees: how far the same cell may be drawn apart by another version of the h3 library

Point = tuple[float, float]
Ring = list[list[float]]


def zone_names(flows: Flows) -> dict[str, tuple[bool, bool]]:
    """Every zone with a published flow, and whether it is one of origins and of destinations; sorted."""
    sides = tuple({_side(place, end, flows.boxes) for place in flows.places} for end in (0, 1))
    names = sorted(sides[0] | sides[1], key=_box_key if flows.boxes else None)
    return {name: (name in sides[0], name in sides[1]) for name in names}


def _side(place: tuple[str, ...], end: int, boxes: bool) -> str:
    return ",".join(place[4 * end : 4 * end + 4]) if boxes else place[end]


def _box_key(name: str) -> tuple[float, ...]:
    return tuple(map(float, name.split(",")))


def collection(
    flows: Flows,
    hierarchy: str,
    centres: Mapping[str, Point] | None = None,
    within: Mapping[str, list[str]] | None = None,
) -> dict[str, Any]:
    """The GeoJSON. `centres` (lat, lon) and `within` (published zones above) are of named zones only."""
    features = []
    for name, (origin, destination) in zone_names(flows).items():
        geometry: dict[str, Any] | None
        properties: dict[str, Any] = {"zone": name, "origin": origin, "destination": destination}
        if flows.boxes:
            geometry = polygon(_box_ring(name))
        elif hierarchy == "h3":
            level, geometry = _cell(name)
            properties["level"] = level
        else:
            properties["within"] = (within or {}).get(name, [])
            geometry = _point((centres or {}).get(name))
        features.append({"type": "Feature", "properties": properties, "geometry": geometry})
    return {"type": "FeatureCollection", "features": features}


def polygon(ring: Ring) -> dict[str, Any]:
    """A polygon without holes."""
    return {"type": "Polygon", "coordinates": [ring]}


def _cell(name: str) -> tuple[int | None, dict[str, Any] | None]:
    """Level and outline of an H3 cell; a virtual root has neither."""
    if name == VIRTUAL_ROOT:
        return None, None
    number = cells.parse(name)
    if number is None or f"{number:x}" != name:
        raise InputError(f"zone ({name[:40]!r}) must be an H3 cell")
    ring = [[lon, lat] for lat, lon in h3.cell_to_boundary(name)]
    if max(x for x, _ in ring) - min(x for x, _ in ring) > 180:  # across the antimeridian: longitudes run on
        ring = [[x + 360 if x < 0 else x, y] for x, y in ring]
    ring = [[round(x, DECIMALS), round(y, DECIMALS)] for x, y in ring]
    return h3.get_resolution(name), polygon([*ring, ring[0]])


def _box_ring(name: str) -> Ring:
    west, south, east, north = _box_key(name)
    if east < west:  # across the antimeridian
        east += 360
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def _point(centre: Point | None) -> dict[str, Any] | None:
    if centre is None or not all(map(math.isfinite, centre)):
        return None
    return {"type": "Point", "coordinates": [round(centre[1], 5), round(centre[0], 5)]}


def dumps(zones: Mapping[str, Any]) -> str:
    """The file's text: one feature a line."""
    lines = [json.dumps(f, ensure_ascii=False, separators=(",", ":"), allow_nan=False) for f in zones["features"]]
    return '{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n"


def parse_zones(text: str) -> dict[str, Any]:
    """Read the file; anything that is not zones as this module writes them is an error."""
    zones = loads(text, "zones.geojson")
    if not isinstance(zones, dict) or zones.get("type") != "FeatureCollection" or set(zones) != {"type", "features"}:
        raise InputError("zones.geojson must be a GeoJSON FeatureCollection with features and nothing else")
    features = zones["features"]
    if not isinstance(features, list) or not 0 < len(features) <= MOST_ZONES:
        raise InputError(f"zones.geojson must hold 1 to {MOST_ZONES:,} features")
    for number, feature in enumerate(features, 1):
        _check_feature(feature, number)
    return zones


def _check_feature(feature: Any, number: int) -> None:
    if not isinstance(feature, dict) or set(feature) != {"type", "properties", "geometry"}:
        raise InputError(
            f"zones.geojson must hold features of type, properties and geometry; feature {number:,} differs"
        )
    properties = feature["properties"]
    known = {"zone": str, "origin": bool, "destination": bool, "level": int | None, "within": list}
    if not isinstance(properties, dict) or not {"zone", *ENDS} <= set(properties) <= set(known):
        raise UnsafeError(
            f"zones.geojson must say zone, origin and destination only; feature {number:,} says more or less"
        )
    if not all(isinstance(value, known[name]) for name, value in properties.items()):
        raise InputError(f"zones.geojson must have properties of the right kind; feature {number:,} has not")
    geometry = feature["geometry"]
    if geometry is not None and not _is_geometry(geometry):
        raise InputError(
            f"zones.geojson must hold points or polygons of few corners in degrees; feature {number:,} is none"
        )


def _is_geometry(geometry: Any) -> bool:
    if not isinstance(geometry, dict) or set(geometry) != {"type", "coordinates"}:
        return False
    if geometry["type"] == "Point":
        return _is_position(geometry["coordinates"])
    rings = geometry["coordinates"]
    if geometry["type"] != "Polygon" or not isinstance(rings, list) or len(rings) != 1:
        return False
    ring = rings[0]
    return isinstance(ring, list) and 4 <= len(ring) <= 30 and all(map(_is_position, ring)) and ring[0] == ring[-1]


def _is_position(at: Any) -> bool:
    if not isinstance(at, list) or len(at) != 2:
        return False
    if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in at):
        return False
    return bool(-540 <= at[0] <= 540 and -90 <= at[1] <= 90)


def same(a: Any, b: Any) -> bool:
    """Whether two collections are the same; coordinates may differ by what versions of h3 differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, int | float) and isinstance(b, int | float) and abs(a - b) <= NEAR
    return bool(a == b and type(a) is type(b))
