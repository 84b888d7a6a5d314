"""Maps of zones as pydeck Decks, for a notebook: `zones_map(zone_table(release))` in the last line of a cell draws it.

An offline basemap below, hexagons by cell id, what fails outlined in amber. A Deck made here requests nothing from
outside (`map_provider=None` and no `map_style`). The app draws the same tables by odk/viz/twin.py and does not need
pydeck.
"""

import json
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pydeck as pdk

from odk.viz import basemap
from odk.viz.basemap import Box
from odk.viz.maps import MOST_ZONES, Window, breaks, steps, window
from odk.viz.theme import Palette, count, hexcode, palette
from odk.viz.zones import BOX


class Map(pdk.Deck):  # type: ignore[misc]
    """A Deck whose JSON has no spaces: pydeck indents it, and coordinates then weigh five times as much."""

    def to_json(self) -> str:
        """The map as deck.gl's JSON."""
        return json.dumps(json.loads(super().to_json()), separators=(",", ":"), ensure_ascii=False)


def zones_map(
    zones: pd.DataFrame,
    where: Window | None = None,
    *,
    view: str = "participants",
    figure_shown: str = "density",
    limits: Sequence[float] | None = None,
    mode: str | None = "light",
    most: int = MOST_ZONES,
) -> Map:
    """A map of the zones of `zone_table`, coloured by one of FIGURES in the ramp of a view; failing ones outlined.

    where: the part of the world to show; None takes that of the zones.
    """
    p = palette(mode)
    where = window(zones["lat"], zones["lon"], zones["trips"]) if where is None else where
    shown = zones.head(most)
    scale = breaks([shown[figure_shown]]) if limits is None else limits
    layers = [
        *map(_base, basemap.ground_shapes(where.box, mode)),
        *zone_layers(shown, steps(shown[figure_shown], scale), p, view),
        *map(_base, basemap.line_shapes(where.box, mode)),
        *_labels(_inner(where.seen), mode),
    ]
    return Map(layers, initial_view_state=_state(where), map_provider=None, tooltip=_tooltip(zones, p))


def _inner(seen: Box) -> Box:
    """Where names may stand: what is seen, less a margin for half their length."""
    w, s, e, n = seen
    wide, high = 0.12 * (e - w), 0.05 * (n - s)
    return (w + wide, s + high, e - wide, n - high)


def zone_layers(shown: pd.DataFrame, step: npt.NDArray[np.int64], p: Palette, view: str) -> list[pdk.Layer]:
    """Hexagons for H3 zones, rectangles for boxes, discs for others; those with failing cells get an amber outline."""
    rows = _rows(shown, step)
    fails = rows["failing"] != "0"
    common: dict[str, Any] = {"pickable": True, "stroked": True, "line_width_units": pdk.types.String("pixels")}
    # Boxes overlap: they are drawn through each other, with their own colour at the edges.
    seen = (60, [*p.ramp(view)[-2], 150]) if "polygon" in rows else (245, [*p.outline, 255])
    fill = {"get_fill_color": _colour_expression(p, view, seen[0]), "get_line_color": seen[1], "get_line_width": 0.8}
    layers = [_shape(rows, "zones", filled=True, auto_highlight=True, highlight_color=[*p.text, 70], **fill, **common)]
    failing = rows[fails]
    if len(failing):
        edge = common | {"pickable": False, "filled": False}
        # The more cells of a zone fail, the heavier its outline: one, up to four, more.
        width = "weight == 0 ? 1.5 : weight == 1 ? 2.5 : 4"
        layers.append(_shape(failing, "failing", get_line_color=list(p.failing), get_line_width=width, **edge))
    return layers


def _colour_expression(p: Palette, view: str, alpha: int) -> str:
    """The colour of a row by its step, computed in the browser: a column of colours would weigh more than the ids.

    Nested conditions, because deck.gl's expressions cannot look into a list.
    """
    *first, last = [str([*colour, alpha]) for colour in p.ramp(view)]
    return "".join(f"step == {i} ? {colour} : " for i, colour in enumerate(first)) + last


