"""The walk of ODkAnon drawn: a table of zones for the map, and the curves of what it gains and what is left to gain."""

from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import log

import numpy as np
import pandas as pd

from odk.cells import Ints
from odk.hierarchy import Hierarchy
from odk.matrix import MICRO
from odk.protection import Protection
from odk.viz.names import zone_names
from odk.viz.theme import Colour, Palette, count, hexcode, palette, percent
from odk.viz.zones import node_places

LIMITS = (0.02, 0.2, 0.4, 0.6, 0.8, 0.98)
NAMED = 1_500  # more zones than this are not named: it would take longer than a frame
LEAST = {"trips": "least trips in a cell", "population": "least weighted trips in a cell", "persons": "least persons"}


def step_table(tree: Hierarchy, zones: pd.DataFrame, lead: str, most: int) -> pd.DataFrame:
    """The zones of `safe_share` as the map wants them, largest first, at most so many: zone, name, level, safe, ..."""
    largest = zones.sort_values(["volume", "node"], ascending=[False, True]).head(most)
    table = node_places(tree, largest["node"].to_numpy(np.int64))
    few = len(table) <= NAMED
    name = zone_names(table["lat"], table["lon"], table["level"]) if few else table["zone"]
    table.insert(1, "name", name)
    table[lead] = largest["volume"].to_numpy() / (MICRO if lead == "population" else 1)
    table["safe"] = largest["safe"].to_numpy()
    table["failing"] = 0
    return table


def merge_words(tree: Hierarchy, node: int, group: Ints, axis: str) -> str:
    """A merge in words: "7 origin zones become one: Antony, 7 km S, level 5"."""
    table = node_places(tree, np.array([node]))
    name = zone_names(table["lat"], table["lon"], table["level"])[0]
    if len(group) == 1:
        return f"One {axis[:-1]} zone with a single part moves up a level, which changes nothing on the map: {name}"
    return f"{len(group)} {axis[:-1]} zones become one: {name}"


def ramp(view: str, mode: str | None = "light") -> tuple[Colour, ...]:
    """Colours from nothing safe to all safe: grey first, dark enough to be seen as a dot, then those of the view."""
    p = palette(mode)
    return (p.ramp("neutral")[3], *p.ramp(view)[1:])


def legend(view: str, mode: str | None = "light") -> str:
    """HTML of the legend of the maps: the share of a zone that is in flows which reach the rule; what just merged."""
    p = palette(mode)
    swatch = "display:inline-block;width:1.4em;height:0.8em;"
    boxes = "".join(f'<span style="{swatch}background:{hexcode(colour)}"></span>' for colour in ramp(view, mode))
    new = f'<span style="{swatch}border:3px solid {hexcode(p.good)};box-sizing:border-box"></span>'
    text = f"in flows that reach the rule: 0% {boxes} 100% &nbsp; {new} merged since the last frame"
    return f'<div style="font-size:0.8rem;color:{hexcode(p.faint)}">{text}</div>'


@dataclass(frozen=True)
class _Axes:
    """Where a curve is drawn: a frame in pixels, and the scales that lead there."""

    left: float
    width: float
    top: float
    height: float
    most: float
    """Zones at the left edge; 2 at the right, on a log scale."""
    low: float
    high: float
    log: bool

    def x(self, zones: float) -> float:
        return self.left + self.width * (1 - log(max(zones, 2) / 2) / log(max(self.most, 3) / 2))

    def y(self, value: float) -> float:
        low, high, v = (
            (log(max(n, 1e-9)) for n in (self.low, self.high, value))
            if self.log
            else (
                self.low,
                self.high,
                value,
            )
        )
        return self.top + self.height * (1 - min(max((v - low) / (high - low), 0.0), 1.0))


def curves(
    data: pd.DataFrame,
    now: int,
    protection: Protection,
    budget: float,
    stop: tuple[str, int],
    mode: str | None = "light",
) -> str:
    """Two curves over the zones that are left (many to few) as SVG: the least cell, and what would be suppressed.

    `now`: the step that is shown; `stop`: the step at which an algorithm stops, and what is written there; both must be
    steps of the data. By hand, and not by altair, so that the browser can move the marks (class now) with every frame.
    """
    p = palette(mode)
    colour = hexcode(p.population if protection.lead == "population" else p.participants)
    measure = _measure(protection)
    threshold = protection.guards.get(measure, 0)
    goals = ((threshold, f"threshold {count(threshold)}"), (budget, f"budget {percent(budget, 0)}"))
    titles = (f"{LEAST[measure]} (log)", "share suppressed, were it to stop here")
    parts: list[str] = []
    row = data[data["step"] == stop[1]].iloc[0]
    now_at = spots(data, data[data["step"] == now], protection)[0]
    for at, field, title, goal, (x, y) in zip(
        _axes(data, protection), (measure, "suppressed"), titles, goals, now_at, strict=True
    ):
        end = at.x(row["zones"])
        room = at.left + at.width - end > 7 * len(stop[0])  # else its words stand on the other side of the line
        words = _text(end + (5 if room else -5), at.top + 10, stop[0], p.good, "start" if room else "end", 600)
        taken = (end, end + 7 * len(stop[0])) if room else (end - 7 * len(stop[0]), end)
        parts += _curve(at, data, field, title, goal, colour, p, taken)
        parts += [_line(end, at.top, end, at.top + at.height, p.good, 2), words]
        mark = _line(0, at.top, 0, at.top + at.height, p.text, 1)
        dot = f'<circle cx="0" cy="{y:.1f}" r="5" fill="{hexcode(p.text)}"/>'
        parts.append(f'<g class="now" transform="translate({x:.1f} 0)">{mark}{dot}</g>')
    halo = f'style="--halo:{hexcode(p.background)}"'
    return (
        f'<svg viewBox="0 0 1020 158" width="100%" role="img" aria-label="{LEAST[measure]} and share suppressed, '
        f'over the zones that are left" font-family="Source Sans, sans-serif" font-size="13" {halo}>{"".join(parts)}</svg>'
    )


