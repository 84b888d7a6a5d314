"""The toy matrix as coloured tables."""

from __future__ import annotations

from typing import Any

import pandas as pd

from odk.methods import Toy
from odk.viz.theme import hexcode, palette

TINTS = ("participants", "population", "good", "failing")


def input_table(toy: Toy, mode: str | None = "light") -> Any:
    """The input: what may be published as it is in green, what is too small in amber, empty cells blank."""
    p = palette(mode)

    def look(row: pd.Series) -> list[str]:
        enough = toy.publishable.loc[row.name]  # type: ignore[call-overload]
        colour = [hexcode(p.good) if enough[d] else hexcode(p.failing) if row[d] > 0 else "" for d in row.index]
        return [f"background-color: {c}44; color: {hexcode(p.text)}" if c else "" for c in colour]

    return toy.trips.style.apply(look, axis=1).format(lambda v: "" if v == 0 else f"{v:,}")


def zones_table(toy: Toy, mode: str | None = "light") -> Any:
    """The zones that every pair of places was published in, one tint a cell; suppressed and empty ones look alike."""
    p = palette(mode)
    cells = sorted({name for row in toy.zones.to_numpy().tolist() for name in row if name})
    tints = {name: hexcode(getattr(p, TINTS[i % len(TINTS)])) for i, name in enumerate(cells)}
    flows = zip(*(toy.published[name].tolist() for name in ("origin", "destination", "trips")), strict=True)
    trips: dict[str, int] = {f"{origin} to {destination}": count for origin, destination, count in flows}
    strength = {name: "55" if i < len(TINTS) else "2a" for i, name in enumerate(cells)}

    def look(row: pd.Series) -> list[str]:
        return [f"background-color: {tints[n]}{strength[n]}; color: {hexcode(p.text)}" if n else "" for n in row]

    def text(name: object) -> str:
        return f"{name}: {trips[str(name)]:,}" if name else ""

    return toy.zones.style.apply(look, axis=1).format(text)
