"""Metrics: against loops over all pairs of leaves, by hand, and on the reference data."""

import gc
import math
import weakref

import h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import odk
from odk.footprints import district_of_leaf, footprint
from odk.metrics import KEYS, NO_CLASSES, NOT_THIS_VIEW, generalisation, reference_k
from odk.release import BoxRelease, cut_release, tree_release
from tests.oracles import metrics as oracle
from tests.releases import box_releases, noisy_releases, tree_releases
from tests.strategies import matrices, protections

VIEWS = st.sampled_from(["participants", "population"])
NEAR = {"rel": 1e-9, "abs": 1e-9}


def agree(found, expected):
    mine = found.as_dict(planning=True)
    for name, value in expected.items():
        # lengths are sums of floats of 10^7 m: 10^-6 m is equal
        slack = {"rel": 1e-9, "abs": 1e-6} if name.startswith(("gdm", "length")) else NEAR
        assert mine[name] == pytest.approx(value, **slack), name
    assert not found.reasons


@settings(max_examples=150)
@given(st.data(), VIEWS)
def test_tree_releases_equal_the_loops_over_leaf_pairs(data, view):
    matrix = data.draw(matrices(max_rows=30))
    guard = data.draw(protections(matrix))
    release = data.draw(tree_releases(matrix, guard))
    found = odk.measure(release, view=view)
    agree(found, oracle.metrics(release, view))
    assert generalisation(release, view) == found.g
    assert found.e <= 2 + 1e-9
    assert found.d <= 2 + 1e-9
    assert found.g >= 2
    _, (o, d) = district_of_leaf(matrix)
    assert found.planning.corridors == pytest.approx(oracle.corridors(release, view, o, d), **NEAR)


@settings(max_examples=150)
@given(st.data(), VIEWS)
def test_box_releases_equal_the_loops_over_leaf_pairs(data, view):
    matrix = data.draw(matrices(max_rows=30))
    guard = data.draw(protections(matrix))
    release = data.draw(box_releases(matrix, guard))
    found = odk.measure(release, view=view)
    agree(found, oracle.metrics(release, view))
    assert found.e <= 2 + 1e-9
    _, (o, d) = district_of_leaf(matrix)
    assert found.planning.corridors == pytest.approx(oracle.corridors(release, view, o, d), **NEAR)


@settings(max_examples=100)
@given(st.data())
def test_noisy_releases_equal_the_loops_over_leaf_pairs(data):
    matrix = data.draw(matrices(max_rows=30))
    guard = data.draw(protections(matrix))
    release = data.draw(noisy_releases(matrix, guard))
    view, other = ("participants", "population") if release.noised == "trips" else ("population", "participants")
    found, expected = odk.measure(release, view=view), oracle.metrics(release, view)
    none = ("c_dm", "c_avg", "g", "gdm_mean", "gdm_median", "gdm_std")
    assert {found.reasons.pop(name) for name in none} == {NO_CLASSES}
    assert {found.as_dict()[name] for name in none} == {None}
    agree(found, {name: value for name, value in expected.items() if name not in none})
    _, (o, d) = district_of_leaf(matrix)
    assert found.planning.corridors == pytest.approx(oracle.corridors(release, view, o, d), **NEAR)
    silent = odk.measure(release, view=other)
    assert silent.s == 1
    assert {silent.reasons[name] for name in ("e", "d", "planning")} == {NOT_THIS_VIEW}
    assert set(silent.as_dict(planning=True).values()) == {None, "", 1}
    assert generalisation(release, view) is None
    for shown in (view, other, None):
        assert odk.above_limit(release, shown).ratio is None


@settings(max_examples=60)
@given(st.data(), VIEWS)
def test_sizes_by_descendants_equal_the_loops_over_leaf_pairs(data, view):
    matrix = data.draw(matrices(kinds=("h3",), max_rows=30))
    guard = data.draw(protections(matrix))
    release = data.draw(tree_releases(matrix, guard))
    found = odk.measure(release, view=view, sizes="descendants")
    assert found.sizes == "descendants"
    agree(found, oracle.metrics(release, view, sizes="descendants"))


