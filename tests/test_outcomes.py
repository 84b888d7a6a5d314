"""Outcomes beside each other: figures by hand, who is best, and errors that are rows."""

import numpy as np
import pandas as pd
import pytest

import odk
from odk.glossary import LOSS, PLANNING, TERMS
from odk.metrics import KEYS
from odk.outcomes import best, run, table

# Two origins and two destinations, children of one cell each: 6 + 4 + 4 + 1 trips, all of weight 2.
A, B = "8a1fb46622dffff", "8a1fb46622cffff"
C, D = "8a1fb46622a7fff", "8a1fb466228ffff"


@pytest.fixture
def matrix() -> odk.ODMatrix:
    pairs = [(A, C, 6), (A, D, 4), (B, C, 4), (B, D, 1)]
    frame = pd.DataFrame(pairs, columns=["start_h3", "end_h3", "count"])
    return odk.ODMatrix.from_pairs(frame.assign(total_weight=frame["count"] * 2.0))


def test_an_outcome_by_hand(matrix):
    outcome = run(matrix, odk.Protection(trips=4), "suppression", 0.10)
    # The pairs of 6, 4 and 4 stay as they are: G = 1 + 1; 1 of 15 trips is gone, within the budget of a tenth.
    assert outcome.error == ""
    assert outcome.not_compared == ""
    row = table([outcome]).iloc[0]
    assert row["shape"] == "2 × 2"
    assert row["cells"] == 3
    assert row["g"] == 2
    assert row["s"] == pytest.approx(1 / 15)
    assert row["above_limit"] == 1
    assert row["budget_used"] == pytest.approx(2 / 3)  # 1/15 of 1/10
    assert row["c_dm"] == 36 + 16 + 16 + 15 * 1
    assert row["c_avg"] == pytest.approx(14 / 3 / 4)
    assert table([outcome], "population").iloc[0]["c_dm"] == 4 * row["c_dm"]


def test_what_breaks_a_rule_is_not_compared(matrix):
    over = run(matrix, odk.Protection(trips=5), "suppression", 0.10)  # 9 of 15 trips go
    assert over.not_compared == "it suppresses 60.0%, more than the budget"
    noise = run(matrix, odk.Protection(trips=4), "laplace", 0.10)
    assert noise.not_compared == "it is not k-anonymous"
    assert noise.reasons["e"].endswith("(population view)")  # it counts trips, so that view has nothing
    assert not noise.reasons["g"].endswith("view)")
    found = table([over, noise, run(matrix, odk.Protection(trips=5), "twincut", 0.10)])
    assert best(found)["g"] == {"twincut"}  # though suppression has G = 2


def test_an_algorithm_that_cannot_is_a_row_that_says_why(matrix):
    outcome = run(matrix, odk.Protection(trips=16), "twincut", 0.10)
    assert outcome.release is None
    assert "must not exceed the 15 trips" in outcome.error
    row = table([outcome]).iloc[0]
    assert row["error"] == outcome.error
    assert pd.isna(row["g"])
    assert best(table([outcome]))["g"] == set()


def test_best_by_hand():
    made = pd.DataFrame(
        {
            "algorithm": ["a", "b", "c", "d"],
            "not_compared": ["", "", "", "it is not k-anonymous"],
            "g": [3.0, 3.00001, 4.0, 1.0],
            "corridors": [0.5, 0.7, None, 0.9],
        }
    )
    assert best(made, ("g", "corridors")) == {"g": {"a", "b"}, "corridors": {"b"}}


def test_an_outcome_moves_to_the_matrix_in_memory(matrix):
    outcome = run(matrix, odk.Protection(trips=4), "twincut", 0.10)
    twin = odk.ODMatrix.from_pairs(
        matrix.pairs.rename(columns={"origin": "start_h3", "destination": "end_h3"}).assign(
            count=matrix.trips, total_weight=matrix.population / 1e6
        )
    )
    moved = outcome.on(twin)
    assert moved.release is not None
    assert moved.release.matrix is twin
    assert np.array_equal(moved.release.trips, outcome.release.trips)


def test_every_metric_has_its_words():
    assert {term.key for term in LOSS} == {*KEYS, "above_limit"}
    assert {t.key for t in PLANNING} == {"row_error", "column_error", "length_shift", "intrazonal", "corridors"}
    assert all(term.question.endswith("?") and term.formula and term.title for term in TERMS.values())
    assert TERMS["corridors"].better == "higher"
