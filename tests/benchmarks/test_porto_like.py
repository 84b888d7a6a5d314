"""The generated taxi year that the benchmarks use has the published size and shape."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.porto_like import COAST, porto_like
from odk import cells
from odk.trips import Trips


def counts(table: pd.DataFrame) -> dict[str, int]:
    origin, destination = (
        cells.from_points(table[f"{end}_lat"], table[f"{end}_lon"], 10) for end in ("origin", "destination")
    )
    of_origin, origins = pd.factorize(origin)
    of_destination, destinations = pd.factorize(destination)
    _, trips = np.unique(of_origin * len(destinations) + of_destination, return_counts=True)
    return {
        "origins": len(origins),
        "destinations": len(destinations),
        "pairs": len(trips),
        "pairs of ten": int((trips >= 10).sum()),
    }


def test_the_year_has_the_published_counts():
    # Thesis, table 5.1 and section 4.1. Near is enough for a benchmark; pairs are what costs time.
    got = counts(porto_like())
    assert got["pairs"] == pytest.approx(501_472, rel=0.03)
    assert got["origins"] == pytest.approx(8_444, rel=0.05)
    assert got["destinations"] == pytest.approx(18_359, rel=0.05)
    assert got["pairs of ten"] == pytest.approx(28_963, rel=0.10)


def test_other_sizes_draw_on_the_same_city():
    small, large = counts(porto_like(50_000)), counts(porto_like(200_000))
    assert small["pairs"] < large["pairs"] < 4 * small["pairs"]


def test_it_is_seeded_and_every_row_passes_the_checks_of_trips():
    table = porto_like(20_000, seed=3)
    pd.testing.assert_frame_equal(table, porto_like(20_000, seed=3), check_exact=True)
    assert not table.equals(porto_like(20_000, seed=4))
    trips = Trips.from_table(table, source="Porto-like taxi year (synthetic)", synthetic=True)
    assert len(trips) == 20_000
    assert trips.rejected == {}
    assert trips.table["person"].nunique() == 442
    assert table["origin_lon"].min() >= COAST
    assert table["start_time"].between("2013-07-01", "2014-06-30 23:59:59").all()
    hours = table["start_time"].dt.hour.value_counts()
    assert hours[9] > hours[4]
