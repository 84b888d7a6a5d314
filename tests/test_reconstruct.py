"""Reconstruction, with shares that can be checked by hand."""

import h3
import numpy as np
import pandas as pd
import pytest

import odk
from odk.reconstruct import _Areas, reconstruct, reconstruct_by_hour

TOWN = h3.latlng_to_cell(48.86, 2.34, 7)
HOME, WORK, *REST = sorted(h3.cell_to_children(TOWN, 8))
LEAF = {c: sorted(h3.cell_to_children(c, 9)) for c in (HOME, WORK, *REST)}


def matrix(counts):
    rows = [(o, d, n) for (o, d), n in counts.items()]
    return odk.ODMatrix.from_pairs(pd.DataFrame(rows, columns=["start_h3", "end_h3", "count"]))


def coarse(m, k=10):
    """Everything in one cell: the finest cell that covers all."""
    return odk.anonymise(m, odk.Protection(trips=k), "odkanon-late", 0.0)


def test_a_zone_is_spread_evenly_over_its_cells():
    # 14 trips between the seven parts of the town, published as one cell town -> town
    m = matrix({(LEAF[HOME][0], LEAF[WORK][0]): 9, (LEAF[WORK][3], LEAF[HOME][2]): 5})
    release = coarse(m)
    assert release.origin_zones == release.destination_zones == [TOWN]
    found = reconstruct(release, {"home": [HOME], "work": [WORK]}).flows.set_index(["origin", "destination"])
    # each area is 1/7 of the town: every flow between two areas is 14 / 49
    assert found["trips"].tolist() == pytest.approx([14 / 49] * 4)
    assert found.loc[("home", "work"), "original_trips"] == 9
    assert found.loc[("work", "home"), "original_trips"] == 5


def test_areas_that_are_the_zones_get_the_flows_back():
    m = matrix({(LEAF[HOME][0], LEAF[WORK][0]): 40, (LEAF[WORK][3], LEAF[HOME][2]): 20})
    release = odk.anonymise(m, odk.Protection(trips=10), "twincut", 0.0)
    whole = reconstruct(release, {"home": [HOME], "work": [WORK]})
    assert whole.flows["trips"].tolist() == pytest.approx([0, 40, 20, 0])
    assert whole.error == pytest.approx(0)


def test_a_whole_area_holds_everything():
    m = matrix({(LEAF[HOME][0], LEAF[WORK][0]): 9, (LEAF[WORK][3], LEAF[HOME][2]): 5})
    assert reconstruct(coarse(m), {"town": [TOWN]}).flows["trips"].tolist() == pytest.approx([14])


def test_a_polygon_is_filled_with_cells():
    m = matrix({(LEAF[HOME][0], LEAF[WORK][0]): 9, (LEAF[WORK][3], LEAF[HOME][2]): 5})
    around = [(48.7, 2.1), (48.7, 2.6), (49.0, 2.6), (49.0, 2.1)]
    assert reconstruct(coarse(m), {"drawn": around}).flows["trips"].tolist() == pytest.approx([14], rel=0.02)


def test_boxes_are_shared_by_area():
    trips = town_trips()
    release = odk.anonymise(odk.ODMatrix.from_trips(trips, 9), odk.Protection(trips=10), "mondrian")
    all_of_it = [(48.3, 1.6), (48.3, 3.2), (49.3, 3.2), (49.3, 1.6)]
    found = reconstruct(release, {"everywhere": all_of_it})
    assert found.flows["original_trips"].tolist() == [len(trips)]
    assert found.flows["trips"].iloc[0] == pytest.approx(len(trips))
    west, east = ([(a, min(max(b, low), high)) for a, b in all_of_it] for low, high in ((1.6, 2.34), (2.34, 3.2)))
    parts = reconstruct(release, {"west": west, "east": east}).flows["trips"]
    assert (parts > 0.05 * len(trips)).all()  # the town lies on both sides, and people cross
    assert parts.sum() == pytest.approx(len(trips))


