"""Trips: tables checked at the door, filters, fingerprints."""

import math
from collections import Counter
from typing import Any

import h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def rejected(**changes: object) -> dict[str, int]:
    trips = odk.Trips.from_table(small(**changes))
    assert len(trips) + sum(trips.rejected.values()) == trips.rows == 4
    for reason, n in trips.rejected.items():
        assert len(trips.rejected_rows[reason]) == min(n, 5)
    return dict(trips.rejected)


def test_reasons_of_coordinates() -> None:
    assert rejected(origin_lat=[48.8, np.nan, 48.8, 48.8]) == {"coordinate missing": 1}
    assert rejected(destination_lon=["2.3", "NULL", " ", "n/a"]) == {"coordinate missing": 3}
    assert rejected(destination_lon=["2.3", "east", "2.3.4", "1,000.5"]) == {"coordinate not a number": 3}
    assert rejected(origin_lat=[48.8, 90.1, -91, np.inf]) == {"coordinate out of range": 3}
    assert rejected(origin_lon=[180.0, 180.1, -180, -200]) == {"coordinate out of range": 2}
    assert rejected(origin_lat=[0, 0, 1, 48], origin_lon=[0.0, 2, 0, 2]) == {"coordinate is (0, 0)": 1}
    assert rejected(destination_lat=[0, 0, 1, 48], destination_lon=[0.0, 0, 0, 2]) == {"coordinate is (0, 0)": 2}


def test_a_comma_is_a_decimal_mark_only_where_no_value_has_a_point() -> None:
    assert rejected(weight=["1,5", "2", "1,25", "3"]) == {}
    assert rejected(weight=["1,500", "2.5", "1,25", "3"]) == {"weight not a number": 2}


def test_reasons_of_weights_and_persons() -> None:
    assert rejected(weight=[1, np.nan, None, 2]) == {"weight missing": 2}
    assert rejected(weight=["1", "heavy", "", "2"]) == {"weight missing": 1, "weight not a number": 1}
    assert rejected(weight=[1, np.inf, -np.inf, 2]) == {"weight infinite": 2}
    assert rejected(weight=[1, 0, -1, 4e-7]) == {"weight not positive": 3}
    assert rejected(person=["a", None, " ", "b"]) == {"person missing": 2}


def test_the_first_reason_counts() -> None:
    trips = odk.Trips.from_table(
        small(person=[None, None, None, "a"], weight=[-1, -1, 1, 1], origin_lat=["x", "1", "1", "1"])
    )
    assert dict(trips.rejected) == {"coordinate not a number": 1, "weight not positive": 1, "person missing": 1}
    shown = trips.rejected_rows["weight not positive"]
    assert list(shown.columns) == ["row", "person", *POINTS, "weight"]
    assert (shown["row"][0], shown["weight"][0]) == (2, -1)


def test_only_the_first_few_are_shown() -> None:
    table = pd.concat([small()] * 5, ignore_index=True)
    table["weight"] = [1.0] * 3 + [0.0] * 17
    trips = odk.Trips.from_table(table)
    assert trips.rejected["weight not positive"] == 17
    assert list(trips.rejected_rows["weight not positive"]["row"]) == [4, 5, 6, 7, 8]


def test_weights_are_millionths_and_one_by_default() -> None:
    assert list(odk.Trips.from_table(small(weight=[1.00000049, 2, 3, 1e-6])).table["weight"]) == [1.0, 2.0, 3.0, 1e-6]
    assert list(odk.Trips.from_table(small().drop(columns="weight")).table["weight"]) == [1.0] * 4
    with pytest.raises(odk.InputError, match=r"weight \(total .*must add up to less than"):
        odk.Trips.from_table(small(weight=[4e12, 4e12, 1, 1]))


def test_without_persons_there_is_no_person_column() -> None:
    trips = odk.Trips.from_table(small(), {"person": None})
    assert not trips.has_person
    assert "person" not in trips.table.columns
    assert "persons unknown" in repr(trips)


def test_the_input_is_left_alone_and_the_repr_shows_no_trip() -> None:
    table = small(weight=["1", "x", "2", "3"])
    before = table.copy()
    trips = odk.Trips.from_table(table, source="survey", synthetic=True)
    trips.where(sex="F")
    pd.testing.assert_frame_equal(table, before)
    assert repr(trips) == "Trips(survey: 3 trips, 1 rejected)"
    assert trips.synthetic


