"""Trips: tables checked at the door, filters, fingerprints."""

import pandas as pd
import pytest

import odk

POINTS = ["origin_lat", "origin_lon", "destination_lat", "destination_lon"]


def small(**changes: object) -> pd.DataFrame:
    """Four trips of three people in Paris."""
    table = pd.DataFrame(
        {
            "person": ["a", "a", "b", "c"],
            "origin_lat": [48.85, 48.86, 48.87, 48.88],
            "origin_lon": [2.31, 2.32, 2.33, 2.34],
            "destination_lat": [48.80, 48.81, 48.82, 48.83],
            "destination_lon": [2.41, 2.42, 2.43, 2.44],
            "weight": [1.5, 2.0, 3.25, 1.0],
            "sex": ["F", "F", "M", "F"],
        }
    )
    return table.assign(**changes)


def test_a_clean_table_is_kept_whole() -> None:
    trips = odk.Trips.from_table(small())
    assert len(trips) == trips.rows == 4
    assert dict(trips.rejected) == {}
    assert list(trips.table.columns) == ["person", *POINTS, "weight", "sex"]
    assert trips.segments == ["sex"]
    assert trips.has_person
    assert not trips.has_cells


def test_where_keeps_a_segment_and_names_what_exists() -> None:
    trips = odk.Trips.from_table(small())
    assert list(trips.where(sex="F").table["person"]) == ["a", "a", "c"]
    assert len(trips.where(sex=["F", "M"])) == 4
    with pytest.raises(odk.InputError, match=r"segment \(gender\) must be .*sex"):
        trips.where(gender="F")
    with pytest.raises(odk.InputError, match=r"segment sex \(X\) must be .*F, M"):
        trips.where(sex="X")


def test_every_bad_row_is_counted_once_by_its_first_reason() -> None:
    lat = pd.Series(["48.85", "", "north", "91"], dtype="object")
    with pytest.raises(odk.InputError, match=r"none of 3 rows is one"):
        odk.Trips.from_table(small(origin_lat=lat).iloc[1:])
    trips = odk.Trips.from_table(small(origin_lat=lat, weight=[1, -1, -1, -1]))
    assert dict(trips.rejected) == {"coordinate missing": 1, "coordinate not a number": 1, "coordinate out of range": 1}
    assert list(trips.rejected_rows["coordinate out of range"]["row"]) == [4]
