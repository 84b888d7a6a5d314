"""A bundle contains the recipe that makes it again, byte for byte."""

import pytest

import odk
from odk.export import make_bundle


@pytest.mark.parametrize("audited", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        {"algorithm": "twincut", "trips": 10},
        {"algorithm": "odkanon", "population_k": 10, "segment": {"sex": "F"}},
        {"algorithm": "atg-joint", "trips": 10, "population_k": 10},
        {"algorithm": "mondrian", "persons": 20, "options": {"partition": "strict"}},
        {"algorithm": "common-zoning", "trips": 10, "common": {"women": {"sex": "F"}}, "part": "women"},
    ],
    ids=lambda settings: settings["algorithm"],
)
def test_a_bundle_holds_the_recipe_that_makes_it_again_byte_for_byte(demo_trips, settings, audited):
    asked = odk.Recipe(**settings, area=tuple(odk.CENTRE), audit=odk.AuditOptions() if audited else None)
    first = build(asked, demo_trips)
    recipe = odk.read_bundle(first).recipe
    assert build(odk.Recipe.from_toml(recipe.to_toml()), demo_trips) == first


def build(recipe, trips):
    made = recipe.make(trips)
    options = recipe.audit_options(made.whole)
    audit = None if options is None else odk.audit(made.release, made.trips, made.release.protection, options)
    return make_bundle(made.release, audit, recipe=recipe).to_bytes()
