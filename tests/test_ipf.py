"""Iterative proportional fitting against plain loops; its noise against the Laplace distribution."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from odk import ipf
from odk.errors import InputError
from tests.oracles import ipf as oracle

UNLIKELY = 1e-6


@st.composite
def tables(draw):
    """Codes of a few variables with two to four values each."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    n = draw(st.integers(1, 40))
    codes = [np.array(draw(st.lists(st.integers(0, s - 1), min_size=n, max_size=n))) for s in shape]
    return codes, shape


@given(tables(), st.sampled_from([None, 0.2, 1.0, 10.0]), st.sampled_from([0.0, 0.5, 3.0]), st.integers(1, 6))
def test_the_fit_equals_plain_loops(case, epsilon, priorn, rounds):
    codes, shape = case
    rng = np.random.default_rng(7)
    margins = ipf.noisy_margins(codes, shape, None, rng, epsilon=epsilon, priorn=priorn)
    for table in margins.tables:
        assert table.min() >= 0
        assert table.sum() == pytest.approx(1.0)
    found = ipf.fit(shape, margins, rounds=rounds)
    targets = [dict(np.ndenumerate(t)) for t in margins.tables]
    wanted = oracle.fit(shape, margins.axes, targets, found.rounds)
    for cell, share in wanted.items():
        assert found.share[cell] == pytest.approx(share, abs=1e-12)
    assert found.share.sum() == pytest.approx(1.0)
    gaps = []
    for axis, target in zip(margins.axes, margins.tables, strict=True):
        now = np.zeros(target.shape)
        for cell, share in wanted.items():
            now[tuple(cell[a] for a in axis)] += share
        gaps.append(np.abs(now - target).sum() / 2)
    assert found.gap == pytest.approx(max(gaps), abs=1e-9)
    assert found.converged == (found.gap <= ipf.CONVERGED)


@given(tables(), st.sampled_from([0.0, 1.0, 4.0]))
def test_without_noise_the_margins_are_counts_and_prior(case, priorn):
    codes, shape = case
    margins = ipf.noisy_margins(codes, shape, None, np.random.default_rng(0), epsilon=None, priorn=priorn)
    rows = list(zip(*[c.tolist() for c in codes], strict=True))
    assert margins.size == len(rows)
    for axis, table in zip(margins.axes, margins.tables, strict=True):
        counts = oracle.two_way_counts(rows, axis)
        for cell, share in np.ndenumerate(table):
            wanted = (counts.get(cell, 0) + priorn / table.size) / (len(rows) + priorn)
            assert share == pytest.approx(wanted)


def test_independent_variables_are_reached_in_one_round():
    codes = [np.repeat([0, 1], 6), np.tile([0, 1, 2], 4), np.tile([0, 0, 0, 1, 1, 1], 2)]
    margins = ipf.noisy_margins(codes, [2, 3, 2], None, np.random.default_rng(0), epsilon=None)
    found = ipf.fit([2, 3, 2], margins)
    assert found.converged
    assert found.share == pytest.approx(np.full((2, 3, 2), 1 / 12))


def check_noise(epsilon: float, sensitivity: float, true_size: bool) -> None:
    """Noise on margins with counts too large to be cut at 0: Laplace of scale (2) · sensitivity · M / ε."""
    shape, each = [20, 25, 15], 1e5  # margins of 500, 300 and 375 entries
    codes = [c.ravel() for c in np.indices(shape)]
    n = each * 7500
    scale = (2 if true_size else 1) * sensitivity * 3 / epsilon
    noise, sizes = [], []
    for seed in range(60):
        margins = ipf.noisy_margins(
            codes,
            shape,
            np.full(7500, each),
            np.random.default_rng(seed),
            epsilon=epsilon,
            sensitivity=sensitivity,
            true_size=true_size,
        )
        sizes.append(margins.size)
        # Scaling a table to 1 takes the mean of its noise away, one part in hundreds of the variance: not seen here.
        noise += [t.ravel() * n - n / t.size for t in margins.tables]
    values = np.concatenate(noise)
    assert len(values) == 60 * 1175
    assert stats.kstest(values, stats.laplace(0, scale).cdf).pvalue > UNLIKELY
    if true_size:
        assert set(sizes) == {n}
    else:
        # inverse-variance mean of totals with variances 2·scale²·C: variance 2·scale² / Σ(1/C)
        sd = np.sqrt(2 * scale**2 / (1 / 500 + 1 / 300 + 1 / 375))
        assert stats.kstest((np.array(sizes) - n) / sd, "norm").pvalue > UNLIKELY