# --- by hand -----------------------------------------------------------------------------------------------------------
def town():
    """Zones a1, a2 in A and b1 in B, all in one root; two origins, three destinations."""
    names = ["a1", "a2", "b1", "A", "B", "root"]
    tree = odk.Hierarchy.from_table(
        names, ["A", "A", "B", "root", "root", ""], lat=[0, 0, 0, 0, 0, 0], lon=[0, 1, 3, 0.5, 3, 1]
    )
    pairs = [("a1", "a1", 6, 12.0), ("a1", "b1", 3, 3.0), ("a2", "a2", 1, 1.0), ("a2", "b1", 2, 4.0)]
    table = pd.DataFrame(pairs, columns=["origin", "destination", "trips", "population"])
    return odk.ODMatrix.from_pairs(table, hierarchy=tree)


def town_release(budget=0.0, **thresholds):
    """Origins in A as one zone; destinations as leaves: cells (A, a1) 6, (A, a2) 1, (A, b1) 5."""
    m = town()
    o, d = m.origins, m.destinations
    return cut_release(
        m,
        odk.Protection(**thresholds),
        odk.Budget(budget),
        algorithm="hand",
        options=None,
        o_cut=np.array([o.root]),
        d_cut=np.arange(d.n_leaves),
    )


def test_a_small_town_by_hand():
    release = town_release(trips=2)
    m = odk.measure(release)
    # published: (A, a1) 6 and (A, b1) 5; suppressed: (A, a2) 1; |D| = 12, |D+| = 11
    assert m.k == 2
    assert m.c_dm == 6**2 + 5**2 + 12 * 1
    assert m.c_avg == pytest.approx(11 / 2 / 2)
    assert m.g == pytest.approx(2 + 1)  # two origin leaves and one destination leaf, for every trip
    # estimates: a1-a1 3 (true 6), a2-a1 3 (0), a1-b1 2.5 (3), a2-b1 2.5 (2), a2-a2 0 (1)
    assert m.e == pytest.approx((3 + 3 + 0.5 + 0.5 + 1) / 12)
    expected = [(3 / 11, 6 / 12), (3 / 11, 0), (2.5 / 11, 3 / 12), (2.5 / 11, 2 / 12), (0, 1 / 12)]
    assert m.d == pytest.approx(sum(abs(a - b) for a, b in expected))
    assert m.s == pytest.approx(1 / 12)
    # margins: a1 and a2 are estimated at 5.5 each (true 9 and 3); columns a1 6 (6), b1 5 (5), a2 0 (1)
    assert m.planning.row_error == pytest.approx((3.5 + 2.5) / 12)
    assert m.planning.column_error == pytest.approx(1 / 12)
    # (A, a1) lies within one zone: 6 of 11; before, a1-a1 and a2-a2: 7 of 12
    assert m.planning.intrazonal == pytest.approx(6 / 11)
    assert m.planning.intrazonal_input == pytest.approx(7 / 12)
    # the origin end moves half a degree of the equator, the destination end not at all
    half = 6_378_137 * math.pi / 360
    assert m.gdm_mean == pytest.approx(half / 2)
    assert m.gdm_median == pytest.approx(half / 2)  # 11 zeros and 11 halves: the middle of both
    assert m.gdm_std == pytest.approx(half / 2)
    assert m.gdm == m.gdm_mean
    # lengths in degrees: before 0 x 7, 3 x 3, 2 x 2; after 0.5 x 6, 2.5 x 5
    areas = [0.5 * 7 / 12, 1.5 * abs(7 / 12 - 6 / 11), 0.5 * abs(9 / 12 - 6 / 11), 0.5 * abs(9 / 12 - 1)]
    assert m.planning.length_shift == pytest.approx(2 * half * sum(areas), rel=1e-6)


