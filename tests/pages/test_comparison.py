"""The comparisons on Trade-offs: they wait for a click, run in the background, and are the engine's."""

import time

import pytest
from streamlit.testing.v1 import AppTest

import odk
from odk.comparison import in_words, privacy_utility


def wait(app: AppTest, there) -> None:
    """Run the page again until something is there."""
    end = time.monotonic() + 120
    while not there():
        assert time.monotonic() < end
        assert not app.exception
        time.sleep(0.3)
        app.run()


@pytest.fixture
def tradeoffs(app: AppTest) -> AppTest:
    app.query_params["area"] = "centre"
    app.query_params["resolution"] = "8"
    app.switch_page("pages/tradeoffs.py")
    app.run()
    return app


def test_k_against_epsilon_is_drawn_after_a_click(tradeoffs):
    def words() -> list[str]:
        return [c.value for c in tradeoffs.markdown if "wrong districts" in c.value]

    assert words() == []
    tradeoffs.button(key="privacy").click().run()
    wait(tradeoffs, words)
    assert not tradeoffs.exception
    matrix = odk.ODMatrix.from_trips(odk.demo_survey(seed=0), 8).within(odk.CENTRE)
    wanted = privacy_utility(matrix, ks=(10,), epsilons=(1.0,), by_k=("twincut",), by_epsilon=("ipf-dp",))
    said = in_words(wanted).removesuffix(".").split(": ")[1].split("; ")
    assert len(said) == 2
    assert all(part in words()[0] for part in said)
    assert tradeoffs.session_state["_jobs"] == {}


def test_the_chart_can_be_cancelled_and_asked_for_again(tradeoffs):
    tradeoffs.button(key="privacy").click().run()
    ((job, _),) = tradeoffs.session_state["_jobs"].values()
    if job.state == "running":  # else it was faster than we are
        tradeoffs.button(key="cancel-privacy-0").click().run()
        assert job.state == "cancelled"
        assert not tradeoffs.exception
        assert tradeoffs.button(key="privacy").label.startswith("Draw k against ε")
