"""A small made-up survey in Paris with the papers' three columns, and its tables."""

import numpy as np
import pandas as pd
import pytest

import odk
from odk.reproduce import reproduce


def town(n=700, seed=3, lat=48.86, lon=2.34, spread=0.03):
    rng = np.random.default_rng(seed)
    places = rng.normal((lat, lon), (spread, spread * 1.4), size=(12, 2))
    ends = [places[rng.integers(0, 12, n)] + rng.normal(0, 0.002, (n, 2)) for _ in "od"]
    names = ["origin_lat", "origin_lon", "destination_lat", "destination_lon"]
    table = pd.DataFrame(np.hstack(ends), columns=names)
    people = rng.integers(0, 120, n)
    return table.assign(
        person=people,
        weight=(people % 7 + 1) * 400.0,
        sex=np.where(people % 2, "F", "M"),
        age=np.array(["20-30", ">70"])[people % 2],
    )


@pytest.fixture(scope="package")
def trips():
    return odk.Trips.from_table(town(), segments=["sex", "age"], source="a town")


@pytest.fixture(scope="package")
def found(trips):
    return reproduce(trips, workers=1)
