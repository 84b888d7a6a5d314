"""Iterative proportional fitting in plain loops over dictionaries (004, section 3.4.1), from uniform."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

Cell = tuple[int, ...]


def fit(
    shape: Sequence[int], axes: Sequence[Cell], targets: Sequence[dict[Cell, float]], rounds: int
) -> dict[Cell, float]:
    """The joint distribution after so many rounds."""
    cells = list(itertools.product(*[range(n) for n in shape]))
    p = {cell: 1 / len(cells) for cell in cells}
    for _ in range(rounds):
        for axis, target in zip(axes, targets, strict=True):
            now: dict[Cell, float] = {}
            for cell in cells:
                part = tuple(cell[a] for a in axis)
                now[part] = now.get(part, 0.0) + p[cell]
            scaled = {}
            for cell in cells:
                part = tuple(cell[a] for a in axis)
                scaled[cell] = p[cell] * target[part] / now[part] if now[part] > 0 else 0.0
            total = sum(scaled.values())
            if total > 0:
                p = {cell: value / total for cell, value in scaled.items()}
    return p


def two_way_counts(rows: Sequence[Cell], axis: Cell) -> dict[Cell, int]:
    """How many rows have each combination of two variables."""
    found: dict[Cell, int] = {}
    for row in rows:
        part = tuple(row[a] for a in axis)
        found[part] = found.get(part, 0) + 1
    return found
