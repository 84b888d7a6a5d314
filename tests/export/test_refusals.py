"""Releases that are not bundled, each with what would make it pass; places that are no H3 cells."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import odk
from odk.export import make_bundle
from odk.hierarchy import Hierarchy
from odk.release import BoxRelease, tree_release
from tests.audit.towns import NORTH, people
from tests.export.towns import leaves, towns

TEN = odk.Protection(trips=10)


def test_a_release_that_breaks_its_promise_is_refused():
    release = leaves(towns(), TEN)
    with pytest.raises(odk.UnsafeError, match=r"1 of 2 do not; make it again .* larger budget"):
        make_bundle(replace(release, protection=odk.Protection(trips=11)))
    with pytest.raises(odk.UnsafeError, match="sums"):
        make_bundle(replace(release, trips=release.trips + 1))
    with pytest.raises(odk.UnsafeError, match="hold both their ends"):
        make_bundle(replace(release, o_node=release.o_node[::-1].copy()))
    with pytest.raises(odk.InputError, match=r"odk\.Release"):
        make_bundle("a release")


def test_cells_that_overlap_are_refused():
    # NORTH-NORTH at its leaves, everything else between the roots: one can be subtracted from the other.
    matrix = odk.ODMatrix.from_trips(towns((NORTH, NORTH, people(15)), far=0), resolution=7)
    fine = (matrix.o == 0) & (matrix.d == 0)
    release = tree_release(
        matrix,
        TEN,
        odk.Budget(0.1),
        algorithm="atg-joint",
        options=odk.algorithms.get("atg-joint").options(),
        o_node=np.where(fine, 0, matrix.origins.root),
        d_node=np.where(fine, 0, matrix.destinations.root),
    )
    assert release.n_cells == 2
    with pytest.raises(odk.UnsafeError, match="overlap"):
        make_bundle(release)


def box_release(trips, tight=False, sides=(2.0, 48.0, 3.0, 49.0)):
    matrix = odk.ODMatrix.from_trips(trips, resolution=7)
    everything = np.zeros(matrix.n_pairs, dtype=np.int64)
    sums = matrix.regroup(everything, 1)
    return BoxRelease(
        matrix=matrix,
        protection=TEN,
        budget=odk.Budget(0.1),
        algorithm="mondrian",
        options=odk.algorithms.get("mondrian").options(),
        of_pair=everything,
        trips=sums.trips,
        population=sums.population,
        persons=sums.persons,
        boxes=np.array([[*sides, *sides]]),
        tight=tight,
    )


def test_noise_and_tight_boxes_are_refused(centre):
    noisy = odk.anonymise(centre, TEN, algorithm="laplace", options={"resolution": 7})
    with pytest.raises(odk.UnsafeError, match=r"k-anonymous.*twincut"):
        make_bundle(noisy)
    with pytest.raises(odk.UnsafeError, match=r"bounds of observed places.*mondrian"):
        make_bundle(box_release(towns(), tight=True))


def test_boxes_that_do_not_hold_their_trips_are_refused():
    with pytest.raises(odk.UnsafeError, match="hold both their ends"):
        make_bundle(box_release(towns(), sides=(3.0, 48.0, 4.0, 49.0)))


def test_an_audit_that_fails_or_is_of_something_else_is_refused():
    trips = towns()
    release = leaves(trips, TEN)
    fewer = replace(trips, table=trips.table.iloc[1:])  # NORTH-SOUTH has 11 trips there, and 12 in the release
    with pytest.raises(odk.UnsafeError, match=r"guarded check.*differs from the trips"):
        make_bundle(release, odk.audit(release, fewer, TEN))
    with pytest.raises(odk.InputError, match="own protection"):
        make_bundle(release, odk.audit(release, trips, odk.Protection(trips=5)))
    other = towns((NORTH, NORTH, people(15)))  # the same least cell, the same verdicts
    with pytest.raises(odk.InputError, match="this release"):
        make_bundle(release, odk.audit(leaves(other, TEN), other, TEN))
    with pytest.raises(odk.InputError, match=r"odk\.Audit"):
        make_bundle(release, "fine")
    assert make_bundle(release, odk.audit(release, trips, TEN)).manifest["audit"]["status"] == "passed"


# --- other places than H3 cells ----------------------------------------------------------------------------------------
def named(names, flows):
    """Trips between named zones under two parents, the i-th zone at (i, i) degrees."""
    place = [float(i) for i in range(len(names))]
    tree = Hierarchy.from_table(names, [f"part {i % 2}" for i in range(len(names))], place, place)
    return odk.ODMatrix.from_pairs(
        pd.DataFrame(flows, columns=["origin", "destination", "trips"]), hierarchy=tree, source="named"
    )


FORMULAS = ['=cmd|"/C calc"!A0', "+1+1", "-2", "@sum", "'=quoted", "a;=b"]


def test_names_that_a_spreadsheet_would_run_are_neutralised():
    matrix = named(FORMULAS, [(name, FORMULAS[0], 20) for name in FORMULAS])
    bundle = make_bundle(odk.anonymise(matrix, TEN, algorithm="suppression"))
    lines = bundle.files["flows.csv"].decode().splitlines()[1:]
    first = '"\'=cmd|""/C calc""!A0"'
    cells = [first, "'+1+1", "'-2", "'@sum", "''=quoted", '"a;=b"']
    assert sorted(lines) == sorted(f"{cell},{first},20" for cell in cells)
    assert sorted(bundle.flows["origin"]) == sorted(FORMULAS)  # read back as they were
    zones = {f["properties"]["zone"]: f for f in bundle.zones["features"]}
    assert zones["-2"]["geometry"] == {"type": "Point", "coordinates": [2.0, 2.0]}
    assert odk.verify(bundle.to_bytes()).passed


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a\nb", "a\u202eb", "x" * 300])
def test_names_that_hide_something_are_refused(name):
    matrix = named([name, "plain"], [(name, "plain", 20), ("plain", name, 20)])
    with pytest.raises(odk.UnsafeError, match="zone name"):
        make_bundle(odk.anonymise(matrix, TEN, algorithm="suppression"))


def test_named_zones_name_no_other_zone():
    matrix = named(list("abcd"), [("a", "b", 20), ("c", "d", 20), ("a", "d", 3), ("b", "c", 20)])
    bundle = make_bundle(odk.anonymise(matrix, TEN, algorithm="odkanon-late"))
    zones = {f["properties"]["zone"] for f in bundle.zones["features"]}
    assert zones == {*bundle.flows["origin"], *bundle.flows["destination"]}
    assert all(f["properties"]["within"] == [] for f in bundle.zones["features"])
    assert odk.verify(bundle.to_bytes()).passed


def test_boxes_are_published_by_coarse_sides():
    # leaves of level 7 have edges of 1.4 km: three decimals (111 m) are finer than a fifth of that
    bundle = make_bundle(box_release(towns(), sides=(2.123456789, 48.0, 3.1, 49.00001)))
    assert bundle.files["flows.csv"].decode().splitlines() == [
        "origin_west,origin_south,origin_east,origin_north,destination_west,destination_south,destination_east,"
        "destination_north,trips",
        "2.123,48,3.1,49,2.123,48,3.1,49,25",
    ]
    assert bundle.zones["features"][0]["properties"] == {"zone": "2.123,48,3.1,49", "origin": True, "destination": True}
    assert odk.verify(bundle.to_bytes()).passed


def test_mondrian_of_the_demo_tells_no_leaf_by_a_line_of_many_decimals(centre):
    release = odk.anonymise(centre, TEN, algorithm="mondrian")
    assert (np.round(release.boxes, 4) != release.boxes).any()
    bundle = make_bundle(release)
    sides = bundle.published.sides
    assert (np.round(sides, 4) == sides).all()
    assert len(bundle.flows) == release.n_cells
    assert int(bundle.flows["trips"].sum()) == centre.total_trips
