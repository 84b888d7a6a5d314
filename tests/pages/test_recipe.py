"""Recipes in the sidebar: what is saved makes the same release, and what is loaded becomes the settings."""

from dataclasses import fields

import pytest
from streamlit.testing.v1 import AppTest

import odk
from odk.demo import CENTRE
from odk.recipe import Recipe


@pytest.fixture
def recipe_of(monkeypatch: pytest.MonkeyPatch):
    """Run the app and return the recipe that its sidebar offers."""
    offered = []
    write = Recipe.to_toml

    def note(self: Recipe) -> str:
        offered.append(self)
        return write(self)

    monkeypatch.setattr(Recipe, "to_toml", note)

    def run(app: AppTest) -> Recipe:
        app.run()
        assert not app.exception
        return offered[-1]

    return run


def load(app: AppTest, recipe: Recipe | str) -> AppTest:
    text = recipe if isinstance(recipe, str) else recipe.to_toml()
    app.file_uploader(key="recipe").set_value(("own.toml", text.encode(), "application/toml")).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("target", ["participants", "population", "both", "persons"])
def test_what_is_saved_makes_the_release_that_is_shown(app, recipe_of, target):
    for name, value in {"area": "centre", "resolution": "8", "target": target, "k": "12", "budget": "7"}.items():
        app.query_params[name] = value
    recipe = recipe_of(app)
    made = recipe.run(odk.demo_survey(seed=0))
    rule = made.protection
    shown = next(v for key, v in app.session_state["_results"].items() if key[0] == "release" and v.protection == rule)
    assert made.flows.equals(shown.flows)
    assert recipe.area == tuple(sorted(CENTRE))


def test_what_is_loaded_is_saved_again_as_it_was(app, recipe_of):
    wanted = Recipe(
        algorithm="odkanon",
        trips=14,
        population_k=14,
        budget=0.2,
        options={"levels": 2, "drift": 0.05},
        resolution=8,
        area=tuple(CENTRE),
        rounding=odk.Rounding(trips=5, population=1_000),
        audit=odk.AuditOptions(dominance=0.3, sensitive=("sex",), k_m=7),
        data=odk.recipe.Data(source="demo survey (synthetic)", demo=0),
    )
    app.query_params["resolution"] = "8"
    recipe_of(app)
    load(app, wanted)
    found = recipe_of(app)
    assert {f.name: getattr(found, f.name) for f in fields(Recipe)} == {
        f.name: getattr(wanted, f.name) for f in fields(Recipe)
    }
    assert any("Settings of own.toml are in use" in box.value for box in app.success)
    assert app.selectbox(key="target").value == "both"


def test_a_loaded_recipe_can_be_undone(app, recipe_of):
    for name, value in {"area": "centre", "resolution": "8", "k": "12", "budget": "7"}.items():
        app.query_params[name] = value
    before = recipe_of(app)
    audit = odk.AuditOptions(dominance=0.3, k_m=7)
    load(app, Recipe(algorithm="odkanon", trips=14, resolution=8, audit=audit, data=odk.recipe.Data(demo=0)))
    assert recipe_of(app) != before
    app.button(key="undo-recipe").click()
    assert recipe_of(app) == before
    assert not [b for b in app.button if b.key == "undo-recipe"]


def test_an_own_population_threshold_comes_along(app, recipe_of):
    app.query_params["resolution"] = "8"
    recipe_of(app)
    load(app, Recipe(population=50_000.0, data=odk.recipe.Data(demo=0)))
    assert app.selectbox(key="target").value == "population"
    assert app.number_input(key="population").value == 50_000.0
    assert recipe_of(app).population == 50_000.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("apples = 3", "was not used"),
        ("not toml at all [", "was not used"),
        (Recipe(trips=5, persons=5, data=odk.recipe.Data(demo=0)), "must be a target of the sidebar"),
        (Recipe(trips=5, algorithm="glove-sk", data=odk.recipe.Data(demo=0)), "must be a quick one"),
        (Recipe(trips=5, budget=0.9, data=odk.recipe.Data(demo=0)), "use the command line"),
    ],
)
def test_what_does_not_fit_changes_nothing(app, recipe_of, text, words):
    app.query_params["resolution"] = "8"
    before = recipe_of(app)
    load(app, text)
    assert any(words in error.value for error in app.error)
    assert recipe_of(app) == before


def test_what_has_no_control_is_said(app, recipe_of):
    app.query_params["resolution"] = "8"
    recipe_of(app)
    more = {"options": {"partition": "strict"}, "rounding": odk.Rounding(trips=3)}
    recipe = Recipe(trips=5, budget=0.125, segment={"sex": "F"}, algorithm="mondrian", **more)
    load(app, recipe)
    told = " ".join(box.value for box in app.info)
    for words in ("rounded", "segment (sex)", "partition", "choose that file", "trips to 3"):
        assert words in told