CASES = [(1.0, 1.0, False), (0.5, 1.0, True), (2.0, 10.0, False)]


@pytest.mark.parametrize(("epsilon", "sensitivity", "true_size"), CASES)
def test_noise_has_the_stated_scale(epsilon, sensitivity, true_size):
    check_noise(epsilon, sensitivity, true_size)


@pytest.mark.parametrize("wrong", [0.5, 0.9, 1.1, 1 / 3])
def test_a_wrong_scale_is_found(monkeypatch, wrong):
    right = ipf.scale_of
    monkeypatch.setattr(ipf, "scale_of", lambda *given: wrong * right(*given))
    with pytest.raises(AssertionError):
        check_noise(1.0, 1.0, False)


def test_the_fit_sees_only_the_margins():
    # Two tables with the same two-way margins but other joint counts (parity): the synthesis must not tell them apart.
    even = pd.DataFrame([(a, b, (a + b) % 2) for a in (0, 1) for b in (0, 1)] * 50, columns=list("abc"))
    every = pd.DataFrame([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 25, columns=list("abc"))
    for epsilon in (None, 1.0):
        one = ipf.synthesise(even, epsilon=epsilon, seed=3).table
        other = ipf.synthesise(every, epsilon=epsilon, seed=3).table
        pd.testing.assert_frame_equal(one, other)


def test_records_are_drawn_from_the_fit():
    table = pd.DataFrame({"a": ["x"] * 30 + ["y"] * 70, "b": ["u", "v"] * 50})
    counts = np.zeros(4)
    for seed in range(200):
        found = ipf.synthesise(table, epsilon=None, seed=seed)
        assert len(found.table) == 100
        counts += pd.crosstab(found.table["a"], found.table["b"]).to_numpy().ravel()
    assert stats.chisquare(counts, 200 * np.array([15, 15, 35, 35])).pvalue > UNLIKELY


def test_columns_categories_and_missing_values_are_kept():
    table = pd.DataFrame({"a": pd.Categorical(["x", None, "y"] * 20, categories=["x", "y", "z"]), "n": [1, 2, 3] * 20})
    found = ipf.synthesise(table, epsilon=None, priorn=5.0, seed=1)
    assert list(found.table.columns) == ["a", "n"]
    assert list(found.table["a"].cat.categories) == ["x", "y", "z", ipf.MISSING]
    assert set(found.table["n"].unique()) <= {"1", "2", "3"}
    assert found.margins == 1
    assert found.cells == 12
    pd.testing.assert_frame_equal(found.table, ipf.synthesise(table, epsilon=None, priorn=5.0, seed=1).table)


def test_a_table_too_large_names_the_variable_to_coarsen():
    table = pd.DataFrame({"sex": ["F", "M"] * 50, "place": range(100)})
    with pytest.raises(InputError, match=r"table \(2 x 100 = 200 cells\).*coarsen place \(100 values\)"):
        ipf.synthesise(table, max_cells=199)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"epsilon": 0.0}, r"epsilon \(0.0\)"), ({"epsilon": np.inf}, "epsilon"), ({"priorn": -1}, r"priorn \(-1\)")],
)
def test_wrong_settings_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        ipf.synthesise(pd.DataFrame({"a": [1, 2]}), **options)


def test_an_empty_table_is_refused():
    with pytest.raises(InputError, match="must hold at least one row"):
        ipf.synthesise(pd.DataFrame({"a": []}))
