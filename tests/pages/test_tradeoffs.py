"""Trade-offs: the figures are the engine's, a suggestion can be adopted, another algorithm is swept in the background."""

import time

import pytest
from streamlit.testing.v1 import AppTest

import odk
from odk.tradeoffs import knee
from odk.viz.theme import figure


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.query_params["area"] = "centre"
    app.query_params["resolution"] = "8"
    app.query_params["algorithm"] = "odkanon-late"
    app.switch_page("pages/tradeoffs.py")
    return app


def shown(app: AppTest):
    return next(frame.value for frame in app.dataframe if "best" in frame.value)


def test_the_current_setting_is_what_the_engine_gives(page):
    page.query_params["k"] = "12"
    page.query_params["budget"] = "7"
    page.run()
    assert not page.exception
    matrix = odk.ODMatrix.from_trips(odk.demo_survey(seed=0), 8).within(odk.CENTRE)
    release = odk.anonymise(matrix, odk.Protection(trips=12), "odkanon-late", 0.07)
    assert {m.label: m.value for m in page.metric}["G (participants) now"] == figure(odk.measure(release).g)
    assert len(shown(page)) == 11 * 11  # the usual values, and the current ones


def test_the_knee_can_be_adopted(page):
    page.run()
    found = knee(shown(page), 10)
    assert found is not None
    assert any(found.reason in text.value for text in page.markdown)
    page.button(key="adopt-knee").click().run()
    assert not page.exception
    assert page.slider(key="budget").value == round(found.budget * 100)
    assert page.button(key="adopt-knee").disabled


def test_what_was_adopted_can_be_undone_until_it_is_changed(page):
    page.query_params["budget"] = "9"
    page.query_params["population"] = "5000"
    page.run()
    assert not [b for b in page.button if b.key == "undo-tradeoffs"]
    page.button(key="adopt-knee").click().run()
    assert page.slider(key="budget").value != 9
    assert page.number_input(key="population").value is None
    assert page.button(key="undo-tradeoffs").help == "Back to population 5000.0, budget 9%."
    page.button(key="undo-tradeoffs").click().run()
    assert not page.exception
    assert (page.slider(key="budget").value, page.number_input(key="population").value) == (9, 5000)
    assert not [b for b in page.button if b.key == "undo-tradeoffs"]
    page.button(key="adopt-knee").click().run()
    page.slider(key="budget").set_value(33).run()  # the user went on: nothing to go back from
    assert not [b for b in page.button if b.key == "undo-tradeoffs"]


def test_too_few_trips_for_any_setting_have_no_charts(page):
    page.query_params["target"] = "population"
    page.run()
    assert not page.info
    page.session_state["_uploaded"] = odk.Trips.from_table(
        odk.demo_survey(seed=0).table.head(1), source="one trip", segments=[]
    )
    page.session_state["data"] = "upload"
    page.run()
    assert not page.exception
    assert any("too few trips" in box.value for box in page.info)


@pytest.mark.parametrize("target", ["population", "both", "persons"])
def test_every_target(page, target):
    page.query_params["target"] = target
    page.run()
    assert not page.exception
    assert not page.error


def test_a_k_beyond_the_data_is_told_in_words(page):
    page.query_params["k"] = "900000"
    page.run()
    assert not page.exception
    assert any("must not exceed" in text.value for text in page.markdown)


def test_another_algorithm_is_swept_in_the_background(page):
    page.query_params["algorithm"] = "oigh"
    page.run()
    assert set(shown(page)["algorithm"]) == {"ODkAnon, late suppression"}
    page.button(key="sweep").click().run()
    end = time.monotonic() + 120
    while "OIGH" not in set(shown(page)["algorithm"]):
        assert time.monotonic() < end
        time.sleep(0.3)
        page.run()
    assert not page.exception
    assert page.segmented_control(key="swept").value == "oigh"
