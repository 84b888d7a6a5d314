"""Numbers and counts as a reviewer reads them."""

from __future__ import annotations


def number(value: float | int) -> str:
    """81,291; 26,742.3; 0.125: whole numbers whole, others to a few digits."""
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.1f}".removesuffix(".0") if abs(value) >= 100 else f"{value:,.3g}"


def count(n: int, word: str, plural: str | None = None) -> str:
    """1 cell, 2 cells."""
    return f"{n:,} {word if n == 1 else plural or word + 's'}"
