"""odkanon and odkanon-late: against the literal oracle, the published run, and what must hold of any release."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import odk
from odk.matrix import MICRO
from tests.oracles import odkanon as oracle
from tests.strategies import Case, budgets, cases, protections


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
