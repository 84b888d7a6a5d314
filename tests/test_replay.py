"""Replay: frames of the walk, what merged between them, and the curve, against the walk itself."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.replay import curve, frames, merged_since, real_merges, safe_share, zone_counts
from odk.walk import AXES, Walk
from tests.strategies import matrices

RULE = odk.Protection(trips=3)


@given(matrices())
def test_counts_are_those_of_the_cuts(matrix):
    walk = Walk(matrix)
    counts = zone_counts(walk)
    assert len(counts) == walk.n_steps + 1
    for step in {0, walk.n_steps // 2, walk.n_steps}:
        assert counts[step] == sum(map(len, walk.cuts(step)))
    assert counts[-1] == 2
    assert (np.diff(counts) <= 0).all()
    assert np.array_equal(real_merges(walk), [s for s in range(1, walk.n_steps + 1) if counts[s] < counts[s - 1]])


@given(matrices(), st.integers(2, 20), st.data())
def test_frames_run_from_start_to_end_and_show_what_was_asked(matrix, number, data):
    walk = Walk(matrix)
    also = data.draw(st.integers(0, walk.n_steps))
    steps = frames(walk, number, also=[also])
    assert steps == sorted(set(steps))
    assert {0, also, walk.n_steps} <= set(steps)
    assert len(steps) <= number + 3


@given(matrices(), st.data())
def test_what_merged_is_what_the_cuts_gained(matrix, data):
    walk = Walk(matrix)
    before, step = sorted(data.draw(st.tuples(*[st.integers(0, walk.n_steps)] * 2)))
    found = merged_since(walk, before, step)
    for axis, tree, old, new in zip(AXES, walk.trees, walk.cuts(before), walk.cuts(step), strict=True):
        spans = {(int(tree.first[n]), int(tree.size[n])) for n in old}
        wanted = [int(n) for n in new if (int(tree.first[n]), int(tree.size[n])) not in spans]
        assert found[axis].tolist() == wanted


@given(matrices(), st.data())
def test_safe_volume_is_what_is_not_suppressed(matrix, data):
    rule = odk.Protection(trips=data.draw(st.integers(2, 10)))
    walk = Walk(matrix)
    step = data.draw(st.integers(0, walk.n_steps))
    for zones, cut in zip(safe_share(walk, rule, step), walk.cuts(step), strict=True):
        assert zones["node"].tolist() == sorted(cut.tolist())
        assert zones["volume"].sum() == matrix.total_trips
        safe = (zones["safe"] * zones["volume"]).sum() / matrix.total_trips
        assert safe == pytest.approx(1 - walk.at(step, rule).suppressed["trips"])


def test_the_curve_only_gets_safer(towns_walk):
    data = curve(towns_walk, RULE, frames(towns_walk, 10))
    assert data["suppressed"].is_monotonic_decreasing
    assert data["trips"].is_monotonic_increasing
    assert data["zones"].is_monotonic_decreasing
    assert (data["zones"] == data["origins"] + data["destinations"]).all()
    assert data["trips"].iloc[-1] == towns_walk.matrix.total_trips
    assert data["suppressed"].iloc[-1] == 0


@pytest.fixture
def towns_walk() -> Walk:
    rng = np.random.default_rng(2)
    ends = {"origin_lat": 48.8, "origin_lon": 2.3, "destination_lat": 48.8, "destination_lon": 2.3}
    table = pd.DataFrame({name: at + rng.normal(0, 0.05, 200) for name, at in ends.items()})
    return Walk(odk.ODMatrix.from_trips(odk.Trips.from_table(table), resolution=8))
