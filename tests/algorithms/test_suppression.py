"""Suppression alone keeps what is publishable as it is, and nothing else."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import odk
from odk.errors import BudgetError
from tests.strategies import problems


@given(problems())
def test_the_publishable_pairs_and_no_others(problem):
    matrix, guard, budget = problem
    pairs = matrix.regroup(np.arange(matrix.n_pairs), matrix.n_pairs)
    good = guard.publishable(pairs)
    if not good.any():
        with pytest.raises(BudgetError, match="can publish no cell"):
            odk.anonymise(matrix, guard, "suppression", budget=budget.share)
        return
    release = odk.anonymise(matrix, guard, "suppression", budget=budget.share)
    assert np.array_equal(release.of_pair >= 0, good)
    assert release.trips.tolist() == matrix.trips[good].tolist()  # pairs and leaves are in the same order
    assert release.suppressed["trips"] == matrix.trips[~good].sum() / matrix.total_trips


def test_it_ignores_the_budget_and_says_so():
    table = pd.DataFrame(
        {
            "start_h3": ["891fb466257ffff", "891fb466257ffff"],
            "end_h3": ["891fb466257ffff", "891fb46625bffff"],
            "count": [10, 30],
        }
    )
    release = odk.anonymise(odk.ODMatrix.from_pairs(table), odk.Protection(trips=20), "suppression", budget=0.0)
    assert release.suppressed["trips"] == 10 / 40
    assert "ignores the budget" in release.notes[0]
