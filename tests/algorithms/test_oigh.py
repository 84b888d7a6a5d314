"""OIGH: the staircase finds what a look at the whole lattice finds, on even and uneven trees."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.algorithms.oigh import levels
from odk.hierarchy import Hierarchy
from tests.oracles.oigh import oigh
from tests.oracles.plain import plain
from tests.strategies import budgets, cases, protections

# a and b lie below AB, c directly below the root: leaves at depths 2 and 1
UNEVEN = Hierarchy.from_table(["a", "b", "c", "AB"], ["AB", "AB", "top", "top"])


def cells_of(release):
    return {(row.origin, row.destination): row.trips for row in release.flows.itertuples()}


@given(cases(max_leaves=10, max_rows=40), budgets(), st.booleans(), st.data())
def test_equals_a_scan_of_the_whole_lattice(case, budget, suppress, data):
    guard = data.draw(protections(case.matrix))
    release = odk.anonymise(
        case.matrix, guard, "oigh", budget.share, budget_in=budget.within, options={"suppress": suppress}
    )
    o_level, d_level, cells = oigh(plain(case, guard, budget), suppress)
    assert release.details == {"origin_level": o_level, "destination_level": d_level}
    assert cells_of(release) == {key: len(trips) for key, trips in cells.items()}


def test_levels_of_an_uneven_tree_merge_the_smallest_parents_first():
    # sizes: AB 2, top 3. Level 0: a, b, c; level 1: AB, c; level 2: top. Not {AB, top} as plain levels would have it.
    level = {UNEVEN.label(i): int(n) for i, n in enumerate(levels(UNEVEN))}
    assert level == {"a": 0, "b": 0, "c": 0, "AB": 1, "top": 2}
    assert sorted(UNEVEN.names(UNEVEN.cut_of_marks(levels(UNEVEN) <= 1))) == ["AB", "c"]


def test_a_chain_of_equal_size_goes_up_one_step_at_a_time():
    # x > y > z is a chain over one leaf; w hangs beside it
    tree = Hierarchy.from_table(["z", "y", "x", "w"], ["y", "x", "top", "top"])
    level = {tree.label(i): int(n) for i, n in enumerate(levels(tree))}
    assert level == {"z": 0, "w": 0, "y": 1, "x": 2, "top": 3}


def test_levels_of_an_even_tree_are_heights_whatever_the_sizes():
    # two parents of sizes 1 and 3: both merge at level 1
    tree = Hierarchy.from_table(["a", "b", "c", "d"], ["P", "Q", "Q", "Q"])
    level = {tree.label(i): int(n) for i, n in enumerate(levels(tree))}
    assert level == {"a": 0, "b": 0, "c": 0, "d": 0, "P": 1, "Q": 1, "root": 2}


def test_by_hand_with_and_without_suppression():
    # From c to {a: 6, b: 5, c: 1}, k = 5. At level 0 of destinations c's one trip is too small: without suppression
    # everything must go to the top (12 trips), with 10% (1 trip) the leaves stay.
    table = pd.DataFrame({"origin": ["c"] * 3, "destination": ["a", "b", "c"], "trips": [6, 5, 1]})
    matrix = odk.ODMatrix.from_pairs(table, hierarchy=UNEVEN)
    plainly = odk.anonymise(matrix, odk.Protection(trips=5), "oigh")
    assert cells_of(plainly) == {("c", "top"): 12}
    late = odk.anonymise(matrix, odk.Protection(trips=5), "oigh", options={"suppress": True})
    assert cells_of(late) == {("c", "a"): 6, ("c", "b"): 5}
    assert late.suppressed_pairs == 1


def test_ties_go_to_the_lower_g_and_then_to_the_finer_origins():
    # a->a, a->b, b->a, b->b with 3 trips each, k = 6: (1, 0) and (0, 1) are both good and cost the same, so the
    # origins stay leaves; with more leaves on the destinations (c, never used as origin) merging origins is cheaper.
    tree = Hierarchy.from_table(["a", "b"], ["P", "P"])
    square = pd.DataFrame({"origin": list("aabb"), "destination": list("abab"), "trips": [3] * 4})
    release = odk.anonymise(odk.ODMatrix.from_pairs(square, hierarchy=tree), odk.Protection(trips=6), "oigh")
    assert release.origin_zones == ["a", "b"]
    assert release.destination_zones == ["P"]

    wide = Hierarchy.from_table(["a", "b", "c"], ["P"] * 3)
    more = pd.DataFrame({"origin": list("aabbab"), "destination": list("ababcc"), "trips": [3] * 6})
    release = odk.anonymise(odk.ODMatrix.from_pairs(more, hierarchy=wide), odk.Protection(trips=6), "oigh")
    assert release.origin_zones == ["P"]  # |o|+|d| = 2+1 there, 1+3 for the other
    assert release.destination_zones == ["a", "b", "c"]


def test_refuses_other_options():
    with pytest.raises(odk.InputError, match=r"suppress \('yes'\) must be True or False"):
        odk.algorithms.get("oigh").options(suppress="yes")


def test_reference_centre_at_one_level(shared):
    # SPEC 3: with 10% suppressed the plain level-7 cut of the centre has G 537; without suppression 5x5 zones pass
    matrix = odk.ODMatrix.from_pairs(pd.read_parquet(shared / "data/reference/od_paris_central.parquet"))
    late = odk.anonymise(matrix, odk.Protection(trips=10), "oigh", options={"suppress": True})
    sizes = matrix.origins.size[late.o_node] + matrix.destinations.size[late.d_node]
    assert round(float((sizes * late.trips).sum() / late.trips.sum())) == 537
    plainly = odk.anonymise(matrix, odk.Protection(trips=10), "oigh")
    assert (len(plainly.origin_zones), len(plainly.destination_zones)) == (5, 5)