def _shape(rows: pd.DataFrame, name: str, **options: Any) -> pdk.Layer:
    if "polygon" in rows:
        return pdk.Layer("PolygonLayer", rows, id=name, get_polygon="polygon", **options)
    if (rows["level"] >= 0).all():
        # high_precision: cells of several resolutions, and none shifted to the shape of the first.
        more = {"get_hexagon": "zone", "high_precision": True, "extruded": False}
        return pdk.Layer("H3HexagonLayer", rows, id=name, **more, **options)
    return pdk.Layer(
        "ScatterplotLayer", rows, id=name, get_position="[lon, lat]", get_radius=7, radius_units="'pixels'", **options
    )


def _rows(shown: pd.DataFrame, step: npt.NDArray[np.int64]) -> pd.DataFrame:
    """What is sent to the browser: id, colour step and the texts of the tooltip, nothing else.

    Coarse zones come first, so that finer ones, whose edges do not follow theirs exactly, are drawn above them.
    """
    order = np.argsort(shown["level"].to_numpy(), kind="stable")
    shown, step = shown.iloc[order].reset_index(drop=True), step[order]
    rows = pd.DataFrame({"zone": shown["zone"], "level": shown["level"], "step": step})
    rows["name"] = [escape(name) for name in shown["name"]]
    for column in ("trips", "flows", "failing", "leaves", "persons", "population"):
        if column in shown:
            rows[column] = [count(v) for v in shown[column].tolist()]
    rows["weight"] = np.searchsorted([2, 5], shown["failing"].to_numpy(), side="right")
    if set(BOX) <= set(shown.columns):
        sides = zip(*(shown[side].tolist() for side in BOX), strict=True)
        rings = [[[w, s], [e, s], [e, n], [w, n], [w, s]] for w, s, e, n in sides]
        rows["polygon"] = pd.Series(rings, dtype=object)
    elif not (shown["level"] >= 0).all():
        rows["lat"], rows["lon"] = shown["lat"], shown["lon"]
    return rows


def _tooltip(zones: pd.DataFrame, p: Palette) -> dict[str, Any]:
    words = {"trips": "trips", "population": "weighted trips (population)", "persons": "persons"}
    lines = ["<b>{name}</b>", *(f"{{{name}}} {word}" for name, word in words.items() if name in zones)]
    lines += ["{flows} published flows, {failing} failing"]
    lines += ["{leaves} leaves observed"] if "leaves" in zones else []
    style = {
        "backgroundColor": hexcode(p.background),
        "color": hexcode(p.text),
        "fontSize": "13px",
        "border": f"1px solid {hexcode(p.border)}",
        "borderRadius": "6px",
    }
    return {"html": "<br>".join(lines), "style": style}


def _state(where: Window) -> pdk.ViewState:
    """The view of a Deck; zooming out stops where the basemap ends."""
    return pdk.ViewState(
        latitude=where.lat, longitude=where.lon, zoom=where.zoom, min_zoom=where.zoom - 1.2, max_zoom=16, pitch=0
    )


def _base(shape: basemap.Shape) -> pdk.Layer:
    """A part of the basemap as a layer."""
    rows = [{"type": "Feature", "properties": {}, "geometry": geometry} for geometry in shape.geometries]
    data = {"type": "FeatureCollection", "features": rows}
    look: dict[str, Any] = {"filled": True, "stroked": False, "get_fill_color": list(shape.colour)}
    if shape.width:
        pixels = {"get_line_width": shape.width, "line_width_units": pdk.types.String("pixels")}
        look = {"filled": False, "stroked": True, "get_line_color": list(shape.colour)} | pixels
    return pdk.Layer("GeoJsonLayer", data, id=f"base-{shape.id}", pickable=False, **look)


def _labels(box: Box, mode: str | None = "light", most: int = 9) -> tuple[pdk.Layer, ...]:
    """Names of the largest places of a window, to draw above the zones."""
    chosen = basemap.chosen_places(box, most)
    if chosen.empty:
        return ()
    p = palette(mode)
    layer = pdk.Layer(
        "TextLayer",
        chosen[["name", "lon", "lat"]],
        id="base-places",
        pickable=False,
        get_position="[lon, lat]",
        get_text="name",
        get_size=13,
        get_color=list(p.text),
        font_family=pdk.types.String("Source Sans, system-ui, sans-serif"),
        font_weight=600,
        character_set=pdk.types.String("auto"),
        background=True,
        get_background_color=[*p.halo, 170],
        background_padding=[3, 0, 3, 1],
    )
    return (layer,)
