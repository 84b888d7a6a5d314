"""The walk of ODkAnon drawn: a table of zones for the map, and the curves of what it gains and what is left to gain."""

from dataclasses import dataclass
from html import escape
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
    steps of the data. By hand, and not by altair, because it is drawn with every frame: 1 ms instead of 150.
    """
    p = palette(mode)
    colour = hexcode(p.population if protection.lead == "population" else p.participants)
    measure = "persons" if protection.persons is not None and protection.trips is None else protection.lead
    threshold = protection.guards.get(measure, 0)
    most = float(data["zones"].max())
    low = max(0.5, float(data[measure].min()))
    axes = [
        _Axes(56, 430, 24, 96, most, low, max(float(data[measure].max()), low * 2), True),
        _Axes(576, 430, 24, 96, most, 0.0, 1.0, False),
    ]
    parts = [
        *_curve(
            axes[0], data, measure, f"{LEAST[measure]} (log)", (threshold, f"threshold {count(threshold)}"), colour, p
        ),
        *_curve(
            axes[1],
            data,
            "suppressed",
            "share suppressed, were it to stop here",
            (budget, f"budget {percent(budget, 0)}"),
            colour,
            p,
        ),
    ]
    for at, field in ((axes[0], measure), (axes[1], "suppressed")):
        row = data[data["step"] == stop[1]].iloc[0]
        x = at.x(row["zones"])
        parts.append(_line(x, at.top, x, at.top + at.height, p.good, 2))
        parts.append(_text(x + 5, at.top + 10, stop[0], p.good, "start", 600))
        row = data[data["step"] == now].iloc[0]
        x, y = at.x(row["zones"]), at.y(row[field])
        parts.append(_line(x, at.top, x, at.top + at.height, p.text, 1))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{hexcode(p.text)}"/>')
    return (
        f'<svg viewBox="0 0 1020 158" width="100%" role="img" aria-label="{LEAST[measure]} and share suppressed, '
        f'over the zones that are left" font-family="Source Sans, sans-serif" font-size="13">{"".join(parts)}</svg>'
    )


def _curve(
    at: _Axes, data: pd.DataFrame, field: str, title: str, goal: tuple[float, str], colour: str, p: Palette
) -> list[str]:
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
    parts.append(_text(at.left + 5, y - 5 if y > at.top + 14 else y + 14, goal[1], p.text, "start"))
    way = ""
    last = None
    for zones, value in zip(data["zones"].tolist(), data[field].tolist(), strict=True):
        x, y = at.x(zones), at.y(value)
        way += f"M{x:.1f} {y:.1f}" if last is None else f"L{x:.1f} {last:.1f}L{x:.1f} {y:.1f}"
        last = y
    parts.append(f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return parts


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
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(words)}</text>'
