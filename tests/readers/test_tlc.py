"""New York's taxi trips between zones, in their exact columns."""

import io

import pandas as pd
import pytest

import odk
from odk.readers import read_tlc

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
