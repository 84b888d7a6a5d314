"""The walk that Replay shows: computed once per session for the data and settings, and where in it we are."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st

import odk
from odk.replay import curve, frames, real_merges
from odk.viz.film import Film
from odk.viz.film import film as make_film
from odk.walk import Walk
from pages import _state

Which = Literal["odkanon-late", "odkanon"]


@dataclass(frozen=True, eq=False)
class Shown:
    """A walk with what is known of it in advance."""

    walk: Walk
    protection: odk.Protection
    budget: float
    stop: int
    steps: list[int]
    """Frames, ascending."""
    merges: np.ndarray
    """Steps at which several zones became one."""
    curve: pd.DataFrame

    def near(self, step: int, by: int) -> int:
        """The next merge that can be seen (by=1), or the last one before (by=-1)."""
        at = int(np.searchsorted(self.merges, step, side="right" if by > 0 else "left")) + (0 if by > 0 else -1)
        return int(self.merges[min(max(at, 0), len(self.merges) - 1)]) if len(self.merges) else step

    def frame_at(self, step: int) -> int:
        """The last frame up to a step."""
        return max(s for s in self.steps if s <= step)


def film(which: Which) -> Film:
    """The walk as the browser plays it."""
    found = shown(which)
    given = (found.walk, found.protection, found.steps, found.stop, found.curve)
    return _state.cached(("film", *_key(which)), lambda: make_film(*given))


def go(walk: Shown, step: int, by: int) -> None:
    """Show a step (by=0), or the merge after it (1) or before it (-1)."""
    st.session_state["_step"] = walk.near(step, by) if by else step
    st.session_state["_asked"] = st.session_state.get("_asked", 0) + 1


def shown(which: Which) -> Shown:
    """The walk of an algorithm under the current settings; OdkError where it finds no release."""
    return _state.cached(_key(which), lambda: _make(which))


def _key(which: Which) -> tuple[Hashable, ...]:
    chosen = _state.settings()
    rule = _state.protection(chosen.target)
    return ("walk", which, _state.matrix().hash, rule, chosen.budget, chosen.budget_in, chosen.levels, chosen.drift)


def _make(which: Which) -> Shown:
    chosen, matrix = _state.settings(), _state.matrix()
    rule = _state.protection(chosen.target)
    release = odk.anonymise(
        matrix,
        rule,
        algorithm=which,
        budget=chosen.budget / 100,
        budget_in=None if chosen.budget_in == "own" else chosen.budget_in,
        options=_state.options(which),
    )
    # ODkAnon drops pairs first and walks over what is left; the late one walks over everything.
    kept = matrix if which == "odkanon-late" or not release.suppressed_pairs else matrix.subset(release.of_pair >= 0)
    walk = Walk(kept, lead=rule.lead, drift=chosen.drift / 100)
    stop = release.steps or 0
    steps = frames(walk, also=[stop])
    budget = chosen.budget / 100 if which == "odkanon-late" else 0.0
    return Shown(walk, rule, budget, stop, steps, real_merges(walk), curve(walk, rule, steps))


def step(walk: Shown, which: Which) -> int:
    """The step that is shown; another walk starts at its beginning."""
    if st.session_state.get("_walk") != _key(which):
        st.session_state["_walk"] = _key(which)
        st.session_state["_step"] = 0
    return min(int(st.session_state.get("_step", 0)), walk.walk.n_steps)
