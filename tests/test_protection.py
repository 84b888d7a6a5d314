"""Protection and budget: thresholds in exact units, the lead measure, and what is refused."""

from fractions import Fraction

import h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.matrix import MICRO
from tests.strategies import matrices, protections

A, B = sorted(h3.cell_to_children("891fb464003ffff"))[:2]


def matrix(persons: bool = True) -> odk.ODMatrix:
    """Ten trips of four people, 25 weighted trips."""
    table = pd.DataFrame(
        {"person": list("abcdabcdab"), "origin": A, "destination": [A, B] * 5, "weight": [1.0, 4.0] * 5}
    )
    if not persons:
        table = table.drop(columns="person")
    return odk.ODMatrix.from_trips(odk.Trips(table=table, ends="h3"))


def test_guards_thresholds_and_lead():
    both = odk.Protection(trips=10, population=26742)
    assert both.guards == {"trips": 10, "population": 26742.0}
    assert (both.threshold("trips"), both.threshold("population")) == (10, 26_742_000_000)
    leads = {
        "trips": odk.Protection(trips=2),
        "population": odk.Protection(population=2),
        "both": both,
        "persons": odk.Protection(persons=2),
        "persons and population": odk.Protection(persons=2, population=2),
    }
    assert {name: guard.lead for name, guard in leads.items()} == {
        "trips": "trips",
        "population": "population",
        "both": "trips",
        "persons": "trips",
        "persons and population": "trips",
    }
    assert [guard.budget_measures for guard in leads.values()] == [
        ("trips",),
        ("population",),
        ("trips", "population"),
        ("trips",),
        ("trips", "population"),
    ]
    assert [guard.needs_persons for guard in leads.values()] == [False, False, False, True, True]
    assert both.describe() == "every cell has at least 10 trips and 26,742 weighted trips"


def test_population_of_the_paper():
    # k times the mean weight of a trip: 25 weighted trips over 10 trips, k = 4: 10.
    assert odk.Protection.population_of(matrix(), k=4) == odk.Protection(population=10.0)
    assert odk.Protection.both(matrix(), k=4) == odk.Protection(trips=4, population=10.0)


@given(matrices(), st.integers(2, 30), st.integers(0, 2**40))
def test_a_sum_reaches_k_mean_weights_exactly(whole, k, value):
    guard = odk.Protection.population_of(whole, k=k)
    exact = Fraction(k * whole.total_population, whole.total_trips)
    for population in (value, int(exact), int(exact) + 1):
        one, micro = np.array([1]), np.array([population])
        assert bool(guard.reached(one, micro, None)[0]) == (population >= exact)


def test_a_cell_reaches_every_threshold_or_is_not_published():
    guard = odk.Protection(trips=5, persons=3, population=7.5)
    trips, persons = np.array([5, 4, 5, 5]), np.array([3, 3, 2, 3])
    population = np.array([7_500_000, 7_500_000, 7_500_000, 7_499_999])
    assert guard.reached(trips, population, persons).tolist() == [True, False, False, False]
    with pytest.raises(odk.InputError, match="persons are unknown"):
        guard.reached(trips, population, None)


@given(matrices(), st.data())
def test_what_reaches_the_thresholds_does_so_in_every_superset(whole, data):
    guard = data.draw(protections(whole))
    fine = whole.group(whole.origins.ancestors_at(0), whole.destinations.ancestors_at(1))
    coarse = whole.group(whole.origins.ancestors_at(2), whole.destinations.ancestors_at(2))
    good = guard.publishable(fine)[fine.of_pair]
    assert (guard.publishable(coarse)[coarse.of_pair] >= good).all()
    guard.check(whole)


@pytest.mark.parametrize("bad", [1, 0, -3, 2.5, "ten", "10", None, True, float("nan"), float("inf"), [10], 1 + 2j])
@pytest.mark.parametrize("measure", ["trips", "persons"])
def test_a_k_that_is_no_whole_number_from_2_is_refused(bad, measure):
    words = "must guard trips, persons or population" if bad is None else "must be a whole number of at least 2"
    with pytest.raises(odk.OdkError, match=words):
        odk.Protection(**{measure: bad})


