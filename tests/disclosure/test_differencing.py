"""Differencing with numbers that can be checked by hand."""

import h3
import pandas as pd
import pytest

import odk
from odk.disclosure import Published, difference, scopes

PARIS = h3.latlng_to_cell(48.86, 2.34, 7)
KIDS = sorted(h3.cell_to_children(PARIS))
FAR = h3.latlng_to_cell(48.60, 2.60, 7)
K10 = odk.Protection(trips=10)
ALL, WOMEN, MEN = frozenset({"F", "M"}), frozenset({"F"}), frozenset({"M"})


def table(label, rows, scope=ALL, guard=K10, **more):
    flows = pd.DataFrame(rows, columns=["origin", "destination", "trips"])
    return Published(label, scope, flows, guard, **more)


def test_all_minus_women_gives_away_three_men():
    result = difference([table("all", [(PARIS, FAR, 20)]), table("women", [(PARIS, FAR, 17)], WOMEN)])
    assert not result.passed
    leak = result.leaks.iloc[0]
    assert (leak["origin"], leak["destination"], leak["about"]) == (PARIS, FAR, "M")
    assert (leak["value"], leak["threshold"], leak["way"]) == (3, 10, "all − women")
    assert "1 flow" in result.sentence


@pytest.mark.parametrize("women", [20, 10])
def test_nobody_left_or_enough_left_is_no_leak(women):
    result = difference([table("all", [(PARIS, FAR, 20)]), table("women", [(PARIS, FAR, women)], WOMEN)])
    assert result.passed, result.leaks


def test_two_zonings_of_the_same_data_give_away_what_one_suppressed():
    fine = table("fine", [(KIDS[0], FAR, 12), (KIDS[1], FAR, 11)])
    result = difference([table("coarse", [(PARIS, FAR, 27)]), fine])
    assert result.leaks["value"].tolist() == [4]  # 27 - 12 - 11: too few to have been published in fine zones
    assert "unpublished in fine" in result.leaks["about"].iloc[0]


def test_parts_are_subtracted_together():
    tables = [table("all", [(PARIS, FAR, 31)], frozenset({"a", "b", "c"}))]
    tables += [table(x, [(PARIS, FAR, n)], frozenset({x})) for x, n in (("a", 14), ("b", 12))]
    result = difference(tables)
    assert {(r.about, r.value) for r in result.leaks.itertuples()} == {("c", 5)}
    assert "all − a − b" in set(result.leaks["way"])


def test_margins_determine_what_no_subtraction_of_nested_cells_finds():
    # x = [[10, 10], [1, 2]]: columns 11 and 12 and row 20 are publishable, and give away the second row: 23 - 20 = 3.
    parents = {"north": "rows", "south": "rows", "east": "columns", "west": "columns"}
    margins = table("columns", [("rows", "east", 11), ("rows", "west", 12)], parents=parents)
    row = table("row", [("north", "columns", 20)], parents=parents)
    result = difference([margins, row])
    assert result.proofs
    found = {(r.origin, r.destination): (r.value, r.from_) for r in result.leaks.itertuples()}
    assert found == {("rows without the zones named inside it", "columns"): (3, "exactly 3")}


def test_without_the_second_column_nothing_is_determined():
    parents = {"north": "rows", "south": "rows", "east": "columns", "west": "columns"}
    margins = table("columns", [("rows", "east", 11)], parents=parents)
    row = table("row", [("north", "columns", 20)], parents=parents)
    assert difference([margins, row]).passed


def test_persons_are_not_shown_safe_by_subtraction():
    guard = odk.Protection(trips=10, persons=5)
    result = difference(
        [table("all", [(PARIS, FAR, 40)], guard=guard), table("women", [(PARIS, FAR, 20)], WOMEN, guard)]
    )
    assert result.passed
    assert any("Persons do not subtract" in note for note in result.notes)


def test_too_large_to_prove_is_said():
    tables = [table("all", [(k, FAR, 30) for k in KIDS]), table("women", [(k, FAR, 15) for k in KIDS], WOMEN)]
    assert difference(tables).unproved == 0
    assert difference(tables, max_programs=0).unproved == 14
    assert "too large" in difference(tables, max_programs=0).sentence


def test_weighted_trips_subtract_exactly():
    guard = odk.Protection(population=26_742.0)
    flows = pd.DataFrame({"origin": [PARIS], "destination": [FAR], "population": [60_000.3]})
    less = flows.assign(population=[40_000.1])
    result = difference([Published("all", ALL, flows, guard), Published("women", WOMEN, less, guard)])
    assert result.leaks["value"].tolist() == [20_000.2]


def test_scopes_come_from_the_filters():
    rows = pd.DataFrame({"sex": ["F", "M", "F"], "age": ["a", "a", "b"]})
    ends = {"origin_lat": 48.86, "origin_lon": 2.3, "destination_lat": 48.9, "destination_lon": 2.4}
    trips = odk.Trips.from_table(rows.assign(**ends), segments=["sex", "age"])
    found = scopes(trips, {"all": None, "women": {"sex": "F"}, "young": {"age": "a"}})
    assert found["women"] < found["all"]
    assert len(found["all"]) == 3  # observed combinations only
    assert len(found["women"] & found["young"]) == 1
    with pytest.raises(odk.InputError, match="colour"):
        scopes(trips, {"red": {"colour": "red"}})


def test_labels_must_differ():
    with pytest.raises(odk.InputError, match="labels"):
        difference([table("all", [(PARIS, FAR, 20)]), table("all", [(PARIS, FAR, 17)])])


def test_releases_say_whether_pairs_were_dropped_inside_cells():
    matrix = odk.ODMatrix.from_trips(odk.demo_survey()).within(odk.CENTRE)
    late, filtered = (odk.anonymise(matrix, K10, a) for a in ("odkanon-late", "odkanon"))
    assert Published.of_release("late", late, ALL).whole_cells
    assert not Published.of_release("filtered", filtered, ALL).whole_cells
    assert list(Published.of_release("late", late, ALL).flows.columns) == ["origin", "destination", "trips"]
