"""Why a zone is coarse, with numbers that can be checked by hand."""

import pandas as pd
import pytest
from hypothesis import assume, given, settings

import odk
from odk.why import why_coarse
from tests.strategies import problems

ZONES = ["a1", "a2", "b1", "b2"]
TREE = odk.Hierarchy.from_table(ZONES, ["a", "a", "b", "b"], lat=[48.8] * 4, lon=[2.1, 2.2, 2.3, 2.4])


def release(counts, k=10, budget=0.1, algorithm="odkanon-late"):
    table = pd.DataFrame([(o, d, n) for (o, d), n in counts.items()], columns=["start_h3", "end_h3", "count"])
    matrix = odk.ODMatrix.from_pairs(table, hierarchy=TREE)
    return odk.anonymise(matrix, odk.Protection(trips=k), algorithm, budget)


def test_the_cell_that_binds_and_what_would_free_it():
    # a has two children: a1 with 40 trips to b1, a2 with 7. Split, 7 of 100 are lost; the budget allows 5.
    r = release({("a1", "b1"): 40, ("a2", "b1"): 7, ("b1", "b1"): 30, ("b2", "b1"): 23}, budget=0.05)
    assert r.origin_zones == ["a", "b1", "b2"]
    why = why_coarse(r, "origins", "a")
    assert (why.origin, why.destination, why.measure, why.value, why.threshold) == ("a2", "b1", "trips", 7, 10)
    assert why.shortfall == 3
    assert (why.suppressed, why.allowed) == (0.07, 0.05)
    assert why.k == pytest.approx(0.7)  # at k = 7 the cell would be published
    words = why.sentence(r.protection)
    assert "7 trips, 3 short of 10" in words
    assert "budget of 7.0%" in words
    assert "thresholds of 7 trips" in words


def test_the_budget_it_names_does_free_the_zone():
    counts = {("a1", "b1"): 40, ("a2", "b1"): 7, ("b1", "b1"): 30, ("b2", "b1"): 23}
    assert release(counts, budget=0.07).origin_zones == ["a1", "b1", "b2"]
    assert release(counts, k=7, budget=0.05).origin_zones == ["a1", "a2", "b1", "b2"]


def test_a_leaf_has_nothing_finer():
    r = release({("a1", "b1"): 40, ("a2", "b1"): 7, ("b1", "b1"): 30, ("b2", "b1"): 23}, budget=0.05)
    assert "leaf" in why_coarse(r, "origins", "b1").sentence(r.protection)


def test_wrong_questions():
    r = release({("a1", "b1"): 40, ("a2", "b1"): 20})
    with pytest.raises(odk.InputError, match="zone"):
        why_coarse(r, "origins", "nowhere")
    with pytest.raises(odk.InputError, match="axis"):
        why_coarse(r, "sideways", "a1")
    joint = release({("a1", "b1"): 40, ("a2", "b1"): 20}, algorithm="atg-joint")
    with pytest.raises(odk.InputError, match="homogeneous"):
        why_coarse(joint, "origins", "a1")


@settings(max_examples=60)
@given(problems(max_leaves=8, max_rows=40))
def test_scaled_thresholds_let_the_split_fit(problem):
    matrix, guard, budget = problem
    assume(budget.within == "volume")
    r = odk.anonymise(matrix, guard, "odkanon-late", budget.share)
    for axis, tree, cut in (("origins", matrix.origins, r.o_cut), ("destinations", matrix.destinations, r.d_cut)):
        for node in cut.tolist():
            why = why_coarse(r, axis, tree.label(node))
            if why.children and not why.fits:
                assert why.value < why.threshold
                assert why.suppressed > why.allowed or len(guard.budget_measures) > 1
                assert why.k is None or 0 < why.k < 1
                assert why.sentence(guard)
