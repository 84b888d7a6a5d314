"""What a reviewer can tell from bundles alone, on numbers that can be checked by hand."""

import pandas as pd
import pytest

import odk
from odk.export import make_bundle
from odk.recipe import Data, Recipe
from odk.review import bundle_zones, compare_bundles, relation_of, said, unsaid, verify_with_trips, would_fail

PARIS, LYON, LILLE = (48.8566, 2.3522), (45.7640, 4.8357), (50.6292, 3.0573)
NAMES = ["origin_lat", "origin_lon", "destination_lat", "destination_lon", "sex", "person"]


@pytest.fixture(scope="module")
def trips() -> odk.Trips:
    """Paris to Lyon: 5 women and 2 men; Lyon to Paris: 4 women and 4 men; Paris to Lille: 6 women, no man."""
    rows = [(*PARIS, *LYON, sex) for sex in "FFFFFMM"]
    rows += [(*LYON, *PARIS, sex) for sex in "FFFFMMMM"]
    rows += [(*PARIS, *LILLE, "F")] * 6
    table = pd.DataFrame([(*row, i) for i, row in enumerate(rows)], columns=NAMES)
    return odk.Trips.from_table(table, segments=["sex"])


def bundle_of(trips: odk.Trips, guard: odk.Protection, **segment: str) -> odk.Bundle:
    chosen = trips.where(**segment) if segment else trips
    release = odk.anonymise(odk.ODMatrix.from_trips(chosen, 5), guard, "suppression")
    recipe = Recipe.of(release, segment={k: (v,) for k, v in segment.items()}, data=Data(source="town"))
    return make_bundle(release, recipe=recipe)


@pytest.fixture(scope="module")
def everyone(trips) -> odk.Bundle:
    return bundle_of(trips, odk.Protection(trips=3))


@pytest.fixture(scope="module")
def women(trips) -> odk.Bundle:
    return bundle_of(trips, odk.Protection(trips=3), sex="F")


def test_another_rule(everyone):
    assert not would_fail(everyone, {"trips": 6}).bad.any()
    found = would_fail(everyone, {"trips": 8})  # flows of 6, 7 and 8
    assert found.cells["trips"].tolist() == [6, 7]
    assert found.share == {"trips": pytest.approx(13 / 21)}
    with pytest.raises(odk.InputError, match="must be of a measure that the bundle publishes"):
        would_fail(everyone, {"persons": 3})


def test_zones_are_those_of_the_bundle(everyone):
    found = would_fail(everyone, {"trips": 8})
    origins = bundle_zones(everyone, "origins", found.bad).set_index("name")
    assert origins["trips"].tolist() == [13, 8]
    assert origins["flows"].tolist() == [2, 1]
    assert origins["failing"].tolist() == [2, 0]
    assert origins.index[0].startswith("Paris")
    assert "persons" not in origins
    assert "population" not in origins


def test_boxes_have_their_sides(trips):
    release = odk.anonymise(odk.ODMatrix.from_trips(trips, 5), odk.Protection(trips=3), "mondrian")
    zones = bundle_zones(make_bundle(release), "destinations")
    assert {"west", "south", "east", "north"} <= set(zones.columns)
    assert zones["trips"].sum() == 21


def test_what_is_said_and_what_is_not(everyone):
    assert dict(said(everyone))["flows.csv"] == "3 flows: origin, destination, trips"
    names = [what for what, _ in unsaid(everyone)]
    assert names[:2] == ["Persons", "Weighted trips"]


@pytest.mark.parametrize("swap", [False, True])
def test_all_and_women_give_away_two_men(everyone, women, swap):
    pair = (women, everyone) if swap else (everyone, women)
    assert relation_of(*pair) == ("part of" if swap else "whole of")
    found = compare_bundles(*pair)
    (leak,) = found.differencing.leaks.to_dict(orient="records")
    assert (leak["value"], leak["threshold"], leak["about"]) == (2, 3, "sex = any other")
    assert found.shared == {"origins": (2, 2, 2), "destinations": (3, 3, 3)}
    rows = found.figures.set_index("figure")
    assert rows.loc["segment"].tolist() == (["sex = F", "all"] if swap else ["all", "sex = F"])
    assert rows.loc["least trips"].tolist() == ([4, 6] if swap else [6, 4])


def test_nothing_is_subtracted_where_no_trip_is_shared(everyone, women, trips):
    men = bundle_of(trips, odk.Protection(trips=3), sex="M")
    assert relation_of(women, men) == "apart"
    assert compare_bundles(women, men).differencing.passed
    assert relation_of(everyone, everyone) == "same"
    assert compare_bundles(everyone, everyone).differencing.passed
    with pytest.raises(odk.InputError, match="relation"):
        compare_bundles(everyone, women, "cousins")


def test_other_measures_and_rounding_are_noted(trips, everyone):
    people = bundle_of(trips, odk.Protection(persons=3), sex="F")
    assert any("no common measure" in note for note in compare_bundles(everyone, people).notes)
    release = odk.anonymise(odk.ODMatrix.from_trips(trips, 5), odk.Protection(trips=3), "suppression")
    rounded = make_bundle(release, rounding=2)
    assert any("Rounded" in note for note in compare_bundles(everyone, rounded).notes)
    boxes = make_bundle(odk.anonymise(odk.ODMatrix.from_trips(trips, 5), odk.Protection(trips=3), "mondrian"))
    found = compare_bundles(everyone, boxes)
    assert found.differencing is None
    assert any("boxes" in note for note in found.notes)


def test_the_data_confirms_it(everyone, trips):
    heard = []
    found = verify_with_trips(everyone.to_bytes(), trips, progress=lambda share, words: heard.append(share))
    assert found.passed
    assert found.audit is not None
    assert heard
