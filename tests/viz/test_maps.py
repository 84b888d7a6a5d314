"""Maps: the right zones, colours and window, and nothing asked from outside."""

import json

import h3
import numpy as np
import pytest

import odk
from odk.matrix import MICRO
from odk.viz import decks, maps, zones


def layer(deck, name):
    return next(item for item in json.loads(deck.to_json())["layers"] if item["id"] == name)


@pytest.mark.parametrize("axis", ["origins", "destinations"])
def test_zone_table_agrees_with_the_flows(small_release, axis):
    table = zones.zone_table(small_release, axis)
    end = "origin" if axis == "origins" else "destination"
    wanted = small_release.flows.groupby(end)[["trips", "population"]].sum()
    found = table.set_index("zone").loc[wanted.index]
    assert (found["trips"] == wanted["trips"]).all()
    assert np.allclose(found["population"], wanted["population"])
    assert sorted(table["zone"]) == getattr(small_release, f"{end}_zones")
    assert table["trips"].is_monotonic_decreasing
    assert table["trips"].sum() == small_release.trips.sum()
    assert (table["persons"] <= table["trips"]).all()
    assert table["name"].is_unique


@pytest.mark.parametrize("axis", ["origins", "destinations"])
def test_trips_the_other_way_are_those_that_end_in_the_zone(small_release, axis):
    matrix = small_release.matrix
    there = (matrix.destinations, matrix.d) if axis == "origins" else (matrix.origins, matrix.o)
    leaves = there[0].names(there[1][small_release.of_pair >= 0])
    trips = matrix.trips[small_release.of_pair >= 0].tolist()
    table = zones.zone_table(small_release, axis)
    for zone, found in zip(table["zone"], table["other_way"], strict=True):
        level = h3.get_resolution(zone)
        assert found == sum(t for leaf, t in zip(leaves, trips, strict=True) if h3.cell_to_parent(leaf, level) == zone)
    assert table["other_way"].sum() > 0


def test_failing_cells_are_those_below_the_other_rule(small_release):
    rule = odk.Protection.population_of(small_release.matrix, 5)
    low = small_release.population < rule.threshold("population")
    table = zones.failing_table(small_release, rule)
    assert 0 < low.sum() == len(table)
    assert table["reached"].is_monotonic_increasing
    assert table["population"].min() * MICRO == pytest.approx(small_release.population.min())
    assert table["reached"].iloc[0] == pytest.approx(small_release.population.min() / rule.threshold("population"))
    for axis in ("origins", "destinations"):
        assert zones.zone_table(small_release, axis, rule)["failing"].sum() == low.sum()
    assert zones.failing_table(small_release, None).empty


def test_a_map_asks_nobody_and_holds_every_zone(small_release):
    rule = odk.Protection.population_of(small_release.matrix, 5)
    table = zones.zone_table(small_release, "origins", rule)
    where = maps.window(table["lat"], table["lon"], table["trips"])
    deck = decks.zones_map(table, where, mode="dark")
    spec = json.loads(deck.to_json())
    assert spec.get("mapProvider") is None
    assert "http" not in deck.to_json()
    rows = layer(deck, "zones")["data"]
    assert sorted(row["zone"] for row in rows) == sorted(table["zone"])
    assert [row["level"] for row in rows] == sorted(row["level"] for row in rows)  # coarse below fine
    assert len(layer(deck, "failing")["data"]) == (table["failing"] > 0).sum()
    assert len(layer(decks.zones_map(table, where, most=3), "zones")["data"]) == 3


def test_window_shows_the_points_and_ignores_a_stray():
    lat, lon = np.full(1000, 48.8), np.linspace(2.0, 3.0, 1000)
    lat[0], lon[0] = 10.0, -70.0
    where = maps.window(lat, lon, width=512, height=512)
    assert where.lon == pytest.approx(2.5, abs=0.01)
    # 512 pixels show 360° at zoom 0; about 0.99° with a margin of 12% fill them at log2(360 / 1.11).
    assert where.zoom == pytest.approx(np.log2(360 / (0.99 * 1.12)), abs=0.02)
    assert where.box[0] < 1.5
    assert where.box[2] > 3.5
    assert maps.window([48.8], [2.3]).zoom == 14.0
    assert abs(maps.window([0.0, 0.0], [179.9, -179.9]).lon % 360 - 180) < 0.11
    assert maps.window([], []).zoom == 4.0


