"""Maps of zones as pydeck Decks: an offline basemap below, hexagons by cell id, what fails outlined in amber.

A Deck made here requests nothing from outside (`map_provider=None` and no `map_style`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import atan, degrees, exp, log, log2, pi, radians, tan
from typing import Any

import h3
import numpy as np
import numpy.typing as npt
import pandas as pd
import pydeck as pdk

from odk.viz import basemap
from odk.viz.basemap import Box
from odk.viz.theme import Palette, count, figure, hexcode, palette
from odk.viz.zones import BOX

MOST_ZONES = 10_000  # drawn by default; more make a browser slow
STEPS = 7  # colours of a ramp
FIGURES = {
    "density": "trips per km²",
    "trips": "trips",
    "population": "weighted trips (population)",
    "persons": "persons",
    "other_way": "trips the other way (in, for origins; out, for destinations)",
    "flows": "published flows",
    "leaves": "size: leaves observed",
    "level": "level of the zone",
}


class Map(pdk.Deck):  # type: ignore[misc]
    """A Deck whose JSON has no spaces: pydeck indents it, and coordinates then weigh five times as much."""

    def to_json(self) -> str:
        """The map as deck.gl's JSON."""
        return json.dumps(json.loads(super().to_json()), separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True)
class Window:
    """What a map shows at first: the middle in degrees and the zoom (Web Mercator)."""

    lat: float
    lon: float
    zoom: float
    seen: Box
    """What is within the frame at this zoom."""
    box: Box
    """What the basemap covers: as much again on every side."""
    width: int = 500
    height: int = 430
    """Of the map it was made for, in pixels."""

    def state(self) -> pdk.ViewState:
        """The view of a Deck; zooming out stops where the basemap ends."""
        return pdk.ViewState(
            latitude=self.lat, longitude=self.lon, zoom=self.zoom, min_zoom=self.zoom - 1.2, max_zoom=16, pitch=0
        )


def _mercator(lat: float) -> float:
    return log(tan(pi / 4 + radians(max(-85.0, min(85.0, lat))) / 2))


def window(
    lat: npt.ArrayLike,
    lon: npt.ArrayLike,
    volume: npt.ArrayLike | None = None,
    *,
    zones: Sequence[str] = (),
    width: int = 500,
    height: int = 430,
) -> Window:
    """The window (width x height pixels) that shows all but the outermost 1% of the volume at these points.

    `zones`: H3 cells to show as well, as far as that does not make the window more than four times as wide.
    """
    y, x = np.asarray(lat, np.float64), np.asarray(lon, np.float64)
    v = np.ones(y.size) if volume is None else np.asarray(volume, np.float64)
    if y.size == 0:
        return Window(46.5, 2.5, 4.0, (-6.0, 41.0, 10.0, 51.5), (-6.0, 41.0, 10.0, 51.5))
    if x.max() - x.min() > 180:  # across the antimeridian
        x = x % 360
    south, north = _ends(y, v)
    west, east = _ends(x, v)
    if zones:
        corners = np.array([corner for zone in zones for corner in h3.cell_to_boundary(zone)])
        shift = 360 * np.round(((west + east) / 2 - corners[:, 1]) / 360)
        south, north = _stretched(south, north, corners[:, 0])
        west, east = _stretched(west, east, corners[:, 1] + shift)
    middle = (_mercator(south) + _mercator(north)) / 2
    centre = degrees(2 * atan(exp(middle)) - pi / 2)
    wide = max(east - west, 0.01) * 1.12
    high = max(degrees(_mercator(north) - _mercator(south)), 0.01) * 1.12
    zoom = min(log2(width * 360 / (512 * wide)), log2(height * 360 / (512 * high)), 14.0)
    # The basemap's box is in quarter degrees, so that windows repeat and their layers are made once.
    across, up = width * 360 / (512 * 2**zoom), height * 360 / (512 * 2**zoom) * float(np.cos(np.radians(centre)))
    lon0 = (west + east) / 2
    box = (lon0 - 1.5 * across, centre - 1.5 * up, lon0 + 1.5 * across, centre + 1.5 * up)
    outward = [np.floor(box[0] * 4), np.floor(box[1] * 4), np.ceil(box[2] * 4), np.ceil(box[3] * 4)]
    w, s, e, n = (float(side) / 4 for side in outward)
    seen = (lon0 - across / 2, centre - up / 2, lon0 + across / 2, centre + up / 2)
    return Window(centre, lon0, zoom, seen, (w, max(s, -85.0), e, min(n, 85.0)), width, height)


