"""Mondrian over records against plain recursion, and the thesis's classifier."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.comparison import cross_validate, mondrian_records
from odk.comparison.records import people_of
from odk.errors import InputError
from tests.oracles import mondrian_records as oracle


@st.composite
def tables(draw):
    width, n = draw(st.integers(1, 3)), draw(st.integers(2, 40))
    return [tuple(draw(st.integers(0, 4)) for _ in range(width)) for _ in range(n)]


@given(tables(), st.integers(2, 6), st.sampled_from(["strict", "relaxed"]))
def test_equals_plain_recursion(rows, k, partition):
    if k > len(rows):
        return
    table = pd.DataFrame(rows).astype(str)  # "0" to "4": as text they sort like the numbers
    found = mondrian_records(table, k, partition)
    codes = [[sorted(set(table[j])).index(table[j][i]) for j in table.columns] for i in range(len(rows))]
    wanted = oracle.parts(codes, list(range(len(rows))), k, partition == "strict")
    got = [np.flatnonzero(found.part == p).tolist() for p in range(found.part.max() + 1)]
    assert sorted(got) == sorted(sorted(p) for p in wanted)
    for members in wanted:
        for j in table.columns:
            values = sorted(table[j][members])
            label = values[0] if values[0] == values[-1] else f"{values[0]} .. {values[-1]}"
            assert set(found.table[j][members]) == {label}
    assert found.k_anonymous
    alike = found.table.astype(str).value_counts()
    assert found.c_dm == sum(n * n for n in alike)


def test_by_hand():
    table = pd.DataFrame({"age": list("aabbcc"), "sex": list("fmfmfm")})
    # age has three values: the lower median of a a b b c c is b; a, b | c keeps 4 and 2. Then a, b: median a: a | b.
    found = mondrian_records(table, 2, "strict")
    assert found.table["age"].tolist() == ["a", "a", "b", "b", "c", "c"]
    assert found.table["sex"].tolist() == ["f .. m"] * 6
    assert found.c_dm == 12
    # relaxed: a a b | b c c, and no half of three can be cut again
    relaxed = mondrian_records(table, 2, "relaxed")
    assert relaxed.table["age"].tolist() == ["a .. b", "a .. b", "a .. b", "b .. c", "b .. c", "b .. c"]
    assert relaxed.c_dm == 18


def test_wrong_k_is_refused():
    with pytest.raises(InputError, match=r"k \(7\) must lie between 2 and the 6 records"):
        mondrian_records(pd.DataFrame({"a": range(6)}), 7)
    with pytest.raises(InputError, match="partition"):
        mondrian_records(pd.DataFrame({"a": range(6)}), 2, "loose")


def test_one_record_a_person():
    table = pd.DataFrame(
        {
            "person": [1, 1, 2, 3],
            "origin_lat": 48.8,
            "origin_lon": 2.3,
            "destination_lat": 48.9,
            "destination_lon": 2.4,
            "sex": ["F", "F", "M", None],
        }
    )
    trips = odk.Trips.from_table(table, segments=["sex"])
    assert people_of(trips, ["sex"])["sex"].tolist() == ["F", "M"]
    without = odk.Trips.from_table(table.drop(columns="person"), segments=["sex"])
    assert people_of(without, ["sex"])["sex"].tolist() == ["F", "F", "M"]
    with pytest.raises(InputError, match=r"columns \(age\) must be segment columns: sex"):
        people_of(trips, ["age"])


def crowd(n: int, strength: float, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, n), rng.integers(0, 2, n)
    chance = 0.5 + strength * (a == 1) - strength * (a == 2)
    return pd.DataFrame({"a": a.astype(str), "b": b.astype(str), "y": np.where(rng.random(n) < chance, "yes", "no")})


def test_the_classifier_finds_what_is_there_and_no_more():
    # Guess yes for a=1, no for a=2; a=0 is a coin toss that goes all one way: with chances 0.9 and 0.1 two thirds of
    # the records are guessed right at 0.9, one third at 0.5, on average 0.77.
    told = cross_validate(crowd(3000, 0.4, 0), "y", "yes")
    assert told.balanced_accuracy == pytest.approx(0.77, abs=0.03)
    blind = cross_validate(crowd(3000, 0.0, 1), "y", "yes")
    assert blind.balanced_accuracy == pytest.approx(0.5, abs=0.03)
    elsewhere = cross_validate(crowd(3000, 0.4, 2), "y", "yes", test=crowd(3000, 0.4, 3))
    assert elsewhere.balanced_accuracy == pytest.approx(0.77, abs=0.03)


def test_scores_by_hand():
    table = pd.DataFrame({"a": ["x"] * 30 + ["z"] * 30, "y": ["yes"] * 30 + ["no"] * 30})
    test = pd.DataFrame({"a": list("xxxz"), "y": ["yes", "yes", "no", "yes"]})
    found = cross_validate(table, "y", "yes", test=test)
    assert found.sensitivity == pytest.approx(2 / 3)  # of three yes, two at x
    assert found.specificity == 0.0  # the one no is at x
    assert cross_validate(table, "y", "yes").balanced_accuracy == 1.0


def test_too_few_of_a_value_are_refused():
    with pytest.raises(InputError, match="must have both values at least 10 times; one has 3"):
        cross_validate(pd.DataFrame({"a": range(30), "y": ["yes"] * 3 + ["no"] * 27}), "y", "yes")
