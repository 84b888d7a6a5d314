"""Replay: step by step, to where it stops, and both walks; playing is tested in a browser."""

import pytest
from streamlit.testing.v1 import AppTest

import odk
from odk.viz.theme import count, percent
from odk.walk import Walk


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.query_params["area"] = "centre"
    app.switch_page("pages/replay.py")
    return app.run()


def told(app: AppTest) -> str:
    return next(text.value for text in app.markdown if text.value.startswith("**Step"))


def matrix() -> odk.ODMatrix:
    return odk.ODMatrix.from_trips(odk.demo_survey(seed=0)).within(odk.demo.CENTRE)


def test_it_starts_with_leaves_and_goes_merge_by_merge(page):
    assert not page.exception
    data = matrix()
    walk = Walk(data)
    assert f"of {count(walk.n_steps)}" in told(page)
    assert f"**{count(data.origins.n_leaves)} × {count(data.destinations.n_leaves)}**" in told(page)
    assert "No merge yet" in told(page)
    page.button(key="next").click().run()
    assert not page.exception
    assert "zones become one" in told(page)
    before = told(page)
    page.button(key="next").click().run()
    assert told(page) != before
    page.button(key="back").click().run()
    assert told(page) == before


def test_it_stops_where_the_algorithm_does(page):
    page.button(key="flag").click().run()
    release = odk.anonymise(matrix(), odk.Protection(trips=10), algorithm="odkanon-late", budget=0.1)
    assert f"**Step {count(release.steps)}**" in told(page)
    assert "stopped here" in told(page)
    assert f"**{percent(release.suppressed['trips'])}** would be suppressed" in told(page)
    page.segmented_control(key="walk").set_value("odkanon").run()
    assert "**Step 0**" in told(page)  # another walk, from its start
    page.button(key="flag").click().run()
    filtered = odk.anonymise(matrix(), odk.Protection(trips=10), algorithm="odkanon", budget=0.1)
    assert f"**Step {count(filtered.steps)}**" in told(page)
    assert "**0.0%** would be suppressed (0 cells)" in told(page)
    assert f"least cell **{count(filtered.minimum['trips'])} trips**" in told(page)


def test_the_scrubber_goes_anywhere(page):
    slider = page.select_slider(key="scrub")
    slider.set_value(int(slider.options[-1].replace(",", ""))).run()
    assert not page.exception
    assert "**1 × 1**" in told(page)
    assert "already stopped" in told(page)


def test_a_refusal_is_told_in_words(page):
    page.number_input(key="k").set_value(500_000).run()
    assert not page.exception
    assert any("must not exceed" in error.value for error in page.error)
