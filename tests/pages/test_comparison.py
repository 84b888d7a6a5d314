"""The comparisons on Trade-offs and Reproduce: they wait for a click, run in the background, and are the engine's."""

import time

import pytest
from streamlit.testing.v1 import AppTest

import odk
from odk.comparison import in_words, privacy_utility

ENDS = ["origin_lat", "origin_lon", "destination_lat", "destination_lon"]


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


@pytest.fixture
def reproduce(app: AppTest) -> AppTest:
    app.query_params["resolution"] = "7"
    app.switch_page("pages/reproduce.py")
    app.run()
    return app


def show(app: AppTest, part: str) -> None:
    app.segmented_control(key="part-False").set_value(part).run()
    assert not app.exception


def test_mondrian_stands_beside_ipf_and_the_published_figures(reproduce):
    show(reproduce, "Mondrian against IPF")
    reproduce.button(key="thesis").click().run()
    wait(reproduce, lambda: any(m.label == "k met by strict Mondrian" for m in reproduce.metric))
    figures = {m.label: (m.value, m.delta) for m in reproduce.metric}
    assert figures["k met by strict Mondrian"] == ("5 of 5", "published: 0 of 5")
    said = [text.value for text in reproduce.markdown]
    assert [n for n in range(11, 24) if any(text.startswith(f"**Table {n}.") for text in said)] == [
        11,
        12,
        13,
        17,
        19,
        23,
    ]
    reproduce.segmented_control(key="ipf-epsilon").set_value("0.2").run()
    assert not reproduce.exception
    noisy = next(frame.value for frame in reproduce.dataframe if "Priorn" in frame.value)
    assert noisy["Average S_pMSE, published"].tolist() == [177.64, 175.18, 167.76, 163.58]


def test_solvers_stand_beside_the_published_ones(reproduce):
    show(reproduce, "ATG's solvers")
    reproduce.button(key="solvers").click().run()
    wait(reproduce, lambda: any("G, published" in frame.value for frame in reproduce.dataframe))
    assert not reproduce.exception
    three, four = (frame.value for frame in reproduce.dataframe if "G, published" in frame.value)
    matrix = odk.ODMatrix.from_trips(odk.demo_survey(seed=0), 7)
    wanted = odk.measure(odk.anonymise(matrix, odk.Protection(trips=10), "atg-dual", 0.1)).g
    assert four.set_index("solver").loc["atg-dual", "G"] == wanted
    assert three.set_index("solver").loc["glove", "G, published"] == 18.70
    reproduce.segmented_control(key="extent").set_value("full").run()
    assert "all solvers" in reproduce.button(key="solvers").label


def test_data_without_a_sensitive_column_is_told_in_words(app):
    app.switch_page("pages/reproduce.py")
    app.run()
    bare = odk.Trips.from_table(odk.demo_survey(seed=0).table[ENDS].head(500), segments=[])
    app.session_state["_uploaded"] = bare
    app.session_state["data"] = "upload"
    show(app, "Mondrian against IPF")
    app.button(key="thesis").click().run()
    wait(app, lambda: app.error)
    assert "must have a segment column with two values" in app.error[0].value
    app.run()
    assert app.error, "the refusal stays to be read"
    assert app.button(key="thesis")
