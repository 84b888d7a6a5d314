"""The current settings as a recipe, and a recipe as the settings."""

import streamlit as st

import odk
from odk.demo import CENTRE
from odk.recipe import Data, Recipe
from pages import _safety, _state


def current(rounding: odk.Rounding | None = None) -> Recipe:
    """The recipe of the chosen target's release, with the reviewer's thresholds and a rounding."""
    chosen, release, own = _state.settings(), _state.release(), _state.uploaded()
    follows = chosen.target in ("population", "both") and chosen.population is None
    more = {"population": None, "population_k": chosen.k} if follows else {}
    trips = _state.trips()
    if own is None:
        data = Data(source=trips.source, demo=0)
    else:
        data = Data(source=own.source, columns=own.columns, ends=own.ends)
    return Recipe.of(
        release,
        area=tuple(CENTRE) if own is None and chosen.area == "centre" else (),
        rounding=rounding or odk.Rounding(),
        audit=st.session_state.get(_safety.OPTIONS, odk.AuditOptions()),
        data=data,
        **more,
    )
