"""Array idioms that the algorithms share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.algorithms._arrays import running, runs, stable_order, weighted_sum
from tests.strategies import problems


def test_runs_by_hand():
    numbers, which = runs(np.array([5, 9, 2]), np.array([8, 9, 4]))
    assert numbers.tolist() == [5, 6, 7, 2, 3]
    assert which.tolist() == [0, 0, 0, 2, 2]


def test_running_totals_have_a_nought_in_front():
    assert running(np.array([3, 1, 2])).tolist() == [0, 3, 4, 6]


@pytest.mark.parametrize("n", [2**16, 2**16 + 1])  # by radix up to here, then by comparing
def test_order_is_stable_on_both_sides_of_sixteen_bits(n):
    keys = np.array([n - 1, 0, n - 1, 0, 1])
    assert stable_order(keys, n).tolist() == [1, 3, 4, 0, 2]


@given(st.lists(st.tuples(st.integers(1, 120_000), st.integers(0, 2**48)), max_size=20))
def test_sums_are_exact_beyond_64_bits(rows):
    size, volume = (np.array([row[i] for row in rows], dtype=np.int64) for i in range(2))
    assert weighted_sum(size, volume) == sum(a * b for a, b in rows)


@pytest.mark.parametrize("name", ["oigh", "atg-soft", "atg-dual", "mondrian"])
@given(problem=problems(max_rows=20))
def test_a_run_can_be_watched_and_stopped(name, problem):
    matrix, guard, budget = problem
    seen = []
    odk.anonymise(matrix, guard, name, budget.share, progress=lambda share, message: seen.append(share))
    assert seen[0] == 0
    assert seen[-1] == 1
    assert len(seen) > 2
    assert all(0 <= share <= 1 for share in seen)

    def stop(share, message):
        if share > 0:
            raise odk.Cancelled("stopped")

    with pytest.raises(odk.Cancelled):
        odk.anonymise(matrix, guard, name, budget.share, progress=stop)
