"""Mondrian: equal to the recursion in every variant; boxes hold their pairs and say no observed coordinate."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import odk
from odk.algorithms.mondrian import outer_bounds, points, roundest_between
from odk.hierarchy import Hierarchy
from tests.oracles.mondrian import Pair, metres_of, mondrian
from tests.strategies import matrices, protections

VARIANTS = st.fixed_dictionaries(
    {
        "partition": st.sampled_from(["relaxed", "strict"]),
        "dimension": st.sampled_from(["range", "distinct"]),
        "on_failure": st.sampled_from(["next", "stop"]),
    }
)
# Ten leaves on a line 0.1° apart, all below one root; trips start at z0
LINE = Hierarchy.from_table([f"z{i}" for i in range(10)], ["R"] * 10, lat=[0.0] * 10, lon=[i / 10 for i in range(10)])


def line_of(trips):
    table = pd.DataFrame({"origin": "z0", "destination": [f"z{i}" for i in range(len(trips))], "trips": trips})
    return odk.ODMatrix.from_pairs(table[table.trips > 0], hierarchy=LINE)


def parts_of(release):
    parts = {}
    for pair, cell in enumerate(release.of_pair.tolist()):
        parts.setdefault(cell, set()).add(pair)
    return {frozenset(p) for p in parts.values()}


def oracle(matrix, guard, options):
    """The parts by recursion, publishable counted from the matrix' rows in plain Python."""
    at = [tuple(p) for p in points(matrix).T.tolist()]
    volume = (matrix.population if guard.lead == "population" else matrix.trips).tolist()
    people = {}
    if matrix.person is not None:
        for pair, person in zip(matrix.person_pair.tolist(), matrix.person.tolist(), strict=True):
            people.setdefault(pair, set()).add(person)
    least = max(guard.persons or 0, options.get("persons") or 0)

    def good(pairs):
        numbers = [p.number for p in pairs]
        if guard.trips is not None and sum(int(matrix.trips[i]) for i in numbers) < guard.trips:
            return False
        weight = sum(int(matrix.population[i]) for i in numbers)
        if guard.population is not None and weight < guard.threshold("population"):
            return False
        return not least or len(set().union(*(people[i] for i in numbers))) >= least

    found = mondrian(
        [Pair(i, at[i], volume[i]) for i in range(matrix.n_pairs)],
        good,
        metres_of(at),
        strict=options["partition"] == "strict",
        distinct=options["dimension"] == "distinct",
        stop=options["on_failure"] == "stop",
    )
    return {frozenset(p.number for p in part) for part in found}


@settings(max_examples=300)
@given(matrices(), VARIANTS, st.data())
def test_equals_the_recursion(matrix, options, data):
    guard = data.draw(protections(matrix))
    if matrix.has_persons and data.draw(st.booleans()):
        options = options | {"persons": data.draw(st.integers(2, 4))}
    release = odk.anonymise(matrix, guard, "mondrian", options=options)
    assert parts_of(release) == oracle(matrix, guard, options)


@given(matrices(), VARIANTS, st.data())
def test_boxes_hold_their_pairs_and_no_observed_coordinate(matrix, options, data):
    guard = data.draw(protections(matrix))
    release = odk.anonymise(matrix, guard, "mondrian", options=options)
    at = points(matrix)
    low, high = release.boxes[:, [0, 1, 4, 5]].T, release.boxes[:, [2, 3, 6, 7]].T
    assert (release.of_pair >= 0).all()
    assert not release.tight
    assert ((low[:, release.of_pair] < at) & (at < high[:, release.of_pair])).all()
    for dim in range(4 if matrix.origins.kind == "h3" else 0):  # made-up centres are round numbers themselves
        assert not np.isin(np.concatenate([low[dim], high[dim]]), at[dim]).any()
    if options["partition"] == "strict":  # disjoint in space: no pair lies in a second box
        inside = ((low[:, :, None] <= at[:, None, :]) & (at[:, None, :] <= high[:, :, None])).all(axis=0)
        assert (inside.sum(axis=0) == 1).all()
    again = odk.anonymise(matrix, guard, "mondrian", options=options)
    assert again.boxes.tobytes() == release.boxes.tobytes()
    assert again.of_pair.tobytes() == release.of_pair.tobytes()


def test_weighted_medians_by_hand():
    # Volumes 1 1 1 1 6 2 at 0.0 ... 0.5, k = 3. Half of 12 is reached at 0.4 (1+1+1+1+6 = 10): x ≤ 0.4 leaves 2 on
    # the right, too few; x < 0.4 gives 4 and 8. The 4 halve at 0.1, which leaves 2 and 2: too few. The 8 halve at 0.4
    # into 6 and 2: too few.
    release = odk.anonymise(line_of([1, 1, 1, 1, 6, 2]), odk.Protection(trips=3), "mondrian")
    assert sorted(release.trips.tolist()) == [4, 8]
    # lines: outer edges rounded out to tenths; between 0.3 and 0.4 the roundest number is 0.35
    assert release.flows.destination_west.tolist() == [-0.1, 0.35]
    assert release.flows.destination_east.tolist() == [0.35, 0.6]
    assert release.flows.origin_west.tolist() == [-0.1, -0.1]


