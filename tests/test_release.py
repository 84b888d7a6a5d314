"""Releases: what they say of themselves, by hand and for every cut."""

import h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.release import cut_release, tree_release
from tests.strategies import matrices, problems, protections

# Two parents with two leaves each; a trip's persons are letters.
P, Q = sorted(h3.cell_to_children("881fb46401fffff"))[:2]
P1, P2 = sorted(h3.cell_to_children(P))[:2]
Q1, Q2 = sorted(h3.cell_to_children(Q))[:2]
ROWS = [
    *[("a", P1, P1, 1.0), ("b", P1, P1, 1.0), ("c", P2, P1, 2.0)],  # P to P: 3 trips, 3 persons, 4.0
    *[("a", P1, Q1, 1.0), ("a", P1, Q1, 1.0), ("a", P2, Q2, 1.0)],  # P to Q: 3 trips, 1 person, 3.0
    *[("d", Q1, P1, 9.0)],  # Q to P: 1 trip, 1 person, 9.0
]


def matrix(persons: bool = True) -> odk.ODMatrix:
    table = pd.DataFrame(ROWS, columns=["person", "origin", "destination", "weight"])
    return odk.ODMatrix.from_trips(odk.Trips(table=table if persons else table.drop(columns="person"), ends="h3"))


def node(tree: odk.Hierarchy, label: str) -> int:
    return next(n for n in range(tree.n_nodes) if tree.label(n) == label)


def by_parents(guard: odk.Protection, persons: bool = True) -> odk.TreeRelease:
    """Origins: P, and Q1 as a leaf (Q has no other). Destinations: P1 (P's only one), and Q."""
    m = matrix(persons)
    o_cut = [node(m.origins, P), node(m.origins, Q)]
    d_cut = [node(m.destinations, P), node(m.destinations, Q)]
    return cut_release(
        m, guard, odk.Budget(0.5), algorithm="by hand", options=None, o_cut=np.array(o_cut), d_cut=np.array(d_cut)
    )


def test_trips_guarded():
    release = by_parents(odk.Protection(trips=3))
    expected = pd.DataFrame(
        {
            "origin": [P, P],
            "destination": [P, Q],
            "trips": [3, 3],
            "persons": [3, 1],
            "population": [4.0, 3.0],
        }
    )
    pd.testing.assert_frame_equal(release.flows, expected, check_dtype=False)
    assert release.minimum == {"trips": 3, "persons": 1, "population": 3.0}
    assert release.suppressed == {"trips": 1 / 7, "population": 9 / 16}
    assert release.suppressed_volume == {"trips": 1, "population": 9_000_000}
    assert (release.n_cells, release.suppressed_pairs) == (2, 1)
    assert release.origin_zones == [P]  # Q has no published flow
    assert release.destination_zones == [P, Q]
    assert release.destination_zones_of(P) == [P, Q]
    with pytest.raises(odk.InputError, match=rf"origin \('{Q}'\) must be a published origin zone"):
        release.destination_zones_of(Q)
    assert release.homogeneous
    assert release.k_anonymous
    assert release.matrix.origins.names(release.o_cut) == sorted([P, Q])


def test_persons_and_population_guarded():
    assert by_parents(odk.Protection(persons=2)).flows["persons"].tolist() == [3]
    assert by_parents(odk.Protection(population=4)).flows["population"].tolist() == [4.0, 9.0]
    assert by_parents(odk.Protection(population=4, trips=2)).n_cells == 1


def test_nothing_published_and_persons_unknown():
    empty = by_parents(odk.Protection(trips=4))
    assert empty.minimum == {"trips": None, "persons": None, "population": None}
    assert (empty.n_cells, empty.origin_zones, empty.suppressed["trips"]) == (0, [], 1.0)
    assert empty.flows.columns.tolist() == ["origin", "destination", "trips", "persons", "population"]
    unknown = by_parents(odk.Protection(trips=3), persons=False)
    assert unknown.flows.columns.tolist() == ["origin", "destination", "trips", "population"]
    assert unknown.minimum["persons"] is None


@given(matrices(), st.data())
def test_any_nodes_for_any_pairs(m, data):
    guard = data.draw(protections(m))
    levels = [data.draw(st.lists(st.integers(0, 5), min_size=m.n_pairs, max_size=m.n_pairs)) for _ in range(2)]
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=m.n_pairs, max_size=m.n_pairs)))
    nodes = [
        np.array([tree.ancestors_at(level)[leaf] for level, leaf in zip(up, leaves, strict=True)], dtype=np.int64)
        for tree, up, leaves in ((m.origins, levels[0], m.o), (m.destinations, levels[1], m.d))
    ]
    release = tree_release(
        m, guard, odk.Budget(), algorithm="any", options=None, o_node=nodes[0], d_node=nodes[1], keep=keep
    )
    for i in range(m.n_pairs):
        cell = release.of_pair[i]
        if cell >= 0:
            assert keep[i]
            assert (release.o_node[cell], release.d_node[cell]) == (nodes[0][i], nodes[1][i])
    assert guard.publishable(m.regroup(release.of_pair, release.n_cells)).all()
    for measure in ("trips", "population"):
        assert getattr(release, measure).sum() + release.suppressed_volume[measure] == m.total(measure)
    assert not release.homogeneous


@given(problems())
def test_the_release_of_an_algorithm_says_the_same_everywhere(problem):
    m, guard, _ = problem
    release = odk.anonymise(m, guard, "odkanon-late", 0.5)
    flows = release.flows
    assert not flows.duplicated(["origin", "destination"]).any()
    assert sorted(set(flows["origin"])) == release.origin_zones
    assert sorted(set(flows["destination"])) == release.destination_zones
    for zone in release.origin_zones:
        assert release.destination_zones_of(zone) == sorted(flows.loc[flows["origin"] == zone, "destination"])
    for measure, least in release.minimum.items():
        assert least == (flows[measure].min() if measure in flows else None)
    assert set(np.unique(release.of_pair)) - {-1} == set(range(release.n_cells))