@pytest.mark.parametrize("bad", [0, -1, "many", True, float("nan"), float("inf"), 1e-7, [1], 10**400])
def test_a_population_threshold_that_is_no_number_above_0_is_refused(bad):
    with pytest.raises(odk.OdkError, match=r"population threshold \(.*\) must be a number above 0"):
        odk.Protection(population=bad)


@pytest.mark.parametrize("bad", [1, 0, "ten", 2.5, True, None])
def test_k_of_population_of(bad):
    with pytest.raises(odk.OdkError, match=r"k \(.*\) must be a whole number of at least 2"):
        odk.Protection.population_of(matrix(), k=bad)
    with pytest.raises(odk.OdkError, match="must be a whole number of at least 2"):
        odk.Protection.both(matrix(), k=bad)


def test_whole_numbers_of_every_type_are_taken():
    wanted = odk.Protection(trips=10, persons=3)
    assert odk.Protection(trips=np.int64(10), persons=3.0) == wanted
    assert hash(odk.Protection(trips=10.0, persons=np.int32(3))) == hash(wanted)


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        ({"trips": 11}, r"trips threshold k \(11\) must not exceed the 10 trips in all"),
        ({"trips": 10**400}, "must not exceed the 10 trips in all"),
        ({"persons": 5}, r"persons threshold k \(5\) must not exceed the 4 persons"),
        ({"population": 25.000001}, r"population threshold \(25\) must not exceed the 25 weighted trips in all"),
    ],
)
def test_thresholds_above_the_total_are_refused(guard, words):
    with pytest.raises(odk.OdkError, match=words):
        odk.Protection(**guard).check(matrix())


def test_thresholds_equal_to_the_total_are_fine():
    odk.Protection(trips=10, persons=4, population=25).check(matrix())


def test_persons_cannot_be_guarded_without_a_person_column():
    with pytest.raises(odk.OdkError, match="the data has no person column"):
        odk.Protection(persons=2).check(matrix(persons=False))


# --- budget -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("bad", [1, 1.0, -0.01, 2, float("nan"), float("inf"), "0.1", None, True, [0.1]])
def test_a_budget_outside_0_to_1_is_refused(bad):
    with pytest.raises(odk.OdkError, match=r"budget \(.*\) must .*\[0, 1\)"):
        odk.Budget(bad)


def test_a_budget_of_something_else_is_refused():
    with pytest.raises(odk.OdkError, match=r"budget_in \('zones'\) must be volume or pairs"):
        odk.Budget(0.1, "zones")


@given(st.integers(0, 999), st.integers(0, 10**18))
def test_a_budget_is_the_decimal_that_was_written(thousandths, total):
    assert odk.Budget(thousandths / 1000).of(total) == thousandths * total // 1000


def test_a_tenth_is_a_tenth():
    # As floats, 0.1 x 30 is 3.0000000000000004 and 0.29 x 100 is 28.999999999999996.
    assert odk.Budget(0.29).of(100) == 29
    assert odk.Budget(0.1).of(29) == 2
    guard = odk.Protection(persons=2, population=2)
    assert odk.Budget(0.5).allowed(matrix(), guard) == {"trips": 5, "population": 12_500_000}
    assert odk.Budget(0.0).allowed(matrix(), guard) == {"trips": 0, "population": 0}
    assert odk.Budget() == odk.Budget(0.10, "volume")
    assert MICRO == 1_000_000


def test_a_threshold_of_any_real_kind_is_a_plain_float():
    assert odk.Protection(population=np.float32(3)).population == 3.0  # and no warning of numpy's
    with pytest.raises(odk.InputError, match="must be a number above 0"):
        odk.Protection(population=np.complex64(3))
