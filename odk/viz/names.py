"""Names that people can say for zones: the nearest place, the distance and direction from it, and the level."""

from functools import cache

import h3
import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from odk.viz.basemap import places

EARTH_KM = 6371.0088
COMPASS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
CLOSE_KM = 30.0
FAR_KM = 100.0  # farther than this, a place says nothing: coordinates are given instead


def _sphere(lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Points on the unit sphere, so that the nearest is right across the antimeridian and at the poles."""
    a, b = np.radians(lat), np.radians(lon)
    return np.column_stack([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(a)])


def place_names(lat: npt.ArrayLike, lon: npt.ArrayLike, reach_km: npt.ArrayLike = 0.0) -> list[str]:
    """For each point, "Versailles" within a kilometre of it, else "Versailles, 3 km NE" (north-east of it).

    The place is the largest within reach_km, else the nearest. Where none is within 100 km of the reach, coordinates:
    "34.05° S, 151.20° E".
    """
    y, x = np.asarray(lat, np.float64), np.asarray(lon, np.float64)
    table = places()
    if table.empty or y.size == 0:
        return [_coordinates(a, b) for a, b in zip(y, x, strict=True)]
    py, px = table["lat"].to_numpy(np.float64), table["lon"].to_numpy(np.float64)
    points, here = _sphere(py, px), _sphere(y, x)
    tree = _tree()
    chosen = np.asarray(tree.query(here)[1], np.int64)
    reach = np.broadcast_to(np.asarray(reach_km, np.float64), y.shape)
    around = tree.query_ball_point(here, 2 * np.sin(np.minimum(reach / EARTH_KM, np.pi) / 2))
    chosen = np.array([min(found, default=c) for found, c in zip(around, chosen, strict=True)])  # largest come first
    km = 2 * EARTH_KM * np.arcsin(np.clip(np.linalg.norm(points[chosen] - here, axis=1) / 2, 0, 1))
    east = np.radians((x - px[chosen] + 180) % 360 - 180) * np.cos(np.radians(y))
    way = np.round(np.degrees(np.arctan2(east, np.radians(y - py[chosen]))) / 45).astype(np.int64) % 8
    words = table["name"].to_numpy()[chosen]
    return [
        _coordinates(a, b) if d > FAR_KM + r else str(word) if d < 1 else f"{word}, {d:.0f} km {COMPASS[w]}"
        for a, b, d, w, word, r in zip(y, x, km, way, words, reach, strict=True)
    ]


def exchanged(lat: npt.ArrayLike, lon: npt.ArrayLike) -> str | None:
    """The place where these points lie if latitude and longitude are exchanged, where that alone makes sense.

    That is: no place within 100 km of their middle as it stands, and one within 30 km of the exchanged one; else None.
    """
    y, x = float(np.median(np.asarray(lat, np.float64))), float(np.median(np.asarray(lon, np.float64)))
    table = places()
    if table.empty or abs(x) > 90:
        return None
    away, nearest = (np.asarray(found) for found in _tree().query(_sphere(np.array([y, x]), np.array([x, y]))))
    km = 2 * EARTH_KM * np.arcsin(np.clip(away / 2, 0, 1))
    return str(table["name"].iloc[int(nearest[1])]) if km[0] > FAR_KM and km[1] < CLOSE_KM else None


@cache
def _tree() -> KDTree:
    table = places()
    return KDTree(_sphere(table["lat"].to_numpy(np.float64), table["lon"].to_numpy(np.float64)))


def zone_names(lat: npt.ArrayLike, lon: npt.ArrayLike, level: npt.ArrayLike) -> list[str]:
    """Names of zones by their centres and H3 levels: "Versailles, 3 km NE, level 8"; equal names are told apart by (2).

    A coarse zone takes the largest place within its edge length. Level -1: a zone that is no H3 cell.
    """
    levels = np.asarray(level, np.int64)
    edge = np.array([h3.average_hexagon_edge_length(r, "km") for r in range(16)] + [0.0])
    seen: dict[str, int] = {}
    names: list[str] = []
    for place, r in zip(place_names(lat, lon, edge[levels]), levels.tolist(), strict=True):
        name = f"{place}, level {r}" if r >= 0 else place
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _coordinates(lat: float, lon: float) -> str:
    return f"{abs(lat):.2f}° {'N' if lat >= 0 else 'S'}, {abs(lon):.2f}° {'E' if lon >= 0 else 'W'}"