def test_the_other_view_of_the_small_town_by_hand():
    m = odk.measure(town_release(trips=2), view="population")
    # weights: (A, a1) 12, (A, b1) 7, suppressed 1; mean weight 20/12
    assert m.k == pytest.approx(2 * 20 / 12)
    assert m.c_dm == pytest.approx(12**2 + 7**2 + 20 * 1)
    assert m.c_avg == pytest.approx(19 / 2 / (2 * 20 / 12))
    assert m.e == pytest.approx((6 + 6 + 0.5 + 0.5 + 1) / 20)
    assert m.s == pytest.approx(1 / 20)


def test_suppressed_pairs_inside_a_published_cell_are_estimated_by_that_cell():
    m = town()
    keep = np.array([True, True, False, True])  # a2-a2 was filtered out before the zones were made
    everywhere = np.zeros(4, dtype=np.int64)
    release = tree_release(
        m,
        odk.Protection(trips=2),
        odk.Budget(0.1),
        algorithm="hand",
        options=None,
        o_node=everywhere + m.origins.root,
        d_node=everywhere + m.destinations.root,
        keep=keep,
    )
    # one cell of 11 trips over 2 x 3 pairs: each 11/6; true: a1-a1 6, a1-b1 3, a2-a2 1, a2-b1 2, two pairs empty
    each = 11 / 6
    assert odk.measure(release).e == pytest.approx(
        (abs(6 - each) + abs(3 - each) + abs(1 - each) + abs(2 - each) + 2 * each) / 12
    )


def test_nothing_merged_and_nothing_suppressed_loses_nothing():
    m = town()
    release = cut_release(
        m,
        odk.Protection(population=1e-6),
        odk.Budget(0.0),
        algorithm="hand",
        options=None,
        o_cut=np.arange(m.origins.n_leaves),
        d_cut=np.arange(m.destinations.n_leaves),
    )
    for view in ("participants", "population"):
        found = odk.measure(release, view=view)
        assert (found.g, found.e, found.d, found.s, found.gdm_mean) == (2, 0, 0, 0, 0)
        plan = found.planning
        assert (plan.row_error, plan.column_error, plan.length_shift, plan.corridors) == (0, 0, 0, 1)
        assert plan.intrazonal == plan.intrazonal_input
        assert plan.district_level == "leaves"


@pytest.mark.parametrize(
    ("guard", "participants", "population"),
    [
        ({"trips": 10}, 10, 30),
        ({"population": 60.0}, 20, 60),
        ({"persons": 7}, 7, 21),
        ({"trips": 10, "population": 60.0}, 10, 60),
        ({"persons": 7, "trips": 10}, 10, 30),
        ({"persons": 7, "population": 60.0}, 20, 60),
        ({"persons": 7, "trips": 10, "population": 60.0}, 10, 60),
    ],
)
def test_which_k_c_avg_is_relative_to(guard, participants, population):
    protection = odk.Protection(**guard)
    assert reference_k(protection, "participants", 3.0) == pytest.approx(participants)
    assert reference_k(protection, "population", 3.0) == pytest.approx(population)


def test_a_segment_is_measured_with_the_mean_weight_of_the_whole_survey():
    release = town_release(trips=2)
    assert odk.measure(release, view="population", mean_weight=5.0).k == 10
    with pytest.raises(odk.InputError, match=r"mean_weight \(0\) must be above 0"):
        odk.measure(release, mean_weight=0)


