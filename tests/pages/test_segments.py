"""Segments: the figures are the engine's, small segments are told in words, one zoning for all in the background."""

import time

import pytest
from streamlit.testing.v1 import AppTest

import odk
from pages import _segmented


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.query_params["area"] = "centre"
    app.query_params["resolution"] = "8"
    app.query_params["algorithm"] = "odkanon-late"
    app.switch_page("pages/segments.py")
    return app


def shown(app: AppTest):
    return next(frame.value for frame in app.dataframe if "harder" in frame.value).set_index("segment")


def test_every_segment_has_its_figures_and_the_whole_surveys_thresholds(page):
    page.query_params["target"] = "population"
    page.run()
    assert not page.exception
    table = shown(page)
    assert table.index.tolist() == ["whole", "F", "M"]
    survey = odk.demo_survey(seed=0)
    rule = odk.Protection.population_of(odk.ODMatrix.from_trips(survey, 8), 10)
    women = odk.ODMatrix.from_trips(survey.within(odk.CENTRE, resolution=8).where(sex="F"), 8)
    release = odk.anonymise(women, rule, "odkanon-late", 0.1)
    assert table.loc["F", "g"] == odk.measure(release, "population").g
    assert table.loc["F", "above_limit"] == odk.above_limit(release).ratio
    assert [metric.label for metric in page.metric][:2] == ["Mean distance", "Zones"]


def test_another_column(page):
    page.run()
    page.selectbox(key="segments").set_value("age").run()
    assert not page.exception
    assert len(shown(page)) == 8


def test_a_segment_that_is_too_small_is_told_in_words(page):
    page.query_params["k"] = "1500"
    page.query_params["segments"] = "profession"
    page.run()
    assert not page.exception
    assert any("must not exceed" in error.value for error in page.error)
    assert len(shown(page)) == 9


def test_one_zoning_for_all_is_found_in_the_background(page):
    page.run()
    page.button(key="common").click().run()
    end = time.monotonic() + 120
    while not any("price" in frame.value for frame in page.dataframe):
        assert time.monotonic() < end
        time.sleep(0.3)
        page.run()
    assert not page.exception
    cost = next(frame.value for frame in page.dataframe if "price" in frame.value)
    assert cost["segment"].tolist() == ["whole", "F", "M"]
    assert (cost["s_common"] <= 0.1).all()


def test_little_maps_stand_in_rows_that_are_full_where_they_can():
    assert [_segmented.across(n) for n in (0, 1, 3, 4, 5, 8, 9, 10, 16)] == [1, 1, 3, 4, 5, 4, 5, 5, 4]