def _stretched(low: float, high: float, corners: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The interval with the corners, but no more than 1.5 times its length farther on either side."""
    most = 1.5 * max(high - low, 0.01)
    return max(min(low, float(corners.min())), low - most), min(max(high, float(corners.max())), high + most)


def _ends(values: npt.NDArray[np.float64], volume: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The values that 0.5% of the volume lie below, and above."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(volume[order]) / volume.sum()
    at = np.searchsorted(share, [0.005, 0.995]).clip(0, len(order) - 1)
    return float(values[order[at[0]]]), float(values[order[at[1]]])


def breaks(values: Sequence[npt.ArrayLike]) -> tuple[float, ...]:
    """Limits between the steps of the colour ramp, common to several maps: evenly spaced on a log scale.

    Few different values (levels, say) are told apart one by one; outliers beyond 2% and 98% share the end colours.
    """
    every = np.concatenate([np.asarray(v, np.float64).ravel() for v in values] or [np.zeros(0)])
    every = every[np.isfinite(every)]
    distinct = np.unique(every)
    if distinct.size <= 1:
        return ()
    if distinct.size <= STEPS:
        return tuple(((distinct[1:] + distinct[:-1]) / 2).tolist())
    low, high = np.quantile(every, [0.02, 0.98])
    if low <= 0 or high <= low:
        return tuple(np.unique(np.quantile(every, np.linspace(0, 1, STEPS + 1)[1:-1])).tolist())
    return tuple(np.geomspace(low, high, STEPS + 1)[1:-1].tolist())


def steps(values: npt.ArrayLike, limits: Sequence[float]) -> npt.NDArray[np.int64]:
    """The step of the ramp for each value: spread over all colours where there are fewer limits than colours."""
    step = np.searchsorted(np.asarray(limits), np.nan_to_num(np.asarray(values, np.float64)), side="right")
    if not len(limits):
        return np.full(step.shape, STEPS // 2, dtype=np.int64)
    return np.round(step * (STEPS - 1) / len(limits)).astype(np.int64)


def zones_map(
    zones: pd.DataFrame,
    where: Window,
    *,
    view: str = "participants",
    figure_shown: str = "density",
    limits: Sequence[float] | None = None,
    mode: str | None = "light",
    most: int = MOST_ZONES,
    outlined: bool = True,
) -> Map:
    """A map of the zones of `zone_table`, coloured by one of FIGURES in the ramp of a view; failing ones outlined."""
    p = palette(mode)
    shown = zones.head(most)
    scale = breaks([shown[figure_shown]]) if limits is None else limits
    layers = [
        *basemap.ground(where.box, mode),
        *zone_layers(shown, steps(shown[figure_shown], scale), p, view, outlined=outlined),
        *basemap.lines(where.box, mode),
        *basemap.labels(_inner(where.seen), mode),
    ]
    return Map(layers, initial_view_state=where.state(), map_provider=None, tooltip=_tooltip(zones, p))


def _inner(seen: Box) -> Box:
    """Where names may stand: what is seen, less a margin for half their length."""
    w, s, e, n = seen
    wide, high = 0.12 * (e - w), 0.05 * (n - s)
    return (w + wide, s + high, e - wide, n - high)


def zone_layers(
    shown: pd.DataFrame, step: npt.NDArray[np.int64], p: Palette, view: str, *, outlined: bool = True
) -> list[pdk.Layer]:
    """Hexagons for H3 zones, rectangles for boxes, discs for others; those with failing cells get an amber outline."""
    rows = _rows(shown, step)
    fails = rows["failing"] != "0"
    common: dict[str, Any] = {"pickable": True, "stroked": True, "line_width_units": pdk.types.String("pixels")}
    # Boxes overlap: they are drawn through each other, with their own colour at the edges.
    seen = (60, [*p.ramp(view)[-2], 150]) if "polygon" in rows else (245, [*p.outline, 255])
    fill = {"get_fill_color": _colour_expression(p, view, seen[0]), "get_line_color": seen[1], "get_line_width": 0.8}
    layers = [_shape(rows, "zones", filled=True, auto_highlight=True, highlight_color=[*p.text, 70], **fill, **common)]
    failing = rows[fails]
    if len(failing) and outlined:
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


def legend(
    values: Sequence[npt.ArrayLike],
    view: str,
    figure_shown: str,
    mode: str | None = "light",
    *,
    fails: bool = False,
    marks: bool = False,
    arcs: bool = False,
) -> str:
    """HTML of the legend of maps that share a scale: each value where there are few, else the ends of the ramp.

    `values`: the figures of all these maps. `fails`: say what amber means; `marks`: what + and − mean;
    `arcs`: which are outgoing and incoming.
    """
    p, limits = palette(mode), breaks(values)
    swatch = "display:inline-block;width:1.4em;height:0.8em;"

    def box(step: int) -> str:
        return f'<span style="{swatch}background:{hexcode(p.ramp(view)[step])}"></span>'

    every = np.unique(np.concatenate([np.asarray(v, np.float64).ravel() for v in values] or [np.zeros(0)]))
    if every.size <= STEPS:
        short = [f"{value:,.0f}" if value == round(value) else figure(value) for value in every.tolist()]
        pairs = zip(steps(every, limits).tolist(), short, strict=True)
        scale = " &nbsp; ".join(f"{box(step)} {text}" for step, text in pairs)
    else:
        used = sorted(set(steps(np.append(limits, np.inf), limits).tolist()) | {0})
        scale = f"{figure(limits[0])} or less {''.join(map(box, used))} {figure(limits[-1])} or more"
    text = f"{FIGURES.get(figure_shown, figure_shown)}: {scale}"
    if fails:
        amber = f'<span style="{swatch}border:3px solid {hexcode(p.failing)};box-sizing:border-box"></span>'
        text += f" &nbsp; {amber} a flow fails the other rule"
    if marks:
        text += " &nbsp; <b>+</b> finer here &nbsp; <b>−</b> coarser"
    if arcs:
        line = "display:inline-block;width:1.4em;height:0;vertical-align:middle;border-top:3px solid "
        words = ((p.text, "out"), (p.good, "in"))
        text += "".join(f' &nbsp; <span style="{line}{hexcode(colour)}"></span> {word}' for colour, word in words)
    return f'<div style="font-size:0.8rem;color:{hexcode(p.faint)}">{text}</div>'


def describe(zones: pd.DataFrame, what: str) -> str:
    """The map in a sentence, for those who cannot see it."""
    if zones.empty:
        return f"{what}: no zone is published."
    levels = zones["level"]
    reach = f", levels {levels.min()} to {levels.max()}" if levels.min() >= 0 else ""
    failing = int((zones["failing"] > 0).sum())
    return f"{what}: {len(zones):,} zones{reach}; {failing:,} of them have a flow that fails the other rule."
