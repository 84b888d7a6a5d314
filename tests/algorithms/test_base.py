"""The door to all algorithms: the registry, progress and cancelling, bad input, and the check of every release."""

from dataclasses import fields, is_dataclass, replace

import h3
import numpy as np
import pandas as pd
import pytest

import odk
from odk.algorithms import _base
from odk.algorithms.odkanon import OdkanonOptions

A, B, C = sorted(h3.cell_to_children("891fb464003ffff"))[:3]
EVERY = odk.algorithms.names()
SAFE = [name for name in EVERY if odk.algorithms.get(name).kind != "noise"]


def matrix(count=(30, 20, 3), **more) -> odk.ODMatrix:
    table = pd.DataFrame({"start_h3": [A, A, B], "end_h3": [A, B, C], "count": count, **more})
    return odk.ODMatrix.from_pairs(table)


def test_the_registry():
    assert EVERY[:2] == ["odkanon", "odkanon-late"]
    for name in EVERY:
        entry = odk.algorithms.get(name)
        assert entry.name == name
        assert entry.title
        assert entry.summary.endswith(".")
        assert entry.when.endswith(".")
        assert is_dataclass(entry.options)
        assert hash(entry.options()) == hash(entry.options())  # frozen, and every field has a default
    assert odk.algorithms.get("odkanon").budget_in == "pairs"
    assert {odk.algorithms.get(name).budget_in for name in EVERY[1:]} == {"volume"}
    with pytest.raises(odk.InputError, match=r"algorithm \('oddkanon'\) must be one of odkanon, "):
        odk.anonymise(matrix(), odk.Protection(trips=10), "oddkanon")
    with pytest.raises(odk.InputError, match="must have its place in the order"):
        _base.register(replace(odk.algorithms.get("odkanon"), name="new"))


# --- bad input: one clear OdkError, and nothing half done ---------------------------------------------------------------
@pytest.mark.parametrize("name", SAFE)
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"protection": 10}, r"protection \(10\) must be an odk.Protection"),
        ({"protection": odk.Protection(trips=54)}, r"k \(54\) must not exceed the 53 trips in all"),
        ({"protection": odk.Protection(population=54)}, r"\(54\) must not exceed the 53 weighted trips"),
        ({"protection": odk.Protection(persons=2)}, "the data has no person column"),
        ({"budget": 1.0}, r"budget \(1.0\) must lie in \[0, 1\)"),
        ({"budget": -0.1}, r"budget \(-0.1\) must lie in \[0, 1\)"),
        ({"budget": "10%"}, r"budget \('10%'\) must be a number in \[0, 1\)"),
        ({"budget_in": "zones"}, r"budget_in \('zones'\) must be volume or pairs"),
        ({"options": {"no such": 1}}, r"option \(no such\) of .* must be one of"),
        ({"options": 3}, r"options \(int\) must be .*Options of"),
    ],
)
def test_wrong_settings_are_refused(name, settings, words):
    calls = []
    given = {"protection": odk.Protection(trips=10), "algorithm": name, "progress": lambda *a: calls.append(a)}
    with pytest.raises(odk.OdkError, match=words):
        odk.anonymise(matrix(), **(given | settings))
    assert calls == []  # refused before anything began


def test_what_is_no_matrix_no_trips_or_no_name_is_refused():
    guard = odk.Protection(trips=10)
    with pytest.raises(odk.InputError, match=r"matrix \(DataFrame\) must be an odk.ODMatrix"):
        odk.anonymise(matrix().pairs, guard)
    with pytest.raises(odk.InputError, match=r"trips \(DataFrame\) must be odk.Trips"):
        odk.ODMatrix.from_trips(matrix().pairs)
    with pytest.raises(odk.InputError, match=r"algorithm \(\['twincut'\]\) must be one of"):
        odk.anonymise(matrix(), guard, algorithm=["twincut"])


@pytest.mark.parametrize("name", SAFE)
@pytest.mark.parametrize(("origin", "destination"), [(A, A), (A, C)])
def test_one_leaf_or_one_pair_is_refused(name, origin, destination):
    table = pd.DataFrame({"start_h3": [origin], "end_h3": [destination], "count": [50]})
    with pytest.raises(
        odk.OdkError, match=rf"all 50 trips in one pair, {origin} to {destination}\) must hold at least two"
    ):
        odk.anonymise(odk.ODMatrix.from_pairs(table), odk.Protection(trips=10), name)


@pytest.mark.parametrize("name", SAFE)
def test_one_origin_is_enough(name):
    table = pd.DataFrame({"start_h3": [A, A, A], "end_h3": [A, B, C], "count": [30, 20, 30]})
    release = odk.anonymise(odk.ODMatrix.from_pairs(table), odk.Protection(trips=10), name)
    assert release.trips.sum() + release.suppressed_volume["trips"] == 80


# --- options, progress, cancelling ----------------------------------------------------------------------------------------
def test_options_are_taken_as_such_or_as_a_mapping():
    options = OdkanonOptions(levels=1)
    one, other = (
        odk.anonymise(matrix(), odk.Protection(trips=10), "odkanon", options=o) for o in (options, {"levels": 1})
    )
    assert one.options == other.options == options
    assert one.flows.equals(other.flows)
    assert [f.name for f in fields(OdkanonOptions)] == ["levels", "drift"]


