"""H3's sixteen levels as a table."""

from __future__ import annotations

from math import sqrt

import h3
import pandas as pd

USED = range(4, 11)
"""Levels that the papers' surveys use: from one cell over the region to the leaves."""


def levels_table() -> pd.DataFrame:
    """One row a level: cells on Earth, mean area (km²), mean edge (m), distance of neighbours (m), used in the papers."""
    rows = []
    for level in range(16):
        edge = h3.average_hexagon_edge_length(level, unit="m")
        rows.append(
            {
                "level": level,
                "cells on Earth": 2 + 120 * 7**level,
                "area (km²)": h3.average_hexagon_area(level, unit="km^2"),
                "edge (m)": edge,
                "between neighbours (m)": sqrt(3) * edge,  # exact for a regular hexagon
                "in the papers": level in USED,
            }
        )
    return pd.DataFrame(rows)
