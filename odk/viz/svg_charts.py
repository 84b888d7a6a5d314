"""Charts as SVG text, for pages that must open anywhere: drawn by hand, since Altair draws in a browser or needs one.

One kind serves all: a dot plot, a row a thing, a mark a series, on a linear or logarithmic axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10
from typing import Literal

Shape = Literal["dot", "ring", "square", "diamond", "tick"]
ROW, LABEL, RIGHT, TOP, FOOT = 24, 150, 70, 34, 46
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Series:
    """How one kind of mark looks. Shapes differ as well as colours, so that nobody needs to see colours."""

    name: str
    colour: str
    """A CSS colour, or a variable of the page."""
    shape: Shape = "dot"


def dot_plot(
    rows: Sequence[tuple[str, Mapping[str, float | None]]],
    series: Sequence[Series],
    *,
    title: str,
    axis: str,
    log: bool = True,
    width: int = 760,
) -> str:
    """SVG of a dot plot. `rows`: label and value by the name of a series; an empty mapping makes a heading of the label."""
    values = [v for _, found in rows for v in found.values() if v is not None and isfinite(v) and (v > 0 or not log)]
    height = TOP + ROW * len(rows) + FOOT
    if not values:
        return f'<svg viewBox="0 0 {width} 40" role="img"><text x="0" y="24">{escape(title)}: no figures</text></svg>'
    ticks = _ticks(min(values), max(values), log)
    scale = _Scale(ticks[0], ticks[-1], LABEL, width - RIGHT, log)
    words = "; ".join(f"{label}: {_spoken(found)}" for label, found in rows if found)
    parts = [
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(f"{title}. {words}")}" class="chart" '
        'xmlns="http://www.w3.org/2000/svg">',
        *_legend(series),
    ]
    bottom = TOP + ROW * len(rows)
    for tick in ticks:
        x = scale(tick)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" class="grid"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" class="tick" text-anchor="middle">{_tick(tick)}</text>')
    parts.append(
        f'<text x="{(LABEL + width - RIGHT) / 2:.0f}" y="{bottom + 36}" class="axis" text-anchor="middle">{escape(axis)}</text>'
    )
    for number, (label, found) in enumerate(rows):
        y = TOP + ROW * (number + 0.5)
        kind = "label" if found else "heading"
        anchor = f'x="{LABEL - 10}" text-anchor="end"' if found else 'x="0"'
        parts.append(f'<text {anchor} y="{y + 4:.1f}" class="{kind}">{escape(label)}</text>')
        if found:
            parts.append(f'<line x1="{LABEL}" x2="{width - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="row"/>')
        for each in series:
            value = found.get(each.name)
            if value is not None and isfinite(value) and (value > 0 or not log):
                parts.append(_mark(each, scale(value), y, f"{label}, {each.name}: {value:,.4g}"))
    return "".join([*parts, "</svg>"])


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    left: float
    right: float
    log: bool

    def __call__(self, value: float) -> float:
        low, high, at = (log10(v) if self.log else v for v in (self.low, self.high, value))
        return self.left + (self.right - self.left) * ((at - low) / (high - low) if high > low else 0.5)


def _ticks(low: float, high: float, log: bool) -> list[float]:
    """Powers of ten around the values, or six even steps from zero."""
    if log:
        first, last = floor(log10(low)), ceil(log10(high))
        step = max(1, ceil((last - first) / 7))
        last = first + step * max(1, ceil((last - first) / step))
        return [10.0**power for power in range(first, last + 1, step)]
    top = max(high, 1e-9)
    unit = 10.0 ** floor(log10(top))
    even = next(s * unit / 10 for s in (1, 2, 5, 10, 20) if s * unit / 10 * 6 >= top)
    return [even * i for i in range(ceil(top / even) + 1)]


def _tick(value: float) -> str:
    if value >= 1e6 or 0 < value < 0.01:
        return f"10{str(round(log10(value))).translate(SUPERSCRIPT)}"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _spoken(found: Mapping[str, float | None]) -> str:
    return ", ".join(f"{name} {value:,.4g}" for name, value in found.items() if value is not None)


def _legend(series: Sequence[Series]) -> list[str]:
    parts: list[str] = []
    x = float(LABEL)
    for each in series:
        parts.append(_mark(each, x, 14, each.name))
        parts.append(f'<text x="{x + 12:.0f}" y="18" class="legend">{escape(each.name)}</text>')
        x += 30 + 7.2 * len(each.name)
    return parts


def _mark(series: Series, x: float, y: float, words: str) -> str:
    tip = f"<title>{escape(words)}</title>"
    fill, line = f'fill="{series.colour}"', f'fill="none" stroke="{series.colour}" stroke-width="2.2"'
    match series.shape:
        case "ring":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" {line}>{tip}</circle>'
        case "square":
            return f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" {fill}>{tip}</rect>'
        case "diamond":
            return f'<path d="M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7 -7z" {fill}>{tip}</path>'
        case "tick":
            return f'<rect x="{x - 1.6:.1f}" y="{y - 8:.1f}" width="3.2" height="16" {fill}>{tip}</rect>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" {fill}>{tip}</circle>'
