"""Limits: against the definition, against every release there is on tiny inputs, and on the reference data."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import odk
from odk.limits import cheapest
from odk.release import cut_release
from tests.oracles import metrics as oracle
from tests.releases import tree_releases
from tests.strategies import budgets, matrices, problems, protections


@settings(max_examples=200)
@given(problems(within="volume", max_rows=40))
def test_the_limit_equals_its_definition(problem):
    matrix, guard, budget = problem
    costs, _ = oracle.cheapest(matrix, guard)
    assert cheapest(matrix, guard).tolist() == costs
    for measure in guard.budget_measures:
        dropped = int(Fraction(str(budget.share)) * matrix.total(measure))
        expected = oracle.limit(matrix, guard, dropped, measure)
        assert odk.limit(matrix, guard, budget.share, measured_in=measure) == pytest.approx(expected, rel=1e-12)


@settings(max_examples=150)
@given(st.data())
def test_no_release_of_tree_zones_is_below_the_limit(data):
    matrix = data.draw(matrices())
    guard = data.draw(protections(matrix))
    release = data.draw(tree_releases(matrix, guard))
    for measure, view in (("trips", "participants"), ("population", "population")):
        if measure in guard.budget_measures:
            found = odk.limit(matrix, guard, 0.1, suppressed=release.suppressed, measured_in=measure)
            assert 2 <= found <= odk.measure(release, view=view).g * (1 + 1e-12)


@settings(max_examples=100)
@given(st.data(), st.sampled_from(["cuts", "origin", "destination"]))
def test_no_release_of_its_kind_is_below_the_tighter_limits(data, shape):
    matrix = data.draw(matrices())
    guard = data.draw(protections(matrix))
    release = data.draw(tree_releases(matrix, guard, shapes=(shape,)))
    for kind in ("partitions", "homogeneous") if shape == "cuts" else ("partitions",):
        found = odk.limit(matrix, guard, 0.1, kind, suppressed=release.suppressed)
        view = "population" if guard.lead == "population" else "participants"
        assert 2 <= found <= odk.measure(release, view=view).g * (1 + 1e-9)


@settings(max_examples=60)
@given(problems(), st.sampled_from(["odkanon", "odkanon-late", "twincut"]))
def test_no_algorithm_is_below_the_limit(problem, algorithm):
    matrix, guard, budget = problem
    try:
        release = odk.anonymise(matrix, guard, algorithm, budget.share, budget_in=budget.within)
    except odk.BudgetError:
        assume(False)
    above = odk.above_limit(release)
    assert above.limit is not None
    assert 2 <= above.limit <= above.g * (1 + 1e-9)
    assert above.ratio >= 1 - 1e-9
    assert above.suppressing <= 1


@settings(max_examples=60)
@given(st.data(), budgets(within="volume"))
def test_nothing_below_the_limit_among_all_releases_of_a_tiny_input(data, budget):
    matrix = data.draw(matrices(max_leaves=3, max_rows=7))
    guard = data.draw(protections(matrix))
    o, d = matrix.origins, matrix.destinations
    choices = [
        [None, *itertools.product(oracle.ancestors(o, a), oracle.ancestors(d, b))]
        for a, b in zip(matrix.o.tolist(), matrix.d.tolist(), strict=True)
    ]
    assume(np.prod([len(c) for c in choices]) <= 4000)
    volume = matrix.volume(guard.lead).tolist()
    dropped = budget.of(sum(volume))
    good = {}
    best = np.inf
    for cells in itertools.product(*choices):
        if sum(v for v, cell in zip(volume, cells, strict=True) if cell is None) > dropped:
            continue
        members = {}
        for pair, cell in enumerate(cells):
            members.setdefault(cell, []).append(pair)
        members.pop(None, None)
        for inside in map(tuple, members.values()):
            if inside not in good:
                good[inside] = oracle.publishable(matrix, guard, inside)
        if members and all(good[tuple(inside)] for inside in members.values()):
            cost = sum(
                (len(oracle.leaves_under(o, a)) + len(oracle.leaves_under(d, b))) * sum(volume[p] for p in inside)
                for (a, b), inside in members.items()
            )
            best = min(best, cost / sum(volume[p] for inside in members.values() for p in inside))
    assert odk.limit(matrix, guard, budget) <= best * (1 + 1e-12)


# --- by hand -----------------------------------------------------------------------------------------------------------
def village():
    """Leaves a, b in A and c in B; trips a-c 5, b-c 1, c-c 4."""
    tree = odk.Hierarchy.from_table(["a", "b", "c", "A", "B"], ["A", "A", "B", "", ""])
    table = pd.DataFrame([("a", "c", 5), ("b", "c", 1), ("c", "c", 4)], columns=["origin", "destination", "trips"])
    return odk.ODMatrix.from_pairs(table, hierarchy=tree)


def test_a_village_by_hand():
    matrix = village()
    # k=4: a-c and c-c stand as they are (1+1); b-c only with a, in A (2+1)
    assert cheapest(matrix, odk.Protection(trips=4)).tolist() == [2, 3, 2]
    assert odk.limit(matrix, odk.Protection(trips=4), budget=0.0) == pytest.approx((5 * 2 + 1 * 3 + 4 * 2) / 10)
    assert odk.limit(matrix, odk.Protection(trips=4), budget=0.1) == 2.0
    # k=6: a-c and b-c together in A (3), c-c only with everything (3+1)
    assert cheapest(matrix, odk.Protection(trips=6)).tolist() == [3, 3, 4]
    # 20%: two of the four trips at 4 are left out, the other two stay: the last pair by fraction
    assert odk.limit(matrix, odk.Protection(trips=6), budget=0.2) == pytest.approx((6 * 3 + 2 * 4) / 8)
    # what a release suppressed counts where it is more than the budget
    assert odk.limit(matrix, odk.Protection(trips=6), 0.2, suppressed=0.4) == pytest.approx(3.0)
    assert odk.limit(matrix, odk.Protection(trips=6), 0.2, suppressed={"trips": 0.1}) == pytest.approx(26 / 8)


def test_an_uneven_tree_counts_the_full_volume_of_a_zone():
    # x lies right below the root, y two levels deeper: the root is the first ancestor of x and the third of y
    tree = odk.Hierarchy.from_table(["x", "y", "P", "Q", "R"], ["R", "Q", "R", "P", ""])
    table = pd.DataFrame([("x", "x", 2), ("y", "x", 2)], columns=["origin", "destination", "trips"])
    matrix = odk.ODMatrix.from_pairs(table, hierarchy=tree)
    assert cheapest(matrix, odk.Protection(trips=4)).tolist() == [3, 3]


def test_what_no_limit_can_be_given_for_is_refused():
    matrix = village()
    with pytest.raises(odk.InputError, match=r"among \('all'\) must be one of any"):
        odk.limit(matrix, odk.Protection(trips=4), among="all")
    with pytest.raises(odk.InputError, match="must not exceed"):
        odk.limit(matrix, odk.Protection(trips=11))
    with pytest.raises(odk.InputError, match="measure that has a budget: trips"):
        odk.limit(matrix, odk.Protection(trips=4), measured_in="population")
    with pytest.raises(odk.InputError, match=r"budget \(1\.5\)"):
        odk.limit(matrix, odk.Protection(trips=4), budget=1.5)
    with pytest.raises(odk.InputError, match="suppressed"):
        odk.limit(matrix, odk.Protection(trips=4), suppressed=1.0)
    with pytest.raises(odk.InputError, match="suppressed"):
        odk.limit(matrix, odk.Protection(trips=4), suppressed=-0.1)
    with pytest.raises(odk.InputError, match="protection"):
        odk.limit(matrix, 10)


def test_above_the_limit_in_words():
    matrix = village()
    release = cut_release(
        matrix,
        odk.Protection(trips=4),
        odk.Budget(0.1),
        algorithm="hand",
        options=None,
        o_cut=np.array([matrix.origins.root]),
        d_cut=np.array([matrix.destinations.root]),
    )
    above = odk.above_limit(release, among="any")
    assert (above.g, above.limit, above.ratio, above.among) == (4, 2, 2, "any")
    assert str(above) == "at most 100.0% above the lower bound for releases of tree zones suppressing at most 10.0%"
    silent = odk.above_limit(release, "population")
    assert silent.limit is None
    assert silent.ratio is None
    assert str(silent) == "no lower bound: the population view has no budget"


def test_nothing_published_is_compared_with_no_limit():
    matrix = village()
    release = cut_release(
        matrix,
        odk.Protection(trips=6),
        odk.Budget(0.1),
        algorithm="hand",
        options=None,
        o_cut=np.arange(matrix.origins.n_leaves),
        d_cut=np.arange(matrix.destinations.n_leaves),
    )
    assert str(odk.above_limit(release)) == "no lower bound: nothing is published"


# --- the reference data ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "loose", "tight"), [("central", 229, 375.8), ("whole", 370, 686.6)])
def test_reference_limits(shared, name, loose, tight):
    matrix = odk.ODMatrix.from_pairs(pd.read_parquet(shared / f"data/reference/od_paris_{name}.parquet"))
    assert odk.limit(matrix, odk.Protection(trips=10)) == pytest.approx(loose, abs=0.5)
    assert odk.limit(matrix, odk.Protection(trips=10), among="partitions") == pytest.approx(tight, abs=0.1)


def test_limit_of_real_bike_trips(shared):
    matrix = odk.ODMatrix.from_trips(odk.read_trips(shared / "data/divvy_2013_trips.csv.gz"))
    assert odk.limit(matrix, odk.Protection(trips=10)) == pytest.approx(2.54, abs=0.005)


@given(matrices())
def test_every_node_is_the_ancestor_of_all_its_leaves_at_one_depth(matrix):
    tree = matrix.origins
    for depth in range(int(tree.depth.max()) + 2):
        expected = [
            next((n for n in oracle.ancestors(tree, leaf) if tree.depth[n] == depth), -1)
            for leaf in range(tree.n_leaves)
        ]
        assert tree.at_depth(depth).tolist() == expected
