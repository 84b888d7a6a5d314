"""What another rule would say of a bundle's published cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.errors import InputError
from odk.export import Bundle, Verification, verify
from odk.hierarchy import Hierarchy
from odk.matrix import MICRO
from odk.trips import Trips


@dataclass(frozen=True, eq=False)
class WouldFail:
    """What another rule would say of the published cells."""

    bad: npt.NDArray[np.bool_] = field(repr=False)
    """Per published cell, in the order of flows.csv."""
    cells: pd.DataFrame = field(repr=False)
    """The cells below: columns of flows.csv, those that reach least first."""
    share: dict[str, float]
    """Share of each published measure that they hold (persons do not add up and are left out)."""


def would_fail(bundle: Bundle, thresholds: Mapping[str, float]) -> WouldFail:
    """Published cells that miss any of these thresholds (natural units), of measures that the bundle publishes."""
    unknown = [m for m in thresholds if m not in bundle.published.measures]
    if unknown:
        raise InputError(f"threshold ({unknown[0]}) must be of a measure that the bundle publishes")
    bad = np.zeros(len(bundle.published), dtype=bool)
    reached = np.ones(len(bad))
    for measure, threshold in thresholds.items():
        values = bundle.published.measures[measure]
        wanted = round(threshold * (MICRO if measure == "population" else 1))
        bad |= values < wanted
        reached = np.minimum(reached, values / wanted)
    order = np.argsort(reached, kind="stable")
    cells = bundle.flows.iloc[order[bad[order]]].reset_index(drop=True)
    totals = {m: v for m, v in bundle.published.measures.items() if m != "persons"}
    return WouldFail(bad, cells, {m: int(v[bad].sum()) / int(v.sum()) for m, v in totals.items()})


def verify_with_trips(
    data: bytes,
    trips: Trips,
    hierarchy: Hierarchy | None = None,
    *,
    progress: Callable[[float, str], None] | None = None,
) -> Verification:
    """`odk.verify` with the trips (and the tree of their zones) at hand, as a background job runs it."""
    if progress is not None:
        progress(0.1, "counting the cells, running the recipe and the audit again")
    return verify(data, trips, hierarchy=hierarchy)
