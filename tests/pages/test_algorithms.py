"""Algorithms: every quick one is run at once, errors are rows, slow ones wait for a click."""

import time

import pytest
from streamlit.testing.v1 import AppTest

import odk
from odk.outcomes import Outcome


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.query_params["area"] = "centre"  # a third of the trips
    app.query_params["resolution"] = "8"  # and fewer leaves
    app.switch_page("pages/algorithms.py")
    return app


def outcomes(app: AppTest) -> dict[str, Outcome]:
    made = app.session_state["_results"]
    return {value.algorithm: value for key, value in made.items() if key[0] == "outcome"}


def shown(app: AppTest):
    return next(frame.value for frame in app.dataframe if "c_dm" in frame.value).set_index("algorithm")


def test_every_quick_algorithm_has_a_row_of_its_metrics(page):
    page.run()
    assert not page.exception
    quick = [name for name in odk.algorithms.names() if not odk.algorithms.get(name).slow]
    table = shown(page)
    assert table.index.tolist() == quick
    by_engine = odk.measure(outcomes(page)["twincut"].release)
    assert table.loc["twincut", "g"] == by_engine.g
    assert table.loc["twincut", "corridors"] == by_engine.planning.corridors
    page.segmented_control(key="seen").set_value("population").run()
    assert not page.exception
    assert shown(page).loc["twincut", "c_dm"] == odk.measure(outcomes(page)["twincut"].release, "population").c_dm


def test_results_are_kept_when_only_the_view_changes(page):
    page.run()
    first = outcomes(page)
    page.segmented_control(key="figures").set_value("planning").run()
    assert all(outcomes(page)[name] is outcome for name, outcome in first.items())


def test_what_cannot_be_met_is_a_row_with_its_reason(page):
    page.query_params["k"] = "900000"
    page.run()
    assert not page.exception
    assert shown(page).loc["twincut", "zoning"] == "no release"
    assert any("must not exceed" in caption.value for caption in page.caption)
    assert not page.error


def test_a_slow_algorithm_runs_in_the_background_and_joins_the_table(page):
    page.run()
    assert "glove" not in shown(page).index
    page.button(key="run-glove").click().run()
    assert not page.exception
    end = time.monotonic() + 120
    while "glove" not in shown(page).index:
        assert time.monotonic() < end
        time.sleep(0.3)
        page.run()
    assert outcomes(page)["glove"].release.matrix is outcomes(page)["twincut"].release.matrix
    assert page.session_state["_jobs"] == {}


def test_a_running_job_can_be_cancelled(page):
    page.query_params["area"] = "whole"
    page.query_params["resolution"] = "10"
    page.run(timeout=120)
    page.button(key="run-glove-sk").click().run()
    ((job, _),) = page.session_state["_jobs"].values()
    if job.state == "running":  # else it was faster than we are
        page.button(key="cancel-0").click().run()
        assert job.state == "cancelled"
    assert not page.exception
    assert "glove-sk" not in shown(page).index or job.state == "done"


@pytest.mark.parametrize("target", ["population", "both", "persons"])
def test_every_target(page, target):
    page.query_params["target"] = target
    page.run()
    assert not page.exception
    made = {name for name, outcome in outcomes(page).items() if outcome.release is not None}
    assert made >= {"odkanon", "odkanon-late", "twincut", "oigh", "atg-soft", "atg-dual", "atg-joint", "mondrian"}
