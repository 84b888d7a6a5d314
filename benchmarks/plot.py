"""Plots as SVG without a plotting library: points on two logarithmic axes, named."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

COLOURS = ("#0b61a4", "#c8382b", "#8a6d00", "#1b7f5c", "#6b3fa0", "#5a5a5a", "#b3478c", "#2f8fb3")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 860, 470, 70, 52, 46, 170


@dataclass(frozen=True)
class Series:
    """Points of one colour."""

    name: str
    points: tuple[tuple[float, float, str], ...]
    """x, y, and what to write beside the point."""
    line: bool = False


def _ticks(low: float, high: float) -> list[float]:
    return [10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def _words(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _free(taken: list[tuple[float, float, float]], x: float, y: float, width: float) -> float:
    """The nearest height at which a label of some width meets none that is there; it is noted as taken."""
    steps = [0, *(sign * 12 * n for n in range(1, 9) for sign in (1, -1))]
    for step in steps:
        clear = all(abs(y + step - other) >= 11 or x + width < left or x > right for left, right, other in taken)
        if clear:
            break
    taken.append((x, x + width, y + step))
    return y + step


def log_plot(title: str, x_name: str, y_name: str, series: Sequence[Series]) -> str:
    """An SVG of all series; values must be above 0."""
    xs = [p[0] for s in series for p in s.points]
    ys = [p[1] for s in series for p in s.points]
    x_ticks, y_ticks = _ticks(min(xs), max(xs)), _ticks(min(ys), max(ys))
    spans = [math.log10(t[-1] / t[0]) or 1.0 for t in (x_ticks, y_ticks)]

    def at(x: float, y: float) -> tuple[float, float]:
        along = LEFT + (WIDTH - LEFT - RIGHT) * math.log10(x / x_ticks[0]) / spans[0]
        up = (HEIGHT - BOTTOM) - (HEIGHT - TOP - BOTTOM) * math.log10(y / y_ticks[0]) / spans[1]
        return along, up

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="16" font-weight="bold">{escape(title)}</text>',
    ]
    for x in x_ticks:
        a, _ = at(x, y_ticks[0])
        out.append(f'<line x1="{a:.1f}" y1="{TOP}" x2="{a:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#e2e2e2"/>')
        out.append(f'<text x="{a:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{_words(x)}</text>')
    for y in y_ticks:
        _, b = at(x_ticks[0], y)
        out.append(f'<line x1="{LEFT}" y1="{b:.1f}" x2="{WIDTH - RIGHT}" y2="{b:.1f}" stroke="#e2e2e2"/>')
        out.append(f'<text x="{LEFT - 6}" y="{b + 4:.1f}" text-anchor="end">{_words(y)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    out.append(f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">{escape(x_name)}</text>')
    out.append(f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(y_name)}</text>')
    taken: list[tuple[float, float, float]] = []
    for i, one in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        places = [at(x, y) for x, y, _ in one.points]
        if one.line:
            path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
            out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for (a, b), (_, _, words) in zip(places, one.points, strict=True):
            out.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="5" fill="{colour}"/>')
            if words:
                lower = _free(taken, a + 8, b + 4, 6.4 * len(words))
                out.append(f'<text x="{a + 8:.1f}" y="{lower:.1f}" fill="{colour}">{escape(words)}</text>')
        out.append(f'<circle cx="{WIDTH - RIGHT + 24}" cy="{TOP + 20 * i}" r="5" fill="{colour}"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 34}" y="{TOP + 20 * i + 4}">{escape(one.name)}</text>')
    return "\n".join([*out, "</svg>\n"])
