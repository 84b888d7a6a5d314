"""The matrix: counting, exact sums, distinct persons, parts of it, its hash, and what is refused."""

from dataclasses import replace

import h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.hierarchy import Hierarchy
from odk.matrix import MICRO, exact_sums, number_keys
from tests.strategies import cases, matrices, table_tree

A, B, C = sorted(h3.cell_to_children("891fb464003ffff"))[:3]
FAR = h3.latlng_to_cell(48.6, 2.4, 10)


def trips(rows, **more) -> odk.Trips:
    """Trips from (person, origin, destination, weight)."""
    table = pd.DataFrame(rows, columns=["person", "origin", "destination", "weight"])
    return odk.Trips(table=table, rows=len(table), ends="h3", **more)


ROWS = [("ann", A, B, 1.5), ("ann", A, B, 2.0), ("bob", A, B, 0.25), ("ann", A, C, 1.0), ("bob", FAR, A, 4.0)]


def test_counting_by_hand():
    matrix = odk.ODMatrix.from_trips(trips(ROWS, synthetic=True, source="five"))
    expected = pd.DataFrame(
        {
            "origin": [A, A, FAR],
            "destination": [B, C, A],
            "trips": [3, 1, 1],
            "persons": [2, 1, 1],
            "population": [3.75, 1.0, 4.0],
        }
    ).sort_values(["origin", "destination"])
    got = matrix.pairs.sort_values(["origin", "destination"])
    pd.testing.assert_frame_equal(got.reset_index(drop=True), expected.reset_index(drop=True), check_dtype=False)
    assert (matrix.total_trips, matrix.total_population, matrix.n_persons, matrix.n_pairs) == (5, 8_750_000, 2, 3)
    assert (matrix.total("trips"), matrix.total("persons"), matrix.total("population")) == (5, 5, 8_750_000)
    assert matrix.mean_weight == 1.75
    assert (matrix.synthetic, matrix.source) == (True, "five")
    whole = matrix.group(np.full(2, matrix.origins.root), np.full(3, matrix.destinations.root))
    assert (whole.trips.tolist(), whole.population.tolist(), whole.persons.tolist()) == ([5], [8_750_000], [2])
    found = matrix.profile(k=3)
    assert (found.persons, found.trips_per_person, found.density, found.leaves) == (2, 2.5, 3 / 6, 4)
    assert (found.pairs_at_k, found.volume_at_k) == (1 / 3, 3 / 5)


def test_coarser_leaves_are_parents_of_the_cells():
    matrix = odk.ODMatrix.from_trips(trips(ROWS), resolution=9)
    up = {cell: h3.cell_to_parent(cell, 9) for cell in (A, B, C, FAR)}
    pairs = matrix.pairs.set_index(["origin", "destination"])["trips"].to_dict()
    assert pairs == {(up[A], up[A]): 4, (up[FAR], up[A]): 1}


def test_points_and_their_cells_make_the_same_matrix():
    ends = {}
    for end, column in (("origin", 1), ("destination", 2)):
        lat, lon = zip(*(h3.cell_to_latlng(row[column]) for row in ROWS), strict=True)
        ends |= {f"{end}_lat": lat, f"{end}_lon": lon}
    points = odk.Trips.from_table(
        pd.DataFrame({"person": [r[0] for r in ROWS], **ends, "weight": [r[3] for r in ROWS]})
    )
    assert odk.ODMatrix.from_trips(points, 10).hash == odk.ODMatrix.from_trips(trips(ROWS)).hash


@given(cases(), st.data())
def test_groups_are_those_of_plain_dicts(case, data):
    matrix = case.matrix
    zones = [
        np.array(data.draw(st.lists(st.integers(0, t.n_nodes - 1), min_size=t.n_leaves, max_size=t.n_leaves)))
        for t in (matrix.origins, matrix.destinations)
    ]
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=matrix.n_pairs, max_size=matrix.n_pairs)))
    found = matrix.group(*zones, keep=keep)
    names = list(zip(matrix.pairs["origin"], matrix.pairs["destination"], strict=True))
    number = {pair: i for i, pair in enumerate(names)}
    expected: dict[tuple[int, int], list] = {}
    for row in case.rows:
        i = number[row.origin, row.destination]
        if keep[i]:
            cell = (int(zones[0][matrix.o[i]]), int(zones[1][matrix.d[i]]))
            sums = expected.setdefault(cell, [0, 0, set()])
            sums[0] += 1
            sums[1] += round(row.weight * MICRO)
            sums[2].add(row.person)
    cells = list(zip(found.o_node.tolist(), found.d_node.tolist(), strict=True))
    assert cells == sorted(expected)
    assert found.trips.tolist() == [expected[c][0] for c in cells]
    assert found.population.tolist() == [expected[c][1] for c in cells]
    if case.persons:
        assert found.persons.tolist() == [len(expected[c][2]) for c in cells]
    else:
        assert found.persons is None
    assert ((found.of_pair >= 0) == keep).all()
    again = matrix.regroup(found.of_pair, len(found))
    assert again.trips.tolist() == found.trips.tolist()
    assert matrix.group(*zones, keep=keep, persons=False).persons is None


