"""Recipes in the sidebar: the settings saved as a file, and a file taken over as the settings."""

import streamlit as st

import odk
from odk.cells import resolution
from odk.demo import CENTRE
from odk.protection import population_threshold
from odk.recipe import Data, Recipe
from pages import _rounding, _safety, _state, _undo

TOLD = "_recipe_told"
MOST = 100_000  # bytes of a recipe; a real one has two thousand


def draw() -> None:
    """Save, load, and what became of the last file."""
    told = st.session_state.get(TOLD, [])
    for kind, words in told:
        (st.error if kind == "refused" else st.success if kind == "taken" else st.info)(words)
    if told:
        _undo.offer("recipe")
    with st.popover("Recipe", icon=":material/receipt_long:", width="stretch", help="Save or load all settings."):
        st.download_button(
            "Save these settings",
            asked().to_toml().encode(),
            "odk-recipe.toml",
            "application/toml",
            icon=":material/save:",
            on_click="ignore",
            width="stretch",
            help="A text file with every setting. `python -m odk run --recipe` makes the same release of the same data.",
        )
        st.file_uploader("Load settings", type=["toml", "txt"], key="recipe", on_change=_load)


def asked() -> Recipe:
    """The settings as a recipe, without running it."""
    chosen, own, matrix = _state.settings(), _state.uploaded(), _state.matrix()
    guard = _state.protection(chosen.target)
    by_k = guard.population is not None and chosen.population is None
    demo = Data(source=_state.trips().source, demo=0)
    return Recipe(
        algorithm=chosen.algorithm,
        trips=guard.trips,
        persons=guard.persons,
        population=None if by_k else guard.population,
        population_k=chosen.k if by_k else None,
        budget=chosen.budget / 100,
        budget_in=None if chosen.budget_in == "own" else chosen.budget_in,
        options=_state.options(),
        resolution=int(resolution(matrix.origins.ids[:1])[0]) if matrix.origins.kind == "h3" else chosen.resolution,
        hierarchy=matrix.origins.kind,
        area=tuple(CENTRE) if own is None and chosen.area == "centre" else (),
        rounding=_rounding.chosen(),
        audit=st.session_state.get(_safety.OPTIONS, odk.AuditOptions()),
        data=demo if own is None else Data(source=own.source, columns=own.columns, ends=own.ends),
    )


def _load() -> None:
    file = st.session_state["recipe"]
    st.session_state[TOLD] = []
    if file is None:
        return
    try:
        if file.size > MOST:
            raise odk.InputError(f"file ({file.size:,} bytes) must be a recipe, which has at most {MOST:,}")
        recipe = Recipe.from_toml(file.getvalue().decode("utf-8", errors="replace"))
        values, notes = settings_of(recipe)
    except odk.OdkError as error:
        st.session_state[TOLD] = [("refused", f"This file was not used: {error}.")]
        return
    _undo.take("recipe", values)
    st.session_state[TOLD] = [("taken", f"Settings of {file.name} are in use."), *(("note", note) for note in notes)]


def settings_of(recipe: Recipe) -> tuple[dict[str, object], list[str]]:
    """Values of the sidebar's widgets for a recipe, and what in it has no place there; InputError where it does not fit."""
    whole = _state.whole()
    k, population = recipe.k(whole), recipe.population
    if recipe.population_k is not None and recipe.population_k != k:
        population = population_threshold(whole, recipe.population_k)
    entry = odk.algorithms.get(recipe.algorithm)
    if entry.slow:
        raise odk.InputError(f"algorithm ({recipe.algorithm}) must be a quick one; run this recipe on the command line")
    if not 6 <= recipe.resolution <= 11 or recipe.budget > 0.5:
        raise odk.InputError("resolution and budget must lie between 6 and 11, and 0 and 0.5; use the command line")
    known = dict(recipe.options)
    values = {
        "target": _target(recipe),
        "k": k,
        "population": population,
        "budget": round(100 * recipe.budget),
        "budget_in": "own" if recipe.budget_in == entry.budget_in else recipe.budget_in,
        "algorithm": recipe.algorithm,
        "resolution": recipe.resolution,
        "levels": known.pop("levels", _state.Settings.levels),
        "drift": round(100 * known.pop("drift", _state.Settings.drift / 100)),
        "effort": list(_state.EFFORT)[known.pop("effort", 0)],
        "area": "centre" if set(recipe.area) == set(CENTRE) else "whole",
        "data": "demo" if recipe.data.demo is not None else "upload",
    }
    rounding, notes = _rounding.of(recipe)
    return values | rounding | _safety.widgets(recipe.audit), [*_left_out(recipe, known), *notes]


def _target(recipe: Recipe) -> str:
    guarded = {
        name
        for name, value in (
            ("trips", recipe.trips),
            ("persons", recipe.persons),
            ("population", recipe.population or recipe.population_k),
        )
        if value is not None
    }
    targets = {
        frozenset({"trips"}): "participants",
        frozenset({"population"}): "population",
        frozenset({"trips", "population"}): "both",
        frozenset({"persons"}): "persons",
    }
    if frozenset(guarded) not in targets:
        raise odk.InputError(
            f"guards ({', '.join(sorted(guarded))}) must be a target of the sidebar; use the command line"
        )
    return targets[frozenset(guarded)]


def _left_out(recipe: Recipe, options: dict[str, object]) -> list[str]:
    """What the sidebar cannot say, in words."""
    notes = []
    if round(100 * recipe.budget) != 100 * recipe.budget:
        notes.append(f"The budget of {100 * recipe.budget:g}% was rounded to a whole per cent.")
    if recipe.segment:
        notes.append(
            f"The segment ({', '.join(recipe.segment)}) is not applied here; see Segments, or the command line."
        )
    if recipe.area and set(recipe.area) != set(CENTRE):
        notes.append("The area is not applied here: the whole data is shown.")
    default = odk.algorithms.get(recipe.algorithm).options()
    own = sorted(name for name, value in options.items() if value != getattr(default, name))
    if own:
        notes.append(f"These options have no control here and keep their defaults: {', '.join(own)}.")
    if recipe.data.demo is None:
        notes.append(
            f"It was made with {recipe.data.source or 'a file'}: choose that file above, if it is not there yet."
        )
    return notes
