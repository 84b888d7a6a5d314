"""TwinCut: exact prunings against every cut of tiny trees, and the order limit <= optimum <= twincut <= odkanon-late."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import odk
from odk.algorithms._levels import Work
from odk.algorithms._prune import ALPHA, EACH, LEAD, prune
from odk.algorithms.twincut import TwincutOptions
from tests.oracles.cuts import Problem, add, all_cuts
from tests.strategies import problems

TINY = {"max_leaves": 5, "max_rows": 24}


def g_of(release):
    lead = release.protection.lead
    volume = release.population if lead == "population" else release.trips
    sizes = release.matrix.origins.size[release.o_node] + release.matrix.destinations.size[release.d_node]
    return float((sizes * volume).sum() / volume.sum())


@settings(max_examples=150)
@given(problems(**TINY), st.sampled_from([0, 1]), st.sampled_from([0.0, 2.0, 3.5, 7.0, 30.0]), st.data())
def test_one_axis_is_pruned_exactly(problem, axis, price, data):
    matrix, guard, budget = problem
    oracle = Problem(*problem)
    cuts = all_cuts(oracle.trees[axis])
    others = all_cuts(oracle.trees[1 - axis])
    assume(len(cuts) * len(others) < 5000)
    other = data.draw(st.sampled_from(others))
    nodes = Work(matrix, guard, budget).penalties(axis, np.array(other))

    def solution(cut):
        return add(oracle.cell(*((z, o) if axis == 0 else (o, z))) for z in cut for o in other)

    # every node alone, then the best cut for the price
    for node in range(oracle.trees[axis].n_nodes):
        alpha, lead, *each = solution((node,))
        np.testing.assert_allclose(nodes.table[[ALPHA, LEAD], node], [alpha, lead])
        np.testing.assert_allclose(
            nodes.table[EACH:, node], [s / max(c, 0.5) for s, c in zip(each, oracle.allowed.values(), strict=True)]
        )
    best = min(s[0] + price * s[1] for s in map(solution, cuts))
    found = prune(nodes, price, 0.0)
    assert found.cost(price) == pytest.approx(best)
    assert add([solution(tuple(found.cut.tolist()))])[:2] == pytest.approx(found.total[[ALPHA, LEAD]].tolist())
    least = prune(nodes, price, np.inf)
    weight = [max(c, 0.5) for c in oracle.allowed.values()]
    sigma = [sum(s / w for s, w in zip(solution(cut)[2:], weight, strict=True)) for cut in cuts]
    assert least.sigma == pytest.approx(min(sigma))


@settings(max_examples=200)
@given(problems(**TINY))
def test_between_the_optimum_and_odkanon_late(problem):
    matrix, guard, budget = problem
    oracle = Problem(*problem)
    assume(len(all_cuts(oracle.trees[0])) * len(all_cuts(oracle.trees[1])) < 4000)
    best = min(oracle.g(s) for s in oracle.homogeneous() if oracle.fits(s))
    kwargs = {"budget": budget.share, "budget_in": budget.within}
    ours = g_of(odk.anonymise(matrix, guard, "twincut", **kwargs))
    late = g_of(odk.anonymise(matrix, guard, "odkanon-late", **kwargs))
    assert best <= ours * (1 + 1e-9)
    assert ours <= late * (1 + 1e-9)


@settings(max_examples=60)
@given(problems(), st.sampled_from([0, 1, 2, None]))
def test_safe_within_budget_and_repeatable(problem, effort):
    matrix, guard, budget = problem
    options = TwincutOptions(effort=effort)
    one, two = (
        odk.anonymise(matrix, guard, "twincut", budget.share, budget_in=budget.within, options=options) for _ in "ab"
    )
    pd.testing.assert_frame_equal(one.flows, two.flows)
    assert one.homogeneous
    assert int(one.trips.sum()) + one.suppressed_volume["trips"] == matrix.total_trips
    assert int(one.population.sum()) + one.suppressed_volume["population"] == matrix.total_population
    for measure, threshold in guard.guards.items():
        assert one.minimum[measure] >= threshold - 1e-9


def random_city(trips, seed=0):
    """Clustered pairs of a made-up town, the same for everyone."""
    rng = np.random.default_rng(seed)
    places = rng.normal((48.86, 2.34), (0.06, 0.09), size=(60, 2))
    ends = [places[rng.zipf(1.4, trips).clip(max=60) - 1] + rng.normal(0, 0.004, (trips, 2)) for _ in "od"]
    table = pd.DataFrame(np.hstack(ends), columns=["origin_lat", "origin_lon", "destination_lat", "destination_lon"])
    table["person"] = rng.integers(0, trips // 8, trips)
    table["weight"] = rng.gamma(2.0, 1000.0, trips).round(3)
    return odk.ODMatrix.from_trips(odk.Trips.from_table(table), resolution=9)


def test_spends_the_budget_and_beats_the_walk():
    matrix = random_city(4000)
    guard = odk.Protection(trips=10)
    ours, late = (odk.anonymise(matrix, guard, a, 0.1) for a in ("twincut", "odkanon-late"))
    assert g_of(ours) < g_of(late)
    assert 0.08 < ours.suppressed["trips"] <= 0.1
    wider = odk.anonymise(matrix, guard, "twincut", 0.2)
    assert g_of(wider) < g_of(ours)


@pytest.mark.parametrize(("name", "target"), [("od_paris_central", 498.0), ("od_paris_whole", 1140.0)])
def test_reference_regions(shared, name, target):
    matrix = odk.ODMatrix.from_pairs(pd.read_parquet(shared / "data" / "reference" / f"{name}.parquet"))
    assert g_of(odk.anonymise(matrix, odk.Protection(trips=10), "twincut", 0.1)) <= target


def test_divvy(shared):
    matrix = odk.ODMatrix.from_trips(odk.read_trips(shared / "data" / "divvy_2013_trips.csv.gz"))
    assert g_of(odk.anonymise(matrix, odk.Protection(trips=10), "twincut", 0.1)) <= 4.75


@pytest.mark.parametrize("effort", [-1, 3, 1.5, True])
def test_effort_is_checked(effort):
    with pytest.raises(odk.InputError, match="effort"):
        TwincutOptions(effort=effort)
