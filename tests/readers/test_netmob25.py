"""NetMob25: traces cut into trips, trips joined with individuals, in the exact columns of the data set."""

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.readers import read_netmob25
from odk.readers.gnss import cut_trace
from odk.readers.netmob25 import age_band

# GNSS ------------------------------------------------------------------------------------------------------------


def trace(*seconds: float) -> pd.DataFrame:
    """Records at these seconds, each a thousandth of a degree north of the one before."""
    utc = pd.Timestamp("2023-03-13 08:00:00") + pd.to_timedelta(list(seconds), unit="s")
    return pd.DataFrame(
        {
            "UTC DATETIME": utc.strftime("%Y-%m-%d %H:%M:%S"),
            "LOCAL DATETIME": (utc + pd.Timedelta(hours=1)).strftime("%Y-%m-%d %H:%M:%S"),
            "VALID": "SPS",
            "LATITUDE": 48.8 + np.arange(len(utc)) / 1000,
            "LONGITUDE": 2.3,
            "SPEED": 3.5,
        }
    )


def cut(table: pd.DataFrame, **options) -> "pd.DataFrame":
    return cut_trace(
        table["UTC DATETIME"], table["LATITUDE"], table["LONGITUDE"], table["LOCAL DATETIME"], **options
    ).table


def test_a_trip_ends_after_more_than_three_minutes_without_a_record():
    # 0, 60, 240 (180 s later: still the same trip), 421 (181 s later: a new one), 430, then 1000 alone.
    trips = cut(trace(0, 60, 240, 421, 430, 1000))
    assert list(trips["records"]) == [3, 2, 1]
    assert list(trips["origin_lat"]) == pytest.approx([48.800, 48.803, 48.805])
    assert list(trips["destination_lat"]) == pytest.approx([48.802, 48.804, 48.805])
    assert [str(time) for time in trips["start_time"].dt.time] == ["09:00:00", "09:07:01", "09:16:40"]
    assert list(cut(trace(0, 60, 240, 421), gap_seconds=59)["records"]) == [1, 1, 1, 1]


def test_records_without_time_or_place_are_counted_and_do_not_cut():
    table = trace(0, 100, 200, 300, 400)
    table["LATITUDE"] = [48.8, 0.0, 95.0, 48.81, None]
    table["LONGITUDE"] = [2.3, 0.0, 2.3, 2.31, 2.3]
    got = cut_trace(table["UTC DATETIME"], table["LATITUDE"], table["LONGITUDE"])
    assert got.rejected == {
        "record: coordinate missing": 1,
        "record: coordinate out of range": 1,
        "record: coordinate is (0, 0)": 1,
    }
    assert len(got.table) == 2  # 300 seconds between the two records that are left
    table["UTC DATETIME"] = "never"
    assert len(cut(table)) == 0


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=40, unique=True))
def test_the_cut_agrees_with_a_walk_over_the_records(seconds):
    seconds = sorted(seconds)
    expected, start = [], 0
    for i in range(1, len(seconds) + 1):
        if i == len(seconds) or seconds[i] - seconds[i - 1] > 180:
            expected.append((start, i - 1))
            start = i
    shuffled = trace(*seconds).sample(frac=1, random_state=1)
    got = cut(shuffled)
    assert list(got["records"]) == [last - first + 1 for first, last in expected]
    assert list(got["origin_lat"]) == pytest.approx([48.8 + first / 1000 for first, _ in expected])
    assert list(got["destination_lat"]) == pytest.approx([48.8 + last / 1000 for _, last in expected])


# NetMob25 --------------------------------------------------------------------------------------------------------

COLUMNS = [
    *(
        "ID",
        "CODGEO",
        "AREA_NAME",
        "SEX",
        "AGE",
        "DIPLOMA",
        "PRO_CAT",
        "TYPE_HOUSE",
        "NBPERS_HOUSE",
        "NB_10",
        "NB_11_17",
    ),
    *("NB_18_24", "NB_25_64", "NB_65", "PMR", "DRIVING_LICENCE", "NB_CAR", "TWO_WHEELER", "BIKE", "ELECT_SCOOTER"),
    *("NAVIGO_SUB", "IMAGINER_SUB", "OTHER_SUB_PT", "BIKE_SUB", "NSM_SUB", "WEIGHT_INDIV", "GPS_RECORD"),
]


def individuals(**changes: object) -> bytes:
    """Four participants; the last one has no complete traces."""
    table = pd.DataFrame({name: ["0"] * 4 for name in COLUMNS}).assign(
        ID=["10_1", "10_2", "10_3", "10_4"],
        SEX=["Woman", "Man", "Woman", "Man"],
        AGE=[19, 20, 70, 45],
        PRO_CAT=[1, 8, 7, 3],
        WEIGHT_INDIV=[2674.2, 1000.5, 3000, 10],
        GPS_RECORD=[True, True, True, False],
    )
    return table.assign(**changes).to_csv(index=False).encode()


