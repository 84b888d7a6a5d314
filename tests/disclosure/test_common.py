"""One common zoning: safe alone, safe in every difference, within the budget."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import odk
from odk.disclosure import Published, common_zoning, difference, scopes


def town(seed, n=400, sexes=("F", "M"), skew=0.5):
    rng = np.random.default_rng(seed)
    places = rng.normal((48.86, 2.34), (0.04, 0.05), size=(10, 2))
    ends = [places[rng.integers(0, 10, n)] + rng.normal(0, 0.002, (n, 2)) for _ in "od"]
    names = ["origin_lat", "origin_lon", "destination_lat", "destination_lon"]
    share = [skew] + [(1 - skew) / (len(sexes) - 1)] * (len(sexes) - 1)
    more = {
        "person": rng.integers(0, 80, n),
        "weight": rng.integers(500, 3000, n),
        "sex": rng.choice(sexes, n, p=share),
    }
    return odk.Trips.from_table(pd.DataFrame(np.hstack(ends), columns=names).assign(**more), segments=["sex"])


def by_hand(trips, release, where):
    """Trips of a filter per published cell, counted without odk's grouping."""
    table = trips.where(**where).table if where else trips.table
    zones = {"origin": set(release.origin_zones), "destination": set(release.destination_zones)}
    import h3

    def zone(lat, lon, end):
        cell = h3.latlng_to_cell(lat, lon, 9)
        for res in range(9, -1, -1):
            up = h3.cell_to_parent(cell, res)
            if up in zones[end]:
                return up
        return None

    keys = [
        (zone(r.origin_lat, r.origin_lon, "origin"), zone(r.destination_lat, r.destination_lon, "destination"))
        for r in table.itertuples()
    ]
    return pd.Series(keys).value_counts().to_dict()


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from([("F", "M"), ("F", "M", "X")]), st.sampled_from([0.5, 0.8]))
def test_no_difference_is_below_the_threshold(seed, sexes, skew):
    trips = town(seed, sexes=sexes, skew=skew)
    guard = odk.Protection(trips=5)
    segments = {s: {"sex": s} for s in sexes if s != "X"}  # X is never published, but must not leak either
    found = common_zoning(trips, segments, guard, 0.3, resolution=9)
    everyone = by_hand(trips, found.releases["all"], None)
    shown = {}
    for label, where in segments.items():
        own = by_hand(trips, found.releases["all"], where)
        for o, d, n in found.releases[label].flows[["origin", "destination", "trips"]].itertuples(index=False):
            assert own[o, d] == n >= 5
            shown[o, d] = shown.get((o, d), 0) + n
            rest = everyone[o, d] - n
            assert rest == 0 or rest >= 5
    for key, n in shown.items():
        assert everyone[key] - n == 0 or everyone[key] - n >= 5
    scope = scopes(trips, {"all": None, **segments})
    tables = [Published.of_release(label, r, scope[label]) for label, r in found.releases.items()]
    assert difference(tables, max_programs=100).passed
    for release in found.releases.values():
        assert release.suppressed["trips"] <= 0.3


def test_demo_all_and_women():
    trips = odk.demo_survey()
    guard = odk.Protection(trips=10)
    scope = scopes(trips, {"all": None, "women": {"sex": "F"}})
    matrices = {"all": odk.ODMatrix.from_trips(trips), "women": odk.ODMatrix.from_trips(trips.where(sex="F"))}
    apart = [
        Published.of_release(label, odk.anonymise(m, guard, "odkanon-late"), scope[label])
        for label, m in matrices.items()
    ]
    leaks = difference(apart, max_programs=0).leaks
    assert len(leaks) > 5
    assert set(leaks["about"]) == {"M"}
    assert (leaks["value"] < 10).all()
    found = common_zoning(trips, {"women": {"sex": "F"}}, guard)
    together = [Published.of_release(label, r, scope[label]) for label, r in found.releases.items()]
    assert difference(together, max_programs=0).passed
    assert len(found.releases["all"].origin_zones) > 10


def test_overlapping_or_no_segments_are_refused():
    trips = town(1)
    with pytest.raises(odk.InputError, match="overlap"):
        common_zoning(trips, {"a": {"sex": "F"}, "b": {"sex": "F"}}, odk.Protection(trips=5), resolution=9)
    with pytest.raises(odk.InputError, match="at least one"):
        common_zoning(trips, {}, odk.Protection(trips=5), resolution=9)


def test_several_values_of_a_segment_are_told_from_the_rest():
    trips = town(4, sexes=("F", "M", "X"))
    guard = odk.Protection(trips=5)
    several = common_zoning(trips, {"fm": {"sex": ["F", "M"]}}, guard, 0.3, resolution=9)
    table = trips.table.assign(sex=["X" if sex == "X" else "FM" for sex in trips.table["sex"]])
    merged = odk.Trips.from_table(table, segments=["sex"])
    one = common_zoning(merged, {"fm": {"sex": "FM"}}, guard, 0.3, resolution=9)
    assert several.withheld == one.withheld
    pd.testing.assert_frame_equal(several.releases["fm"].flows, one.releases["fm"].flows)
    with pytest.raises(odk.InputError, match="overlap"):
        common_zoning(trips, {"fm": {"sex": ["F", "M"]}, "f": {"sex": "F"}}, guard, 0.3, resolution=9)