def test_empty_and_wrong_tables() -> None:
    with pytest.raises(odk.InputError, match="table must hold at least one trip; it has no rows"):
        odk.Trips.from_table(small().iloc[:0])
    with pytest.raises(odk.InputError, match=r"none of 4 rows is one \(weight not positive: 4\); row 1: person=a"):
        odk.Trips.from_table(small(weight=0))
    with pytest.raises(odk.InputError, match=r"ends \(boxes\) must be one of points, h3, zones"):
        odk.Trips.from_table(small(), ends="boxes")  # type: ignore[arg-type]
    with pytest.raises(odk.InputError, match=r"ends \(h3\) must have the columns origin, destination mapped"):
        odk.Trips.from_table(small(), ends="h3")


# Cells -----------------------------------------------------------------------------------------------------------

PARIS = h3.latlng_to_cell(48.8566, 2.3522, 10)
LYON = h3.latlng_to_cell(45.7640, 4.8357, 10)


def cells(origin: list[object], destination: list[object]) -> pd.DataFrame:
    return pd.DataFrame({"start_h3": origin, "end_h3": destination, "person": "a"})


def test_cells_are_read_as_hex_in_any_spelling_or_as_integers() -> None:
    number = int(LYON, 16)
    spelt = cells([PARIS, PARIS.upper(), f"0x{PARIS}", f" {PARIS} "], [LYON, str(number), LYON, LYON])
    trips = odk.Trips.from_table(spelt)
    assert trips.has_cells
    assert trips.ends == "h3"
    assert set(trips.table["origin"]) == {PARIS}
    assert set(trips.table["destination"]) == {LYON}
    assert set(odk.Trips.from_table(cells([number] * 2, [number] * 2)).table["origin"]) == {LYON}


def test_reasons_of_cells() -> None:
    trips = odk.Trips.from_table(cells([PARIS, "Paris", None, "8a1fb46622fffffff"], [LYON] * 4))
    assert dict(trips.rejected) == {"cell missing": 1, "not an H3 cell": 2}
    with pytest.raises(odk.InputError, match=r"not an H3 cell: 2\).*row 1: .*start_h3=here.*ends='zones'"):
        odk.Trips.from_table(cells(["here", "there"], [LYON, LYON]))


def test_mixed_resolutions_name_the_first_row_of_each() -> None:
    coarse = h3.cell_to_parent(LYON, 9)
    with pytest.raises(
        odk.InputError, match=r"one resolution; found 9 \(row 2, column end_h3\), 10 \(row 1, column start"
    ):
        odk.Trips.from_table(cells([PARIS, PARIS], [LYON, coarse]))


def test_zone_labels_must_be_asked_for() -> None:
    table = pd.DataFrame({"origin": [1, 2, None], "destination": ["B", "C", "D"]})
    trips = odk.Trips.from_table(table, ends="zones")
    assert list(trips.table["origin"]) == ["1", "2"]
    assert dict(trips.rejected) == {"zone missing": 1}
    with pytest.raises(odk.InputError, match="zone labels"):
        trips.within([PARIS])


# Filters ---------------------------------------------------------------------------------------------------------


def test_within_needs_both_ends() -> None:
    home, work = (h3.cell_to_parent(h3.latlng_to_cell(lat, lon, 10), 6) for lat, lon in ((48.85, 2.31), (48.80, 2.41)))
    trips = odk.Trips.from_table(small())
    expected = [
        all(
            h3.latlng_to_cell(row[f"{end}_lat"], row[f"{end}_lon"], 6) in (home, work)
            for end in ("origin", "destination")
        )
        for _, row in trips.table.iterrows()
    ]
    inside = trips.within([home, work])
    assert 1 <= len(inside) == sum(expected)
    assert inside.filters == (f"within {home}, {work}",)
    with pytest.raises(odk.InputError, match="must keep at least one trip of 4"):
        trips.within([h3.cell_to_parent(LYON, 6)])
    with pytest.raises(odk.InputError, match=r"cell \('home'\) must be an H3 index"):
        trips.within(["home"])


def test_within_of_cells_takes_areas_of_several_resolutions() -> None:
    trips = odk.Trips.from_table(cells([PARIS, PARIS, LYON], [PARIS, LYON, LYON]))
    areas = [h3.cell_to_parent(PARIS, 6), h3.cell_to_parent(LYON, 4)]
    assert len(trips.within(areas)) == 3
    assert len(trips.within(areas[:1])) == 1
    with pytest.raises(
        odk.InputError, match=r"within \(resolution 11\) must not be finer than the trips' cells \(resolution 10\)"
    ):
        trips.within([h3.cell_to_children(PARIS)[0]])


