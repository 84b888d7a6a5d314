"""odkanon and odkanon-late: against the literal oracle, the published run, and what must hold of any release."""

import json

import h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import odk
from odk.matrix import MICRO
from tests.oracles import odkanon as oracle
from tests.strategies import Case, budgets, cases, problems, protections


def oracle_input(case: Case, guard: odk.Protection):
    pairs = oracle.pairs_of(((r.origin, r.destination, r.weight, r.person) for r in case.rows), case.persons)
    leaves = {end for pair in pairs for end in pair}
    parents = case.parents or oracle.h3_parents(leaves)
    return pairs, parents, {m: round(t * MICRO) if m == "population" else t for m, t in guard.guards.items()}


def published(release: odk.TreeRelease):
    """Cells of a release by zone names, in exact units."""
    names = zip(release.flows["origin"], release.flows["destination"], strict=True)
    persons = [None] * release.n_cells if release.persons is None else release.persons.tolist()
    return dict(zip(names, zip(release.trips.tolist(), release.population.tolist(), persons, strict=True), strict=True))


def expected(outcome: oracle.Outcome):
    def people(entry):
        return None if entry.persons is None else len(entry.persons)

    return {cell: (e.trips, e.population, people(e)) for cell, e in outcome.cells.items()}


def not_published(release: odk.Release):
    table = release.matrix.pairs[release.of_pair < 0]
    return set(zip(table["origin"], table["destination"], strict=True))


@settings(max_examples=400)
@given(cases(), budgets(), st.integers(0, 4), st.sampled_from([0.0, 0.03, 0.2]), st.data())
def test_odkanon_equals_merging_one_by_one(case, budget, levels, drift, data):
    guard = data.draw(protections(case.matrix))
    pairs, parents, guards = oracle_input(case, guard)
    outcome = oracle.odkanon(
        pairs, parents, guards, budget=str(budget.share), within=budget.within, levels=levels, drift=str(drift)
    )

    def run():
        options = {"levels": levels, "drift": drift}
        return odk.anonymise(case.matrix, guard, "odkanon", budget.share, budget_in=budget.within, options=options)

    if outcome is None:
        with pytest.raises(odk.BudgetError, match="odkanon can publish nothing"):
            run()
        return
    release = run()
    assert published(release) == expected(outcome)
    assert not_published(release) == outcome.dropped
    assert release.steps == outcome.steps
    assert set(release.origin_zones) == outcome.origin_zones
    assert set(release.destination_zones) == outcome.destination_zones


@settings(max_examples=200)
@given(cases(), budgets(), st.sampled_from([0.0, 0.03, 0.2]), st.data())
def test_late_equals_merging_one_by_one(case, budget, drift, data):
    guard = data.draw(protections(case.matrix))
    pairs, parents, guards = oracle_input(case, guard)
    outcome = oracle.odkanon_late(
        pairs, parents, guards, budget=str(budget.share), within=budget.within, drift=str(drift)
    )
    release = odk.anonymise(
        case.matrix, guard, "odkanon-late", budget.share, budget_in=budget.within, options={"drift": drift}
    )
    assert published(release) == expected(outcome)
    assert not_published(release) == outcome.dropped
    assert release.steps == outcome.steps


