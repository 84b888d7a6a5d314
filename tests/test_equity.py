"""Segments beside each other: the split of G into data and algorithm, parity and the cost of one zoning, by hand."""

import numpy as np
import pandas as pd
import pytest

import odk
from odk.equity import Common, Parity, cause, common, cost_of_common, parity, segment_table
from odk.experiment.grid import WHOLE
from odk.outcomes import run


@pytest.fixture(scope="module")
def trips() -> odk.Trips:
    rng = np.random.default_rng(5)
    n = 500
    table = pd.DataFrame(
        {f"{e}_{c}": 45 + rng.normal(0, 0.04, n) for e in ("origin", "destination") for c in ("lat", "lon")}
    )
    group = rng.choice(["few", "many", "many", "many"], n)
    return odk.Trips.from_table(table.assign(group=group, person=rng.integers(0, 90, n), weight=rng.integers(1, 9, n)))


@pytest.fixture(scope="module")
def outcomes(trips):
    parts = {WHOLE: trips} | {value: trips.where(group=value) for value in ("few", "many")}
    return {
        label: run(odk.ODMatrix.from_trips(t, 8), odk.Protection(trips=5), "odkanon-late", 0.2)
        for label, t in parts.items()
    }


def test_g_is_split_into_the_data_and_the_algorithm(outcomes):
    table = segment_table(outcomes, "participants").set_index("segment")
    for label, outcome in outcomes.items():
        assert table.loc[label, "g"] == odk.measure(outcome.release).g
        assert table.loc[label, "limit"] == pytest.approx(outcome.above.limit)
        assert table.loc[label, "trips"] == outcome.release.matrix.total_trips
        product = table.loc[label, "harder"] * table.loc[label, "worse"]
        assert product == pytest.approx(table.loc[label, "g"] / table.loc[WHOLE, "g"])
    assert table.loc[WHOLE, ["harder", "worse"]].tolist() == [1, 1]


def test_a_segment_without_a_release_is_a_row(outcomes, trips):
    bad = run(odk.ODMatrix.from_trips(trips.where(group="few"), 8), odk.Protection(trips=400), "odkanon-late", 0.2)
    table = segment_table({**outcomes, "tiny": bad}, "participants").set_index("segment")
    assert "must not exceed" in table.loc["tiny", "error"]
    assert table.loc["tiny", "cause"] == ""
    assert len(parity(table.reset_index())) == 5  # the others are still compared


@pytest.mark.parametrize(
    ("above", "found"), [(1.0, "data"), (1.5, "data"), (1.51, "both"), (3.0, "both"), (3.1, "algorithm"), (None, "")]
)
def test_the_cause(above, found):
    assert cause(above) == found


def test_parity_by_hand():
    table = pd.DataFrame(
        {
            "segment": [WHOLE, "a", "b", "c"],
            "gdm_mean": [1.0, 300.0, 100.0, None],
            "zones": [99, 10, 40, 20],
            "s": [0.1, 0.0, 0.05, 0.0],
            "above_limit": [1.0, None, None, None],
            "g": [1.0, 8.0, 8.0, 16.0],
        }
    )
    found = {item.figure: item for item in parity(table)}
    assert found["gdm_mean"] == Parity("gdm_mean", "b", 100.0, "a", 300.0)
    assert found["gdm_mean"].ratio == 3
    assert (found["zones"].best, found["zones"].worst, found["zones"].ratio) == ("b", "a", 4)  # many zones are better
    assert found["s"].ratio is None  # nothing at all is lost in a: no ratio
    assert (found["g"].best, found["g"].ratio) == ("a", 2)  # the first of equals
    assert "above_limit" not in found  # no bound, nothing to compare


def test_the_cost_of_one_zoning_by_hand():
    own = pd.DataFrame(
        {"segment": ["a", "b"], "zones": [8, 6], "s": [0.1, 0.1], "gdm_mean": [100.0, 200.0], "cells": [9, 9]}
    )
    figures = pd.DataFrame(
        {
            "segment": ["a", "b"],
            "view": "participants",
            "zones": 4,
            "cells": 3,
            "s": 0.0,
            "gdm_mean": [150.0, 200.0],
            "withheld": [0, 2],
        }
    )
    cost = cost_of_common(own, Common(None, figures), "participants")  # type: ignore[arg-type]
    assert cost["price"].tolist() == [1.5, 1.0]
    assert cost["zones_common"].tolist() == [4, 4]
    assert cost["withheld"].tolist() == [0, 2]


def test_one_zoning_for_all(trips):
    told: list[float] = []
    made = common(
        trips,
        "group",
        ["few", "many"],
        odk.Protection(trips=5),
        0.3,
        resolution=8,
        progress=lambda s, m: told.append(s),
    )
    rows = made.figures[made.figures["view"] == "participants"].set_index("segment")
    assert rows.index.tolist() == [WHOLE, "few", "many"]
    assert rows.loc[WHOLE, "cells"] == made.release.n_cells
    assert rows.loc[WHOLE, "gdm_mean"] == odk.measure(made.release).gdm_mean
    assert (rows["s"] <= 0.3).all()
    assert told == sorted(told)
