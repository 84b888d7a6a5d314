"""H3's levels as a picture: a cell, its children, the children of one of them, and so on down."""

from __future__ import annotations

from math import cos, radians

import h3

from odk.viz.theme import hexcode, palette

SIZE = 460
PARIS = (48.8566, 2.3522)


def levels_picture(
    lat: float = PARIS[0], lon: float = PARIS[1], top: int = 6, bottom: int = 10, mode: str | None = "light"
) -> str:
    """SVG of the cell of level `top` around a place with everything below it that leads down to one cell of `bottom`."""
    p = palette(mode)
    cell = h3.latlng_to_cell(lat, lon, top)
    y0, x0 = h3.cell_to_latlng(cell)
    edge = max(abs(y - y0) for y, _ in h3.cell_to_boundary(cell))
    zoom = SIZE * 0.36 / edge

    def path(each: str) -> str:
        points = [
            (SIZE / 2 + (x - x0) * cos(radians(y0)) * zoom, SIZE / 2 - (y - y0) * zoom)
            for y, x in h3.cell_to_boundary(each)
        ]
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "z"

    ramp = p.ramp("participants")
    parts = [_shape(path(cell), hexcode(ramp[0]), hexcode(p.text), 2.5, f"level {top}: {cell}")]
    for level in range(top + 1, bottom + 1):
        inner = h3.latlng_to_cell(lat, lon, level)
        step = level - top
        for child in sorted(h3.cell_to_children(h3.cell_to_parent(inner, level - 1), level)):
            words = f"level {level}: {child}"
            parts.append(_shape(path(child), hexcode(ramp[min(step, 5)]), hexcode(p.text), 2.2 / step, words))
    notes = [
        f'<text x="8" y="{SIZE - 8 - 18 * i}" fill="{hexcode(p.text)}" font-family="system-ui, sans-serif" font-size="13">'
        f"level {level}: {h3.average_hexagon_area(level, unit='km^2'):,.3g} km²</text>"
        for i, level in enumerate(range(bottom, top - 1, -1))
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}">'
        f"{''.join(parts)}{''.join(notes)}</svg>"
    )


def _shape(path: str, fill: str, line: str, width: float, words: str) -> str:
    return f'<path d="{path}" fill="{fill}" stroke="{line}" stroke-width="{width:.2f}"><title>{words}</title></path>'
