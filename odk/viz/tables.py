"""Tables for people: numbers in our one format, the best of each column marked by a star and a colour."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import pandas as pd

from odk.viz.theme import count, figure, hexcode, metres, palette, percent


def times(value: float | None) -> str:
    """A ratio: "1.04 ×", "85.5 ×"."""
    return f"{figure(value)} ×" if value is not None and value == value else "–"


ADDED = "added"
"""A share suppressed that is below nothing: noise made trips up. How many says nothing of what was left out."""

FORMATS: dict[str, Callable[[Any], str]] = {
    "cells": count,
    "trips": count,
    "persons": count,
    "zones": count,
    "zones_common": count,
    "cells_common": count,
    "withheld": count,
    "harder": times,
    "worse": times,
    "price": times,
    "budget_used": lambda share: percent(share, 0),
    "above_limit": times,
    "c_avg": times,
    "s": lambda share: ADDED if share <= -0.0005 else percent(share),
    "s_common": percent,
    "gdm_mean_common": metres,
    "gdm_mean": metres,
    "gdm_median": metres,
    "gdm_std": metres,
    "length_shift": metres,
    "row_error": percent,
    "column_error": percent,
    "intrazonal": percent,
    "corridors": lambda share: percent(share, 0),
    "seconds": lambda s: f"{s:.2f} s" if s == s else "–",
}
"""How columns are written; others as plain figures."""


NOBODY: Mapping[str, Collection[str]] = {}


def marked(table: pd.DataFrame, best: Mapping[str, Collection[str]] = NOBODY, mode: str | None = "light") -> Any:
    """The table as a pandas Styler; `best` names the winners of each column, by the column `algorithm`."""
    p = palette(mode)
    style = table.style
    for column in table.columns:
        if not pd.api.types.is_numeric_dtype(table[column]):
            continue
        write = FORMATS.get(column, figure)
        style = style.format(write, subset=[column], na_rep="–")
        top = table.index[table["algorithm"].isin(best[column])] if column in best else table.index[:0]
        if len(top):
            style = style.format(_starred(write), subset=(top, [column]), na_rep="–")
            look = {"background-color": f"{hexcode(p.good)}33", "font-weight": "600", "color": hexcode(p.text)}
            style = style.set_properties(subset=(top, [column]), **look)
    return style


def _starred(write: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: f"★ {write(value)}"
