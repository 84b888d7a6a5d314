"""ipf-dp as an algorithm: zones of a release, segment columns, what it says of itself."""

import h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import odk
from odk.errors import InputError
from tests.strategies import problems

TOWN = h3.latlng_to_cell(48.86, 2.34, 6)
LEAVES = sorted(h3.cell_to_children(TOWN, 9))


def town(n: int = 600, seed: int = 0) -> odk.Trips:
    rng = np.random.default_rng(seed)
    at = rng.integers(0, len(LEAVES), n)
    table = pd.DataFrame(
        {
            "person": rng.integers(0, 90, n),
            "origin": np.array(LEAVES)[at],
            "destination": np.array(LEAVES)[(at + rng.integers(0, 40, n)) % len(LEAVES)],
            "weight": rng.choice([1.0, 2.5, 40.0], n),
            "sex": rng.choice(["F", "M"], n),
            "band": rng.choice(["a", "b", "c"], n),
        }
    )
    return odk.Trips.from_table(table, segments=["sex", "band"])


def run(of: odk.Trips, guard: odk.Protection | None = None, **options) -> odk.NoisyRelease:
    matrix = odk.ODMatrix.from_trips(of, resolution=9)
    return odk.anonymise(matrix, guard or odk.Protection(trips=20), "ipf-dp", options=options)


def test_zones_are_those_of_the_release_given():
    trips = town()
    matrix = odk.ODMatrix.from_trips(trips, resolution=9)
    guard = odk.Protection(trips=20)
    zones = odk.anonymise(matrix, guard, "twincut")
    release = odk.anonymise(matrix, guard, "ipf-dp", options={"zones": zones, "epsilon": None, "priorn": 0.0})
    assert set(release.origin_zones) <= set(matrix.origins.names(zones.o_cut))
    assert set(release.destination_zones) <= set(matrix.destinations.names(zones.d_cut))
    assert any("Zones are those of twincut" in note and "ε does not cover" in note for note in release.notes)
    # without noise, a flow is drawn only where there are trips, and all of them are drawn
    assert release.flows["trips"].sum() == 600
    counted = matrix.group(matrix.origins.zone_of_leaf(zones.o_cut), matrix.destinations.zone_of_leaf(zones.d_cut))
    there = set(zip(matrix.origins.names(counted.o_node), matrix.destinations.names(counted.d_node), strict=True))
    assert set(zip(release.flows["origin"], release.flows["destination"], strict=True)) <= there


def test_records_have_the_segment_columns_and_add_up_to_the_flows():
    trips = town()
    release = run(trips, trips=trips)
    assert list(release.records.columns) == ["origin", "destination", "sex", "band", "trips"]
    summed = release.records.groupby(["origin", "destination"])["trips"].sum()
    flows = release.flows.set_index(["origin", "destination"])["trips"]
    assert summed.sort_index().to_dict() == flows.sort_index().to_dict()
    assert release.details["margins"] == 6
    assert release.details["scale"] == 6.0
    assert release.epsilon == 1.0
    only = run(trips, trips=trips, columns=("band",))
    assert list(only.records.columns) == ["origin", "destination", "band", "trips"]
    assert only.details["scale"] == 3.0


def test_the_scale_follows_unit_weight_and_size():
    trips = town()
    guard = odk.Protection(population=30)
    release = run(trips, guard, trips=trips, columns=(), unit="person", contributions=4, max_weight=10.0, epsilon=2.0)
    assert release.details["scale"] == 4 * 10 * 1 / 2
    assert run(trips, true_size=True).details["scale"] == 2.0
    assert run(trips, true_size=True).flows["trips"].sum() == 600


def test_margins_that_contradict_each_other_are_said():
    trips = town()
    loud = run(trips, trips=trips, epsilon=0.1)
    assert not loud.details["converged"]
    assert any("contradict one another" in note for note in loud.notes)
    quiet = run(trips, trips=trips, epsilon=None)
    assert quiet.details["converged"]
    assert quiet.epsilon is None
    assert any("nothing is promised" in note for note in quiet.notes)


def test_same_seed_same_records():
    trips = town()
    pd.testing.assert_frame_equal(run(trips, trips=trips).records, run(trips, trips=trips).records)
    assert not run(trips, trips=trips, seed=1).records.equals(run(trips, trips=trips).records)


def test_too_many_cells_name_the_variable_to_coarsen():
    trips = town()
    with pytest.raises(InputError, match=r"must not exceed 20: coarsen (origin|destination)"):
        run(trips, trips=trips, max_cells=20)


def test_wrong_options_are_refused():
    trips = town()
    with pytest.raises(InputError, match=r"columns \(age\) must be segment columns of the trips: sex, band"):
        run(trips, trips=trips, columns=("age",))
    with pytest.raises(InputError, match=r"columns \(sex\) must come with the trips"):
        run(trips, columns=("sex",))
    with pytest.raises(InputError, match=r"priorn \(-1\) must be"):
        run(trips, priorn=-1)
    matrix = odk.ODMatrix.from_trips(trips, resolution=9)
    trees = odk.anonymise(matrix, odk.Protection(trips=20), "atg-joint")
    with pytest.raises(InputError, match="zones must be a homogeneous release"):
        run(trips, zones=trees)
    other = odk.anonymise(odk.ODMatrix.from_trips(town(seed=1), resolution=9), odk.Protection(trips=20), "twincut")
    with pytest.raises(InputError, match="zones must be a release of the same matrix"):
        run(trips, zones=other)


@settings(max_examples=50)
@given(problems())
def test_any_matrix(problem):
    matrix, guard, budget = problem
    release = odk.anonymise(matrix, guard, "ipf-dp", budget=budget.share, options={"epsilon": 2.0})
    assert not release.k_anonymous
    assert (release.values > 0).all()
    assert release.flows[guard.lead].sum() == release.details["records"]
    assert release.n_cells == len(release.records)