def test_strict_keeps_equal_values_together_and_relaxed_parts_them():
    # Two leaves at one place carry 4 trips each: strict cannot part them, relaxed can where another dimension varies
    tree = Hierarchy.from_table(["a", "b", "c"], ["R"] * 3, lat=[0.0, 0.0, 0.0], lon=[0.1, 0.1, 0.2])
    table = pd.DataFrame({"origin": ["c"] * 3, "destination": ["a", "b", "c"], "trips": [4, 4, 1]})
    matrix = odk.ODMatrix.from_pairs(table, hierarchy=tree)
    guard = odk.Protection(trips=4)
    strict = odk.anonymise(matrix, guard, "mondrian", options={"partition": "strict"})
    assert strict.trips.tolist() == [9]
    relaxed = odk.anonymise(matrix, guard, "mondrian")
    assert relaxed.trips.tolist() == [4, 5]
    # cut after b would leave 1; before b: {a} and {b, c}. Both boxes reach beyond 0.1, so neither states it.
    assert relaxed.flows.destination_east.tolist()[0] == 0.15
    assert relaxed.flows.destination_west.tolist()[1] < 0.1


def test_stop_at_the_first_failing_cut():
    # The widest range is the destinations', but cutting it fails (9 against 1); the origins' would pass.
    tree = Hierarchy.from_table(list("abcd"), ["R"] * 4, lat=[0.0] * 4, lon=[0.0, 0.1, 0.2, 0.9])
    table = pd.DataFrame({"origin": list("aabb"), "destination": list("cdcc"), "trips": [4, 1, 0, 5]})
    matrix = odk.ODMatrix.from_pairs(table[table.trips > 0], hierarchy=tree)
    guard = odk.Protection(trips=4)
    strict = {"partition": "strict"}
    assert odk.anonymise(matrix, guard, "mondrian", options=strict).trips.tolist() == [5, 5]
    assert odk.anonymise(matrix, guard, "mondrian", options=strict | {"on_failure": "stop"}).trips.tolist() == [10]


def test_persons_are_counted_distinct_on_both_sides():
    # Eight trips by two people: 4 trips each at two places. k = 4 trips passes, 2 persons on each side does not.
    table = pd.DataFrame({"person": [1] * 4 + [2] * 4, "origin": "z0", "destination": ["z1"] * 4 + ["z5"] * 4})
    trips = odk.Trips(table=table.assign(weight=1.0), rows=8, source="test", ends="zones")
    matrix = odk.ODMatrix.from_trips(trips, hierarchy=LINE)
    guard = odk.Protection(trips=4)
    assert odk.anonymise(matrix, guard, "mondrian").n_cells == 2
    assert odk.anonymise(matrix, guard, "mondrian", options={"persons": 2}).n_cells == 1
    assert odk.anonymise(matrix, odk.Protection(persons=2), "mondrian").n_cells == 1


def test_population_guard_uses_weights():
    # Same trips, k = 2 x mean weight 5.5 = 11: by weight the line is cut between 0.1 and 0.2
    table = pd.DataFrame(
        {"origin": "z0", "destination": ["z0", "z1", "z2", "z3"], "trips": 1, "population": [1.0, 10, 10, 1]}
    )
    matrix = odk.ODMatrix.from_pairs(table, hierarchy=LINE)
    release = odk.anonymise(matrix, odk.Protection.population_of(matrix, k=2), "mondrian")
    assert release.flows.population.tolist() == [11.0, 11.0]
    assert release.flows.destination_east.tolist() == [0.15, 0.4]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.3, 0.4, 0.35), (1.95, 2.2, 2.0), (2.31234, 2.31299, 2.3127), (-0.2, 0.9, 0.0), (48.8612, 48.8613, 48.86125)],
)
def test_roundest_number_between_two_values(low, high, expected):
    assert roundest_between(np.array([low]), np.array([high]))[0] == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.446, 3.559], (1.0, 4.0)),
        ([48.12, 48.97], (48.1, 49.0)),
        ([0.0, 0.5], (-0.1, 0.6)),
        ([2.0, 2.0], (1.99, 2.01)),
    ],
)
def test_outer_edges_are_rounded_out_and_lie_strictly_outside(values, expected):
    assert outer_bounds(np.array(values)) == expected


def test_an_area_across_the_antimeridian_stays_together():
    tree = Hierarchy.from_table(["w", "e"], ["R"] * 2, lat=[0.0, 0.0], lon=[179.9, -179.9])
    table = pd.DataFrame({"origin": ["w", "e"], "destination": ["w", "w"], "trips": [3, 3]})
    release = odk.anonymise(odk.ODMatrix.from_pairs(table, hierarchy=tree), odk.Protection(trips=3), "mondrian")
    assert release.flows.origin_east.tolist() == [180.0, 180.2]
    assert release.flows.origin_west.tolist() == [179.8, 180.0]


def test_zones_without_places_are_refused():
    tree = Hierarchy.from_table(["a", "b"], ["R"] * 2)
    matrix = odk.ODMatrix.from_pairs(
        pd.DataFrame({"origin": ["a", "b"], "destination": ["b", "a"], "trips": [5, 5]}), hierarchy=tree
    )
    with pytest.raises(odk.InputError, match="must give a centre for every leaf"):
        odk.anonymise(matrix, odk.Protection(trips=2), "mondrian")


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"partition": "loose"}, r"partition \('loose'\) must be relaxed or strict"),
        ({"dimension": "x"}, r"dimension \('x'\) must be range or distinct"),
        ({"on_failure": "retry"}, r"on_failure \('retry'\) must be next or stop"),
        ({"persons": 1}, r"persons \(1\) must be a whole number of at least 2"),
        ({"persons": 3}, "the data has no person column"),
    ],
)
def test_refuses_other_options(options, rule):
    with pytest.raises(odk.InputError, match=rule):
        odk.anonymise(line_of([5, 5]), odk.Protection(trips=3), "mondrian", options=options)