@pytest.mark.parametrize("name", EVERY)
def test_progress_goes_from_start_to_end_and_can_stop_the_run(name):
    seen = []
    plain = matrix((30, 20, 30))
    release = odk.anonymise(
        plain, odk.Protection(trips=10), name, progress=lambda share, text: seen.append((share, text))
    )
    shares = [share for share, _ in seen]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    assert all(text for _, text in seen)
    for at in range(len(seen)):
        calls = []

        def stop(share, text, at=at, calls=calls):
            calls.append(share)
            if len(calls) > at:
                raise odk.Cancelled("enough")

        with pytest.raises(odk.Cancelled, match="enough"):
            odk.anonymise(plain, odk.Protection(trips=10), name, progress=stop)
        assert len(calls) == at + 1  # nothing goes on after that
    again = odk.anonymise(plain, odk.Protection(trips=10), name)
    assert again.flows.equals(release.flows)  # and nothing was left behind


# --- every release is checked before it is returned -----------------------------------------------------------------------
def broken(change):
    """An algorithm that tampers with what odkanon-late returns."""
    entry = odk.algorithms.get("odkanon-late")
    return replace(entry, run=lambda problem: replace(entry.run(problem), **change(entry.run(problem))))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: {"trips": r.trips + 1}, "published sums that differ from the trips"),
        (lambda r: {"population": r.population * 2}, "published sums that differ from the trips"),
    ],
)
def test_an_unsafe_release_is_refused(monkeypatch, change, words):
    monkeypatch.setitem(_base._REGISTRY, "odkanon-late", broken(change))
    with pytest.raises(odk.UnsafeError, match=words):
        odk.anonymise(matrix(), odk.Protection(trips=10), "odkanon-late")


def test_a_cell_below_a_threshold_is_refused(monkeypatch):
    entry = odk.algorithms.get("odkanon-late")

    def careless(problem):
        lower = replace(problem, protection=odk.Protection(trips=2))
        return replace(entry.run(lower), protection=problem.protection)

    monkeypatch.setitem(_base._REGISTRY, "odkanon-late", replace(entry, run=careless))
    with pytest.raises(odk.UnsafeError, match=r"odkanon-late left 1 cell\(s\) below a threshold; nothing is released"):
        odk.anonymise(matrix(), odk.Protection(trips=10), "odkanon-late", 0.0)


def test_an_algorithm_cannot_choose_its_own_protection_or_matrix(monkeypatch):
    weaker = broken(lambda r: {"protection": odk.Protection(trips=2)})
    monkeypatch.setitem(_base._REGISTRY, "odkanon-late", weaker)
    with pytest.raises(odk.UnsafeError, match="another protection, budget or matrix"):
        odk.anonymise(matrix(), odk.Protection(trips=10), "odkanon-late")


def test_persons_that_were_miscounted_are_refused(monkeypatch):
    table = pd.DataFrame({"person": list("abcdab"), "origin": A, "destination": [A, B] * 3, "weight": 1.0})
    known = odk.ODMatrix.from_trips(odk.Trips(table=table, ends="h3"))
    monkeypatch.setitem(_base._REGISTRY, "odkanon-late", broken(lambda r: {"persons": r.persons + 1}))
    with pytest.raises(odk.UnsafeError, match="published sums that differ from the trips"):
        odk.anonymise(known, odk.Protection(trips=2), "odkanon-late")


def test_a_release_over_budget_is_refused_with_the_shortfall(monkeypatch):
    def drop_most(release):
        cells = np.where(release.of_pair == 0, 0, -1)
        return {"of_pair": cells} | {m: getattr(release, m)[:1] for m in ("trips", "population", "o_node", "d_node")}

    monkeypatch.setitem(_base._REGISTRY, "odkanon-late", broken(drop_most))
    with pytest.raises(
        odk.BudgetError, match=r"suppress 23 of 53 trips \(43.4%\).* allows 5 .*: short by 18"
    ) as caught:
        odk.anonymise(matrix(), odk.Protection(trips=10), "odkanon-late")
    assert (caught.value.measure, caught.value.needed, caught.value.allowed) == ("trips", 23 / 53, 5 / 53)
    with pytest.raises(odk.BudgetError, match=r"suppress 2 of 3 pairs .* allows 0"):
        odk.anonymise(matrix((30, 20, 30)), odk.Protection(trips=10), "odkanon-late", budget_in="pairs")


def test_a_release_of_nothing_is_refused(monkeypatch):
    def nothing(release):
        none = {m: getattr(release, m)[:0] for m in ("trips", "population", "o_node", "d_node")}
        return {"of_pair": np.full(release.matrix.n_pairs, -1)} | none

    monkeypatch.setitem(_base._REGISTRY, "odkanon-late", broken(nothing))
    with pytest.raises(odk.BudgetError, match="can publish no cell"):
        odk.anonymise(matrix(), odk.Protection(trips=10), "odkanon-late", 0.99)
