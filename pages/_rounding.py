"""Rounding of what is published: chosen on the Release page, kept by the session and by recipes."""

import streamlit as st

import odk
from odk.recipe import Recipe
from pages import _state

BASES = {"trips": [5, 10, 50], "persons": [5, 10, 50], "population": [100, 1_000, 10_000]}
EXACT = "exact"


def _key(measure: str) -> str:
    return f"round_{measure}"


def chosen() -> odk.Rounding:
    """The base that each guarded measure is rounded to."""
    guards = _state.protection(_state.settings().target).guards
    bases = {measure: st.session_state.get(_key(measure), EXACT) for measure in guards}
    return odk.Rounding(**{m: base for m, base in bases.items() if base != EXACT and base <= guards[m]})


def ask() -> None:
    """Ask for the base of each guarded measure."""
    for measure, threshold in _state.protection(_state.settings().target).guards.items():
        bases = [base for base in BASES[measure] if base <= threshold]
        if st.session_state.get(_key(measure), EXACT) not in (EXACT, *bases):
            st.session_state[_key(measure)] = EXACT
        st.segmented_control(
            f"Round {'weighted trips' if measure == 'population' else measure} to",
            [EXACT, *bases],
            key=_key(measure),
            default=EXACT,
            required=True,
            format_func=lambda base: base if base == EXACT else f"{base:,}",
            persist_state="session",
            help="Applied after all checks, never below the threshold, and stated in the bundle.",
        )


def of(recipe: Recipe) -> tuple[dict[str, object], list[str]]:
    """The widgets' values for a recipe, and what is not offered here."""
    given = {measure: getattr(recipe.rounding, measure) for measure in BASES}
    values: dict[str, object] = {_key(m): int(base) if base in BASES[m] else EXACT for m, base in given.items()}
    odd = [f"{m} to {base:,g}" for m, base in given.items() if base is not None and base not in BASES[m]]
    return values, [f"Rounding of {', '.join(odd)} is not offered here: nothing is rounded."] if odd else []
