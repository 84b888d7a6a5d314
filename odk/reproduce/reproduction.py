"""Run the papers' grid on the loaded trips, and set its figures beside the published ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from odk import cells
from odk.demo import CENTRE
from odk.errors import InputError
from odk.experiment import Grid, Result, paper_grid, run_grid, segments_of
from odk.experiment.grid import EVERYWHERE
from odk.matrix import DEFAULT_RESOLUTION, ODMatrix
from odk.published import tables
from odk.readers import porto, turin
from odk.region import Region
from odk.reproduce.findings import Finding, findings
from odk.reproduce.sidebyside import SideBySide, side_by_side
from odk.trips import Trips

PARIS = Region(name="the Île-de-France", west=1.4, south=48.1, east=3.6, north=49.3)
CITIES = {"paris": PARIS, "turin": turin.REGION, "porto": porto.REGION}
COLUMNS = ("sex", "age", "profession")
V_TARGET = {"turin": 2500}
"""ATG-Soft's published v_target where it is not 1000."""
Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Reproduction:
    """The papers' tables on one data set."""

    source: str
    synthetic: bool
    city: str | None
    """Where the trips lie: paris, turin, porto, or None for any other place."""
    areas: tuple[str, ...]
    """everywhere: all loaded trips; centre: the part that the published figures are of."""
    result: Result
    """The grid: one row a run and view."""

    @property
    def runs(self) -> int:
        """Runs on all loaded trips."""
        return len(self._of(self.areas[0]))

    @property
    def failed(self) -> int:
        """Runs, in any area, that gave no release."""
        return int((self.result.table["error"] != "").sum()) // 2

    @property
    def centre_runs(self) -> int:
        """Runs on the centre, where it was computed beside all trips."""
        return self.result.runs - self.runs

    def _of(self, area: str) -> pd.DataFrame:
        rows = self.result.table
        return rows[(rows["area"] == area) & (rows["view"] == "participants")]

    @cached_property
    def tables(self) -> tuple[SideBySide, ...]:
        """Every published table, ours beside it."""
        return tuple(side_by_side(of, self.result.table, self.city, self.areas) for of in tables())

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The papers' findings, each as found or not on this data."""
        return findings(self.result.table, self.areas)

    @property
    def comparison(self) -> pd.DataFrame:
        """Every figure of every table in one tidy table."""
        return pd.DataFrame([record for table in self.tables for record in table.records()])

    def as_dict(self) -> dict[str, Any]:
        """What `reproduce --json` prints."""
        return {
            "source": self.source,
            "synthetic": self.synthetic,
            "city": self.city,
            "areas": self.areas,
            "runs": self.runs,
            "centre_runs": self.centre_runs,
            "failed": self.failed,
            "reused": self.result.reused,
            "seconds": self.result.seconds,
            "findings": [finding.as_dict() for finding in self.findings],
            "tables": {
                table.of.key: {"title": table.of.title, "absent": table.absent, "figures": list(table.records())}
                for table in self.tables
            },
        }


def city_of(matrix: ODMatrix) -> str | None:
    """The city of the papers around which the trips lie, by the median of their origin leaves; None for any other."""
    lat, lon = (side[: matrix.origins.n_leaves] for side in (matrix.origins.lat, matrix.origins.lon))
    if not np.isfinite(lat).all():
        return None
    y, x = float(np.median(lat)), float(np.median(lon))
    return next((name for name, r in CITIES.items() if r.west <= x <= r.east and r.south <= y <= r.north), None)


def reproduce(
    trips: Trips,
    *,
    centre: bool = True,
    columns: Sequence[str] = COLUMNS,
    resolution: int = DEFAULT_RESOLUTION,
    whole: ODMatrix | None = None,
    store: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """The papers' tables on these trips: k = 10, 10% suppressed at most, 4 algorithms, both targets, both views.

    `centre`: where the trips cover it, the centre of Paris too, because the published figures are of it.
    `columns`: the segment columns to take, of those the trips have. The rest as in `run_grid`.
    """
    if trips.ends == "h3":  # a file's own cells may be coarser
        first = cells.to_ids(trips.table["origin"].iloc[:1].to_numpy())
        resolution = min(resolution, int(cells.resolution(first)[0]))
    city = city_of(ODMatrix.from_trips(trips, resolution))
    grid = _grid(
        trips, city, columns, resolution, with_centre=centre and city == "paris" and _part_is_centre(trips, resolution)
    )
    result = run_grid(trips, grid, whole=whole, store=store, workers=workers, progress=progress)
    areas = tuple(dict.fromkeys(segment.area_name for segment in grid.segments))
    return Reproduction(trips.source, trips.synthetic, city, areas, result)


def _grid(trips: Trips, city: str | None, columns: Sequence[str], resolution: int, *, with_centre: bool) -> Grid:
    grid = replace(paper_grid(trips), resolution=resolution)
    if city in V_TARGET:
        mean = float(trips.table["weight"].mean())
        target = V_TARGET[city]
        grid = replace(
            grid,
            options={"atg-soft": {"v_target": target}, "atg-soft/population": {"v_target": round(target * mean)}},
        )
    have = [c for c in columns if c in trips.segments]
    segments = segments_of(trips, have)
    return replace(grid, segments=segments + segments_of(trips, have, CENTRE) if with_centre else segments)


def _part_is_centre(trips: Trips, resolution: int) -> bool:
    """Whether some trips, but not all, lie in the centre."""
    try:
        inside = trips.within(CENTRE, resolution=resolution)
    except InputError:  # none of them
        return False
    return len(inside) < len(trips)


__all__ = ["EVERYWHERE", "Reproduction", "city_of", "reproduce"]
