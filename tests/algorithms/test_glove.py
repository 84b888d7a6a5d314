"""Glove equals one merge at a time, whatever finds the nearest; glove-sk is the lowest cut that fits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import odk
from odk.algorithms import _agglomerate
from odk.algorithms._agglomerate import Clusters, agglomerate
from odk.algorithms.glove import in_metres
from odk.algorithms.glove_sk import dendrogram, labels_at
from odk.algorithms.mondrian import points
from odk.errors import Cancelled, InputError
from tests.oracles import glove as oracle
from tests.strategies import problems


def cells_of(release: odk.BoxRelease) -> list[list[int]]:
    """The pairs of each published cell."""
    return [np.flatnonzero(release.of_pair == c).tolist() for c in range(release.n_cells)]


def expected(matrix, guard, budget) -> list[list[int]]:
    """What the oracle publishes."""
    at = in_metres(points(matrix)).tolist()

    def done(pairs):
        label = np.full(matrix.n_pairs, -1)
        label[pairs] = 0
        return bool(guard.publishable(matrix.regroup(label, 1))[0])

    def fits(pairs):
        if budget.within == "pairs":
            return len(pairs) <= budget.of(matrix.n_pairs)
        allowed = budget.allowed(matrix, guard)
        return all(int(matrix.volume(m)[pairs].sum()) <= most for m, most in allowed.items())

    degrees = points(matrix).T

    def size(pairs):
        low, high = degrees[pairs].min(axis=0), degrees[pairs].max(axis=0)
        n = 0
        for tree, leaf, (x, y) in ((matrix.origins, matrix.o, (0, 1)), (matrix.destinations, matrix.d, (2, 3))):
            for i in range(tree.n_leaves):
                lon, lat = degrees[np.flatnonzero(leaf == i)[0], [x, y]]
                n += low[x] <= lon <= high[x] and low[y] <= lat <= high[y]
        return n

    return oracle.glove(at, done, fits, size)


def run(problem, name="glove", **options) -> odk.BoxRelease:
    matrix, guard, budget = problem
    return odk.anonymise(matrix, guard, name, budget=budget.share, budget_in=budget.within, options=options)


@given(problems(max_rows=40))
def test_glove_equals_one_merge_at_a_time(problem):
    assert cells_of(run(problem)) == expected(*problem)


@settings(max_examples=60)
@given(problems(max_rows=40))
def test_with_a_tree_and_with_a_graph_of_all_it_is_the_same(problem):
    brute = run(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_agglomerate, "BRUTE", 0)
        tree = run(problem)
    graph = run(problem, neighbours=1000)
    assert tree.of_pair.tolist() == brute.of_pair.tolist()
    assert graph.of_pair.tolist() == brute.of_pair.tolist()


@st.composite
def grids(draw):
    """Points of a coarse grid, so that many distances are equal, and volumes."""
    n = draw(st.integers(2, 40))
    side = draw(st.integers(1, 4))
    place = st.lists(st.tuples(*[st.integers(0, side)] * 4), min_size=n, max_size=n)
    return np.array(draw(place), dtype=np.float64), np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))


@given(grids(), st.integers(2, 9), st.sampled_from([0, 10**9]))
def test_ties_are_broken_as_stated(case, k, brute):
    at, volume = case
    if volume.sum() < k:
        return
    clusters = Clusters.of_points(at, volume < k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_agglomerate, "BRUTE", brute)
        agglomerate(clusters, lambda c, some: np.bincount(c.root, weights=volume, minlength=len(at))[some] >= k)
    got = sorted(np.flatnonzero(clusters.root == r).tolist() for r in np.unique(clusters.root))
    done, left = oracle.clusters(at.tolist(), lambda pairs: volume[pairs].sum() >= k)
    assert got == sorted(sorted(c) for c in [*done, left] if c)


@given(problems(max_rows=40), st.integers(1, 4))
def test_along_a_thin_graph_every_cell_is_still_publishable(problem, neighbours):
    release = run(problem, neighbours=neighbours)  # `anonymise` checks cells and budget
    assert release.tight
    assert release.n_cells >= 1


def test_boxes_are_the_bounds_of_the_points():
    rng = np.random.default_rng(1)
    matrix = _town(rng, 60)
    release = odk.anonymise(matrix, odk.Protection(trips=5), "glove", budget=0.1)
    o, d = matrix.origins, matrix.destinations
    for cell, pairs in enumerate(cells_of(release)):
        lon, lat = o.lon[matrix.o[pairs]], o.lat[matrix.o[pairs]]
        assert release.boxes[cell, :4].tolist() == [lon.min(), lat.min(), lon.max(), lat.max()]
        lon, lat = d.lon[matrix.d[pairs]], d.lat[matrix.d[pairs]]
        assert release.boxes[cell, 4:].tolist() == [lon.min(), lat.min(), lon.max(), lat.max()]


def _town(rng: np.random.Generator, n: int) -> odk.ODMatrix:
    table = pd.DataFrame(
        {
            "person": rng.integers(0, n // 3, n),
            "origin_lat": 48.8 + 0.1 * rng.random(n),
            "origin_lon": 2.3 + 0.1 * rng.random(n),
            "destination_lat": 48.8 + 0.1 * rng.random(n),
            "destination_lon": 2.3 + 0.1 * rng.random(n),
        }
    )
    return odk.ODMatrix.from_trips(odk.Trips.from_table(table), resolution=10)


@pytest.mark.parametrize(
    "guard", [odk.Protection(trips=10), odk.Protection(persons=4), odk.Protection(trips=3, persons=3)]
)
def test_a_town_the_same_by_tree_and_outright(monkeypatch, guard):
    matrix = _town(np.random.default_rng(2), 1500)
    brute = odk.anonymise(matrix, guard, "glove")
    monkeypatch.setattr(_agglomerate, "BRUTE", 0)
    assert odk.anonymise(matrix, guard, "glove").of_pair.tolist() == brute.of_pair.tolist()


def test_it_reports_progress_and_can_be_stopped():
    matrix, seen = _town(np.random.default_rng(3), 800), []
    odk.anonymise(matrix, odk.Protection(trips=10), "glove", progress=lambda share, text: seen.append(share))
    assert seen == sorted(seen)
    assert len(seen) > 8

    def stop(share: float, text: str) -> None:
        if share > 0.5:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        odk.anonymise(matrix, odk.Protection(trips=10), "glove", progress=stop)


@pytest.mark.parametrize("name", ["glove", "glove-sk"])
def test_too_many_pairs_are_refused(name):
    matrix = _town(np.random.default_rng(4), 50)
    with pytest.raises(InputError, match=r"pairs \(\d+\) must not exceed max_pairs \(10\)"):
        odk.anonymise(matrix, odk.Protection(trips=5), name, options={"max_pairs": 10})
    with pytest.raises(InputError, match=r"neighbours \(0\) must be"):
        odk.anonymise(matrix, odk.Protection(trips=5), name, options={"neighbours": 0})


# --- glove-sk ---------------------------------------------------------------------------------------------------------
def complete_linkage(at: np.ndarray, merges: int) -> list[list[int]]:
    """Literal complete linkage under L1: the two clusters whose farthest points are nearest, so many times."""
    parts = [[i] for i in range(len(at))]
    for _ in range(merges):
        _, x, y = min(
            (max(np.abs(at[i] - at[j]).sum() for i in parts[x] for j in parts[y]), x, y)
            for x in range(len(parts))
            for y in range(x + 1, len(parts))
        )
        parts = [c for i, c in enumerate(parts) if i not in (x, y)] + [parts[x] + parts[y]]
    return sorted(sorted(c) for c in parts)


@pytest.mark.parametrize("seed", range(5))
def test_the_dendrogram_is_complete_linkage(seed):
    at = np.rint(np.random.default_rng(seed).uniform(0, 1e6, (25, 4)))  # so far apart that no distances are equal
    children = dendrogram(at, 100)
    for merges in (0, 1, 7, 15, 24):
        label = labels_at(children, 25, merges)
        assert sorted(np.flatnonzero(label == c).tolist() for c in range(label.max() + 1)) == complete_linkage(
            at, merges
        )


@settings(max_examples=40)
@given(problems(max_rows=40))
def test_glove_sk_cuts_as_low_as_the_budget_allows(problem):
    matrix, guard, budget = problem
    release = run(problem, "glove-sk")
    children = dendrogram(in_metres(points(matrix)), 100)

    def gone(merges: int) -> np.ndarray:
        label = labels_at(children, matrix.n_pairs, merges)
        return ~guard.publishable(matrix.regroup(label, int(label.max()) + 1))[label]

    assert np.array_equal(release.of_pair < 0, gone(release.steps))
    if release.steps:
        bad = gone(release.steps - 1)
        if budget.within == "pairs":
            assert bad.sum() > budget.of(matrix.n_pairs)
        else:
            allowed = budget.allowed(matrix, guard)
            assert any(int(matrix.volume(m)[bad].sum()) > most for m, most in allowed.items())


def test_glove_is_finer_than_glove_sk_and_mondrian_on_a_town():
    matrix = _town(np.random.default_rng(5), 1200)
    guard, mean = odk.Protection(trips=10), {}
    for name in ("glove", "glove-sk", "mondrian"):
        release = odk.anonymise(matrix, guard, name)
        width = (release.boxes[:, [2, 3, 6, 7]] - release.boxes[:, [0, 1, 4, 5]]).sum(axis=1)
        mean[name] = float(width @ release.trips / release.trips.sum())
    assert mean["glove"] < min(mean["mondrian"], mean["glove-sk"])


def test_places_unknown_is_said():
    table = pd.DataFrame({"person": [1, 2], "origin": ["a", "b"], "destination": ["b", "b"]})
    tree = odk.Hierarchy.from_table(["a", "b"], ["all", "all"])
    matrix = odk.ODMatrix.from_trips(odk.Trips.from_table(table, ends="zones"), hierarchy=tree)
    with pytest.raises(InputError, match="must give a centre"):
        odk.anonymise(matrix, odk.Protection(trips=2), "glove")
