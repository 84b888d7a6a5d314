"""Maps as SVG: pictures of zones that need no script, no network and no tiles, and print well."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from math import cos, floor, log10, radians

import numpy as np

from odk.viz import basemap
from odk.viz.basemap import Box, Ring
from odk.viz.maps import steps
from odk.viz.theme import Palette, figure, hexcode, palette

WIDTH, HEIGHT = 520, 430
METRES_PER_DEGREE = 111_195.0


@dataclass(frozen=True)
class Shape:
    """A zone to draw: a ring of (lon, lat), or a single point."""

    ring: Ring
    value: float
    """What its colour shows."""
    area: float
    """Large ones are drawn first, so that small ones lie on top."""


@dataclass(frozen=True)
class Frame:
    """A window in degrees and how it is laid on the picture: x by the cosine of its middle latitude."""

    box: Box
    width: int = WIDTH
    height: int = HEIGHT

    @cached_property
    def scale(self) -> tuple[float, float]:
        """Pixels per degree of longitude and of latitude."""
        west, south, east, north = self.box
        shrink = max(cos(radians((south + north) / 2)), 0.05)
        unit = min(self.width / max((east - west) * shrink, 1e-9), self.height / max(north - south, 1e-9))
        return unit * shrink, unit

    @cached_property
    def seen(self) -> Box:
        """What the whole picture shows: the box and what its shape adds."""
        west, south, east, north = self.box
        x, y = self.scale
        lon, lat = (west + east) / 2, (south + north) / 2
        return (
            lon - self.width / x / 2,
            max(lat - self.height / y / 2, -90.0),
            lon + self.width / x / 2,
            min(lat + self.height / y / 2, 90.0),
        )

    def point(self, lon: float, lat: float) -> tuple[float, float]:
        """Pixels of a place."""
        west, south, east, north = self.box
        x, y = self.scale
        return (
            self.width / 2 + (lon - (west + east) / 2) * x,
            self.height / 2 - (lat - (south + north) / 2) * y,
        )

    def path(self, ring: Ring, *, closed: bool = True) -> str:
        """SVG path of a ring or line, to a tenth of a pixel."""
        west, south, east, north = self.box
        x, y = self.scale
        left, top = self.width / 2 - (west + east) / 2 * x, self.height / 2 + (south + north) / 2 * y
        at = [f"{left + lon * x:.1f},{top - lat * y:.1f}" for lon, lat in ring]
        kept = [p for i, p in enumerate(at) if i == 0 or p != at[i - 1]]
        if closed and len(kept) > 1 and kept[0] == kept[-1]:
            kept = kept[:-1]
        return f"M{'L'.join(kept)}{'Z' if closed else ''}"


def zone_map(
    shapes: Sequence[Shape],
    frame: Frame,
    view: str,
    limits: Sequence[float],
    label: str,
    name: str = "map",
    *,
    mode: str | None = "light",
    places: int = 8,
) -> str:
    """An SVG picture of zones on the offline basemap. `label` says in words what it shows; `name` is its own in a page."""
    p = palette(mode)
    box = frame.seen
    parts = [
        f'<svg viewBox="0 0 {frame.width} {frame.height}" role="img" aria-label="{escape(label)}">',
        f'<clipPath id="{escape(name)}-frame"><path d="M0,0H{frame.width}V{frame.height}H0Z"/></clipPath>',
        f'<g clip-path="url(#{escape(name)}-frame)">',
        _ground(frame, box, p),
        _zones(shapes, frame, view, limits, p),
        _overlay(frame, box, p, places),
        "</g>",
        _scale_bar(frame, p),
        f'<path d="M0.5,0.5H{frame.width - 0.5}V{frame.height - 0.5}H0.5Z" fill="none" stroke="{hexcode(p.border)}"/>',
        "</svg>",
    ]
    return "".join(parts)


def _zones(shapes: Sequence[Shape], frame: Frame, view: str, limits: Sequence[float], p: Palette) -> str:
    ramp = [hexcode(colour) for colour in p.ramp(view)]
    step = steps(np.array([shape.value for shape in shapes], dtype=np.float64), limits).tolist()
    order = sorted(range(len(shapes)), key=lambda i: (-shapes[i].area, shapes[i].ring[0]))
    drawn = []
    for i in order:
        ring, colour = shapes[i].ring, ramp[step[i]]
        lons, lats = zip(*ring, strict=True)
        if not basemap.meets((min(lons), min(lats), max(lons), max(lats)), frame.seen):
            continue
        if len(ring) == 1:
            x, y = frame.point(*ring[0])
            drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
        else:
            drawn.append(f'<path d="{frame.path(ring)}" fill="{colour}"/>')
    return f'<g class="zones" fill-opacity="0.88" stroke="{hexcode(p.outline)}" stroke-width="0.7">{"".join(drawn)}</g>'


def _ground(frame: Frame, box: Box, p: Palette) -> str:
    """Sea and land, below the zones."""
    if not basemap.features("world"):
        return '<g class="base"></g>'
    name = "france_land" if basemap.inside(box, basemap.FINE) else "world"
    land = []
    for bounds, geometry in basemap.features(name):
        if basemap.meets(bounds, box):
            rings = [clipped for ring in geometry["coordinates"] if len(clipped := basemap.clip_ring(ring, box)) > 2]
            land += [frame.path(ring) for ring in rings]
    sea = f'<path d="M0,0H{frame.width}V{frame.height}H0Z" fill="{hexcode(p.sea)}"/>'
    return f'<g class="base">{sea}<path d="{"".join(land)}" fill="{hexcode(p.land)}" fill-rule="evenodd"/></g>'


def _overlay(frame: Frame, box: Box, p: Palette, places: int) -> str:
    """Rivers, borders and names of places, above the zones."""
    if not basemap.features("world"):
        return '<g class="base"></g>'
    if basemap.inside(box, basemap.FINE):
        kinds = [("france_rivers", p.river, 1.2), ("france_regions", p.border, 0.7), ("france_borders", p.border, 1.3)]
    else:
        kinds = [("world", p.border, 0.7)]
    drawn = []
    for name, colour, width in kinds:
        d = "".join(frame.path(line, closed=False) for line in _lines(name, box))
        if d:
            drawn.append(f'<path d="{d}" fill="none" stroke="{hexcode(colour)}" stroke-width="{width}"/>')
    for row in basemap.chosen_places(box, most=places).itertuples():
        x, y = frame.point(float(row.lon), float(row.lat))  # type: ignore[arg-type]
        side = "start" if x < 60 else "end" if x > frame.width - 60 else "middle"
        drawn.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" font-weight="600" text-anchor="{side}" fill="{hexcode(p.text)}" '
            f'stroke="{hexcode(p.halo)}" stroke-width="3" paint-order="stroke">{escape(str(row.name))}</text>'
        )
    return f'<g class="base">{"".join(drawn)}</g>'


def _lines(name: str, box: Box) -> list[Ring]:
    """Runs of the lines (or edges) of a file that meet a box."""
    runs: list[Ring] = []
    for bounds, geometry in basemap.features(name):
        if not basemap.meets(bounds, box):
            continue
        for line in geometry["coordinates"]:
            run: Ring = []
            for a, b in pairwise(line):
                near = (min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]))
                if basemap.meets(near, box):
                    run = run or [a]
                    run.append(b)
                elif run:
                    runs.append(run)
                    run = []
            if run:
                runs.append(run)
    return runs


def _scale_bar(frame: Frame, p: Palette) -> str:
    """A bar of a round length, about a fifth of the picture."""
    metres = METRES_PER_DEGREE / frame.scale[1] * frame.width / 5
    power = 10.0 ** floor(log10(max(metres, 1e-3)))
    length = max(n for n in (1, 2, 5) if n * power <= metres * 1.0001) * power
    pixels = length * frame.scale[1] / METRES_PER_DEGREE
    text = f"{length / 1000:g} km" if length >= 1000 else f"{length:g} m"
    y, colour = frame.height - 12, hexcode(p.text)
    return (
        f'<g class="scale"><path d="M12,{y - 5}V{y}H{12 + pixels:.1f}V{y - 5}" fill="none" stroke="{colour}" '
        f'stroke-width="1.5"/><text x="{12 + pixels / 2:.1f}" y="{y - 6}" font-size="11" text-anchor="middle" '
        f'fill="{colour}" stroke="{hexcode(p.halo)}" stroke-width="3" paint-order="stroke">{text}</text></g>'
    )


def legend(limits: Sequence[float], view: str, label: str) -> str:
    """HTML of the colours and the values at their ends."""
    ramp = [hexcode(colour) for colour in palette("light").ramp(view)]
    used = sorted({0, *steps(np.append(np.asarray(limits), np.inf), limits).tolist()}) if limits else [len(ramp) // 2]
    boxes = "".join(
        f'<svg class="swatch" viewBox="0 0 20 10"><path d="M0,0H20V10H0Z" fill="{ramp[i]}"/></svg>' for i in used
    )
    ends = f"{figure(limits[0])} or less {boxes} {figure(limits[-1])} or more" if limits else boxes
    return f'<p class="legend">{escape(label)}: {ends}</p>'
