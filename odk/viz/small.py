"""Small multiples: many little maps in one window and one colour scale, as SVG, since browsers draw few WebGL maps."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape

import h3
import pandas as pd

from odk.viz.basemap import Ring
from odk.viz.maps import Window
from odk.viz.svg import Frame, Shape, zone_map
from odk.viz.zones import BOX

PLACES = 3  # named on a little map
MOST = 1_500  # zones drawn in a little map, largest volume first


def small_map(
    zones: pd.DataFrame,
    where: Window,
    limits: Sequence[float],
    label: str,
    *,
    view: str = "participants",
    figure_shown: str = "density",
    mode: str | None = "light",
    width: int = 300,
    height: int = 220,
) -> str:
    """One little map of a `zone_table` as HTML: a picture that fills its column. `label` says in words what it shows."""
    shown = zones.head(MOST)
    values = shown[figure_shown].fillna(0.0).tolist()
    shapes = [Shape(ring, value, _spread(ring)) for ring, value in zip(_rings(shown), values, strict=True)]
    svg = zone_map(shapes, Frame(where.seen, width, height), view, limits, label, mode=mode, places=PLACES)
    # As an image, since pages clean drawings out of their HTML.
    root = f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" width="{width}" height="{height}" '
    alone = svg.replace("<svg ", root, 1)
    source = b64encode(alone.encode()).decode()
    return f'<img alt="{escape(label)}" style="width:100%;border-radius:6px" src="data:image/svg+xml;base64,{source}">'


def _rings(shown: pd.DataFrame) -> list[Ring]:
    if set(BOX) <= set(shown.columns):
        sides = zip(*(shown[side].tolist() for side in BOX), strict=True)
        return [[[w, s], [e, s], [e, n], [w, n], [w, s]] for w, s, e, n in sides]
    rows = zip(shown["zone"], shown["level"], shown["lon"], shown["lat"], strict=True)
    return [_hexagon(zone) if level >= 0 else [[lon, lat]] for zone, level, lon, lat in rows]


def _hexagon(zone: str) -> Ring:
    ring = [[lon, lat] for lat, lon in h3.cell_to_boundary(zone)]
    east = ring[0][0]
    ring = [[lon + 360 * round((east - lon) / 360), lat] for lon, lat in ring]  # in one piece across the antimeridian
    return [*ring, ring[0]]


def _spread(ring: Ring) -> float:
    """A number that grows with the area."""
    lons, lats = zip(*ring, strict=True)
    return float((max(lons) - min(lons)) * (max(lats) - min(lats)))
