"""Charts of a sweep."""

import json

import pandas as pd
import pytest

from odk.tradeoffs import frontier, sweep
from odk.viz.charts_tradeoffs import PICK, _inks, frontier_chart, heat_map


@pytest.fixture(scope="module")
def table(small_matrix):
    found = sweep(small_matrix, ks=(3, 5, 500), budgets=(0.0, 0.1, 0.2))  # there are only 400 trips
    return found.assign(best=frontier(found))


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_point_can_be_picked_by_its_k_and_budget(table, mode):
    for chart in (heat_map(table, (5, 0.1), (5, 0.0), mode), frontier_chart(table, (5, 0.1), mode)):
        spec = chart.to_dict()
        (param,) = [p for p in spec["params"] if p["name"] == PICK]
        assert param["select"]["fields"] == ["k", "percent"]
        json.dumps(spec, allow_nan=False)  # what gave no release is left out


def test_the_current_setting_is_framed(table):
    spec = heat_map(table, (5, 0.1), None).to_dict()
    assert len(spec["layer"]) == 3
    frame = spec["layer"][-1]
    (row,) = spec["datasets"][frame["data"]["name"]]
    assert (row["k"], row["percent"]) == (5, 10)


def test_numbers_stand_out_from_their_cells():
    pale, deep = (200, 220, 240), (8, 48, 107)
    assert _inks(pd.Series([1.0, 1000.0]), [pale, deep]) == ["#000000", "#ffffff"]
    assert _inks(pd.Series([5.0, 5.0]), [pale, deep]) == ["#000000", "#000000"]