def spots(data: pd.DataFrame, rows: pd.DataFrame, protection: Protection) -> list[list[list[float]]]:
    """Where steps lie on `curves(data, ...)`: for each row x and y on the first curve, and on the second, in pixels."""
    first, second = _axes(data, protection)
    known = zip(rows["zones"].tolist(), rows[_measure(protection)].tolist(), rows["suppressed"].tolist(), strict=True)
    return [
        [[round(first.x(z), 1), round(first.y(least), 1)], [round(second.x(z), 1), round(second.y(share), 1)]]
        for z, least, share in known
    ]


def _measure(protection: Protection) -> str:
    return "persons" if protection.persons is not None and protection.trips is None else protection.lead


def _axes(data: pd.DataFrame, protection: Protection) -> tuple[_Axes, _Axes]:
    most, least = float(data["zones"].max()), data[_measure(protection)]
    low = max(0.5, float(least.min()))
    return (
        _Axes(56, 430, 24, 96, most, low, max(float(least.max()), low * 2), True),
        _Axes(576, 430, 24, 96, most, 0.0, 1.0, False),
    )


def _curve(
    at: _Axes,
    data: pd.DataFrame,
    field: str,
    title: str,
    goal: tuple[float, str],
    colour: str,
    p: Palette,
    taken: tuple[float, float],
) -> list[str]:
    """Axes, the goal as a dashed line, and the curve; `taken`: where the words of the stop stand, from x to x."""
    ticks = [10.0**n for n in range(10) if at.low <= 10**n <= at.high] if at.log else [0.0, 0.5, 1.0]
    parts = [_text(at.left, at.top - 10, title, p.text, "start", 600)]
    for value in ticks[:: 1 + len(ticks) // 5]:
        y = at.y(value)
        parts.append(_line(at.left, y, at.left + at.width, y, p.region, 1))
        parts.append(_text(at.left - 6, y + 4, _short(value) if at.log else percent(value, 0), p.faint, "end"))
    for n in range(1, 7):
        if 10**n <= at.most:
            parts.append(_text(at.x(10**n), at.top + at.height + 16, _short(10**n), p.faint, "middle"))
    parts.append(_text(at.left + at.width, at.top + at.height + 30, "zones left", p.faint, "end"))
    y = at.y(goal[0])
    dash = f'stroke-dasharray="5 3" x1="{at.left}" x2="{at.left + at.width}" y1="{y:.1f}" y2="{y:.1f}"'
    parts.append(f'<line {dash} stroke="{hexcode(p.failing)}" stroke-width="1.5"/>')
    points = [(at.x(z), at.y(v)) for z, v in zip(data["zones"].tolist(), data[field].tolist(), strict=True)]
    way = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (_, before), (x, after) in pairwise(points):
        way += f"L{x:.1f} {before:.1f}L{x:.1f} {after:.1f}"
    parts.append(f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
    x, base = _free(at, points, y, 6.6 * len(goal[1]), taken)
    parts.append(_text(x, base, goal[1], p.text, "start"))
    return parts


def _free(
    at: _Axes, points: list[tuple[float, float]], y: float, wide: float, taken: tuple[float, float]
) -> tuple[float, float]:
    """Where words of a width can stand on a line at y without touching the curve: left and baseline; else at the left."""
    steps = [(min(a[0], b[0]), max(a[0], b[0]), min(a[1], b[1]), max(a[1], b[1])) for a, b in pairwise(points)]
    last = at.left + at.width - wide - 5
    for x in np.linspace(at.left + 5, last, 15).tolist():
        for base in (y - 5, y + 14):
            top, bottom = base - 12, base + 4
            inside = at.top - 2 <= top and bottom <= at.top + at.height + 2
            words = top < at.top + 14 and taken[0] - 4 < x + wide and x < taken[1] + 4
            hit = any(
                west < x + wide + 3 and east > x - 3 and north < bottom and south > top
                for west, east, north, south in steps
            )
            if inside and not words and not hit:
                return x, base
    return at.left + 5, y - 5 if y > at.top + 14 else y + 14


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.0f}{letter}"
    return f"{value:.0f}"


def _line(x1: float, y1: float, x2: float, y2: float, colour: Colour, width: float) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{hexcode(colour)}" stroke-width="{width}"/>'


def _text(x: float, y: float, words: str, colour: Colour, anchor: str, weight: int = 400) -> str:
    look = f'fill="{hexcode(colour)}" text-anchor="{anchor}" font-weight="{weight}"'
    look += ' stroke="var(--halo)" stroke-width="3" paint-order="stroke" stroke-linejoin="round"'  # read across lines
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(words)}</text>'