def test_boxes_smaller_than_the_cells_of_an_area_are_counted():
    trips = town_trips()
    release = odk.anonymise(odk.ODMatrix.from_trips(trips, 9), odk.Protection(trips=10), "mondrian")
    cell = h3.latlng_to_cell(48.86, 2.34, 6)
    coarse_area = reconstruct(release, {"town": [cell]}).flows["trips"].iloc[0]
    fine_area = reconstruct(release, {"town": h3.cell_to_children(cell, 9)}).flows["trips"].iloc[0]
    # children stick out of their parent a little; the two ways of writing the area agree but for that
    assert coarse_area == pytest.approx(fine_area, rel=0.05)
    assert coarse_area > 200  # 13 if boxes that hold no centre of a cell were lost


def test_a_box_is_shared_by_what_areas_cover_of_it_also_across_the_antimeridian():
    leaf = [h3.latlng_to_cell(0.0, lon, 5) for lon in (179.5, -179.5)]
    m = matrix({(leaf[0], leaf[1]): 8, (leaf[1], leaf[0]): 8})
    west = [(-3.0, 179.0), (-3.0, 180.0), (3.0, 180.0), (3.0, 179.0)]  # the western half of a box of two degrees
    for east in (181.0, -179.0):  # both ways of writing the same box
        box = [179.0, -1.0, east, 1.0]
        release = odk.BoxRelease(
            matrix=m,
            protection=odk.Protection(trips=2),
            budget=odk.Budget(0.0),
            algorithm="by hand",
            of_pair=np.array([0, 0]),
            trips=np.array([16]),
            population=np.array([16_000_000]),
            boxes=np.array([box + box]),
        )
        share = _Areas.of({"west": _h3_of(west)}).of_boxes(release.boxes[:, :4])
        assert share == pytest.approx(np.array([[0.5]]), abs=0.06)


def _h3_of(corners):
    return sorted(h3.h3shape_to_cells(h3.LatLngPoly(corners), 5))


def test_an_area_that_no_trip_touches_gets_nothing():
    m = matrix({(LEAF[HOME][0], LEAF[WORK][0]): 9, (LEAF[WORK][3], LEAF[HOME][2]): 5})
    far = h3.latlng_to_cell(10.0, 10.0, 8)
    found = reconstruct(coarse(m), {"home": [HOME], "far": [far]}).flows
    assert found["original_trips"].tolist() == [0, 0, 0, 0]
    assert found["trips"].tolist() == pytest.approx([14 / 49, 0, 0, 0])


def town_trips(n=2400):
    rng = np.random.default_rng(3)
    ends = [rng.normal((48.86, 2.34), (0.01, 0.015), size=(n, 2)) for _ in "od"]
    names = ["origin_lat", "origin_lon", "destination_lat", "destination_lon"]
    times = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 24 * 60, n), unit="min")
    return odk.Trips.from_table(pd.DataFrame(np.hstack(ends), columns=names).assign(start_time=times))


def test_by_hour_every_hour_is_released_apart():
    trips = town_trips()
    centre = h3.latlng_to_cell(48.86, 2.34, 6)
    areas = {"centre": [centre], **{f"ring {i}": [c] for i, c in enumerate(sorted(set(h3.grid_ring(centre, 1))))}}
    table = reconstruct_by_hour(trips, areas, odk.Protection(trips=5), algorithm="odkanon-late", resolution=9)
    assert sorted(table["hour"].unique()) == list(range(24))
    assert (table["error"] == "").all()
    assert table["original_trips"].sum() == len(trips)
    # zones coarser than the areas reach beyond them, so a part of what is published is placed outside
    assert 0.5 * len(trips) < table["trips"].sum() <= len(trips)


@pytest.mark.parametrize(
    ("areas", "words"),
    [
        ({}, "none"),
        ({"a": []}, "at least one"),
        ({"a": [TOWN], "b": [HOME]}, "overlap"),
        ({"a": [(1.0, 2.0), (3.0, 4.0)]}, "three corners"),
        ({"a": ["nonsense"]}, "H3 index"),
    ],
)
def test_wrong_areas_are_refused(areas, words):
    m = matrix({(LEAF[HOME][0], LEAF[WORK][0]): 9, (LEAF[WORK][3], LEAF[HOME][2]): 5})
    with pytest.raises(odk.InputError, match=words):
        reconstruct(coarse(m), areas)
