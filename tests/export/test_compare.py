"""Two bundles side by side: what differs, and what subtracting one from the other gives away."""

import pytest

import odk
from odk.export import compare, make_bundle
from tests.audit.towns import FAR, NEAR, NORTH, SOUTH, people, survey
from tests.export.towns import at_level

SETTINGS = {"algorithm": "suppression", "trips": 10, "resolution": 7}


def trips():
    """NORTH-SOUTH: 12 women and 4 men; SOUTH-NORTH: 11 women and 15 men; FAR-NORTH: 14 men."""
    return survey(
        (NORTH, SOUTH, people(16)),
        (SOUTH, NORTH, people(26)),
        (FAR, NORTH, people(14)),
        sex=["F"] * 12 + ["M"] * 4 + ["F"] * 11 + ["M"] * 15 + ["M"] * 14,
    )


def bundle(**more):
    recipe = odk.Recipe(**{**SETTINGS, **more})
    return make_bundle(recipe.run(trips()), recipe=recipe)


def test_all_minus_women_gives_the_few_men_away():
    found = compare(bundle(), bundle(segment={"sex": "F"}))
    assert found.passed is False
    leaks = found.differencing.leaks
    assert leaks[["origin", "destination", "about", "value"]].to_dict(orient="records") == [
        {"origin": NORTH, "destination": SOUTH, "about": "sex = any other", "value": 4.0}
    ]
    assert found.settings["setting"].tolist() == ["data.fingerprint", "selection.segment.sex"]
    assert "gives away" in found.sentence or "give away" in found.sentence


def test_the_common_zoning_gives_nothing_away():
    common = {"algorithm": "common-zoning", "common": {"women": {"sex": "F"}, "men": {"sex": "M"}}, "budget": 0.5}
    bundles = [bundle(**common, part=part) for part in ("all", "women", "men")]
    for a in bundles:
        for b in bundles:
            if a is not b:
                assert compare(a, b).passed is True


def test_women_and_men_have_no_trip_in_common():
    found = compare(bundle(segment={"sex": "F"}), bundle(segment={"sex": "M"}))
    assert found.passed is True
    assert found.differencing.checked == 0


def test_two_zonings_of_the_same_data():
    # leaves: NORTH-SOUTH 16, SOUTH-NORTH 26, FAR-NORTH 14. Level 6: NEAR-NEAR 42, FAR's parent-NEAR 14: nothing is left over.
    fine, coarse = bundle(), make_bundle(at_level(trips(), odk.Protection(trips=10), 6))
    found = compare(fine, coarse)
    assert found.passed is True
    assert found.zones.set_index("side").loc["origins"].to_dict() == {
        "in both": 0, "only in a": 3, "only in b": 2, "finer in a": 3, "finer in b": 0,
    }  # fmt: skip
    # with k = 15 FAR-NORTH is not published; with k = 10 at level 6 it is 14: no leaf of it was published, nothing subtracts
    strict = compare(bundle(trips=15), coarse)
    assert strict.passed is True
    # but NEAR-NEAR 42 less NORTH-SOUTH 16 and SOUTH-NORTH 26 is 0; with k = 20 the 16 are found
    assert compare(bundle(trips=20), make_bundle(at_level(trips(), odk.Protection(trips=20), 6))).passed is False


def test_an_area_lies_in_the_whole():
    found = compare(bundle(), bundle(area=(NEAR,)))
    assert found.passed is True
    assert any("different areas" in note for note in found.notes)
    assert compare(bundle(area=(NEAR,)), bundle()).passed is True


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda: bundle(rounding=odk.Rounding(trips=5)), "Rounded"),
        (lambda: bundle(data=odk.recipe.Data(source="another survey")), "different data"),
    ],
)
def test_what_cannot_be_subtracted_is_said(other, words):
    found = compare(bundle(), other())
    assert found.passed is None
    assert words in found.sentence
    assert found.sentence.startswith("Not subtracted")


def test_metrics_stand_side_by_side():
    found = compare(bundle(), bundle(trips=15)).metrics.set_index("metric")
    assert found.loc["c_avg", ["a", "b"]].tolist() == [1.87, 1.4]  # 56 / 3 / 10 and 42 / 2 / 15
