"""Readers of the papers' data, on small files in the exact columns of each format."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.readers import files, porto, turin
from odk.readers.gnss import cut_trace
from odk.readers.netmob25 import age_band, read_netmob25
from odk.readers.tlc import read_tlc
from odk.region import Region
from odk.trips import preview_columns

# Porto -----------------------------------------------------------------------------------------------------------


def porto_csv(*lines: str) -> bytes:
    """Rows as in train.csv: every field quoted."""
    rows = [porto.COLUMNS]
    for i, line in enumerate(lines):
        rows.append(
            (
                f"13726368586200005{i:02}",
                "ABC"[i % 3],
                "",
                "",
                f"2000058{i % 2}",
                str(1372636858 + i),
                "A",
                "False",
                line,
            )
        )
    return "\n".join(",".join(f'"{field}"' for field in row) for row in rows).encode()


WAY = "[[-8.618643,41.141412],[-8.618499,41.141376],[-8.620326,41.14251]]"


def test_porto_takes_first_and_last_point_of_the_way():
    trips = odk.read_trips(porto_csv(WAY, WAY))
    assert trips.columns["person"] == "TAXI_ID"
    first = trips.table.iloc[0]
    assert (first["origin_lat"], first["origin_lon"]) == (41.141412, -8.618643)
    assert (first["destination_lat"], first["destination_lon"]) == (41.14251, -8.620326)
    assert list(trips.table["person"]) == [20000580, 20000581]
    assert str(first["start_time"]) == "2013-07-01 00:00:58"
    assert trips.segments == ["CALL_TYPE", "DAY_TYPE"]


def test_porto_counts_every_line_that_is_no_trip():
    lines = [
        WAY,
        "[]",
        "[ ]",
        "[[-8.6,41.1]]",
        "",
        "[[-8.6,41.1],[-8.6",
        "nonsense",
        "[[-8.6,41.1],[-8.6,north]]",
        "[[-8.6,41.1],[-9.6,41.1]]",
        "[[-8.6,41.1],[-9.1,41.1]]",
        "[[-8.6,41.1],[0,0]]",
        "[[-8.6,41.1],[38.7,9.0]]",
        "{'type': 'LineString', 'coordinates': [[-8.6, 41.1], [-8.61, 41.12]]}",
        " [ [ -8.6 , 41.1 ] , [ -8.61 , 41.12 ] ] ",
        "[[-8.6,41.1,15],[-8.61,41.12,30]]",
    ]
    trips = odk.read_trips(porto_csv(*lines))
    assert dict(trips.rejected) == {
        "POLYLINE missing": 1,
        "POLYLINE is not JSON": 3,
        "POLYLINE is empty": 2,
        "POLYLINE is of one point": 1,
        "coordinate is (0, 0)": 1,
        "outside the region": 2,
        "in the sea": 1,
    }
    assert trips.rows == len(lines) == len(trips) + sum(trips.rejected.values())
    assert list(trips.rejected_rows["POLYLINE is not JSON"]["row"]) == [6, 7, 8]
    assert trips.rejected_rows["POLYLINE is not JSON"]["POLYLINE"][1] == "nonsense"
    assert list(trips.rejected_rows["in the sea"]["row"]) == [10]
    everywhere = odk.read_trips(porto_csv(*lines), region=None)
    assert "in the sea" not in everywhere.rejected
    assert everywhere.rejected["coordinate is (0, 0)"] == 1


@given(st.lists(st.lists(st.tuples(st.floats(-8.65, -7), st.floats(40.7, 42)), max_size=6), min_size=1, max_size=20))
def test_porto_agrees_with_json_on_any_lines(ways):
    ways = [*ways, [(-8.6, 41.1), (-8.5, 41.2)]]
    trips = odk.read_trips(porto_csv(*(json.dumps(way) for way in ways)))
    kept = [way for way in ways if len(way) > 1]
    found = trips.table[["origin_lon", "origin_lat", "destination_lon", "destination_lat"]].to_numpy()
    assert found.tolist() == [[*way[0], *way[-1]] for way in kept]


def test_a_large_file_is_read_in_blocks_with_the_same_result(monkeypatch):
    lines = [WAY, "[]", WAY, "nonsense", WAY] * 40
    data = porto_csv(*lines).replace(b'"[]"', b'"[]","too many"', 3)
    whole = odk.read_trips(data)
    monkeypatch.setattr(files, "BLOCK_BYTES", 700)
    blocks = odk.read_trips(data)
    assert whole.fingerprint == blocks.fingerprint
    assert (
        dict(whole.rejected)
        == dict(blocks.rejected)
        == {
            "wrong number of columns": 3,
            "POLYLINE is not JSON": 40,
            "POLYLINE is empty": 37,
        }
    )
    for trips in (whole, blocks):
        assert list(trips.rejected_rows["wrong number of columns"]["row"]) == [2, 7, 12]
        assert list(trips.rejected_rows["POLYLINE is not JSON"]["row"]) == [4, 9, 14, 19, 24]
        assert list(trips.rejected_rows["POLYLINE is empty"]["row"]) == [17, 22, 27, 32, 37]


def test_a_known_format_is_named_in_the_preview():
    preview = preview_columns(porto_csv(WAY))
    assert preview.format == "Porto taxi trips"
    assert preview.guessed == {"person": "TAXI_ID", "start_time": "TIMESTAMP"}


# Turin -----------------------------------------------------------------------------------------------------------

TURIN = pd.DataFrame(
    {
        "": range(5),
        "init_time": [1481650842, 1481651119, 1481651458, 1481651500, 1481651600],
        "final_time": [1481650980, 1481651409, 1481651507, 1481651700, 1481651700],
        "plate": ["325/AA000AA", "297/BB000BB", "122/CC000CC", None, "297/BB000BB"],
        "vin": ["W1", "W2", "W3", "W4", "W2"],
        "coordinates": [
            "[[7.67936, 45.07162], [7.67936, 45.07162]]",
            "[[7.65013, 45.02163], [7.64055, 45.02211]]",
            "[[0, 0], [7.70481, 45.05988]]",
            "[[7.65013, 45.02163], [7.64055, 45.02211]]",
            "[[7.65013, 45.02163], [38.75, 9.02]]",
        ],
    }
)


def test_turin_takes_both_ends_of_the_object_and_protects_the_car():
    trips = odk.read_trips(TURIN.to_csv(index=False).encode())
    assert dict(trips.rejected) == {"coordinate is (0, 0)": 1, "outside the region": 1, "person missing": 1}
    assert list(trips.table["person"]) == ["325/AA000AA", "297/BB000BB"]
    last = trips.table.iloc[1]
    assert (last["origin_lat"], last["origin_lon"]) == (45.02163, 7.65013)
    assert (last["destination_lat"], last["destination_lon"]) == (45.02211, 7.64055)
    assert str(last["start_time"]) == "2016-12-13 17:45:19"
    assert trips.segments == []


def test_turin_from_nested_parquet_gives_the_same_trips():
    nested = TURIN.drop(columns="").assign(coordinates=[json.loads(line) for line in TURIN["coordinates"]])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(nested), out)
    assert odk.read_trips(out).fingerprint == odk.read_trips(TURIN.to_csv(index=False).encode()).fingerprint
    objects = nested.rename(columns={"coordinates": "origin_destination"})
    objects["origin_destination"] = [{"type": "LineString", "coordinates": line} for line in nested["coordinates"]]
    assert turin.matches(list(objects.columns))
    text = objects.assign(origin_destination=objects["origin_destination"].map(str)).to_csv(index=False)
    assert odk.read_trips(text.encode()).fingerprint == odk.read_trips(out).fingerprint


# Region ----------------------------------------------------------------------------------------------------------


def test_a_region_must_be_a_box_and_a_coast_from_south_to_north():
    with pytest.raises(odk.InputError, match=r"region here .*must be west, south, east, north"):
        Region(name="here", west=3, south=1, east=2, north=4)
    with pytest.raises(odk.InputError, match="must go from south to north"):
        Region(name="here", west=1, south=1, east=2, north=4, west_coast=((2, 1), (1, 1)))


@pytest.mark.parametrize(
    ("lat", "lon", "sea"),
    [
        (41.149, -8.611, False),
        (41.15, -8.68, False),
        (41.185, -8.70, False),
        (41.15, -8.80, True),
        (40.64, -8.75, False),
    ],
)
def test_the_coast_of_porto(lat, lon, sea):
    point = np.array([lat]), np.array([lon])
    assert porto.REGION.at_sea(*point)[0] == sea
    assert not porto.REGION.outside(*point)[0]


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


# New York --------------------------------------------------------------------------------------------------------

ZONES = b"""LocationID,Borough,Zone,service_zone,lat,lon
1,EWR,Newark Airport,EWR,40.69,-74.17
4,Manhattan,Alphabet City,Yellow Zone,40.72,-73.98
12,Manhattan,Battery Park,Yellow Zone,40.70,-74.01
13,Manhattan,Battery Park City,Yellow Zone,40.71,-74.02
264,Unknown,,,,
"""


def tlc_month(**changes: object) -> bytes:
    table = pd.DataFrame(
        {
            "VendorID": [1, 2, 1, 2, 1, 2],
            "tpep_pickup_datetime": pd.to_datetime("2024-01-01 00:57:55"),
            "tpep_dropoff_datetime": pd.to_datetime("2024-01-01 01:17:43"),
            "passenger_count": [1.0, 1.0, 2.0, None, 1.0, 1.0],
            "PULocationID": pd.array([4, 12, 13, 264, 1, None], dtype="Int64"),
            "DOLocationID": pd.array([12, 4, 13, 4, 265, 4], dtype="Int64"),
            "payment_type": [1, 2, 1, 1, 1, 1],
            "fare_amount": [17.7, 10.0, 23.3, 10.0, 7.9, 29.6],
        }
    )
    out = io.BytesIO()
    table.assign(**changes).to_parquet(out)
    return out.getvalue()


def test_tlc_trips_between_zones_with_a_dendrogram():
    month = read_tlc(tlc_month(), ZONES, name="January")
    trips = month.trips
    assert list(trips.table["origin"]) == ["4", "12", "13"]
    assert dict(trips.rejected) == {"zone without a centroid": 2, "zone missing": 1}
    assert list(trips.rejected_rows["zone without a centroid"]["row"]) == [4, 5]
    assert not trips.has_person
    assert trips.segments == ["passenger_count", "payment_type"]
    assert month.names["12"] == "Battery Park"
    assert month.hierarchy.kind == "ward"
    assert month.hierarchy.n_leaves == 4
    matrix = odk.ODMatrix.from_trips(trips, hierarchy=month.hierarchy)
    assert matrix.total_trips == 3
    assert sorted(zip(matrix.pairs["origin"], matrix.pairs["destination"], strict=True)) == [
        ("12", "4"),
        ("13", "13"),
        ("4", "12"),
    ]


def test_tlc_says_what_is_missing():
    with pytest.raises(odk.InputError, match=r"origin \(pulocation id\) must be among its columns: a, b"):
        read_tlc(b"a,b\n1,2\n", ZONES)
    with pytest.raises(odk.InputError, match=r"lat \(lat\) must be among its columns: LocationID, Zone"):
        read_tlc(tlc_month(), b"LocationID,Zone\n1,A\n")
    with pytest.raises(odk.InputError, match=r"LocationID \(1\) must be there once"):
        read_tlc(tlc_month(), b"LocationID,lat,lon\n1,40,-74\n1,41,-74\n")
    with pytest.raises(odk.InputError, match="at least one zone with a centroid"):
        read_tlc(tlc_month(), b"LocationID,lat,lon\n1,,\n")
