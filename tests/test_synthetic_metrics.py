"""Replicated uniques and pMSE by hand, by plain loops, and of releases; metrics of noise against all leaf pairs."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import odk
from odk import cells, ipf
from odk.errors import InputError
from odk.synthetic_metrics import Likeness, likeness, likeness_of_release, pmse
from tests.algorithms.test_ipf_dp import town
from tests.algorithms.test_laplace import make_matrix, run
from tests.strategies import problems


def table(rows: list[str]) -> pd.DataFrame:
    return pd.DataFrame([list(r) for r in rows], columns=[f"v{i}" for i in range(len(rows[0]))])


def test_by_hand():
    # Originals: ax twice, ay, bx once each. Synthetic: ax once, ay once, by twice.
    found = likeness(table(["ax", "ax", "ay", "bx"]), table(["ax", "ay", "by", "by"]))
    assert found.cells == 4
    assert found.p0 == 25.0  # by never occurs
    assert found.p1 == 50.0  # ay and bx
    assert found.ru == 25.0  # ay
    assert found.ru_of_p1 == 50.0
    # cells (y, s): (2,1), (1,1), (1,0), (0,2); p̂: 1/3, 1/2, 0, 1; c = 1/2
    # Σ (s+y)(p̂-½)² = 3/36 + 0 + 1/4 + 2/4 = 5/6; over N = 8
    assert found.pmse == pytest.approx(5 / 48)
    # by chance (4-1)·½·¼/8 = 3/64
    assert found.s_pmse == pytest.approx(5 / 48 * 64 / 3)


def literal(original: list[tuple], synthetic: list[tuple]) -> tuple[float, float, float]:
    """ru (% of records), p1 and mean standardised pMSE, record by record."""
    y, s = Counter(original), Counter(synthetic)
    ru = sum(1 for cell in y if y[cell] == 1 and s[cell] == 1)
    p1 = sum(1 for cell in y if y[cell] == 1)
    n, c = len(original) + len(synthetic), len(synthetic) / (len(original) + len(synthetic))
    ratios = []
    for i, j in itertools.combinations(range(len(original[0])), 2):
        a, b = Counter((r[i], r[j]) for r in original), Counter((r[i], r[j]) for r in synthetic)
        scores = [b[(r[i], r[j])] / (a[(r[i], r[j])] + b[(r[i], r[j])]) for r in original + synthetic]
        found = sum((p - c) ** 2 for p in scores) / n
        chance = (len(set(a) | set(b)) - 1) * c * (1 - c) ** 2 / n
        ratios.append(found / chance if chance else 1.0)
    return 100 * ru / len(original), 100 * p1 / len(original), float(np.mean(ratios))


rows = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=25)


@given(rows, rows)
def test_equals_record_by_record(original, synthetic):
    found = likeness(table(original), table(synthetic))
    ru, p1, ratio = literal(original, synthetic)
    assert found.ru == pytest.approx(ru)
    assert found.p1 == pytest.approx(p1)
    assert found.s_pmse == pytest.approx(ratio)
    assert found.ru_of_p1 == (pytest.approx(100 * ru / p1) if p1 else None)


def test_counts_stand_for_rows():
    original, synthetic = table(["ax", "ax", "ay"]), table(["bx", "bx", "ax"])
    short = lambda t: t.groupby(list(t.columns)).size().reset_index(name="records")  # noqa: E731
    assert likeness(original, synthetic) == likeness(short(original), short(synthetic))


def test_a_copy_cannot_be_told_apart_and_a_fresh_draw_scores_about_one():
    rng = np.random.default_rng(0)
    draw = lambda: pd.DataFrame(rng.choice(list("abcd"), (4000, 3), p=[0.4, 0.3, 0.2, 0.1]))  # noqa: E731
    original = draw()
    assert likeness(original, original).pmse == 0
    ratios = [likeness(draw(), draw()).s_pmse for _ in range(40)]
    # both are draws here, so twice the variance of a draw from the fitted table: about 2
    assert 1.7 < np.mean(ratios) < 2.3
    fitted = [likeness(original, ipf.synthesise(original, epsilon=None, seed=i).table).s_pmse for i in range(40)]
    assert 0.85 < np.mean(fitted) < 1.15  # published: 0.90 to 1.13


def test_more_noise_is_told_apart_more_easily():
    rng = np.random.default_rng(0)
    original = pd.DataFrame({"a": rng.choice(list("abcd"), 3000), "b": rng.choice(list("xyz"), 3000)})
    mean = [
        np.mean([likeness(original, ipf.synthesise(original, epsilon=e, seed=i).table).s_pmse for i in range(10)])
        for e in (0.01, 0.1, None)
    ]
    assert mean[0] > mean[1] > mean[2]


def test_pmse_of_one_cell_is_nothing_to_tell():
    assert pmse(np.array([5]), np.array([7])) == (0.0, 1.0)


def test_other_columns_are_refused():
    with pytest.raises(InputError, match="must have the columns of the original"):
        likeness(table(["ab"]), table(["a"]))


def test_of_a_release_by_zones_and_by_segments():
    trips = town()
    matrix = odk.ODMatrix.from_trips(trips, resolution=9)
    release = odk.anonymise(matrix, odk.Protection(trips=20), "ipf-dp", options={"trips": trips, "epsilon": 5.0})
    short = likeness_of_release(release)
    assert short.variables == ("origin", "destination")
    assert short.records == 600
    assert short.cells == len(release.origins) * len(release.destinations)
    full = likeness_of_release(release, trips)
    assert full.variables == ("origin", "destination", "sex", "band")
    assert full.cells == short.cells * 6
    assert full.synthetic == short.synthetic == release.trips.sum()
    assert full.p1 > short.p1  # more columns, more uniques


def test_of_laplace_by_hand():
    matrix = make_matrix({(0, 0): 1, (1, 2): 7, (3, 4): 2})
    found = likeness_of_release(run(matrix, epsilon=40.0))  # so quiet that the flows are the counts
    assert found.ru == pytest.approx(100 * 1 / 10)
    assert found.ru_of_p1 == 100.0
    assert found.cells == 49 * 49
    assert found.pmse == 0
    assert isinstance(found, Likeness)


def test_weighted_trips_are_no_records():
    trips = town()
    matrix = odk.ODMatrix.from_trips(trips, resolution=9)
    release = odk.anonymise(matrix, odk.Protection(population=50), "laplace")
    with pytest.raises(InputError, match="weighted trips are no records"):
        likeness_of_release(release)


# --- the metrics of every release, for noise --------------------------------------------------------------------------
@settings(max_examples=60)
@given(problems(), st.sampled_from(["laplace", "ipf-dp"]))
def test_e_and_d_equal_a_loop_over_all_leaf_pairs(problem, name):
    matrix, guard, _ = problem
    options: dict[str, object] = {"epsilon": 1.5, "seed": 2}
    if name == "laplace" and matrix.origins.kind == "h3":  # few zones, some of them without a trip
        leaves = np.concatenate([t.ids[: t.n_leaves] for t in (matrix.origins, matrix.destinations)])
        finest = int(cells.resolution(leaves)[0])
        options |= {"area": cells.to_hex(np.unique(cells.parent(leaves, finest - 1))), "resolution": finest}
    release = odk.anonymise(matrix, guard, name, options=options)
    view, total = (
        ("participants", matrix.total_trips) if guard.lead == "trips" else ("population", matrix.total_population)
    )
    found = odk.measure(release, view)
    assert found.c_dm is found.c_avg is found.g is found.gdm is None
    assert "noise" in found.reasons["g"]
    other = odk.measure(release, "population" if view == "participants" else "participants")
    assert other.e is None
    assert other.s == 1.0
    assert "publishes nothing" in other.reasons["e"]
    published = int(release.values.sum())
    assert found.s == pytest.approx(1 - published / total)
    if not published:
        return
    true = dict(
        zip(zip(matrix.o.tolist(), matrix.d.tolist(), strict=True), matrix.volume(guard.lead).tolist(), strict=True)
    )
    spread = Counter()
    lost = 0.0
    for a, b, v in zip(release.o_zone.tolist(), release.d_zone.tolist(), release.values.tolist(), strict=True):
        origins, destinations = (
            np.flatnonzero(release.origins.of_leaf == a),
            np.flatnonzero(release.destinations.of_leaf == b),
        )
        if not len(origins) or not len(destinations):
            # nothing was seen on one side: all of it lies on leaves that the input does not have
            lost += v
            continue
        for i in origins.tolist():
            for j in destinations.tolist():
                spread[i, j] += v / len(origins) / len(destinations)
    every = set(true) | set(spread)
    e = sum(abs(spread[p] - true.get(p, 0)) for p in every) + lost
    d = sum(abs(spread[p] / published - true.get(p, 0) / total) for p in every) + lost / published
    assert found.e == pytest.approx(e / total)
    assert found.d == pytest.approx(d)
    assert found.planning.row_error is not None
