"""What the verbs print: lines for people, one JSON object for machines."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np


def say(*lines: str) -> None:
    """Write lines to standard output."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def say_json(value: Mapping[str, Any]) -> None:
    """Write one JSON object; what is not finite becomes null."""
    sys.stdout.write(json.dumps(plain(value), indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def plain(value: Any) -> Any:
    """The same value in what JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return value


def facts(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Two columns: what it is, and its value."""
    rows = list(pairs)
    width = max((len(name) for name, _ in rows), default=0)
    return [f"  {name:<{width}}  {text}" for name, text in rows]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """A table in fixed width; the first `left` columns are text, the others numbers."""
    body = [list(map(str, row)) for row in rows]
    widths = [max(len(row[i]) for row in [list(head), *body]) for i in range(len(head))]
    lines = []
    for row in [list(head), *body]:
        parts = [
            f"{text:<{w}}" if i < left else f"{text:>{w}}" for i, (text, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(parts).rstrip())
    return lines


def number(value: float | int | None) -> str:
    """81,291; 5.43e+07; 933.9; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "-"
    if isinstance(value, int | np.integer) or (float(value).is_integer() and abs(value) < 1e7):
        return f"{int(value):,}"
    if abs(value) >= 1e7:
        return f"{value:.4g}"
    return f"{value:,.1f}".removesuffix(".0") if abs(value) >= 100 else f"{value:.4g}"


def percent(value: float) -> str:
    """9.97%."""
    return f"{value:.2%}"
