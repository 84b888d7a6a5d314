"""Rules beside each other on numbers that can be checked by hand."""

import pandas as pd
import pytest

import odk
from odk.guards import guard_table

PARIS, LYON = (48.8566, 2.3522), (45.7640, 4.8357)


@pytest.fixture
def matrix() -> odk.ODMatrix:
    """Paris to Lyon: 6 trips of 2 persons, weight 1; back: 3 trips of 3 persons, weight 5."""
    rows = [(p, *PARIS, *LYON, 1.0) for p in "aaabbb"] + [(p, *LYON, *PARIS, 5.0) for p in "cde"]
    names = ["person", "origin_lat", "origin_lon", "destination_lat", "destination_lon", "weight"]
    return odk.ODMatrix.from_trips(odk.Trips.from_table(pd.DataFrame(rows, columns=names)), resolution=5)


def test_least_below_and_cost(matrix):
    wanted = odk.Protection(trips=4, persons=3, population=10)
    releases = {
        "trips": odk.anonymise(matrix, odk.Protection(trips=3), "suppression"),
        "population": odk.anonymise(matrix, odk.Protection(population=10), "suppression"),
    }
    table = guard_table(releases, wanted).set_index("rule")
    first = table.loc["trips"]  # both cells are published
    assert (first["cells"], first["origins"], first["destinations"]) == (2, 2, 2)
    assert (first["least_trips"], first["least_persons"], first["least_population"]) == (3, 2, 6)
    assert (first["below_trips"], first["below_persons"], first["below_population"]) == (1, 1, 1)
    assert (first["guards_trips"], first["guards_population"]) == (True, False)
    second = table.loc["population"]  # only the way back reaches 10
    assert (second["cells"], second["least_trips"], second["least_population"]) == (1, 3, 15)
    assert second["below_trips"] == 1
    assert second["suppressed"] == pytest.approx(6 / 21)
    # Every zone is one leaf: G is 2 under both rules, so the second costs nothing.
    assert (table["g_participants"] == 2).all()
    assert table["cost_population"].tolist() == [0, 0]


def test_unknown_persons_are_left_open():
    ends = ["851fb467fffffff", "851f9033fffffff"]
    pairs = pd.DataFrame({"start_h3": ends, "end_h3": ends[::-1], "count": [7, 8], "total_weight": [7.0, 8.0]})
    release = odk.anonymise(odk.ODMatrix.from_pairs(pairs), odk.Protection(trips=5), "suppression")
    table = guard_table({"trips": release}, odk.Protection(trips=5, persons=5))
    assert table.loc[0, "below_persons"] is None
    assert table.loc[0, "below_trips"] == 0
