"""Porto's and Turin's files, in their exact columns: ways as text, both ends in one object."""

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.readers import porto, preview_columns, turin
from odk.region import Region
from odk.tables import csv

# Porto -----------------------------------------------------------------------------------------------------------


def porto_csv(*lines: str) -> bytes:
    """Rows as in train.csv: every field quoted."""
    rows = [porto.COLUMNS]
    for i, line in enumerate(lines):
        rows.append(
            (
                f"T{i}",
                "ABC"[i % 3],
                "",
                "",
                f"2000058{i % 2}",
                str(1380000000 + i),
                "A",
                "False",
                line,
            )
        )
    return "\n".join(",".join(f'"{field}"' for field in row) for row in rows).encode()


WAY = "[[-8.61,41.15],[-8.615,41.152],[-8.62,41.153]]"


def test_porto_takes_first_and_last_point_of_the_way():
    trips = odk.read_trips(porto_csv(WAY, WAY))
    assert trips.columns["person"] == "TAXI_ID"
    first = trips.table.iloc[0]
    assert (first["origin_lat"], first["origin_lon"]) == (41.15, -8.61)
    assert (first["destination_lat"], first["destination_lon"]) == (41.153, -8.62)
    assert list(trips.table["person"]) == [20000580, 20000581]
    assert str(first["start_time"]) == "2013-09-24 05:20:00"
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
    monkeypatch.setattr(csv, "BLOCK_BYTES", 700)
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


def test_a_known_format_needs_no_mapping_of_its_ends_but_may_have_one_for_the_rest():
    nothing = dict.fromkeys(("origin_lat", "origin_lon", "destination_lat", "destination_lon", "origin", "destination"))
    assert odk.read_trips(porto_csv(WAY), nothing).fingerprint == odk.read_trips(porto_csv(WAY)).fingerprint
    assert not odk.read_trips(porto_csv(WAY), {**nothing, "person": None}).has_person
    assert odk.read_trips(porto_csv(WAY), {"person": "TRIP_ID"}).columns["person"] == "TRIP_ID"


# Turin -----------------------------------------------------------------------------------------------------------

TURIN = pd.DataFrame(
    {
        "": range(5),
        "init_time": [1500000000, 1500000600, 1500001200, 1500001800, 1500002400],
        "final_time": [1500000500, 1500001100, 1500001700, 1500002300, 1500002900],
        "plate": ["325/AA000AA", "297/BB000BB", "122/CC000CC", None, "297/BB000BB"],
        "vin": ["W1", "W2", "W3", "W4", "W2"],
        "coordinates": [
            "[[7.68, 45.07], [7.68, 45.07]]",
            "[[7.65, 45.021], [7.64, 45.022]]",
            "[[0, 0], [7.7, 45.06]]",
            "[[7.65, 45.021], [7.64, 45.022]]",
            "[[7.65, 45.021], [38.75, 9.02]]",
        ],
    }
)


def test_turin_takes_both_ends_of_the_object_and_protects_the_car():
    trips = odk.read_trips(TURIN.to_csv(index=False).encode())
    assert dict(trips.rejected) == {"coordinate is (0, 0)": 1, "outside the region": 1, "person missing": 1}
    assert list(trips.table["person"]) == ["325/AA000AA", "297/BB000BB"]
    last = trips.table.iloc[1]
    assert (last["origin_lat"], last["origin_lon"]) == (45.021, 7.65)
    assert (last["destination_lat"], last["destination_lon"]) == (45.022, 7.64)
    assert str(last["start_time"]) == "2017-07-14 02:50:00"
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
