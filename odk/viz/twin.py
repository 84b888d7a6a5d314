"""Maps side by side (or one alone) as one scene: what pages/_twin.js draws with deck.gl, as plain values that JSON can hold.

Every map has the same camera, basemap and colour scale. Nothing in a scene makes the browser ask an outside host,
unless the user chose the online basemap.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.viz import basemap
from odk.viz.maps import MOST_ZONES, Window, steps
from odk.viz.theme import Colour, palette
from odk.viz.zones import BOX

MOST_ARCS = 1_000
ONLINE = {"url": "https://tile.openstreetmap.org/{z}/{x}/{y}.png", "credit": "© OpenStreetMap contributors"}
"""A basemap from outside, for those who ask for it: the host then knows which area is looked at."""
PLACES = 400  # names sent to the browser, which writes those that fit
WORDS = {
    "trips": "trips",
    "population": "weighted trips (population)",
    "persons": "persons",
    "other_way": "trips the other way",
    "flows": "published flows",
    "leaves": "leaves observed",
}
Scene = dict[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pane:
    """One map of the scene."""

    id: str
    title: str
    zones: pd.DataFrame = field(repr=False)
    """As zone_table makes them; those beyond the first 10,000 are not drawn."""
    values: npt.ArrayLike = field(repr=False)
    """The figure that colours each zone."""
    view: str
    """Whose ramp of colours it takes: participants, population, failing (amber, grey for none), or grey."""
    ramp: Sequence[Colour] | None = None
    """Seven colours of its own instead."""
    limits: Sequence[float] | None = None
    """Limits between the steps of its colours, where they are not those of the scene."""
    note: str = ""
    """Beside the title."""
    rule: str = ""
    """What every published cell holds, for the tooltip."""
    fails: str = ""
    """What failing cells have, for the tooltip: "less than 10 trips"."""
    outlined: bool = True
    """Whether zones with failing cells are outlined; False where their colour tells it."""
    clicks: bool = True
    """Whether a click chooses a zone."""
    alt: str = ""
    """The map in a sentence."""
    legend: str = ""
    """HTML, made of numbers and our own words only."""
    marks: npt.NDArray[np.int64] | None = field(default=None, repr=False)
    """Per zone 1 where it is finer than the other map's, -1 where it is coarser."""
    selected: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()
    """Zones to be outlined as new."""
    flows: pd.DataFrame | None = field(default=None, repr=False)
    """Arcs: from_lon, from_lat, to_lon, to_lat, volume, incoming (bool), largest first."""
    rings: tuple[tuple[float, float], ...] = ()
    """Points (longitude, latitude) to be ringed."""
    words: Mapping[str, str] = field(default_factory=lambda: WORDS)
    """Columns that the tooltip tells, and what they are called there."""


def scene(
    panes: Sequence[Pane],
    where: Window,
    *,
    library: str,
    limits: Sequence[float] = (),
    mode: str | None = "light",
    height: int | None = None,
    least: int = 340,
    foot: str = "",
    film: Mapping[str, Any] | None = None,
    online: bool = False,
    most: int = MOST_ZONES,
) -> Scene:
    """The scene of some maps.

    `library`: where the browser finds deck.gl, on this host. `limits`: between the steps of the colours, for all maps
    that have none of their own. `height`: pixels; without it, the maps take what the rest of the page leaves of the
    screen's height, but no less than `least`. `foot`: HTML below the maps, made by us. `film`: frames to
    be played instead of the panes' own zones: main and extra (of odk/viz/film.py), at (the step to be shown), asked (how
    often another place was asked for), report (whether Python wants to hear of each). `online`: draw ONLINE below the
    zones, which are then paler; only where the user asked for it.
    """
    p = palette(mode)
    camera = {
        "longitude": where.lon,
        "latitude": where.lat,
        "zoom": where.zoom,
        "minZoom": where.zoom - 1.2,
        "maxZoom": 16,
    }
    named = {
        name: list(getattr(p, name)) for name in ("text", "faint", "background", "outline", "halo", "failing", "good")
    }
    return {
        "library": library,
        "height": height,
        "least": least,
        "foot": foot,
        "film": film,
        "colours": named,
        "window": {"key": json.dumps(camera), "camera": camera, "width": where.width, "height": where.height},
        "base": f"{where.box} {mode}",
        "ground": [_shape(shape) for shape in basemap.ground_shapes(where.box, mode)],
        "lines": [_shape(shape) for shape in basemap.line_shapes(where.box, mode)],
        "places": _places(where.box),
        "tiles": ONLINE if online else None,
        "views": [
            _view(pane, limits, pane.ramp or p.ramp(pane.view), _accent(pane.view, mode), most, 165 if online else 245)
            for pane in panes
        ],
    }


