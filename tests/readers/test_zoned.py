"""Trips between named zones, and the tables that say how zones lie within each other."""

import pytest

import odk
from odk.readers import read_zoned, read_zones

TRIPS = b"person,from,to,weight\na,1,2,3\nb,2,1,2.5\nc,1,9,1\nd,,2,1\n"
PARENTS = b"Zone;Parent;lat;lon\n1;north;48,9;2,3\n2;north;48,8;2,4\n3;south;48,7;2,3\n"
CENTRES = b"LocationID,lat,lon,Zone\n1,48.9,2.3,Hill\n2,48.8,2.4,\n3,48.7,2.3,Port\n"


def test_parents_are_the_hierarchy():
    tree = read_zones(PARENTS).hierarchy
    assert tree.kind == "table"
    assert [tree.label(i) for i in range(tree.n_leaves)] == ["1", "2", "3"]
    north = tree.parent[0]
    assert tree.label(north) == "north"
    assert tree.lat[north] == pytest.approx((48.9 + 48.8) / 2)


def test_centres_alone_are_clustered():
    table = read_zones(CENTRES)
    assert table.hierarchy.kind == "ward"
    assert table.names == {"1": "Hill", "3": "Port"}


def test_trips_to_a_zone_that_is_not_there_are_refused():
    read = read_zoned(TRIPS, PARENTS, name="town")
    assert dict(read.trips.rejected) == {"zone not in the zone table": 1, "zone missing": 1}
    assert list(read.trips.rejected_rows["zone not in the zone table"]["row"]) == [3]
    assert read.trips.has_person
    matrix = odk.ODMatrix.from_trips(read.trips, hierarchy=read.hierarchy)
    assert list(matrix.pairs["population"]) == [3.0, 2.5]


def test_ends_are_mapped_or_asked_for():
    other = TRIPS.replace(b"from,to", b"home,work")
    assert len(read_zoned(other, PARENTS, {"origin": "home", "destination": "work"}).trips) == 2
    with pytest.raises(odk.InputError, match="origin, destination must be mapped to zones; the file has person, home"):
        read_zoned(other, PARENTS)
    with pytest.raises(
        odk.InputError, match="must have a column zone, and parent or lat and lon; its columns are a, b"
    ):
        read_zoned(TRIPS, b"a,b\n1,2\n")
