"""Explore: what the figures say, and that each control reaches them."""

import h3
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import odk
from odk.viz.theme import count, figure


def figures(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


@pytest.fixture
def small_trips() -> odk.Trips:
    """Thirty trips within a town."""
    rng = np.random.default_rng(1)
    ends = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")
    table = pd.DataFrame(dict(zip(ends, (48.8, 2.3, 48.8, 2.3), strict=True)), index=range(30))
    return odk.Trips.from_table(table + rng.normal(0, 0.01, table.shape))


def released(app: AppTest) -> list[odk.Release]:
    """The releases that the session made."""
    made = app.session_state["_results"]
    return [value for key, value in made.items() if key[0] == "release"]


def test_the_first_sight_is_a_map_of_many_zones(app):
    app.run()
    assert not app.exception
    shown = figures(app)
    origins, destinations = shown["Zones"].split(" × ")
    assert int(origins) > 20
    assert int(destinations) > 20
    assert shown["Least trips"] == "10"
    assert float(shown["Suppressed"].rstrip("%")) <= 10
    assert any("synthetic data" in badge.value for badge in app.markdown)


def test_figures_are_those_of_the_engine(app):
    app.run()
    release = odk.anonymise(
        odk.ODMatrix.from_trips(odk.demo_survey(seed=0)), odk.Protection(trips=10), budget=0.1, options={"effort": 0}
    )
    shown = figures(app)
    assert shown["Zones"] == f"{len(release.origin_zones)} × {len(release.destination_zones)}"
    assert shown["G (participants)"] == figure(odk.measure(release).g)
    far = next(metric.delta for metric in app.metric if metric.label == "G (participants)")
    ratio = odk.above_limit(release).ratio
    assert 1.0 < ratio < 2.0  # from twice the bound on, the page says how many times
    assert far == f"at most {100 * (ratio - 1):.0f}% above the lower bound"
    assert shown["Least persons"] == count(release.minimum["persons"])
    assert shown["Least weighted trips"] == count(release.minimum["population"])


def test_k_moves_the_figures_and_both_thresholds(app):
    app.run()
    before = figures(app)
    mean = odk.ODMatrix.from_trips(odk.demo_survey(seed=0)).mean_weight
    app.slider(key="k_slider").set_value(40).run()
    assert not app.exception
    assert app.number_input(key="k").value == 40
    assert app.number_input(key="population").placeholder == count(40 * mean)
    assert figures(app)["Least trips"] != before["Least trips"]
    assert int(figures(app)["Least trips"]) >= 40
    app.number_input(key="k").set_value(250).run()
    assert app.slider(key="k_slider").value == 100  # as far as it goes
    assert int(figures(app)["Least trips"]) >= 250


def test_an_own_population_threshold_holds_until_k_moves(app):
    app.run()
    app.number_input(key="population").set_value(50_000.0).run()
    assert any(r.protection == odk.Protection(population=50_000.0) for r in released(app))
    assert figures(app)["Least trips"] == "10"  # the participants' map keeps its k
    app.slider(key="k_slider").set_value(12).run()
    assert app.number_input(key="population").value is None


@pytest.mark.parametrize(
    ("target", "label", "least"), [("persons", "Least persons", 10), ("population", "Least weighted trips", 20_000)]
)
def test_the_target_picks_what_the_headline_tells(app, target, label, least):
    app.run()
    app.selectbox(key="target").set_value(target).run()
    assert not app.exception
    assert int(figures(app)[label].replace(",", "")) >= least


def test_a_link_brings_the_settings(app):
    for name, value in {"k": "25", "budget": "5", "area": "centre", "axis": "destinations"}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert app.slider(key="k_slider").value == 25
    assert app.slider(key="budget").value == 5
    by_trips = next(r for r in released(app) if r.protection == odk.Protection(trips=25))
    assert by_trips.budget.share == 0.05
    assert by_trips.matrix.total_trips < 40_000


def test_the_same_settings_are_computed_once(app):
    app.run()
    first = {r.protection: r for r in released(app)}
    assert len(first) == 2
    app.slider(key="k_slider").set_value(11).run()
    app.slider(key="k_slider").set_value(10).run()
    again = {r.protection: r for r in released(app)}
    assert all(again[rule] is made for rule, made in first.items())


def test_a_refusal_is_told_in_words_and_the_rest_stays(app):
    app.run()
    app.number_input(key="k").set_value(500_000).run()  # more than there are trips
    assert not app.exception
    assert any("must not exceed" in error.value for error in app.error)
    app.segmented_control(key="show").set_value("data").run()
    assert any("81,291" in str(frame.value) for frame in app.dataframe)  # the data can still be looked at
    app.number_input(key="k").set_value(10).run()
    assert not app.error
    assert figures(app)["Least trips"] == "10"


def test_listed_cells_fail_the_other_rule(app):
    app.query_params["show"] = "fails"
    app.run()
    tables = [frame.value for frame in app.dataframe if "reached" in frame.value]
    assert len(tables) == 2
    by_participants, by_population = tables
    assert (by_participants["trips"] >= 10).all()
    assert (by_population["trips"] < 10).all()
    assert isinstance(by_population, pd.DataFrame)
    assert len(by_participants) > 0
    assert len(by_population) > 0


def picked(app: AppTest, zone: str) -> AppTest:
    """The app as after a click on a zone of a map."""
    app.session_state["_picked"] = {"view": "participants", "zone": zone}
    return app.run()


def test_a_chosen_zone_tells_its_measures_and_why_it_is_this_coarse(app):
    app.query_params["area"] = "centre"
    app.run()
    release = next(r for r in released(app) if r.protection == odk.Protection(trips=10))
    zone = release.flows.groupby("origin")["trips"].sum().idxmax()
    picked(app, zone)
    assert not app.exception
    trips = release.flows.groupby("origin")["trips"].sum().max()
    told = [caption.value for caption in app.caption if f"{count(trips)} trips" in caption.value]
    assert len(told) == 1
    why = odk.why_coarse(release, "origins", zone)
    assert f"into its {len(why.children)} parts" in told[0]
    assert zone not in told[0]  # names, not numbers
    flows = [frame.value for frame in app.dataframe if "way" in frame.value]
    assert (flows[0]["way"] == "out").sum() == (release.flows["origin"] == zone).sum()
    assert set(flows[0].loc[flows[0]["way"] == "out", "origin"]) == {zone}


def test_a_choice_that_is_no_zone_any_more_is_looked_up_again(app):
    app.query_params["area"] = "centre"
    app.run()
    release = next(r for r in released(app) if r.protection == odk.Protection(trips=10))
    finest = max(release.origin_zones, key=h3.get_resolution)
    picked(app, h3.cell_to_center_child(finest, 15))  # lies within a zone
    assert any("way" in frame.value and len(frame.value) for frame in app.dataframe)
    picked(app, "8f2a1072b000000")  # nowhere near
    assert not app.exception
    assert any("Click a zone" in caption.value for caption in app.caption)


def test_why_is_told_only_where_one_set_of_zones_serves_all(app):
    for name, value in {"area": "centre", "algorithm": "atg-soft"}.items():
        app.query_params[name] = value
    app.run()
    release = next(r for r in released(app) if r.protection == odk.Protection(trips=10))
    picked(app, release.origin_zones[0])
    assert not app.exception
    assert any("where one set of zones serves all flows" in caption.value for caption in app.caption)


def test_the_matrix_shows_published_flows_only(app):
    for name, value in {"area": "centre", "show": "matrix"}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    release = next(r for r in released(app) if r.protection == odk.Protection(trips=10))
    assert any(f"of {count(release.n_cells)} published" in caption.value for caption in app.caption)
    for algorithm, words in (("mondrian", "no table of zones"), ("laplace", "published")):
        app.selectbox(key="algorithm").set_value(algorithm).run()
        assert not app.exception
        assert any(words in text.value for text in [*app.caption, *app.info])


@pytest.mark.parametrize("show", ["map", "zones", "data"])
def test_thirty_trips_are_shown_too(app, show, small_trips):
    app.query_params["show"] = show
    app.query_params["data"] = "upload"
    app.session_state["_uploaded"] = small_trips
    app.run()
    assert not app.exception
    assert int(figures(app)["Least trips"]) >= 10


@pytest.mark.parametrize("algorithm", ["mondrian", "laplace", "atg-soft"])
def test_a_figure_that_zones_do_not_have_is_no_error(app, algorithm):
    for name, value in {"area": "centre", "algorithm": algorithm, "colour": "size: leaves observed"}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert app.selectbox(key="colour").value == "leaves"
