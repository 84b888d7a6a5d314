"""Results as Markdown, and the machine they were measured on."""

import datetime
import os
import platform
from importlib.metadata import version

import numpy as np
import pandas as pd


def cell(value: object) -> str:
    """Format one figure for people: 81,291; 5.43; 0.0123; nothing where there is none."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return ""
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value).replace("|", "\\|")


def markdown(table: pd.DataFrame) -> str:
    """Return the table in Markdown, numbers to the right; the index is left out."""
    numeric = [pd.api.types.is_numeric_dtype(dtype) for dtype in table.dtypes]
    # By column: a row of a mixed table would turn whole numbers into floats.
    columns = [[cell(value) for value in table[name]] for name in table.columns]
    rows = [
        list(map(str, table.columns)),
        ["--:" if right else "---" for right in numeric],
        *zip(*columns, strict=True),
    ]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def machine() -> str:
    """Return one line on when and where the figures were measured, and with what."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas", "h3"))
    where = f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()})"
    today = datetime.datetime.now(tz=datetime.UTC).date()
    return f"Measured on {today}, {where}, Python {platform.python_version()}, {versions}."