def test_what_does_not_apply_is_none_with_a_reason():
    m = town()
    bare = odk.Hierarchy.from_table(["a1", "a2", "b1"], ["A", "A", "B"])
    release = odk.anonymise(odk.ODMatrix.from_pairs(m.pairs, hierarchy=bare), odk.Protection(trips=2))
    found = odk.measure(release)
    assert found.gdm is None
    assert found.planning.length_shift is None
    assert set(found.reasons) == {"gdm_mean", "gdm_median", "gdm_std", "length_shift"}
    assert set(found.reasons.values()) == {"zones have no centre"}
    assert found.g is not None

    nothing = town_release(trips=7)
    found = odk.measure(nothing)
    assert (found.g, found.c_avg, found.d, found.gdm) == (None, None, None, None)
    assert (found.s, found.e, found.c_dm) == (1, 1, 144)
    assert "g" in found.reasons

    found = odk.measure(town_release(trips=2), sizes="descendants")
    assert (found.g, found.e, found.d, found.planning.row_error) == (None, None, None, None)
    assert "H3" in found.reasons["g"]
    assert found.gdm is not None


def test_as_dict_has_the_keys_of_the_command_line():
    found = odk.measure(town_release(trips=2))
    assert tuple(found.as_dict()) == KEYS
    assert set(found.as_dict(planning=True)) > set(KEYS) | {"row_error", "corridors"}
    assert found.as_dict()["g"] == found.g


def test_unknown_views_sizes_and_releases_are_refused():
    release = town_release(trips=2)
    with pytest.raises(odk.InputError, match="view"):
        odk.measure(release, view="trips")
    with pytest.raises(odk.InputError, match="sizes"):
        odk.measure(release, sizes="all")
    plain = odk.Release(
        matrix=release.matrix,
        protection=release.protection,
        budget=release.budget,
        algorithm="hand",
        of_pair=release.of_pair,
        trips=release.trips,
        population=release.population,
    )
    with pytest.raises(odk.InputError, match="zones or boxes"):
        odk.measure(plain)


def test_a_zone_of_several_base_cells_has_its_centre_among_its_leaves():
    paris, tokyo = h3.latlng_to_cell(48.86, 2.34, 5), h3.latlng_to_cell(35.68, 139.69, 5)
    table = pd.DataFrame({"start_h3": [paris, tokyo], "end_h3": [paris, paris], "count": [2, 2]})
    tree = odk.ODMatrix.from_pairs(table).origins
    assert tree.label(tree.root) == "root"
    assert tree.lat[tree.root] == pytest.approx(tree.lat[:2].mean())
    assert tree.lon[tree.root] == pytest.approx(tree.lon[:2].mean())
    fiji = odk.Hierarchy.from_table(["e", "w"], ["F", "F"], lat=[-17, -17], lon=[179.5, -179.0])
    assert fiji.lon[fiji.root] == pytest.approx(-179.75)


# --- boxes by hand -----------------------------------------------------------------------------------------------------
def test_two_boxes_by_hand():
    m = town()  # centres on the equator: a1 at 0, a2 at 1, b1 at 3 degrees east
    boxes = np.array([[-0.5, -1, 0.5, 1, -0.5, -1, 2, 1], [0.5, -1, 2, 1, -9, -1, 9, 1]], dtype=float)
    of_pair = np.array([0, -1, 1, 1])  # a1-a1 | a1-b1 suppressed | a2-a2, a2-b1
    sums = m.regroup(of_pair, 2)
    release = BoxRelease(
        matrix=m,
        protection=odk.Protection(trips=2),
        budget=odk.Budget(0.3),
        algorithm="hand",
        of_pair=of_pair,
        trips=sums.trips,
        population=sums.population,
        boxes=boxes,
    )
    found = odk.measure(release)
    # box 0: origin a1, destinations a1 and a2: 6 trips over 2 pairs; box 1: origin a2, three destinations: 3 over 3
    assert found.g == pytest.approx((6 * (1 + 2) + 3 * (1 + 3)) / 9)
    # a1-a1 3 (6), a1-a2 3 (0), a1-b1 0 (3), a2-a1 1 (0), a2-a2 1 (1), a2-b1 1 (2)
    assert found.e == pytest.approx((3 + 3 + 3 + 1 + 0 + 1) / 12)
    assert found.planning.intrazonal == 1  # both rectangles of destinations reach over those of origins
    # middles: box 0 at 0 and 0.75, box 1 at 1.25 and 0; shifts of 0.0 and 0.75 (6), 0.25 and 1 (1), 0.25 and 3 (2)
    degree = 6_378_137 * math.pi / 180
    shifts = [0.0] * 6 + [0.75] * 6 + [0.25] * 3 + [1.0] + [3.0] * 2
    assert found.gdm_mean == pytest.approx(degree * np.mean(shifts))
    assert found.gdm_median == pytest.approx(degree * np.median(shifts))
    assert found.gdm_std == pytest.approx(degree * np.std(shifts))
    plain = odk.measure(release, sizes="descendants")
    assert plain.g is None
    assert "observed" in plain.reasons["g"]


