"""ATG-Joint: problem J against every nested cut of tiny trees, and its certificate."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import odk
from odk.algorithms._joint import build, lower_bound
from odk.algorithms._levels import Work
from tests.algorithms.test_twincut import g_of, random_city
from tests.oracles.cuts import Problem, all_cuts
from tests.strategies import problems

TINY = {"max_leaves": 4, "max_rows": 20}


def small_enough(oracle):
    cuts = [len(all_cuts(t)) for t in oracle.trees]
    return max(cuts) <= 14


@settings(max_examples=200)
@given(problems(**TINY), st.sampled_from([0, 1]), st.sampled_from([0.0, 2.0, 3.0, 5.5, 9.0, 40.0]))
def test_value_for_a_multiplier_is_the_minimum_over_all_nested_cuts(problem, major, price):
    oracle = Problem(*problem)
    assume(small_enough(oracle))
    solutions = oracle.nested(major)
    forest = build(Work(*problem), major)
    assert forest.solve(price, 0.0).cost(price) == pytest.approx(min(s[0] + price * s[1] for s in solutions))
    weight = [max(c, 0.5) for c in oracle.allowed.values()]
    least = min(sum(s / w for s, w in zip(x[2:], weight, strict=True)) for x in solutions)
    assert forest.solve(price, np.inf).sigma == pytest.approx(least)


@settings(max_examples=200)
@given(problems(**TINY))
def test_certificate_never_exceeds_the_optimum_of_problem_j(problem):
    matrix, guard, budget = problem
    oracle = Problem(*problem)
    assume(small_enough(oracle))
    work = Work(*problem)
    optimum, bound = [], []
    for major in (0, 1):
        optimum.append(min(oracle.g(s) for s in oracle.nested(major) if oracle.fits(s)))
        if budget.within == "volume":
            bound.append(lower_bound(build(work, major), float(budget.of(matrix.total(guard.lead)))))
            assert bound[-1] <= optimum[-1] * (1 + 1e-9)
    release = odk.anonymise(matrix, guard, "atg-joint", budget.share, budget_in=budget.within)
    ours = g_of(release)
    assert min(optimum) <= ours * (1 + 1e-9)
    assert release.details[f"g_{release.order}_major"] == pytest.approx(ours)
    if budget.within == "volume":
        assert release.details["bound"] <= ours * (1 + 1e-9)


@settings(max_examples=60)
@given(problems(), st.sampled_from(["origin", "destination", "best"]))
def test_safe_disjoint_and_repeatable(problem, order):
    matrix, guard, budget = problem
    one, two = (
        odk.anonymise(matrix, guard, "atg-joint", budget.share, budget_in=budget.within, options={"order": order})
        for _ in "ab"
    )
    pd.testing.assert_frame_equal(one.flows, two.flows)
    for measure, threshold in guard.guards.items():
        assert one.minimum[measure] >= threshold - 1e-9
    assert int(one.trips.sum()) + one.suppressed_volume["trips"] == matrix.total_trips
    # the zones of the major axis are a cut: no leaf lies under two of them
    tree, node = (matrix.origins, one.o_node) if one.order == "origin" else (matrix.destinations, one.d_node)
    covered = np.concatenate([np.arange(tree.first[z], tree.first[z] + tree.size[z]) for z in np.unique(node)])
    assert len(covered) == len(np.unique(covered))


def test_close_to_its_bound_and_finer_than_twincut():
    matrix = random_city(4000)
    for guard in (odk.Protection(trips=10), odk.Protection.population_of(matrix, 10), odk.Protection(persons=5)):
        joint, twin = (odk.anonymise(matrix, guard, a, 0.1) for a in ("atg-joint", "twincut"))
        assert g_of(joint) <= g_of(twin)
        assert g_of(joint) <= joint.details["bound"] * 1.02


@pytest.mark.parametrize(("name", "target"), [("od_paris_central", 376.0), ("od_paris_whole", 690.0)])
def test_reference_regions(shared, name, target):
    matrix = odk.ODMatrix.from_pairs(pd.read_parquet(shared / "data" / "reference" / f"{name}.parquet"))
    release = odk.anonymise(matrix, odk.Protection(trips=10), "atg-joint", 0.1)
    assert g_of(release) <= target
    assert g_of(release) <= release.details["bound"] * 1.005


def test_divvy(shared):
    matrix = odk.ODMatrix.from_trips(odk.read_trips(shared / "data" / "divvy_2013_trips.csv.gz"))
    assert g_of(odk.anonymise(matrix, odk.Protection(trips=10), "atg-joint", 0.1)) <= 3.50


def test_demo_survey_is_within_half_a_percent_of_the_bound():
    matrix = odk.ODMatrix.from_trips(odk.demo_survey())
    for guard in (odk.Protection(trips=10), odk.Protection.population_of(matrix, 10)):
        release = odk.anonymise(matrix, guard, "atg-joint", 0.1)
        assert g_of(release) <= release.details["bound"] * 1.005


def test_order_is_checked():
    with pytest.raises(odk.InputError, match="order"):
        odk.anonymise(random_city(200), odk.Protection(trips=2), "atg-joint", options={"order": "sideways"})
