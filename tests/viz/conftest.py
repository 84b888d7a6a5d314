"""A little survey around Paris that the drawing tests share."""

import numpy as np
import pandas as pd
import pytest

import odk


@pytest.fixture(scope="session")
def small_matrix() -> odk.ODMatrix:
    """400 trips of 60 persons between points within 15 km of Paris; weights from 1 to 40."""
    rng = np.random.default_rng(7)
    n = 400
    table = pd.DataFrame(
        {
            "person": rng.integers(0, 60, n).astype(str),
            "origin_lat": 48.86 + rng.normal(0, 0.05, n),
            "origin_lon": 2.35 + rng.normal(0, 0.07, n),
            "destination_lat": 48.86 + rng.normal(0, 0.05, n),
            "destination_lon": 2.35 + rng.normal(0, 0.07, n),
            "weight": rng.integers(1, 40, n),
        }
    )
    return odk.ODMatrix.from_trips(odk.Trips.from_table(table), resolution=9)


@pytest.fixture(scope="session")
def small_release(small_matrix: odk.ODMatrix) -> odk.TreeRelease:
    """The survey with 5 trips in each cell."""
    release = odk.anonymise(small_matrix, odk.Protection(trips=5), budget=0.2)
    assert isinstance(release, odk.TreeRelease)
    return release