# --- the reference data ------------------------------------------------------------------------------------------------
def test_reference_figures(shared):
    matrix = odk.ODMatrix.from_pairs(pd.read_parquet(shared / "data/reference/od_paris_central.parquet"))
    early = odk.measure(odk.anonymise(matrix, odk.Protection(trips=10), "odkanon"))
    late = odk.measure(odk.anonymise(matrix, odk.Protection(trips=10), "odkanon-late"))
    assert early.g == pytest.approx(584.31, abs=0.005)
    assert late.g == pytest.approx(509.62, abs=0.005)
    assert late.s <= 0.10


def test_figures_of_real_bike_trips(shared):
    matrix = odk.ODMatrix.from_trips(odk.read_trips(shared / "data/divvy_2013_trips.csv.gz"))
    release = odk.anonymise(matrix, odk.Protection(trips=10), "odkanon-late")
    assert odk.measure(release).g == pytest.approx(5.98, abs=0.005)


def test_a_whole_region_of_cells_by_another_way():
    """The twin of the reference data: a few thousand pairs, G and E by pandas instead of by odk."""
    rng = np.random.default_rng(5)
    cells = sorted(h3.cell_to_children(h3.latlng_to_cell(48.86, 2.34, 6), 10))
    centre = rng.zipf(1.6, size=(4000, 2)) % len(cells)
    table = pd.DataFrame({"start_h3": [cells[i] for i in centre[:, 0]], "end_h3": [cells[i] for i in centre[:, 1]]})
    table = table.value_counts().rename("count").reset_index()
    matrix = odk.ODMatrix.from_pairs(table)
    release = odk.anonymise(matrix, odk.Protection(trips=10), "odkanon-late")
    found = odk.measure(release)

    def zone(leaf, zones):
        return next((up for r in range(11) if (up := h3.cell_to_parent(leaf, r)) in zones), None)

    o_zone = {c: zone(c, set(release.origin_zones)) for c in table["start_h3"].unique()}
    d_zone = {c: zone(c, set(release.destination_zones)) for c in table["end_h3"].unique()}
    o_size, d_size = pd.Series(o_zone).value_counts(), pd.Series(d_zone).value_counts()
    flows = release.flows.set_index(["origin", "destination"])["trips"]
    size = np.array([o_size[o] + d_size[d] for o, d in flows.index])
    assert found.g == pytest.approx(float((size * flows).sum() / flows.sum()))
    spread = {(o, d): v / (o_size[o] * d_size[d]) for (o, d), v in flows.items()}
    loss = 0.0
    counts = table.set_index(["start_h3", "end_h3"])["count"].to_dict()
    for o in o_zone:
        for d in d_zone:
            loss += abs(spread.get((o_zone[o], d_zone[d]), 0.0) - counts.get((o, d), 0))
    assert found.e == pytest.approx(loss / table["count"].sum())


def test_what_is_kept_for_both_views_goes_with_its_release():
    release = odk.anonymise(town(), odk.Protection(trips=2))
    odk.measure(release)
    place = weakref.ref(footprint(release))
    assert footprint(release) is place()  # kept while the release lives
    del release
    gc.collect()
    assert place() is None
