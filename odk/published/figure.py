"""One figure as printed: a number with the digits it was given, or what stands there instead."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isfinite, log10

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NOT_RUN, NOT_DEFINED = "N/A", "-"


@dataclass(frozen=True)
class Figure:
    """What a paper prints in one place."""

    printed: str
    """As in our files: 5.4e7, 601.8, N/A (no result in time), - (not defined), >7200, or nothing (no such column)."""

    @property
    def value(self) -> float | None:
        """The number; for ">7200" the bound; None where there is none."""
        if self.printed in ("", NOT_RUN, NOT_DEFINED):
            return None
        return float(self.printed.removeprefix(">"))

    @property
    def in_time(self) -> bool:
        """Whether the run came to an end in the papers' two hours."""
        return self.printed != NOT_RUN and not self.printed.startswith(">")

    @property
    def text(self) -> str:
        """For people: 5.4 × 10⁷; 6,807.6; N/A; – where not defined."""
        if self.value is None:
            return {"": "", NOT_RUN: NOT_RUN}.get(self.printed, "–")
        number = self.printed.removeprefix(">")
        if "e" in number:
            digits, _, power = number.partition("e")
            return f"{digits} × 10{power.translate(SUPERSCRIPT)}"
        places = len(number.partition(".")[2])
        return f"{'> ' if self.printed.startswith('>') else ''}{float(number):,.{places}f}"


_PLACES = {"c_avg": 1, "g": 1, "e": 2, "gdm_mean": 1, "seconds": 1}


def as_printed(metric: str, value: float | int | None) -> str:
    """One of our figures in the papers' form, with their digits: 5.4 × 10⁷ for C_DM, 1.91 for E."""
    if value is None or not isfinite(value):
        return "–"
    if metric == "c_dm":
        return _scientific(float(value))
    if metric == "seconds" and value < 1:
        return f"{value:.2f}"
    return f"{value:,.{_PLACES.get(metric, 0)}f}"


def _scientific(value: float) -> str:
    if value == 0:
        return "0"
    power = floor(log10(abs(value)))
    if round(abs(value) / 10.0**power, 1) >= 10:  # 9.96 rounds into the next power
        power += 1
    return f"{value / 10.0**power:.1f} × 10{str(power).translate(SUPERSCRIPT)}"
