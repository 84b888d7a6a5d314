"""What must hold of every published cell (Protection), and how much may be dropped to get there (Budget).

Thresholds are given in natural units (trips, distinct persons, weighted trips) and compared in exact integers:
population is kept in units of 10^-6, so that sums do not depend on their order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from odk.errors import InputError
from odk.matrix import MICRO, Groups, ODMatrix

Measure = Literal["trips", "persons", "population"]
Volume = Literal["trips", "population"]
MEASURES: tuple[Measure, ...] = ("trips", "persons", "population")
UNITS: dict[str, str] = {"trips": "trips", "persons": "persons", "population": "weighted trips"}


@dataclass(frozen=True, kw_only=True)
class Protection:
    """Thresholds that every published cell must reach; at least one measure is guarded."""

    trips: int | None = None
    """Least number of records in a cell."""
    persons: int | None = None
    """Least number of distinct persons in a cell."""
    population: float | None = None
    """Least sum of weights (weighted trips) in a cell."""

    def __post_init__(self) -> None:
        if self.trips is None and self.persons is None and self.population is None:
            raise InputError("protection (none) must guard trips, persons or population")
        for name in ("trips", "persons"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer | float):
                raise InputError(f"{name} threshold k ({value!r}) must be a whole number of at least 2")
            if (isinstance(value, float) and not math.isfinite(value)) or value != int(value) or value < 2:
                raise InputError(f"{name} threshold k ({value!r}) must be a whole number of at least 2")
            object.__setattr__(self, name, int(value))
        if self.population is not None:
            limit: object = self.population
            if isinstance(limit, np.number):
                limit = limit.item()
            if isinstance(limit, bool) or not isinstance(limit, int | float):
                raise InputError(f"population threshold ({limit!r}) must be a number above 0")
            if not 0 < limit < 1e300 or round(float(limit) * MICRO) <= 0:
                raise InputError(f"population threshold ({limit!r}) must be a number above 0")
            object.__setattr__(self, "population", float(limit))

    @classmethod
    def population_of(cls, matrix: ODMatrix, k: int = 10) -> Protection:
        """Guard the population by k times the mean weight of a trip of `matrix` (26,742 in the paper for k=10)."""
        return cls(population=population_threshold(matrix, k))

    @classmethod
    def both(cls, matrix: ODMatrix, k: int = 10) -> Protection:
        """Guard trips by k and the population by k times the mean weight of a trip of `matrix`."""
        return cls(trips=k, population=population_threshold(matrix, k))

    @property
    def guards(self) -> dict[str, float]:
        """Guarded measures and their thresholds, in natural units."""
        found = {m: getattr(self, m) for m in MEASURES}
        return {m: t for m, t in found.items() if t is not None}

    def threshold(self, measure: str) -> int:
        """Threshold of a guarded measure in exact units (10^-6 weighted trips for population)."""
        value = self.guards[measure]
        return round(value * MICRO) if measure == "population" else int(value)

    @property
    def lead(self) -> Volume:
        """The measure that costs, medians and the objective use: population if it alone is guarded, else trips."""
        return "population" if set(self.guards) == {"population"} else "trips"

    @property
    def needs_persons(self) -> bool:
        """Whether distinct persons must be counted."""
        return self.persons is not None

    @property
    def budget_measures(self) -> tuple[Volume, ...]:
        """The measures whose volume a budget limits: each guarded one; for persons it is trips."""
        found: list[Volume] = []
        if self.trips is not None or self.persons is not None:
            found.append("trips")
        if self.population is not None:
            found.append("population")
        return tuple(found)

    def publishable(self, groups: Groups) -> npt.NDArray[np.bool_]:
        """Which groups reach every guarded threshold."""
        return self.reached(groups.trips, groups.population, groups.persons)

    def reached(
        self,
        trips: npt.NDArray[np.int64],
        population: npt.NDArray[np.int64],
        persons: npt.NDArray[np.int64] | None,
    ) -> npt.NDArray[np.bool_]:
        """Which entries of the given arrays (exact units) reach every guarded threshold."""
        good = np.ones(len(trips), dtype=bool)
        if self.trips is not None:
            good &= trips >= self.threshold("trips")
        if self.population is not None:
            good &= population >= self.threshold("population")
        if self.persons is not None:
            if persons is None:
                raise InputError("persons threshold must not be guarded where persons are unknown")
            good &= persons >= self.threshold("persons")
        return good

    def check(self, matrix: ODMatrix) -> None:
        """Refuse what no release of this matrix could reach."""
        if self.persons is not None:
            if not matrix.has_persons:
                raise InputError(
                    "persons threshold must not be guarded: the data has no person column (map one, or guard trips)"
                )
            if self.persons > matrix.n_persons:
                raise InputError(
                    f"persons threshold k ({self.persons:,}) must not exceed the {matrix.n_persons:,} persons"
                )
        if self.trips is not None and self.trips > matrix.total_trips:
            raise InputError(
                f"trips threshold k ({self.trips:,}) must not exceed the {matrix.total_trips:,} trips in all"
            )
        if self.population is not None and self.threshold("population") > matrix.total_population:
            raise InputError(
                f"population threshold ({self.population:,.6g}) must not exceed the "
                f"{matrix.total_population / MICRO:,.6g} weighted trips in all"
            )

    def describe(self) -> str:
        """The rule in words: 'every cell has at least 10 trips and 26,742 weighted trips'."""
        parts = [
            f"{value:,.6g} {UNITS[m]}" if m == "population" else f"{value:,} {UNITS[m]}"
            for m, value in self.guards.items()
        ]
        return "every cell has at least " + " and ".join(parts)


def population_threshold(matrix: ODMatrix, k: int) -> float:
    """K times the mean weight of a trip, rounded up to 10^-6: a sum S passes exactly when S * trips >= k * total."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 2:
        raise InputError(f"k ({k!r}) must be a whole number of at least 2")
    return -(-int(k) * matrix.total_population // matrix.total_trips) / MICRO


@dataclass(frozen=True)
class Budget:
    """The largest share that may be dropped: of the volume of each guarded measure, or of pairs."""

    share: float = 0.10
    within: Literal["volume", "pairs"] = "volume"

    def __post_init__(self) -> None:
        if isinstance(self.share, bool) or not isinstance(self.share, int | float | np.integer | np.floating):
            raise InputError(f"budget ({self.share!r}) must be a number in [0, 1)")
        if not 0 <= self.share < 1:
            raise InputError(f"budget ({self.share!r}) must lie in [0, 1)")
        if self.within not in ("volume", "pairs"):
            raise InputError(f"budget_in ({self.within!r}) must be volume or pairs")

    def allowed(self, matrix: ODMatrix, protection: Protection) -> dict[Volume, int]:
        """Largest volume that may be dropped, per measure that has a budget, in exact units."""
        return {m: self.of(matrix.total(m)) for m in protection.budget_measures}

    def of(self, total: int) -> int:
        """The whole part of share x total, exactly (0.1 means one tenth, not its nearest float)."""
        return int(Fraction(repr(float(self.share))) * total)
