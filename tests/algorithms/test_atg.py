"""ATG-Soft and ATG-Dual: equal to the papers' recursion, within the budget (appendix F), never above λ (appendix E)."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import odk
from odk.algorithms.atg import leaves_of_both
from odk.hierarchy import Hierarchy
from tests.oracles.atg import Atg, best_target
from tests.oracles.plain import plain
from tests.strategies import budgets, cases, problems, protections

TARGETS = st.sampled_from([1, 2, 3, 5, 8, 20, 100, 2674, 40000])


def cells_of(release):
    return {(row.origin, row.destination): row.trips for row in release.flows.itertuples()}


def counted(outcome):
    return {flow: len(trips) for flow, trips in outcome.cells.items()}


def mean_size(release):
    matrix = release.matrix
    sizes = matrix.origins.size[release.o_node] + matrix.destinations.size[release.d_node]
    return float((sizes * release.trips).sum() / release.trips.sum())


def run(case, guard, budget, name, **options):
    return odk.anonymise(case.matrix, guard, name, budget.share, budget_in=budget.within, options=options)


@settings(max_examples=200)
@given(cases(max_leaves=12, max_rows=45), budgets(), TARGETS, st.data())
def test_dual_equals_the_recursion(case, budget, v_target, data):
    guard = data.draw(protections(case.matrix))
    expected = Atg(plain(case, guard, budget), Fraction(v_target)).dual()
    if expected is None:
        with pytest.raises(odk.BudgetError, match="atg-dual would have to suppress"):
            run(case, guard, budget, "atg-dual", v_target=v_target)
        return
    release = run(case, guard, budget, "atg-dual", v_target=v_target)
    assert cells_of(release) == counted(expected)
    assert release.details["lambda"] == pytest.approx(float(expected.penalty), rel=1e-12)
    assert release.details["v_target"] == v_target


@settings(max_examples=200)
@given(cases(max_leaves=12, max_rows=45), budgets(), TARGETS, st.sampled_from([None, 0, 2, 3.5, 7]), st.data())
def test_soft_equals_the_recursion(case, budget, v_target, penalty, data):
    guard = data.draw(protections(case.matrix))
    asked = Fraction(leaves_of_both(case.matrix), 10) if penalty is None else Fraction(penalty)
    problem = plain(case, guard, budget)
    expected, raised = Atg(problem, Fraction(v_target)).soft(asked)
    options = {"v_target": v_target, "penalty": penalty}
    if raised:
        with pytest.raises(odk.BudgetError, match="atg-soft would have to suppress"):
            run(case, guard, budget, "atg-soft", strict=True, **options)
    if expected is None:
        with pytest.raises(odk.BudgetError, match="atg-soft would have to suppress"):
            run(case, guard, budget, "atg-soft", **options)
        return
    if not expected.cells:  # a small λ within a generous budget may suppress all
        with pytest.raises(odk.BudgetError, match="can publish no cell"):
            run(case, guard, budget, "atg-soft", **options)
        return
    release = run(case, guard, budget, "atg-soft", **options)
    assert cells_of(release) == counted(expected)
    assert release.details["lambda_raised"] is raised
    assert any("λ was raised" in note for note in release.notes) is raised
    assert release.details["lambda"] == pytest.approx(float(expected.penalty))


@settings(max_examples=25)
@given(cases(max_leaves=8, max_rows=25), budgets(), st.data())
def test_the_automatic_target_is_the_one_of_the_grid_with_zones_closest_in_size(case, budget, data):
    guard = data.draw(protections(case.matrix))
    v_target, outcome = best_target(plain(case, guard, budget), Atg.dual)
    release = run(case, guard, budget, "atg-dual")
    assert release.details["v_target"] == v_target
    assert release.details["v_target_automatic"] is True
    assert f"v_target was set to {v_target:,}" in release.notes[0]
    assert cells_of(release) == counted(outcome)


@given(problems(), TARGETS, st.sampled_from([None, 1, 3, 6]))
def test_appendix_e_no_flow_is_coarser_than_lambda_unless_its_destination_is_one_leaf(problem, v_target, penalty):
    matrix, guard, budget = problem
    for name, more in (("atg-dual", {}), ("atg-soft", {"penalty": penalty})):
        try:
            release = odk.anonymise(
                matrix, guard, name, budget.share, budget_in=budget.within, options={"v_target": v_target} | more
            )
        except odk.BudgetError:
            continue
        size_o, size_d = matrix.origins.size[release.o_node], matrix.destinations.size[release.d_node]
        above = size_o + size_d > release.details["lambda"] * (1 + 1e-12)
        assert (size_d[above] == 1).all()


@given(problems())
def test_appendix_f_suppression_stays_within_the_budget_and_every_cell_is_publishable(problem):
    matrix, guard, budget = problem
    for name in ("atg-dual", "atg-soft"):
        # one zone for all origins always fits, so the automatic v_target never fails
        release = odk.anonymise(matrix, guard, name, budget.share, budget_in=budget.within)
        if budget.within == "pairs":
            assert release.suppressed_pairs <= budget.share * matrix.n_pairs
        else:
            allowed = budget.allowed(matrix, guard)
            assert all(release.suppressed_volume[m] <= most for m, most in allowed.items())
        least = {m: getattr(release, m).min() for m in guard.guards}
        assert all(value >= guard.threshold(m) for m, value in least.items())
        again = odk.anonymise(matrix, guard, name, budget.share, budget_in=budget.within)
        assert again.of_pair.tobytes() == release.of_pair.tobytes()


@given(problems())
def test_one_zone_per_origin_zone_and_destination_tree(problem):
    """The destination zones of one origin zone never overlap, and origin zones are one cut."""
    matrix, guard, budget = problem
    release = odk.anonymise(matrix, guard, "atg-dual", budget.share, budget_in=budget.within)
    assert not release.homogeneous
    used = [set(), set()]
    for zone in np.unique(release.o_node):
        run_o = range(matrix.origins.first[zone], matrix.origins.first[zone] + matrix.origins.size[zone])
        assert not used[0] & set(run_o)
        used[0] |= set(run_o)
        used[1] = set()
        for d in release.d_node[release.o_node == zone]:
            leaves = set(
                range(matrix.destinations.first[d], matrix.destinations.first[d] + matrix.destinations.size[d])
            )
            assert not used[1] & leaves
            used[1] |= leaves


# --- by hand ---------------------------------------------------------------------------------------------------------
# One origin leaf o; destinations a1 10, a2 4 below A; b1 6, b2 5 below B; k = 10.
# α: root (1+4)·25 = 125, A 3·14 = 42, B 3·11 = 33, a1 2·10 = 20. Splitting the root gains 50 for nothing; splitting A
# gains 22 and suppresses 4 (λ = 5.5); splitting B gains 33 and suppresses 11 (λ = 3).
TREE = Hierarchy.from_table(
    ["a1", "a2", "b1", "b2", "A", "B", "o", "O"], ["A", "A", "B", "B", "root", "root", "O", "root"]
)
HAND = pd.DataFrame({"origin": ["o"] * 4, "destination": ["a1", "a2", "b1", "b2"], "trips": [10, 4, 6, 5]})


@pytest.fixture
def hand():
    return odk.ODMatrix.from_pairs(HAND, hierarchy=TREE)


@pytest.mark.parametrize(
    ("budget", "penalty", "flows"),
    [
        (0.0, 5.5, {"A": 14, "B": 11}),
        (0.15, 5.5, {"A": 14, "B": 11}),  # 3 trips: one short
        (0.16, 3.0, {"a1": 10, "B": 11}),
        (0.59, 3.0, {"a1": 10, "B": 11}),
        (0.60, 0.0, {"a1": 10}),
    ],
)
def test_dual_by_hand(hand, budget, penalty, flows):
    release = odk.anonymise(hand, odk.Protection(trips=10), "atg-dual", budget, options={"v_target": 25})
    assert release.details["lambda"] == penalty
    assert {d: n for (_, d), n in cells_of(release).items()} == flows


def test_soft_by_hand(hand):
    def soft(penalty, budget=0.6, **more):
        options = {"v_target": 25, "penalty": penalty} | more
        return odk.anonymise(hand, odk.Protection(trips=10), "atg-soft", budget, options=options)

    assert {d for _, d in cells_of(soft(5.5))} == {"A", "B"}  # ties aggregate
    assert {d for _, d in cells_of(soft(5.4))} == {"a1", "B"}
    assert {d for _, d in cells_of(soft(2.9))} == {"a1"}
    raised = soft(2.9, budget=0.16)
    assert raised.details["lambda"] == 3.0
    assert raised.details["lambda_asked"] == 2.9
    assert raised.notes[-1].startswith("λ was raised from 2.9 to 3 leaves")
    with pytest.raises(odk.BudgetError, match="atg-soft would have to suppress 15 of 25 trips") as error:
        soft(2.9, budget=0.16, strict=True)
    assert error.value.needed == pytest.approx(0.6)


def test_published_lambda_is_a_tenth_of_the_leaves_of_both_axes(hand):
    # leaves: o, a1, a2, b1, b2
    release = odk.anonymise(hand, odk.Protection(trips=10), "atg-soft", 0.6, options={"v_target": 25})
    assert release.details["lambda"] == release.details["lambda_asked"] == 0.5


@pytest.mark.parametrize(("v_target", "zones"), [(10, ["P"]), (5, ["x", "y"])])
def test_origins_by_hand(v_target, zones):
    # out x 10, y 4. v_target 10: 16 together, 0 + 36 apart. v_target 5: 81 together, 25 + 1 apart.
    tree = Hierarchy.from_table(["x", "y"], ["P", "P"])
    table = pd.DataFrame({"origin": ["x", "y"], "destination": ["x", "x"], "trips": [10, 4]})
    matrix = odk.ODMatrix.from_pairs(table, hierarchy=tree)
    release = odk.anonymise(matrix, odk.Protection(trips=2), "atg-dual", 0, options={"v_target": v_target})
    assert release.origin_zones == zones


def test_origins_too_small_for_the_budget_are_an_error_that_names_the_shortfall():
    tree = Hierarchy.from_table(["x", "y"], ["P", "P"])
    table = pd.DataFrame({"origin": ["x", "y"], "destination": ["x", "x"], "trips": [10, 4]})
    matrix = odk.ODMatrix.from_pairs(table, hierarchy=tree)
    with pytest.raises(odk.BudgetError, match=r"4 of 14 trips \(28.6%\); the budget allows 1 \(7.1%\): short by 3"):
        odk.anonymise(matrix, odk.Protection(trips=5), "atg-dual", options={"v_target": 5})
    assert odk.anonymise(matrix, odk.Protection(trips=5), "atg-dual").origin_zones == ["P"]


@pytest.mark.parametrize(
    ("name", "options", "rule"),
    [
        ("atg-dual", {"v_target": 0}, r"v_target \(0\) must be a number above 0"),
        ("atg-dual", {"v_target": float("nan")}, r"v_target \(nan\) must be a number above 0"),
        ("atg-dual", {"grid": 0}, r"grid \(0\) must be a whole number of at least 1"),
        ("atg-soft", {"penalty": -1}, r"penalty \(-1\) must be a number of at least 0"),
        ("atg-soft", {"strict": 1}, r"strict \(1\) must be True or False"),
        ("atg-dual", {"strict": True}, r"option \(strict\) of atg-dual must be one of: grid, v_target"),
    ],
)
def test_refuses_other_options(hand, name, options, rule):
    with pytest.raises(odk.InputError, match=rule):
        odk.anonymise(hand, odk.Protection(trips=10), name, options=options)


# --- the prototype's figures (SPEC 2.3) ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("file", "v_target", "best", "automatic"),
    [("od_paris_central.parquet", 1000, 392.3, 396), ("od_paris_whole.parquet", 850, 737, 794)],
)
def test_as_fine_as_the_prototype(shared, file, v_target, best, automatic):
    matrix = odk.ODMatrix.from_pairs(pd.read_parquet(shared / "data/reference" / file))
    guard = odk.Protection(trips=10)
    assert mean_size(odk.anonymise(matrix, guard, "atg-dual", options={"v_target": v_target})) <= best
    assert mean_size(odk.anonymise(matrix, guard, "atg-dual")) <= automatic


def test_twin_of_the_prototype_on_generated_trips():
    # no reference data needed: the dual is never coarser than the soft one that it must suppress less than
    rng = np.random.default_rng(7)
    leaves = [f"z{i}" for i in range(49)]
    tree = Hierarchy.from_table(leaves, [f"p{i // 7}" for i in range(49)])
    table = pd.DataFrame(
        {"origin": rng.choice(leaves, 900), "destination": rng.choice(leaves, 900, p=np.arange(1, 50) / 1225)}
    )
    counts = table.value_counts().rename("trips").reset_index().sort_values(["origin", "destination"])
    matrix = odk.ODMatrix.from_pairs(counts, hierarchy=tree)
    guard = odk.Protection(trips=5)
    dual = odk.anonymise(matrix, guard, "atg-dual", options={"v_target": 100})
    firm = odk.anonymise(matrix, guard, "atg-dual", 0.0, options={"v_target": 100})
    soft = odk.anonymise(matrix, guard, "atg-soft", options={"v_target": 100, "penalty": 2 * dual.details["lambda"]})
    assert mean_size(dual) < mean_size(soft) <= mean_size(firm)
