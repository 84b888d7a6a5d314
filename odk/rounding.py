"""Rounding of published measures to a base: after all checks, never below a threshold, stated in the bundle."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from odk.cells import Ints
from odk.errors import InputError
from odk.matrix import MICRO
from odk.protection import MEASURES, Protection


@dataclass(frozen=True, kw_only=True)
class Rounding:
    """Base of each measure that is rounded, in natural units; None leaves it exact."""

    trips: int | None = None
    persons: int | None = None
    population: float | None = None

    def __post_init__(self) -> None:
        for name in MEASURES:
            base = getattr(self, name)
            if base is None:
                continue
            if isinstance(base, bool) or not isinstance(base, int | float | np.number) or not math.isfinite(base):
                raise InputError(f"rounding of {name} ({base!r}) must be a number")
            if name == "population":
                if not 1 <= base <= 1e12 or round(base * MICRO) != base * MICRO:
                    raise InputError(f"rounding of population ({base!r}) must be a number of at least 1")
                object.__setattr__(self, name, float(base))
            elif base != int(base) or not 2 <= base <= 10**12:
                raise InputError(f"rounding of {name} ({base!r}) must be a whole number of at least 2")
            else:
                object.__setattr__(self, name, int(base))

    @classmethod
    def of(cls, given: Rounding | Mapping[str, float] | float | None, protection: Protection) -> Rounding:
        """What a caller asked for: a base per measure, or one number for every guarded measure."""
        if given is None:
            return cls()
        if isinstance(given, Rounding):
            found = given
        elif isinstance(given, Mapping):
            unknown = [name for name in given if name not in MEASURES]
            if unknown:
                raise InputError(f"rounding ({unknown[0]}) must be of trips, persons or population")
            found = cls(**given)  # type: ignore[arg-type]  # checked by __post_init__
        else:
            found = cls(**dict.fromkeys(protection.guards, given))  # type: ignore[arg-type]
        loose = [name for name in found.bases if name not in protection.guards]
        if loose:
            raise InputError(f"rounding ({loose[0]}) must be of a guarded measure: others are not published")
        return found

    @property
    def bases(self) -> dict[str, float]:
        """Bases of the measures that are rounded."""
        return {name: base for name in MEASURES if (base := getattr(self, name)) is not None}

    def apply(self, measure: str, values: Ints, threshold: int) -> Ints:
        """Nearest multiple of the base (half up), but never below the least multiple that reaches the threshold.

        `values` and `threshold` are in exact units. So a rounded cell looks like any other publishable one.
        """
        base = getattr(self, measure)
        if base is None:
            return values
        unit = MICRO if measure == "population" else 1
        step = round(base * unit)
        if step > threshold:  # else the smallest cells would be shown many times too large
            raise InputError(
                f"rounding of {measure} ({base:,.6g}) must not exceed the threshold ({threshold / unit:,.6g})"
            )
        least = -(-threshold // step) * step
        return np.asarray(np.maximum((values + step // 2) // step * step, least), dtype=np.int64)

    def describe(self) -> str:
        """In words: 'trips to multiples of 5'; empty where nothing is rounded."""
        words = {"population": "weighted trips"}
        return ", ".join(f"{words.get(name, name)} to multiples of {base:,.6g}" for name, base in self.bases.items())
