"""Sweeps: one walk gives what single runs give; the frontier and the knee by hand."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.experiment.grid import target_protection
from odk.metrics import generalisation
from odk.tradeoffs import frontier, headroom, knee, sweep
from tests.strategies import matrices


@given(matrices(persons=True), st.sampled_from(["participants", "population", "both", "persons"]))
def test_many_settings_from_one_walk_are_what_single_runs_give(matrix, target):
    table = sweep(matrix, ks=(2, 3, 5), budgets=(0.0, 0.1, 0.4), targets=(target,))
    assert len(table) == 9
    for row in table.itertuples():
        rule = target_protection(target, row.k, matrix)
        if row.error:
            with pytest.raises(odk.OdkError, match=re.escape(row.error)):
                odk.anonymise(matrix, rule, "odkanon-late", row.budget)
            continue
        release = odk.anonymise(matrix, rule, "odkanon-late", row.budget)
        view = "population" if rule.lead == "population" else "participants"
        assert row.g == pytest.approx(generalisation(release, view), rel=1e-12)
        assert row.s == pytest.approx(release.suppressed[rule.lead])
        assert (row.origins, row.destinations) == (len(release.origin_zones), len(release.destination_zones))
        assert row.cells == release.n_cells


def test_other_algorithms_and_progress():
    rng = np.random.default_rng(1)
    n = 300
    points = {f"{end}_{c}": 45 + rng.normal(0, 0.05, n) for end in ("origin", "destination") for c in ("lat", "lon")}
    matrix = odk.ODMatrix.from_trips(odk.Trips.from_table(pd.DataFrame(points)), resolution=8)
    told: list[float] = []
    table = sweep(
        matrix, ks=(5, 400), budgets=(0.1, 0.2), names=("twincut", "odkanon-late"), progress=lambda s, m: told.append(s)
    )
    assert told == [i / 8 for i in range(1, 9)]
    twin = table[(table["algorithm"] == "twincut") & (table["k"] == 5)].set_index("budget")
    assert twin.loc[0.1, "g"] == odk.measure(odk.anonymise(matrix, odk.Protection(trips=5), "twincut", 0.1)).g
    failed = table[table["k"] == 400]
    assert failed["g"].isna().all()
    assert failed["error"].str.contains("must not exceed the 300 trips").all()

    def stop(share: float, message: str) -> None:
        raise odk.Cancelled("stop")

    with pytest.raises(odk.Cancelled):
        sweep(matrix, ks=(5,), budgets=(0.1,), progress=stop)
    with pytest.raises(odk.InputError, match="must each hold at least one"):
        sweep(matrix, ks=())


@given(matrices())
def test_options_reach_the_algorithm(matrix):
    table = sweep(matrix, ks=(2,), budgets=(0.1,), options={"odkanon-late": {"drift": 0.5}})
    release = odk.anonymise(matrix, odk.Protection(trips=2), "odkanon-late", 0.1, options={"drift": 0.5})
    assert table.loc[0, "cells"] == release.n_cells
    with pytest.raises(odk.InputError, match="drift"):
        sweep(matrix, ks=(2,), budgets=(0.1,), options={"odkanon-late": {"drift": 7}})


def settings(rows: list[tuple[int, float, float, float]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["k", "budget", "g", "s"])
    return frame.assign(algorithm="x", target="participants", error="")


def test_the_frontier_by_hand():
    table = settings(
        [
            (10, 0.0, 100.0, 0.0),  # unbeaten: nothing is suppressed
            (10, 0.1, 50.0, 0.1),  # beaten by the last: larger k, the same G, less suppressed
            (10, 0.2, 40.0, 0.2),  # unbeaten: least G
            (10, 0.3, 40.0, 0.2),  # the same as the one before: the smaller budget is kept
            (5, 0.0, 100.0, 0.0),  # beaten by the first: smaller k, nothing better
            (20, 0.1, 50.0, 0.05),  # unbeaten: largest k
            (99, 0.1, np.nan, np.nan),  # no release
        ]
    )
    assert frontier(table).tolist() == [True, False, True, False, False, True, False]


def test_targets_are_not_compared_with_each_other():
    table = pd.concat([settings([(10, 0.0, 9.0, 0.0)]), settings([(10, 0.0, 8.0, 0.0)]).assign(target="population")])
    assert frontier(table).tolist() == [True, True]


def test_the_knee_by_hand():
    # ln G falls by ln 16 in all: by ln 8 over the first 2 of 10 points, by ln 2 over the other 8.
    table = settings([(10, 0.0, 1600.0, 0.0), (10, 0.02, 200.0, 0.02), (10, 0.1, 100.0, 0.1), (5, 0.0, 7.0, 0.0)])
    found = knee(table, 10)
    assert found is not None
    assert (found.budget, found.g, found.s) == (0.02, 200.0, 0.02)
    # per point: 1 - 8^(-1/2) = 64.6%, and 1 - 2^(-1/8) = 8.3%
    assert found.reason == (
        "Up to 2.0% suppressed, each percentage point lowers G by 65%; each one beyond it, only by 8.3%."
    )
    assert knee(table, 5) is None  # one point is no curve


def test_no_knee_where_the_loss_falls_evenly_or_not_at_all():
    assert knee(settings([(10, 0.0, 400.0, 0.0), (10, 0.1, 200.0, 0.1), (10, 0.2, 100.0, 0.2)]), 10) is None
    assert knee(settings([(10, 0.0, 50.0, 0.0), (10, 0.1, 50.0, 0.1), (10, 0.2, 50.0, 0.2)]), 10) is None


def test_headroom_in_words():
    table = settings([(10, 0.1, 100.0, 0.1), (12, 0.1, 104.0, 0.1), (15, 0.1, 130.0, 0.1), (20, 0.1, np.nan, np.nan)])
    assert headroom(table, 10, 0.1) == "k = 12 would raise G by 4.0% only, k = 15 by 30%."
    assert headroom(table, 12, 0.1) == "k = 15 would raise G by 25%."
    assert headroom(table, 15, 0.1) == ""
