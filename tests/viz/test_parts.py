"""Part of a release: the flows of one zone."""

import numpy as np
import pytest

import odk
from odk.viz.parts import OTHER, cells_of, leading_axis, only_cells, partners
from odk.viz.zones import zone_table


@pytest.mark.parametrize("algorithm", ["twincut", "atg-joint", "mondrian", "laplace"])
def test_the_partners_of_all_zones_make_up_the_release(algorithm, small_matrix):
    release = odk.anonymise(small_matrix, odk.Protection(trips=5), algorithm=algorithm)
    axis = leading_axis(release)
    zones = zone_table(release, axis)
    parts = [partners(release, axis, zone) for zone in zones["zone"]]
    assert sum(len(part) for part in parts) == release.n_cells  # a flow has one zone at each end
    assert [part["trips"].sum() for part in parts] == zones["trips"].tolist()


def test_the_destinations_of_an_origin_are_those_of_the_release(small_matrix):
    release = odk.anonymise(small_matrix, odk.Protection(trips=5), algorithm="atg-dual")
    origin = release.origin_zones[0]
    assert sorted(partners(release, "origins", origin)["zone"]) == release.destination_zones_of(origin)


def test_only_some_cells(small_matrix):
    release = odk.anonymise(small_matrix, odk.Protection(trips=5), algorithm="twincut")
    some = np.array([0, 2])
    part = only_cells(release, some)
    assert part.trips.tolist() == release.trips[some].tolist()
    again = small_matrix.regroup(part.of_pair, 2)
    assert again.trips.tolist() == part.trips.tolist()


def test_a_zone_that_is_not_there(small_matrix):
    release = odk.anonymise(small_matrix, odk.Protection(trips=5), algorithm="twincut")
    with pytest.raises(odk.InputError, match="must be one of the"):
        cells_of(release, OTHER["destinations"], "nowhere")
