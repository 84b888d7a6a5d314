"""The walk of ODkAnon: a small one by hand, and what must hold of every one."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.hierarchy import Hierarchy
from odk.walk import AXES, DESTINATIONS, ORIGINS
from tests.strategies import matrices, problems, protections

GUARD = odk.Protection(trips=2)


def uneven(**options) -> odk.Walk:
    """Origins: r(x(a, b), c); destinations: r(d, e). Trips: a 1, b 2, c 10 to d; c 1 to e."""
    tree = Hierarchy.from_table(["a", "b", "c", "d", "e"], ["x", "x", "r", "y", "y"]).restrict(
        ["a", "b", "c", "d", "e"]
    )
    table = pd.DataFrame(
        {
            "origin": ["a", "b", "c", "c"],
            "destination": ["d", "d", "d", "e"],
            "trips": [1, 2, 10, 1],
            "population": [9, 1, 1, 1],
        }
    )
    return odk.Walk(odk.ODMatrix.from_pairs(table, hierarchy=tree), **options)


def steps(walk: odk.Walk) -> list[tuple[str, str]]:
    found = []
    for step in range(1, walk.n_steps + 1):
        at = walk.at(step, GUARD)
        found.append((at.axis, walk.trees[AXES.index(at.axis)].label(at.merged)))
    return found


def test_a_walk_by_hand():
    walk = uneven()
    # Origins x (3 trips), r, then the virtual root above nothing else: the finest node over a, b, c is `root`, whose
    # children are x and r; r has the single child c. Costs: x 3, r 11, root 14. Destinations: y 14.
    # Ratio 3/2 at first. Step 0: origins, x (zones x, c; ratio 1, below 1.5 x 0.97): destinations must merge, y
    # (2/1, above 1.5 x 1.03): origins, r (a single child: still 2 zones), then root.
    assert steps(walk) == [("origins", "x"), ("destinations", "y"), ("origins", "r"), ("origins", "root")]
    assert walk.axes.tolist() == [ORIGINS, DESTINATIONS, ORIGINS, ORIGINS]
    one = walk.at(1, GUARD)
    assert walk.trees[0].names(one.group) == ["a", "b"]
    assert sorted(walk.trees[0].names(one.o_cut)) == ["c", "x"]
    assert (one.minimum, one.failing) == ({"trips": 1, "persons": None, "population": 1.0}, 1)
    assert one.suppressed == {"trips": 1 / 14, "population": 1 / 12}
    start = walk.at(0, GUARD)
    assert (start.axis, start.merged, start.group.tolist(), start.failing) == (None, None, [], 2)
    end = walk.at(walk.n_steps, GUARD)
    assert (end.o_cut.tolist(), end.d_cut.tolist()) == ([walk.trees[0].root], [walk.trees[1].root])


def test_costs_are_those_of_the_lead_measure():
    # By population x costs 10 and r costs 2: r comes first.
    walk = uneven(lead="population")
    assert [name for axis, name in steps(walk) if axis == "origins"] == ["r", "x", "root"]


def test_a_wide_drift_alternates():
    assert [axis for axis, _ in steps(uneven(drift=0.9))] == ["origins", "destinations", "origins", "origins"]
    assert [axis for axis, _ in steps(uneven(drift=0.0))][:2] == ["origins", "destinations"]


@pytest.mark.parametrize("bad", [-0.1, 1.0, float("nan"), float("inf"), "wide", True, None])
def test_a_drift_is_a_share(bad):
    with pytest.raises(odk.InputError, match=r"drift \(.*\) must be a number in \[0, 1\)"):
        uneven(drift=bad)


def test_steps_outside_the_walk_are_refused():
    walk = uneven()
    for step in (-1, walk.n_steps + 1):
        with pytest.raises(odk.InputError, match=rf"step \({step}\) must lie between 0 and 4"):
            walk.at(step, GUARD)


def test_the_first_good_step():
    walk = uneven()
    assert [walk.first_step(lambda s, n=n: s >= n) for n in range(5)] == [0, 1, 2, 3, 4]
    assert walk.first_step(lambda s: False) is None
    assert walk.first_step(lambda s: True, start=3) == 3


def test_single_leaves_walk_nowhere():
    table = pd.DataFrame({"origin": ["8a1fb464000ffff"], "destination": ["8a1fb464000ffff"], "trips": [5]})
    walk = odk.Walk(odk.ODMatrix.from_pairs(table))
    assert walk.n_steps == 0
    assert walk.at(0, GUARD).minimum["trips"] == 5
    assert walk.first_step(lambda s: True) == 0


@given(problems(), st.sampled_from([0.0, 0.03, 0.3]))
def test_every_walk(problem, drift):
    matrix, guard, _ = problem
    walk = odk.Walk(matrix, lead=guard.lead, drift=drift)
    inner = [tree.n_nodes - tree.n_leaves for tree in walk.trees]
    assert walk.n_steps == sum(inner)
    states = [walk.at(step, guard) for step in range(walk.n_steps + 1)]
    for before, after in itertools.pairwise(states):
        moved = AXES.index(after.axis)
        cuts = [(before.o_cut, after.o_cut), (before.d_cut, after.d_cut)]
        # One group of siblings, all of them zones, becomes their parent; the other axis stays.
        assert set(cuts[moved][0]) - set(cuts[moved][1]) == set(after.group.tolist())
        assert set(cuts[moved][1]) - set(cuts[moved][0]) == {after.merged}
        assert np.array_equal(*cuts[1 - moved])
        # What is published stays published.
        for measure in ("trips", "population"):
            assert after.suppressed[measure] <= before.suppressed[measure]
            assert after.minimum[measure] >= before.minimum[measure]
    assert states[-1].failing == 0
    assert sum(walk.axes == ORIGINS) == inner[0]


@given(problems())
def test_a_search_finds_the_first_good_step(problem):
    matrix, guard, budget = problem
    walk = odk.Walk(matrix, lead=guard.lead)
    persons = guard.needs_persons
    most = budget.of(matrix.total_trips)

    def good(groups):
        return groups.trips[~guard.publishable(groups)].sum() <= most

    assert walk.search(good, persons=persons) == walk.first_step(lambda step: good(walk.groups(step, persons=persons)))
    assert walk.search(lambda groups: False, persons=persons) is None
    assert walk.search(lambda groups: True, persons=persons) == 0
    assert walk.search(lambda groups: len(groups) == 1, persons=persons) == min(
        step for step in range(walk.n_steps + 1) if len(walk.groups(step, persons=False)) == 1
    )


@given(matrices(), st.data())
def test_the_published_pairs_only_grow(matrix, data):
    guard = data.draw(protections(matrix))
    walk = odk.Walk(matrix, lead=guard.lead)
    shown = np.zeros(matrix.n_pairs, dtype=bool)
    for step in range(walk.n_steps + 1):
        groups = walk.groups(step, persons=guard.needs_persons)
        now = guard.publishable(groups)[groups.of_pair]
        assert (now >= shown).all()
        shown = now
    assert shown.all()
