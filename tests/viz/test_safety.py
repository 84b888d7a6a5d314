"""Verdicts as a list, failing cells with names, and the map of where they lie."""

import pandas as pd
import pytest

import odk
from odk.auditing import Check
from odk.guards import guard_table
from odk.viz import maps, twin
from odk.viz.guards import cost_chart, cross_table
from odk.viz.safety import (
    by_weight,
    check_value,
    failing_cells,
    failing_zones,
    short_legend,
    short_pane,
    verdict_list,
    verdict_rows,
)
from odk.viz.theme import palette

PARIS, LYON = (48.8566, 2.3522), (45.7640, 4.8357)


@pytest.fixture(scope="module")
def trips() -> odk.Trips:
    """Paris to Lyon: 6 trips of 2 persons; back: 6 trips of 6 persons."""
    rows = [(p, *PARIS, *LYON) for p in "aaabbb"] + [(p, *LYON, *PARIS) for p in "cdefgh"]
    names = ["person", "origin_lat", "origin_lon", "destination_lat", "destination_lon"]
    return odk.Trips.from_table(pd.DataFrame(rows, columns=names))


@pytest.fixture(scope="module")
def release(trips) -> odk.Release:
    return odk.anonymise(odk.ODMatrix.from_trips(trips, resolution=5), odk.Protection(trips=5), "suppression")


@pytest.fixture(scope="module")
def audit(release, trips) -> odk.Audit:
    return odk.audit(release, trips, release.protection)


def check(name: str = "x", passed: bool | None = True, guarded: bool = False, title: str = "T") -> Check:
    return Check(name=name, title=title, sentence="S.", passed=passed, guarded=guarded)


def test_what_matters_most_comes_first():
    checks = [check("ok"), check("open", None), check("advice", False), check("broken", False, True)]
    assert [c.name for c in by_weight(checks)] == ["broken", "advice", "open", "ok"]


def test_a_name_cannot_bring_markup():
    rows = verdict_rows([check(title="<script>alert(1)</script>", guarded=True)])
    html = verdict_list(rows)
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "(promised)" in html


@pytest.mark.parametrize(("name", "value", "shown"), [
    ("dominance", 0.5, "50%"), ("t-closeness origins", 0.9, "0.90"), ("cross trips", 10, "10"),
    ("cross population", 26930.2, "26,930"), ("effective sample", 4.97, "4.97"), ("persons", None, "–"),
])  # fmt: skip
def test_values_have_their_unit(name, value, shown):
    assert check_value(check(name), value) == shown


def test_failing_cells_have_names(release, audit):
    (row,) = failing_cells(release, audit["cross persons"]).to_dict(orient="records")
    assert row["from"].startswith("Paris")
    assert row["to"].startswith("Lyon")
    assert (row["value"], row["threshold"]) == (2, 5)


def test_zones_that_fail_are_counted_on_both_axes(release, audit):
    for axis, place in (("origins", "Paris"), ("destinations", "Lyon")):
        zones = failing_zones(release, audit["cross persons"], axis)
        assert zones.loc[zones["name"].str.startswith(place), "failing"].tolist() == [1]
        assert zones["failing"].sum() == 1
    # k^m with one end known fails for a zone, not a cell.
    zones = failing_zones(release, audit["k^m one end"], "origins")
    assert zones.loc[zones["name"].str.startswith("Paris"), "failing"].tolist() == [1]


def test_nothing_fails(release, audit):
    assert failing_cells(release, audit["cross trips"]).empty
    assert failing_zones(release, audit["cross trips"], "origins")["failing"].sum() == 0


def test_the_map_tells_none_from_some(release, audit):
    zones = failing_zones(release, audit["cross persons"], "origins")
    where = maps.window(zones["lat"], zones["lon"])
    (view,) = twin.scene([short_pane(zones, "Origins", "<b>")], where, library="")["views"]
    step = {name.split(",")[0]: n for name, n in zip(view["zones"]["name"], view["zones"]["step"], strict=True)}
    assert step["Paris"] == 6
    assert step["Lyon"] == 0
    assert view["ramp"][0][:3] == list(palette("light").ramp("failing")[0])
    assert not view["outlined"]  # the colour tells it
    assert not view["clicks"]
    assert "<b>" not in view["legend"]
    legend = short_legend(zones, "what <b>")
    assert "> 0</span>" in legend
    assert "> 1</span>" in legend


def test_rules_beside_each_other(release):
    wanted = odk.Protection(trips=5, persons=5)
    table = guard_table({"trips": release}, wanted)
    html = cross_table(table, wanted, "dark")
    assert "5 persons" in html
    assert "✓ 0" in html  # trips are guarded
    assert html.count("<tr>") == 3
    chart = cost_chart(table).to_dict()
    assert len(next(iter(chart["datasets"].values()))) == 2  # one rule in two views