@given(matrices(), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_summing_on_from_cells_gives_the_same_sums(matrix, low_o, low_d, more):
    fine = matrix.group(matrix.origins.ancestors_at(low_o), matrix.destinations.ancestors_at(low_d))
    zones = matrix.origins.ancestors_at(low_o + more), matrix.destinations.ancestors_at(low_d + more)
    wanted, found = matrix.group(*zones), matrix.coarsen(fine).group(*zones)
    for name in ("o_node", "d_node", "trips", "population", "persons"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name))
    assert np.array_equal(found.of_pair[fine.of_pair], wanted.of_pair)


@given(st.lists(st.integers(-1, 50), min_size=1, max_size=30), st.booleans())
def test_keys_are_numbered_in_order(keys, wide):
    span = 10_000_000 if wide else 51  # marking, or sorting
    used, number = number_keys(np.array(keys, dtype=np.int64), span)
    assert used.tolist() == sorted({k for k in keys if k >= 0})
    assert [used[n] if n >= 0 else -1 for n in number] == keys


@given(matrices())
def test_the_matrix_is_sorted_and_whole(matrix):
    keys = matrix.o * matrix.destinations.n_leaves + matrix.d
    assert (np.diff(keys) > 0).all()
    assert (matrix.trips > 0).all()
    assert (matrix.population > 0).all()
    assert set(matrix.o.tolist()) == set(range(matrix.origins.n_leaves))
    assert set(matrix.d.tolist()) == set(range(matrix.destinations.n_leaves))
    if matrix.has_persons:
        rows = list(zip(matrix.person_pair.tolist(), matrix.person.tolist(), strict=True))
        assert rows == sorted(set(rows))
        assert set(matrix.person_pair.tolist()) == set(range(matrix.n_pairs))
        assert (matrix.pairs["persons"] <= matrix.pairs["trips"]).all()


# --- exact ------------------------------------------------------------------------------------------------------------
def test_weights_are_exact():
    # With floats, ten times 2674.2 is not 10/100 of a hundred times 2674.2.
    assert sum([2674.2] * 10) < 10 * (sum([2674.2] * 100) / 100)
    rows = [("p", A, B, 2674.2)] * 10 + [("q", A, C, 2674.2)] * 90
    matrix = odk.ODMatrix.from_trips(trips(rows))
    guard = odk.Protection.population_of(matrix, k=10)
    assert guard.population == 26742.0
    groups = matrix.group(np.arange(matrix.origins.n_leaves), np.arange(matrix.destinations.n_leaves))
    assert guard.publishable(groups).tolist() == [True, True]
    assert groups.population.tolist() == [26_742_000_000, 240_678_000_000]
    less = odk.ODMatrix.from_trips(trips([*rows[:9], ("p", A, B, 2674.199999), *rows[10:]]))
    groups = less.group(np.arange(1), np.arange(2))
    assert guard.publishable(groups).tolist() == [False, True]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**59)), min_size=1, max_size=16))
def test_sums_are_exact_whatever_their_size(rows):
    slot, values = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    expected = [0] * 4
    for s, v in rows:
        expected[s] += v
    if sum(expected) >= 2**63:
        return
    assert exact_sums(slot, values, 4).tolist() == expected


def test_sums_of_a_matrix_beyond_2_to_the_53():
    odd = odk.ODMatrix.from_pairs(pd.DataFrame({"start_h3": [A, B, C], "end_h3": [A, A, A], "count": [1, 1, 1]}))
    matrix = replace(odd, population=np.array([2**53, 1, 1], dtype=np.int64))
    assert float(2**53) + 1.0 + 1.0 == 2**53  # what a running float makes of it
    whole = matrix.group(np.full(3, matrix.origins.root), np.zeros(1, dtype=np.int64))
    assert whole.population.tolist() == [2**53 + 2] == [matrix.total_population]
    walk = odk.Walk(matrix, lead="population")
    assert walk.groups(walk.n_steps, persons=False).population.tolist() == [2**53 + 2]


# --- makers and parts -------------------------------------------------------------------------------------------------
def as_pairs(matrix: odk.ODMatrix) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "start_h3": matrix.pairs["origin"],
            "end_h3": matrix.pairs["destination"],
            "count": matrix.pairs["trips"],
            "total_weight": matrix.pairs["population"],
        }
    )


