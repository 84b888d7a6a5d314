"""Maps and the list of largest flows of the report, from the published cells alone."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import h3
import numpy as np

from odk.export._flows import Flows
from odk.export._report_words import WORD, amount_text
from odk.matrix import MICRO
from odk.viz.basemap import Ring, note
from odk.viz.maps import breaks, window
from odk.viz.names import zone_names as place_names
from odk.viz.svg import HEIGHT, WIDTH, Frame, Shape, legend, zone_map

TOP = 12
KM_PER_DEGREE = 111.195
CLOSER = 2.2
"""How much larger a closer map must show the zones to be worth its place."""
ENDS = ("origin", "destination")


def lead_of(said: Mapping[str, Any]) -> str:
    """The guarded measure that maps and lists show."""
    return next(m for m in ("trips", "population", "persons") if m in said["guarded"])


def maps(said: Mapping[str, Any], flows: Flows, zones: Mapping[str, Any]) -> str:
    """Pictures of the origin zones and of the destination zones, side by side in one window and with one legend."""
    measure = lead_of(said)
    view = "population" if measure == "population" else "participants"
    drawn = {end: _shapes(flows, zones, end, i, measure) for i, end in enumerate(ENDS)}
    every = [shape for end in ENDS for shape in drawn[end]]
    if not every:
        return "<p>The zones have no place on a map: the hierarchy gives no centres.</p>"
    limits = breaks([[shape.value for shape in every]])
    points = all(len(shape.ring) == 1 for shape in every)
    unit = f"{WORD[measure]} of the published flows" + ("" if points else " per km²")
    kind = "boxes" if flows.boxes else "zones"
    whole = Frame(_box(every))
    frames = [("", whole), *((", the centre", frame) for frame in _closer(every, whole))]
    parts: list[str] = []
    for where, frame in frames:
        for end in ENDS:
            words = f"{said['zones'][f'{end}s']:,} {end} {kind}{where}"
            label = f"Map of {words}, coloured by {unit}"
            picture = zone_map(drawn[end], frame, view, limits, label, name=f"{end}{len(parts)}")
            parts.append(f"<figure><figcaption>{words}</figcaption>{picture}</figure>")
    about = f"<p class='legend base'>{escape(note(whole.seen))}</p>"
    return f"<div class='maps'>{''.join(parts)}</div>{legend(limits, view, unit)}{about}"


def _shapes(flows: Flows, zones: Mapping[str, Any], end: str, side: int, measure: str) -> list[Shape]:
    unit = MICRO if measure == "population" else 1
    sums: dict[str, int] = {}
    for place, value in zip(flows.places, flows.measures[measure].tolist(), strict=True):
        name = ",".join(place[4 * side : 4 * side + 4]) if flows.boxes else place[side]
        sums[name] = sums.get(name, 0) + value
    shapes = []
    for feature in zones["features"]:
        properties, geometry = feature["properties"], feature["geometry"]
        if not properties[end] or geometry is None:
            continue
        value = sums[properties["zone"]] / unit
        if geometry["type"] == "Point":
            shapes.append(Shape([geometry["coordinates"]], value, 0.0))
        else:
            ring = geometry["coordinates"][0]
            area = _area_km2(ring)
            shapes.append(Shape(ring, value / max(area, 1e-9), area))
    return shapes


def _area_km2(ring: Ring) -> float:
    """Area of a ring on a local plane; fine for a colour."""
    x, y = np.array(ring, dtype=np.float64).T
    x = x * np.cos(np.radians(y.mean())) * KM_PER_DEGREE
    y = y * KM_PER_DEGREE
    return float(abs(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1])) / 2)


def _box(shapes: list[Shape]) -> tuple[float, float, float, float]:
    """The window: all but the outermost flow, and zones as far as they do not make it much wider."""
    centres = np.array([np.mean(shape.ring, axis=0) for shape in shapes])
    volume = np.array([shape.value * max(shape.area, 1e-9) for shape in shapes])
    return window(centres[:, 1], centres[:, 0], volume, width=WIDTH, height=HEIGHT).seen


def _closer(shapes: list[Shape], whole: Frame) -> list[Frame]:
    """A closer window on the middle of the flow, where the zones there are too small to see in the whole."""
    centres = np.array([np.mean(shape.ring, axis=0) for shape in shapes])
    volume = np.array([shape.value * max(shape.area, 1e-9) for shape in shapes])
    box = []
    for axis in (0, 1):
        order = np.argsort(centres[:, axis], kind="stable")
        share = np.cumsum(volume[order]) / volume.sum()
        box.append([float(centres[order[np.searchsorted(share, at)], axis]) for at in (0.2, 0.8)])
    (west, east), (south, north) = box
    wide, high = max((east - west) * 0.15, 0.005), max((north - south) * 0.15, 0.005)
    near = (west - wide, south - high, east + wide, north + high)
    frame = Frame(near, whole.width, whole.height)
    return [frame] if frame.scale[1] > CLOSER * whole.scale[1] else []


def largest_flows(said: Mapping[str, Any], flows: Flows) -> str:
    """The first flows by size, with names that people can say."""
    if flows.boxes:
        return _table(said, flows, list(flows.places), ("origin box", "destination box"))
    h3_zones = said["hierarchy"] == "h3"
    order = _largest(said, flows)
    zones = sorted({name for i in order for name in flows.places[i]})
    called = _called(zones) if h3_zones else {}
    places = [tuple(called.get(name, "") or name for name in place) for place in flows.places]
    return _table(said, flows, places, ("from", "to"), called=h3_zones)


def _called(zones: list[str]) -> dict[str, str]:
    cells = [zone for zone in zones if h3.is_valid_cell(zone)]
    at = [h3.cell_to_latlng(zone) for zone in cells]
    levels = [h3.get_resolution(zone) for zone in cells]
    names = place_names([lat for lat, _ in at], [lon for _, lon in at], levels)
    return dict(zip(cells, names, strict=True))


def _largest(said: Mapping[str, Any], flows: Flows) -> list[int]:
    values = flows.measures[lead_of(said)].tolist()
    return sorted(range(len(flows)), key=lambda i: (-values[i], flows.places[i]))[:TOP]


def _table(
    said: Mapping[str, Any],
    flows: Flows,
    places: list[tuple[str, ...]],
    head: tuple[str, str],
    *,
    called: bool = False,
) -> str:
    rows = []
    for i in _largest(said, flows):
        sides = [", ".join(places[i][:4]), ", ".join(places[i][4:])] if flows.boxes else list(places[i])
        if called:
            pairs = zip(sides, flows.places[i], strict=True)
            cells = [
                f"<td><span class='place'>{escape(s)}</span><br><code>{escape(zone)}</code></td>" for s, zone in pairs
            ]
        else:
            cells = [f"<td>{escape(s)}</td>" for s in sides]
        amounts = [(m, int(v[i]) / MICRO if m == "population" else int(v[i])) for m, v in flows.measures.items()]
        cells += [f"<td class='n'>{amount_text(m, v)}</td>" for m, v in amounts]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    heads = [f"<th>{h}</th>" for h in head] + [f"<th class='n'>{WORD[m]}</th>" for m in flows.measures]
    return f"<table><tr>{''.join(heads)}</tr>{''.join(rows)}</table>"
