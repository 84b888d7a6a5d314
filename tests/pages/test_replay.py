"""Replay: opens, shows the step that was asked for, and both walks; playing is tested in a browser."""

import pytest
from streamlit.testing.v1 import AppTest

import odk


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.query_params["area"] = "centre"
    app.switch_page("pages/replay.py")
    return app.run()


def told(app: AppTest) -> int:
    assert any(box.label.startswith("Zones as tables") for box in app.expander)
    return app.session_state["_step"]


def matrix() -> odk.ODMatrix:
    return odk.ODMatrix.from_trips(odk.demo_survey(seed=0)).within(odk.demo.CENTRE)


def test_it_starts_with_leaves_and_shows_any_step(page):
    assert not page.exception
    assert told(page) == 0
    shown = page.session_state["_results"]
    walk = next(value for key, value in shown.items() if key[0] == "walk")
    first = walk.near(0, 1)
    assert walk.near(walk.near(first, 1), -1) == first
    assert first not in walk.steps or walk.near(first, 1) not in walk.steps  # some are between frames
    page.session_state["_step"] = first
    page.run()
    assert not page.exception
    assert told(page) == first


def test_another_walk_starts_at_its_beginning(page):
    page.session_state["_step"] = 500
    page.run()
    assert told(page) == 500
    page.segmented_control(key="walk").set_value("odkanon").run()
    assert not page.exception
    assert told(page) == 0
    walks = [value for key, value in page.session_state["_results"].items() if key[0] == "walk"]
    for walk, algorithm in zip(walks, ("odkanon-late", "odkanon"), strict=True):
        release = odk.anonymise(matrix(), odk.Protection(trips=10), algorithm=algorithm, budget=0.1)
        assert walk.stop == release.steps
        assert walk.stop in walk.steps


def test_a_refusal_is_told_in_words(page):
    page.number_input(key="k").set_value(500_000).run()
    assert not page.exception
    assert any("must not exceed" in error.value for error in page.error)