@given(cases(persons=False))
def test_pairs_already_counted_make_the_same_matrix(case):
    again = odk.ODMatrix.from_pairs(as_pairs(case.matrix).sample(frac=1, random_state=1), hierarchy=case.hierarchy)
    assert again.hash == case.matrix.hash
    assert not again.has_persons
    own_names = odk.ODMatrix.from_pairs(case.matrix.pairs, hierarchy=case.hierarchy)
    assert own_names.hash == case.matrix.hash
    pd.testing.assert_frame_equal(own_names.pairs, case.matrix.pairs)


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_trips_does_not_matter(case, random):
    rows = list(case.rows)
    random.shuffle(rows)
    assert replace(case, rows=tuple(rows)).matrix.hash == case.matrix.hash


@given(cases(persons=True), st.data())
def test_the_hash_is_that_of_the_content(case, data):
    matrix = case.matrix
    assert replace(matrix, source="elsewhere").hash == matrix.hash
    rows = list(case.rows)
    i = data.draw(st.integers(0, len(rows) - 1))
    change = data.draw(st.sampled_from(["weight", "one more", "no persons"]))
    if change == "weight":
        rows[i] = replace(rows[i], weight=round(rows[i].weight + 1e-6, 6))
        assert replace(case, rows=tuple(rows)).matrix.hash != matrix.hash
    elif change == "one more":
        assert replace(case, rows=(*rows, rows[i])).matrix.hash != matrix.hash
    else:
        assert replace(case, persons=False).matrix.hash != matrix.hash


def test_the_hash_knows_leaves_persons_and_centres():
    base = odk.ODMatrix.from_trips(trips(ROWS))
    other_leaf = [(p, o, C if d == B else B if d == C else d, w) for p, o, d, w in ROWS]
    other_person = [("bob" if i == 3 else p, o, d, w) for i, (p, o, d, w) in enumerate(ROWS)]
    hashes = {base.hash, *(odk.ODMatrix.from_trips(trips(r)).hash for r in (other_leaf, other_person))}
    assert len(hashes) == 3
    table = pd.DataFrame({"origin": ["a", "b"], "destination": ["b", "a"], "trips": [1, 2]})
    places = [Hierarchy.from_table(["a", "b"], ["r", "r"], lat=[1, x], lon=[1, 2]) for x in (2, 3)]
    assert len({odk.ODMatrix.from_pairs(table, hierarchy=tree).hash for tree in places}) == 2
    assert base.hash == odk.ODMatrix.from_trips(trips(ROWS)).hash == base.hash


@given(cases(persons=False), st.data())
def test_a_subset_is_the_matrix_of_what_is_left(case, data):
    matrix = case.matrix
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=matrix.n_pairs, max_size=matrix.n_pairs)))
    if not keep.any():
        with pytest.raises(odk.InputError, match=r"pairs \(none\) must be left"):
            matrix.subset(keep)
        return
    left = set(zip(*matrix.pairs.loc[keep, ["origin", "destination"]].to_numpy().T, strict=True))
    rows = tuple(row for row in case.rows if (row.origin, row.destination) in left)
    assert matrix.subset(keep).hash == replace(case, rows=rows).matrix.hash


@given(cases(persons=True), st.data())
def test_persons_of_a_subset(case, data):
    matrix = case.matrix
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=matrix.n_pairs, max_size=matrix.n_pairs)))
    keep[0] = True
    pd.testing.assert_frame_equal(matrix.subset(keep).pairs, matrix.pairs[keep].reset_index(drop=True))


@given(cases(kinds=("h3",)), st.data())
def test_within_an_area(case, data):
    leaves = sorted({end for row in case.rows for end in (row.origin, row.destination)})
    chosen = data.draw(st.lists(st.sampled_from(leaves), min_size=1, max_size=3))
    area = [h3.cell_to_parent(c, data.draw(st.integers(case.resolution - 3, case.resolution))) for c in chosen]

    def inside(cell: str) -> bool:
        return any(h3.cell_to_parent(cell, h3.get_resolution(a)) == a for a in area)

    rows = tuple(row for row in case.rows if inside(row.origin) and inside(row.destination))
    if not rows:
        with pytest.raises(odk.InputError, match="at least one trip with both ends inside"):
            case.matrix.within(area)
        return
    pd.testing.assert_frame_equal(case.matrix.within(area).pairs, replace(case, rows=rows).matrix.pairs)
    assert case.matrix.within(area).hash == replace(case, rows=rows).matrix.hash  # one input, one fingerprint


