"""Audit: the verdicts are the engine's, differences are shown where they leak, and each rule has its cost."""

import pytest
from streamlit.testing.v1 import AppTest

import odk
from odk.disclosure import SegmentSet
from tests.pages.conftest import ROOT

PAGE = str(ROOT / "pages" / "audit.py")


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.query_params["area"] = "centre"  # a third of the trips
    app.query_params["resolution"] = "9"
    app.switch_page(PAGE)
    return app


def results(app: AppTest, what: str) -> list:
    return [value for key, value in app.session_state["_results"].items() if key[0] == what]


def html(app: AppTest) -> str:
    return " ".join(block.proto.body for block in app.get("html"))


def open_tab(app: AppTest, name: str) -> None:
    app.session_state["audit-tab"] = name
    app.run()
    assert not app.exception


def test_the_verdicts_are_those_of_the_engine(page):
    page.run()
    assert not page.exception
    (audit,) = results(page, "audit")
    assert audit.passed
    assert any("promised checks hold" in box.value for box in page.success)
    text = html(page)
    for check in audit.checks:
        assert check.sentence.split(";")[0] in text
    trips = odk.demo_survey().within(odk.CENTRE, resolution=9)
    release = results(page, "release")[0]
    again = odk.audit(release, trips, release.protection)
    assert audit["cross trips"].sentence == again["cross trips"].sentence
    assert audit["persons"].n_failing == again["persons"].n_failing
    # Thresholds of an area are those of the whole survey.
    whole = odk.ODMatrix.from_trips(odk.demo_survey(), resolution=9)
    assert audit["cross population"].threshold == odk.Protection.population_of(whole, 10).population
    shown = next(frame.value for frame in page.dataframe if "threshold" in frame.value)
    assert len(shown) == audit["cross persons"].n_failing


def test_a_stricter_reviewer_finds_more(page):
    page.run()
    (before,) = results(page, "audit")
    page.slider(key="a_dom").set_value(0.2).run()
    assert not page.exception
    after = results(page, "audit")[-1]
    assert after["dominance"].n_failing > before["dominance"].n_failing
    assert page.session_state["_audit_options"].dominance == 0.2


def test_all_minus_women_leaks_men_and_one_zoning_does_not(page):
    page.run()
    open_tab(page, "Between releases")
    (made,) = results(page, "segments")
    assert isinstance(made, SegmentSet)
    assert list(made.releases) == ["all", "F"]
    assert len(made.found.leaks) > 0
    shown = next(frame.value for frame in page.dataframe if "left" in frame.value)
    assert set(shown["about"]) == {"M"}
    assert (shown["left"] < 10).all()
    assert (shown["all"] - shown["segments"] == shown["left"]).all()
    assert any("gives away" in box.value for box in page.error)
    page.segmented_control(key="d_how").set_value("one common zoning").run()
    assert not page.exception
    assert not any("gives away" in box.value for box in page.error)
    shown = next(frame.value for frame in page.dataframe if "left" in frame.value)
    assert ((shown["left"] >= 10) | (shown["left"] == 0)).all()
    assert any("None of the" in box.value for box in page.success)


def test_every_rule_and_what_it_costs(page):
    page.run()
    open_tab(page, "What each rule costs")
    (table,) = results(page, "guards")
    assert table["rule"].tolist() == ["participants", "population", "both", "persons"]
    by_rule = table.set_index("rule")
    assert by_rule.loc["both", ["below_trips", "below_population"]].tolist() == [0, 0]
    assert by_rule.loc["persons", "below_persons"] == 0
    assert by_rule.loc["participants", "below_persons"] > 0
    assert by_rule.loc["both", "g_participants"] >= by_rule.loc["participants", "g_participants"]


def test_what_cannot_be_released_cannot_be_audited(page):
    page.query_params["k"] = "900000"
    page.run()
    assert not page.exception
    assert any("must not exceed" in error.value for error in page.error)
