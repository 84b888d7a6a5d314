"""The walk that Replay shows: computed once per session for the data and settings, and where in it we are."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st

import odk
from odk.replay import curve, frames, real_merges
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

    def frame_after(self, step: int) -> int | None:
        """The next frame, None after the last."""
        return next((s for s in self.steps if s > step), None)

    def frame_before(self, step: int) -> int:
        """The frame before a step; the step itself at the start."""
        return next((s for s in reversed(self.steps) if s < step), step)


def shown(which: Which) -> Shown:
    """The walk of an algorithm under the current settings; OdkError where it finds no release."""
    return _state.cached(_key(which), lambda: _make(which))


def _key(which: Which) -> Hashable:
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
        st.session_state["_playing"] = False
    return min(int(st.session_state.get("_step", 0)), walk.walk.n_steps)