def test_filters_go_together_and_forget_values_that_are_gone() -> None:
    trips = odk.Trips.from_table(small(age=["10-20", "10-20", "20-30", "20-30"]))
    women = trips.where(sex="F", age="20-30")
    assert list(women.table["person"]) == ["c"]
    assert women.filters == ("sex = F", "age = 20-30")
    assert (women.rows, dict(women.rejected)) == (trips.rows, dict(trips.rejected))
    with pytest.raises(odk.InputError, match=r"segment age \(10-20\) must be a value that occurs: 20-30"):
        women.where(age="10-20")
    with pytest.raises(odk.InputError, match="must keep at least one trip"):
        trips.where(sex="M", age="10-20")
    assert women.fingerprint != trips.fingerprint


# Segments and times ----------------------------------------------------------------------------------------------


def test_which_left_over_columns_are_segments() -> None:
    n = 60
    table = pd.concat([small().drop(columns="sex")] * (n // 4), ignore_index=True).assign(
        sex=["F", "M"] * (n // 2),
        cars=[0, 1, 2] * (n // 3),
        member=[True, False] * (n // 2),
        age=pd.Series([20.0, 30.0, np.nan] * (n // 3)),
        station_id=[11, 12] * (n // 2),
        minutes=np.arange(n),
        income=[1.5, 2.5] * (n // 2),
        name=[f"n{i}" for i in range(n)],
        constant="x",
        when=pd.Timestamp("2024-01-01"),
        group=pd.Categorical(["x", "y"] * (n // 2)),
    )
    trips = odk.Trips.from_table(table)
    assert trips.segments == ["sex", "cars", "member", "age", "group"]
    assert dict(trips.warnings) == {"age missing": 20}
    assert len(trips.where(cars=1)) == len(trips.where(cars="1")) == 20
    assert len(trips.where(age=20)) == 20
    assert len(trips.where(member=True)) == 30
    assert odk.Trips.from_table(table, segments=["minutes"]).segments == ["minutes"]
    assert odk.Trips.from_table(table, segments=[]).segments == []
    assert odk.Trips.from_table(table, {"gender": "sex"}, segments=["gender", "cars"]).segments == ["gender", "cars"]
    with pytest.raises(odk.InputError, match=r"segments \(job\) must be a column of the file"):
        odk.Trips.from_table(table, segments=["job"])
    with pytest.raises(odk.InputError, match=r"segments \(weight\) must not have a name"):
        odk.Trips.from_table(table, segments=["weight"])


@pytest.mark.parametrize(
    "written",
    [
        ["2024-03-14 15:09:26", "2024-03-05 01:02:03"],
        ["2024-03-14T15:09:26Z", "2024-03-05T01:02:03+02:00"],
        ["3/14/2024 15:09:26", "3/5/2024 1:02:03"],
        ["14/03/2024 15:09:26", "05/03/2024 01:02:03"],
        ["14.03.2024 15:09:26", "05.03.2024 01:02:03"],
        ["03/14/2024 03:09:26 PM", "03/05/2024 01:02:03 AM"],
        [1710428966, 1709600523],
        ["1710428966000", "1709600523000"],
        list(pd.to_datetime(["2024-03-14 15:09:26", "2024-03-05 01:02:03"]).tz_localize("Europe/Paris")),
    ],
)
def test_start_times_as_on_the_clock(written: list[object]) -> None:
    trips = odk.Trips.from_table(small().iloc[:2].assign(start_time=pd.Series(written)))
    expected = ["2024-03-14 15:09:26", "2024-03-05 01:02:03"]
    assert list(trips.table["start_time"]) == [pd.Timestamp(time) for time in expected]
    assert dict(trips.warnings) == {}


def test_an_unreadable_start_time_is_a_warning_and_keeps_the_trip() -> None:
    trips = odk.Trips.from_table(small(start_time=["2024-03-14 15:09", "soon", "", "2024-03-14 15:10"]))
    assert len(trips) == 4
    assert dict(trips.warnings) == {"start_time unreadable": 1}
    assert list(trips.table["start_time"].isna()) == [False, True, True, False]


# Properties ------------------------------------------------------------------------------------------------------

degrees = st.one_of(
    st.floats(-200, 200), st.sampled_from([0.0, 90.0, 180.0, float("nan"), float("inf"), "x", "", "48.8", None])
)
weights = st.one_of(st.floats(-1, 10), st.sampled_from([0, None, "heavy", float("inf"), "1e3", "2.5"]))
persons = st.sampled_from(["a", "b", None, "", 7, 7.0, "007"])


def expected_reason(row: tuple[Any, ...]) -> str | None:
    """The rules once more, for one row in plain Python."""

    def number(value: Any) -> float | str:
        if value is None or value == "" or value != value:
            return "missing"
        try:
            return float(value)
        except ValueError:
            return "not a number"

    *ends, weight, person = row
    read = [number(value) for value in ends]
    for word in ("missing", "not a number"):
        if word in read:
            return f"coordinate {word}"
    if any(abs(float(value)) > most for value, most in zip(read, (90, 180, 90, 180), strict=True)):
        return "coordinate out of range"
    if read[0] == read[1] == 0 or read[2] == read[3] == 0:
        return "coordinate is (0, 0)"
    heavy = number(weight)
    if isinstance(heavy, str):
        return f"weight {heavy}"
    if math.isinf(heavy):
        return "weight infinite"
    if round(heavy, 6) <= 0:
        return "weight not positive"
    return "person missing" if person in (None, "") else None


@given(st.lists(st.tuples(degrees, degrees, degrees, degrees, weights, persons), min_size=1, max_size=12))
def test_every_row_is_kept_or_counted_under_its_first_reason(rows: list[tuple[Any, ...]]) -> None:
    rows = [*rows, (48.0, 2.0, 49, 3.5, 1, "c")]
    table = pd.DataFrame(
        {
            name: pd.Series(values, dtype="object")
            for name, values in zip([*POINTS, "weight", "person"], zip(*rows, strict=True), strict=True)
        }
    )
    reasons = [expected_reason(row) for row in rows]
    trips = odk.Trips.from_table(table)
    assert len(trips) + sum(trips.rejected.values()) == trips.rows == len(rows)
    assert dict(trips.rejected) == Counter(reason for reason in reasons if reason)
    assert list(trips.table.index) == list(range(len(trips)))
    for reason, shown in trips.rejected_rows.items():
        assert list(shown["row"]) == [i + 1 for i, why in enumerate(reasons) if why == reason][:5]
    assert len(odk.Trips.from_table(trips.table)) == len(trips)


def test_a_mapping_that_is_none_is_refused():
    with pytest.raises(odk.InputError, match=r"columns \(list\) must be a mapping from target to column"):
        odk.read_trips(b"a,b\n1,2\n", columns=["a"])


def test_metres_are_told_from_degrees_where_no_row_is_valid():
    table = pd.DataFrame({"start_lat": [447714.4], "start_lon": [4635279.1], "end_lat": [447600.5], "end_lon": [1.0]})
    with pytest.raises(odk.InputError, match=r"none of 1 rows is one .* must be degrees \(WGS 84\), not metres"):
        odk.Trips.from_table(table)


def test_start_times_part_the_day_and_the_week_where_they_differ():
    points = dict(zip(odk.columns.POINTS, (48.8, 2.3, 48.9, 2.4), strict=True))
    times = ["2024-03-14 05:59", "2024-03-14 06:00", "2024-03-15 23:10", "2024-03-16 10:00", None]  # Thu, Thu, Fri, Sat
    trips = odk.Trips.from_table(pd.DataFrame({**points, "start_time": times})).by_time()
    assert trips.segments == ["part of day", "part of week"]
    assert trips.table["part of day"].tolist()[:4] == ["00-06 h", "06-10 h", "20-24 h", "10-16 h"]
    assert trips.table["part of week"].tolist()[:4] == ["Mon-Fri", "Mon-Fri", "Mon-Fri", "Sat, Sun"]
    assert trips.table[trips.segments].iloc[4].isna().all()
    assert len(trips.where(**{"part of week": "Sat, Sun"})) == 1
    dates = odk.Trips.from_table(pd.DataFrame({**points, "start_time": ["2024-03-14", "2024-03-16"]}))
    assert dates.by_time().segments == ["part of week"]
    assert odk.Trips.from_table(pd.DataFrame([points, points])).by_time().segments == []