def test_breaks_and_steps():
    assert maps.breaks([[5, 5]]) == ()
    assert maps.breaks([[7, 8], [9]]) == (7.5, 8.5)
    assert maps.steps([7, 8, 9], (7.5, 8.5)).tolist() == [0, 3, 6]
    limits = maps.breaks([np.geomspace(1, 1000, 500)])
    assert len(limits) == 6
    ratio = np.diff(np.log(limits))
    assert np.allclose(ratio, ratio[0])
    assert set(maps.steps(np.geomspace(1, 1000, 500), limits)) == set(range(7))
    assert maps.steps([1.0, np.nan], ()).tolist() == [3, 3]
    skewed = np.append(np.zeros(100), np.arange(50))
    assert list(maps.breaks([skewed])) == sorted(set(maps.breaks([skewed])))


def test_names_are_escaped_in_tooltips(small_release):
    table = zones.zone_table(small_release).assign(name="<b>x</b>")
    where = maps.window(table["lat"], table["lon"])
    assert layer(decks.zones_map(table, where), "zones")["data"][0]["name"] == "&lt;b&gt;x&lt;/b&gt;"


def test_boxes_are_drawn_as_rectangles(small_matrix):
    release = odk.BoxRelease(
        matrix=small_matrix,
        protection=odk.Protection(trips=2),
        budget=odk.Budget(),
        algorithm="mondrian",
        of_pair=np.zeros(small_matrix.n_pairs, dtype=np.int64),
        trips=np.array([small_matrix.total_trips]),
        population=np.array([small_matrix.total_population]),
        boxes=np.array([[2.0, 48.0, 3.0, 49.0, 2.1, 48.1, 2.9, 48.9]]),
    )
    table = zones.zone_table(release, "destinations")
    # 0.8° x 0.8° at 48.5° north: 88.96 km x 58.9 km.
    assert table["density"].iloc[0] == pytest.approx(small_matrix.total_trips / (88.96 * 58.94), rel=0.01)
    deck = decks.zones_map(table, maps.window(table["lat"], table["lon"]))
    polygon = layer(deck, "zones")
    assert polygon["@@type"] == "PolygonLayer"
    assert polygon["data"][0]["polygon"][0] == [2.1, 48.1]


def test_words_for_those_who_cannot_see_it(small_release):
    table = zones.zone_table(small_release)
    assert maps.describe(table, "Participants").startswith(f"Participants: {len(table)} zones, levels")
    assert "no zone" in maps.describe(table.head(0), "Participants")
    html = maps.legend([np.geomspace(1, 1000, 300)], "participants", "density", fails=True)
    assert "trips per km²" in html
    assert "or less" in html
    assert "fails" in html
    assert html.count("background:") == 7
    levels = maps.legend([[7, 8], [8]], "population", "level")
    assert levels.count("background:") == 2
    assert " 7 " in levels
    assert "or less" not in levels
    assert "fails" not in levels
    assert "background:" not in maps.legend([], "population", "level")


def test_noise_is_drawn_and_fails_no_rule_because_it_keeps_none(small_matrix):
    release = odk.anonymise(small_matrix, odk.Protection(trips=5), algorithm="laplace", options={"epsilon": 2.0})
    rule = odk.Protection(trips=10_000)
    table = zones.zone_table(release, "origins", rule)
    assert table["trips"].sum() == release.trips.sum()
    assert "persons" not in table
    assert table["failing"].sum() == 0
    assert zones.failing_table(release, rule).empty
    deck = decks.zones_map(table, maps.window(table["lat"], table["lon"]))
    assert len(layer(deck, "zones")["data"]) == len(table)


def test_a_window_shows_few_zones_whole_but_not_the_continent():
    import h3

    lat, lon = [48.85, 48.87], [2.30, 2.36]
    alone = maps.window(lat, lon)
    zone = h3.latlng_to_cell(48.86, 2.33, 6)
    with_zone = maps.window(lat, lon, zones=[zone])
    assert with_zone.zoom < alone.zoom
    # A cell of level 1 is 1,000 km wide: the window grows to four times its width (1.5 on either side) and no more.
    continent = maps.window(lat, lon, zones=[h3.latlng_to_cell(48.86, 2.33, 1)], height=10_000)
    assert continent.zoom == pytest.approx(maps.window(lat, lon, height=10_000).zoom - 2, abs=0.01)


def test_of_places_far_apart_the_larger_is_shown():
    lat, lon = np.array([41.8, 41.9, 41.9, 48.8, 48.9]), np.array([-87.7, -87.6, -87.6, 2.3, 2.4])
    where = maps.window(lat, lon)
    assert where.share == 0.6
    assert where.lon == pytest.approx(-87.65)
    assert maps.window(lat, lon, [1, 1, 1, 4, 1]).lat == pytest.approx(48.85, abs=0.01)
    country = maps.window(np.linspace(42, 51, 40), np.linspace(-5, 8, 40))  # no gap in it
    assert country.share == 1
    line = maps.window([-17.0, -17.2], [179.8, -179.9])  # neighbours across the antimeridian
    assert line.share == 1
    assert line.zoom > 7
