"""The scene of the twin map: plain values, one scale and camera for all, nothing that asks an outside host."""

import json

import numpy as np
import pytest

import odk
from odk.viz import maps, twin
from odk.viz.zones import zone_table


def pane(table, name="participants", **more):
    return twin.Pane(id=name, title=name, zones=table, values=table["trips"], view=name, **more)


@pytest.fixture(scope="module")
def tables(small_matrix):
    rules = (odk.Protection(trips=5), odk.Protection.population_of(small_matrix, 5))
    return [zone_table(odk.anonymise(small_matrix, r, budget=0.2), "origins", rules[1]) for r in rules]


@pytest.fixture(scope="module")
def where(tables):
    return maps.window(tables[0]["lat"], tables[0]["lon"], tables[0]["trips"])


def scene(tables, where, **more):
    panes = [pane(t, n, **more) for t, n in zip(tables, ("participants", "population"), strict=True)]
    return twin.scene(panes, where, limits=maps.breaks([t["trips"] for t in tables]), library="/app/static/deck.js")


def test_a_scene_is_json_that_names_no_host(tables, where):
    text = json.dumps(scene(tables, where), allow_nan=False)
    assert "http" not in text
    found = json.loads(text)
    for view, table in zip(found["views"], tables, strict=True):
        zones = view["zones"]
        assert sorted(zones["zone"]) == sorted(table["zone"])
        assert zones["level"] == sorted(zones["level"])  # coarse below fine
        row = table.set_index("zone").loc[zones["zone"][0]]
        figures = {label: values[0] for label, values in zones["figures"]}
        assert figures["trips"] == row["trips"]
        assert figures["persons"] == row["persons"]
        assert figures["weighted trips (population)"] == pytest.approx(row["population"], abs=0.1)
        assert zones["failing"][0] == row["failing"]


def test_equal_values_have_equal_steps_on_all_maps(tables, where):
    steps = {}
    for view, table in zip(scene(tables, where)["views"], tables, strict=True):
        trips = table.set_index("zone")["trips"]
        for zone, step in zip(view["zones"]["zone"], view["zones"]["step"], strict=True):
            assert steps.setdefault(int(trips[zone]), step) == step
    assert len(set(steps.values())) > 3


def test_a_choice_changes_no_version_so_that_zones_are_not_drawn_anew(tables, where):
    before = [view["version"] for view in scene(tables, where)["views"]]
    chosen = scene(tables, where, selected=(tables[0]["zone"].iloc[0],))
    assert [view["version"] for view in chosen["views"]] == before
    other = twin.scene([pane(tables[0])], where, limits=(3.0,), library="")
    assert other["views"][0]["version"] != before[0]


def test_marks_stay_with_their_zones(tables, where):
    marks = np.arange(len(tables[0])) % 3 - 1
    view = twin.scene([pane(tables[0], marks=marks)], where, limits=(), library="")["views"][0]["zones"]
    wanted = dict(zip(tables[0]["zone"], marks.tolist(), strict=True))
    assert view["mark"] == [wanted[zone] for zone in view["zone"]]


def test_more_zones_and_arcs_than_a_browser_likes_are_left_out(small_release, tables, where):
    from odk.viz.flows import flow_table, flows_of

    table = tables[0]
    flows = flows_of(flow_table(small_release), table["zone"].iloc[0], "origins")
    view = twin.scene([pane(table, flows=flows)], where, limits=(), library="", most=4)["views"][0]
    assert sorted(view["zones"]["zone"]) == sorted(table["zone"].head(4))  # the largest
    assert 0 < len(view["flows"]) == len(flows)
    assert [arc[4] for arc in view["flows"]] == flows["volume"].tolist()
    many = flows.iloc[[0] * (twin.MOST_ARCS + 5)]
    assert (
        len(twin.scene([pane(table, flows=many)], where, limits=(), library="")["views"][0]["flows"]) == twin.MOST_ARCS
    )


def test_boxes_and_zones_of_no_grid_have_a_place(small_matrix, where):
    boxes = zone_table(odk.anonymise(small_matrix, odk.Protection(trips=5), algorithm="mondrian"))
    view = twin.scene([pane(boxes)], where, limits=(), library="")["views"][0]["zones"]
    west, south, east, north = view["box"][0]
    assert west < east
    assert south < north
    plain = boxes.drop(columns=["west", "south", "east", "north"])
    view = twin.scene([pane(plain)], where, limits=(), library="")["views"][0]["zones"]
    assert view["at"][0] == [pytest.approx(plain["lon"].iloc[0]), pytest.approx(plain["lat"].iloc[0])]


def test_an_outside_host_is_named_only_where_the_user_asked(tables, where):
    assert scene(tables, where)["tiles"] is None
    asked = twin.scene([pane(tables[0])], where, limits=(), library="", online=True)
    assert asked["tiles"]["url"].startswith("https://")
    assert "OpenStreetMap" in asked["tiles"]["credit"]
    assert asked["views"][0]["ramp"][0][3] < 200  # what lies below is seen


def test_maps_of_one_scene_may_have_scales_of_their_own(tables, where):
    own = pane(tables[1], "population", limits=(1e9,), clicks=False, outlined=False)
    plain, other = twin.scene([pane(tables[0]), own], where, limits=(3.0,), library="", height=300)["views"]
    assert set(other["zones"]["step"]) == {0}  # nothing reaches its own limit
    assert set(plain["zones"]["step"]) == {6}  # all have more than three trips
    assert (plain["clicks"], plain["outlined"]) == (True, True)
    assert (other["clicks"], other["outlined"]) == (False, False)


def test_zones_of_no_known_place_are_left_out(tables, where):
    lost = tables[0].assign(level=-1)
    lost.loc[0, ["lat", "lon"]] = np.nan
    view = twin.scene([pane(lost)], where, library="")["views"][0]["zones"]
    assert sorted(view["zone"]) == sorted(lost["zone"].iloc[1:])
    assert len(view["at"]) == len(view["step"]) == len(lost) - 1


def test_boxes_are_seen_through_each_other(small_matrix, tables, where):
    boxes = zone_table(odk.anonymise(small_matrix, odk.Protection(trips=5), algorithm="mondrian"))
    over, plain = twin.scene([pane(boxes), pane(tables[0])], where, library="")["views"]
    assert over["ramp"][0][3] < 100 < plain["ramp"][0][3]
    assert over["line"]
    assert plain["line"] is None