def _accent(view: str, mode: str | None) -> Colour:
    p = palette(mode)
    return {"participants": p.participants, "population": p.population}.get(view, p.text)


def _shape(shape: basemap.Shape) -> dict[str, Any]:
    """Polygons as lists of rings, lines as lists of points."""
    flat: list[Any] = []
    for geometry in shape.geometries:
        flat += [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
    kind = "line" if shape.width else "fill"
    return {"id": f"base-{shape.id}", "kind": kind, "shapes": flat, "colour": list(shape.colour), "width": shape.width}


def _places(box: basemap.Box) -> list[list[Any]]:
    """Names with their positions, in the order in which they should find a place: towns, then parts of towns."""
    table = basemap.places()
    west, south, east, north = box
    found = table[table["lon"].between(west, east) & table["lat"].between(south, north)]
    towns, parts = found[found["quarter"] == 0].head(PLACES), found[found["quarter"] != 0].head(PLACES // 4)
    chosen = pd.concat([towns, parts])
    return [list(row) for row in zip(chosen["name"], chosen["lon"], chosen["lat"], strict=True)]


def _view(
    pane: Pane, limits: Sequence[float], ramp: Sequence[Colour], accent: Colour, most: int, alpha: int
) -> dict[str, Any]:
    level = pane.zones["level"].to_numpy()
    drawable = np.flatnonzero((level >= 0) | pane.zones[["lat", "lon"]].notna().all(axis=1).to_numpy())[:most]
    order = drawable[np.argsort(level[drawable], kind="stable")]  # coarse first: finer ones lie above
    table = pane.zones.iloc[order]
    values = np.asarray(pane.values, dtype=np.float64)[order]
    zones: dict[str, Any] = {
        "zone": table["zone"].tolist(),
        "name": table["name"].tolist(),
        "level": table["level"].tolist(),
        "step": steps(values, limits if pane.limits is None else pane.limits).tolist(),
        "failing": table["failing"].tolist(),
        "mark": ([0] * len(order)) if pane.marks is None else pane.marks[order].tolist(),
        "figures": [[word, _plain(table[name])] for name, word in pane.words.items() if name in table],
    }
    line = None
    if set(BOX) <= set(table.columns):
        zones["box"] = table[BOX].to_numpy().tolist()
        # Boxes overlap: they are drawn through each other, with their own colour at the edges.
        alpha, line = 60, [*ramp[-2], 150]
    elif (table["level"] < 0).any():
        zones["at"] = table[["lon", "lat"]].to_numpy().tolist()
    version = hashlib.sha256(json.dumps([zones, ramp, alpha]).encode()).hexdigest()[:16]
    return {
        "id": pane.id,
        "title": pane.title,
        "note": pane.note,
        "rule": pane.rule,
        "fails": pane.fails,
        "alt": pane.alt,
        "legend": pane.legend,
        "colour": list(accent),
        "ramp": [[*colour, alpha] for colour in ramp],
        "line": line,
        "outlined": pane.outlined,
        "clicks": pane.clicks,
        "version": version,
        "zones": zones,
        "selected": list(pane.selected),
        "fresh": list(pane.fresh),
        "rings": [list(ring) for ring in pane.rings],
        "flows": [] if pane.flows is None else _arcs(pane.flows),
    }


def _plain(values: pd.Series) -> list[float | None]:
    rounded = values.to_numpy(np.float64).round(1)
    return [None if not np.isfinite(v) else int(v) if v == int(v) else float(v) for v in rounded]


def _arcs(flows: pd.DataFrame) -> list[list[float]]:
    ends = flows.head(MOST_ARCS)[["from_lon", "from_lat", "to_lon", "to_lat"]].to_numpy(np.float64).round(5)
    rest = flows.head(MOST_ARCS)[["volume", "incoming"]].to_numpy(np.float64)
    return [[*a, *b] for a, b in zip(ends.tolist(), rest.tolist(), strict=True)]