def test_areas_that_make_no_sense():
    matrix = odk.ODMatrix.from_trips(trips(ROWS))
    with pytest.raises(odk.InputError, match=r"cell \('Paris'\) must be an H3 index"):
        matrix.within(["Paris"])
    for empty in ([], [h3.latlng_to_cell(0, 0, 5)], [h3.cell_to_center_child(A, 12)]):
        with pytest.raises(odk.InputError, match="area must hold at least one trip"):
            matrix.within(empty)
    tree = table_tree({"a": "r", "b": "r"})
    zones = odk.ODMatrix.from_pairs(pd.DataFrame({"origin": ["a"], "destination": ["b"], "trips": [1]}), hierarchy=tree)
    with pytest.raises(odk.InputError, match=r"hierarchy \(table\) must be of H3 cells"):
        zones.within([A])


def test_zone_numbers_are_names_in_every_spelling():
    tree = Hierarchy.from_table([1, 2, 3], [9, 9, 9])
    table = pd.DataFrame({"origin": [1.0, 2.0, 1.0], "destination": ["3", "3", "3"], "trips": [1, 2, 3]})
    matrix = odk.ODMatrix.from_pairs(table, hierarchy=tree)
    assert matrix.pairs["origin"].tolist() == ["1", "2"]
    assert matrix.pairs["trips"].tolist() == [4, 2]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start_h3": None}, r"column \(start_h3\) must be in the table of pairs"),
        ({"count": None}, r"column \(count\) must be in the table"),
        ({"count": [0, 1]}, "count of every pair must be a whole number of at least 1; row 1 has 0"),
        ({"count": [1, 1e25]}, r"count \(1e\+25 in all\) must stay below 4.61e\+18"),
        ({"count": [1.5, 1]}, "whole number"),
        ({"count": ["many", 1]}, "whole number"),
        ({"count": [float("nan"), 1]}, "whole number"),
        ({"total_weight": [0, 1]}, "total_weight of every pair must be a number above 0"),
        ({"total_weight": [1, -1]}, "total_weight of every pair must be a number above 0.*row 2 has -1"),
        ({"total_weight": [1e-7, 1]}, r"at least 10\^-6"),
        ({"total_weight": [float("inf"), 1]}, "total_weight of every pair"),
        ({"total_weight": [1e13, 1]}, r"total_weight \(1e\+13 in all\) must stay below 4.61e\+12"),
        ({"start_h3": ["Paris", A]}, r"cell \('Paris'\) must be an H3 index"),
        ({"start_h3": [h3.cell_to_parent(A), A]}, r"resolutions \(9, 10\) must be one and the same"),
        ({"end_h3": [h3.cell_to_parent(A)] * 2}, r"resolutions \(9, 10\) must be one and the same"),
    ],
)
def test_tables_of_pairs_that_are_refused(change, words):
    table = pd.DataFrame({"start_h3": [A, B], "end_h3": [B, C], "count": [1, 2], "total_weight": [1.0, 2.0]})
    for name, values in change.items():
        table = table.drop(columns=name) if values is None else table.assign(**{name: values})
    with pytest.raises(odk.InputError, match=words):
        odk.ODMatrix.from_pairs(table)


def test_empty_tables_and_wrong_settings_are_refused():
    with pytest.raises(odk.InputError, match=r"pairs \(none\)"):
        odk.ODMatrix.from_pairs(pd.DataFrame({"start_h3": [], "end_h3": [], "count": []}))
    with pytest.raises(odk.InputError, match=r"trips \(none\)"):
        odk.ODMatrix.from_trips(trips([]))
    with pytest.raises(odk.InputError, match=r"resolution \(11\) must not be finer than the cells of the file \(10\)"):
        odk.ODMatrix.from_trips(trips(ROWS), resolution=11)
    with pytest.raises(odk.InputError, match=r"resolution \('ten'\) must be a whole number"):
        odk.ODMatrix.from_trips(trips(ROWS), resolution="ten")
    zones = replace(trips(ROWS), ends="zones")
    with pytest.raises(odk.InputError, match=r"hierarchy \(none\) must be given"):
        odk.ODMatrix.from_trips(zones)
    with pytest.raises(odk.InputError, match=r"zone \('8.*'\) must be a leaf of the hierarchy"):
        odk.ODMatrix.from_trips(zones, hierarchy=table_tree({"a": None}))
    points = odk.Trips(table=pd.DataFrame({"origin_lat": [1.0], "weight": [1.0]}))
    with pytest.raises(odk.InputError, match=r"column \(origin\) must hold zone names"):
        odk.ODMatrix.from_trips(points, hierarchy=table_tree({"a": None}))
