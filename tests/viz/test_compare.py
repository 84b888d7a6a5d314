"""Tables and charts of several algorithms."""

import json

import pytest

import odk
from odk.outcomes import best, run, table
from odk.viz import charts_compare, tables


@pytest.fixture(scope="module")
def outcomes(small_matrix):
    names = ["odkanon-late", "twincut", "mondrian", "laplace"]
    return [run(small_matrix, odk.Protection(trips=5), name, 0.2) for name in names]


def test_the_best_is_marked_by_a_star_not_by_colour_alone(outcomes):
    made = table(outcomes)
    html = tables.marked(made, best(made)).to_html()
    assert html.count("★") >= len([key for key, names in best(made).items() if names])


def test_numbers_are_for_people():
    assert tables.times(1.04) == "1.04 ×"
    assert tables.times(float("nan")) == "–"
    assert tables.FORMATS["gdm_mean"](933.94) == "933.9 m"
    assert tables.FORMATS["s"](0.0999) == "10.0%"
    assert tables.FORMATS["s"](0.0) == "0.0%"
    assert tables.FORMATS["s"](-18.07) == "added"  # noise made trips up: not -1,807% suppressed


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_charts_ask_a_question_and_hold_both_views(outcomes, mode):
    found = {view: table(outcomes, view) for view in ("participants", "population")}
    spec = charts_compare.metrics_chart(found, ["g", "e", "s", "gdm_mean", "corridors"], mode).to_dict()
    titles = [" ".join(chart["title"]["text"]).strip() for row in spec["vconcat"] for chart in row["hconcat"]]
    assert titles[0] == "How large are the zones of a trip?"
    assert len(titles) == 5
    values = [row for data in spec["datasets"].values() for row in data]
    assert {row["view"] for row in values} == {"participants", "population"}
    assert all(row["shown"] != "–" for row in values)
    json.dumps(spec, allow_nan=False)


def test_the_bound_is_drawn_where_there_is_one(outcomes):
    spec = charts_compare.bound_chart(table(outcomes), "participants").to_dict()
    rows = {row["title"]: row for data in spec["datasets"].values() for row in data}
    assert rows["Mondrian"]["bound"] == "none is claimed"
    assert float(rows["TwinCut"]["limit"]) <= rows["TwinCut"]["g"]