def generated(n: int = 3000) -> odk.ODMatrix:
    """A made-up town: many trips near its middle, few at its edge, weights that differ; the same at every run."""
    draw = np.random.default_rng(7)
    points = {}
    for end in ("origin", "destination"):
        away = draw.gamma(1.2, 0.02, n)
        turn = draw.uniform(0, 2 * np.pi, n)
        points |= {f"{end}_lat": 48.86 + away * np.sin(turn), f"{end}_lon": 2.34 + 1.5 * away * np.cos(turn)}
    table = pd.DataFrame(
        {"person": draw.integers(0, n // 9, n), **points, "weight": draw.gamma(2, 1300, n).round(3) + 1}
    )
    return odk.ODMatrix.from_trips(odk.Trips.from_table(table), resolution=9)


def as_oracle_pairs(matrix: odk.ODMatrix) -> dict[tuple[str, str], oracle.Entry]:
    ends = zip(matrix.pairs["origin"], matrix.pairs["destination"], strict=True)
    sums = zip(matrix.trips.tolist(), matrix.population.tolist(), strict=True)
    return {pair: oracle.Entry(*values, None) for pair, values in zip(ends, sums, strict=True)}


def test_the_published_run(shared):
    folder = shared / "data" / "reference"
    wanted = json.loads((folder / "odkanon_trips_k10.json").read_text())
    matrix = odk.ODMatrix.from_pairs(pd.read_parquet(folder / wanted["input"]))
    release = odk.anonymise(matrix, odk.Protection(trips=10), "odkanon")
    assert (release.steps, release.suppressed_pairs) == (wanted["steps"], wanted["suppressed_pairs"])
    assert release.origin_zones == wanted["origin_zones"]
    assert release.destination_zones == wanted["destination_zones"]
    assert release.budget == odk.Budget(0.1, "pairs")  # as algorithm 1 counts it


@pytest.mark.parametrize(("levels", "zones"), [(2, (5, 5)), (4, (5, 11))])
def test_the_published_run_with_other_levels(shared, levels, zones):
    matrix = odk.ODMatrix.from_pairs(pd.read_parquet(shared / "data" / "reference" / "od_paris_central.parquet"))
    release = odk.anonymise(matrix, odk.Protection(trips=10), "odkanon", options={"levels": levels})
    assert (len(release.origin_zones), len(release.destination_zones)) == zones


@pytest.mark.parametrize("measure", ["trips", "population"])
def test_a_whole_town_equals_merging_one_by_one(measure):
    # The twin of the published run, on data that everybody has: hundreds of merges.
    matrix = generated()
    guard = odk.Protection(trips=10) if measure == "trips" else odk.Protection.population_of(matrix, k=10)
    pairs = as_oracle_pairs(matrix)
    parents = oracle.h3_parents({end for pair in pairs for end in pair})
    outcome = oracle.odkanon(pairs, parents, {measure: guard.threshold(measure)})
    release = odk.anonymise(matrix, guard, "odkanon")
    assert published_sums(release) == {cell: (e.trips, e.population) for cell, e in outcome.cells.items()}
    assert not_published(release) == outcome.dropped
    assert release.steps == outcome.steps > 600
    assert set(release.origin_zones) == outcome.origin_zones


def published_sums(release: odk.TreeRelease) -> dict[tuple[str, str], tuple[int, int]]:
    return {cell: values[:2] for cell, values in published(release).items()}


@settings(max_examples=200)
@given(problems(), st.sampled_from(["odkanon", "odkanon-late"]))
def test_what_must_hold_of_every_release(problem, name):
    matrix, guard, budget = problem
    try:
        release = odk.anonymise(matrix, guard, name, budget.share, budget_in=budget.within)
    except odk.BudgetError:
        assert name == "odkanon"  # the late one can always merge everything
        return
    again = odk.anonymise(matrix, guard, name, budget.share, budget_in=budget.within)
    assert np.array_equal(again.of_pair, release.of_pair)
    assert again.flows.equals(release.flows)
    for measure in ("trips", "population"):
        total = int(getattr(release, measure).sum()) + release.suppressed_volume[measure]
        assert total == matrix.total(measure)
    assert guard.publishable(matrix.regroup(release.of_pair, release.n_cells)).all()
    assert release.homogeneous
    if budget.within == "pairs":
        assert release.suppressed_pairs <= budget.of(matrix.n_pairs)
    else:
        for measure, most in budget.allowed(matrix, guard).items():
            assert release.suppressed_volume[measure] <= most
    for tree, cut, nodes in (
        (matrix.origins, release.o_cut, release.o_node),
        (matrix.destinations, release.d_cut, release.d_node),
    ):
        tree.zone_of_leaf(cut)  # whole
        assert set(nodes.tolist()) <= set(cut.tolist())


@given(cases(), st.data())
def test_a_larger_budget_never_walks_further(case, data):
    guard = data.draw(protections(case.matrix))
    steps = [odk.anonymise(case.matrix, guard, "odkanon-late", share).steps for share in (0.0, 0.1, 0.3, 0.6)]
    assert steps == sorted(steps, reverse=True)
    assert odk.anonymise(case.matrix, guard, "odkanon-late", 0.0).suppressed_pairs == 0


def test_persons_count_once():
    # One commuter's ten trips from A to B are not ten people; B to A has three.
    a, b, c = sorted(h3.cell_to_children("891fb464003ffff"))[:3]
    rows = [(a, b, 1)] * 10 + [(b, a, p) for p in (1, 2, 3)] + [(c, a, 4)]
    table = pd.DataFrame(rows, columns=["origin", "destination", "person"]).assign(weight=1.0)
    matrix = odk.ODMatrix.from_trips(odk.Trips(table=table, ends="h3"))
    by_trips = odk.anonymise(matrix, odk.Protection(trips=3), "odkanon-late", 0.1)
    assert by_trips.minimum["persons"] == 1
    by_persons = odk.anonymise(matrix, odk.Protection(persons=3), "odkanon-late", 0.1)
    assert by_persons.minimum["persons"] >= 3


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("odkanon", {"levels": -1}, r"levels \(-1\) must be a whole number of at least 0"),
        ("odkanon", {"levels": 1.5}, r"levels \(1.5\) must be"),
        ("odkanon", {"drift": 1}, r"drift \(1\) must be a number in \[0, 1\)"),
        ("odkanon-late", {"drift": "3%"}, r"drift \('3%'\) must be"),
        ("odkanon-late", {"levels": 3}, r"option \(levels\) of odkanon-late must be one of: drift"),
    ],
)
def test_wrong_options_are_refused(name, options, words):
    with pytest.raises(odk.OdkError, match=words):
        odk.anonymise(generated(200), odk.Protection(trips=2), name, options=options)


def test_a_filter_that_leaves_too_little_is_an_error_with_the_shortfall():
    # Every pair is alone and far from the others: nothing is valid, nearly all is dropped, the rest stays below k.
    cells = [h3.latlng_to_cell(lat, 2.0, 9) for lat in range(-40, 60, 10)]
    table = pd.DataFrame({"start_h3": cells, "end_h3": cells, "count": [1] * 10})
    with pytest.raises(
        odk.BudgetError, match=r"odkanon can publish nothing: the 10.0% of trips .* lower k or the budget"
    ):
        odk.anonymise(odk.ODMatrix.from_pairs(table), odk.Protection(trips=5), "odkanon", 0.9)