def gps_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "gps_dataset"
    folder.mkdir()
    trace(0, 60, 600, 660).to_csv(folder / "10_1.csv", index=False)
    trace(0, 60, 120).to_csv(folder / "10_2.csv", index=False)
    trace(0, 60).to_csv(folder / "10_4.csv", index=False)
    trace(0, 60).to_csv(folder / "99_9.csv", index=False)
    trace(0).to_csv(folder / "10_5.csv", index=False)
    return folder


def test_netmob25_joins_traces_and_individuals(tmp_path):
    trips = read_netmob25(individuals(), gps=gps_folder(tmp_path))
    assert list(trips.table["person"]) == ["10_1", "10_1", "10_2"]
    assert list(trips.table["weight"]) == [2674.2, 2674.2, 1000.5]
    assert trips.table[["sex", "age", "profession"]].astype(str).to_numpy().tolist() == [
        ["F", "10-20", "Cat. 1"],
        ["F", "10-20", "Cat. 1"],
        ["M", "20-30", "Cat. 8"],
    ]
    assert dict(trips.rejected) == {
        "trace of one record": 1,
        "person without a row among the individuals": 1,
        "person without complete GNSS records": 1,
    }
    assert trips.rows == 6
    assert trips.warnings == {"trips of one record, which start where they end": 1, "individuals without a trip": 1}
    assert str(trips.table["start_time"][0]) == "2023-03-13 09:00:00"
    assert trips.source == "NetMob25"


def test_netmob25_from_a_zip_a_list_and_trips_cut_before(tmp_path):
    folder = gps_folder(tmp_path)
    whole = read_netmob25(individuals(), gps=folder)
    archive = tmp_path / "gps.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in folder.iterdir():
            file.write(path, f"gps_dataset/{path.name}")
    assert read_netmob25(individuals(), gps=archive).fingerprint == whole.fingerprint
    assert read_netmob25(individuals(), gps=list(folder.iterdir())).fingerprint == whole.fingerprint
    before = whole.table.rename(
        columns={
            "origin_lat": "ori_lat",
            "origin_lon": "ori_lon",
            "destination_lat": "dst_lat",
            "destination_lon": "dst_lon",
        }
    )
    before = before[["start_time", "ori_lat", "ori_lon", "dst_lat", "dst_lon"]].assign(ID=whole.table["person"])
    again = read_netmob25(individuals(), trips=before.to_csv(index=False).encode())
    assert again.fingerprint == whole.fingerprint


def test_netmob25_counts_bad_trips_by_reason():
    rows = [
        ("10_1", 48.8, 2.3, 48.9, 2.4),
        ("10_2", 48.8, 2.3, 43.3, 5.4),
        ("10_3", 48.8, 2.3, "", 2.4),
        ("10_9", 48.8, 2.3, 48.9, 2.4),
        ("", 48.8, 2.3, 48.9, 2.4),
    ]
    table = pd.DataFrame(rows, columns=["person_id", "start_lat", "start_lon", "end_lat", "end_lon"])
    data = table.to_csv(index=False).encode()
    trips = read_netmob25(individuals(WEIGHT_INDIV=["1", "1", "1", "1"]), trips=data)
    assert dict(trips.rejected) == {
        "person without a row among the individuals": 1,
        "coordinate missing": 1,
        "outside the region": 1,
        "weight missing": 1,
    }
    assert "outside the region" not in read_netmob25(individuals(), trips=data, region=None).rejected


def test_netmob25_says_what_a_wrong_file_lacks(tmp_path):
    table = b"person_id,start_lat,start_lon,end_lat,end_lon\n10_1,48.8,2.3,48.9,2.4\n"
    with pytest.raises(odk.InputError, match="either gps"):
        read_netmob25(individuals())
    with pytest.raises(odk.InputError, match=r"upload: column \(ID, SEX, .*must be in this file"):
        read_netmob25(table, trips=table)
    with pytest.raises(odk.InputError, match=r"ID \(10_1\) must be there once; 1 rows repeat one"):
        read_netmob25(individuals(ID=["10_1", "10_1", "2", "3"]), trips=table)
    with pytest.raises(odk.InputError, match="communes and no coordinates"):
        read_netmob25(individuals(), trips=b"KEY,ID,Code_INSEE_O,Code_INSEE_D\n1,10_1,75101,75102\n")
    with pytest.raises(odk.InputError, match=r"person, origin_lat, .* must be among its columns: a, b"):
        read_netmob25(individuals(), trips=b"a,b\n1,2\n")
    with pytest.raises(odk.InputError, match="must hold at least one trace"):
        read_netmob25(individuals(), gps=tmp_path)
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(odk.InputError, match=r"gps \(x.csv\) must be a folder"):
        read_netmob25(individuals(), gps=tmp_path / "x.csv")
    with pytest.raises(odk.InputError, match=r"x.csv: column \(UTC DATETIME, LATITUDE, LONGITUDE\)"):
        read_netmob25(individuals(), gps=tmp_path)


def test_age_bands_of_the_papers():
    ages = pd.Series([10, 19, 20, 29, 69, 70, 99, 9, None, "forty"], dtype="object")
    bands = ["10-20", "10-20", "20-30", "20-30", "60-70", ">70", ">70", None, None, None]
    assert [None if pd.isna(band) else band for band in age_band(ages)] == bands
