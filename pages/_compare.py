"""Outcomes of all algorithms under the current settings: quick ones at once, slow ones in the background."""

from collections.abc import Hashable
from typing import Any

import pandas as pd
import streamlit as st

import odk
from odk.glossary import TERMS
from odk.outcomes import Outcome, run
from pages import _jobs, _state

RUN = "odk.outcomes:run"


def arguments(name: str) -> dict[str, Any]:
    """What an algorithm is run with: the chosen data, target, budget and options."""
    chosen = _state.settings()
    return {
        "matrix": _state.matrix(),
        "protection": _state.protection(chosen.target),
        "algorithm": name,
        "budget": chosen.budget / 100,
        "budget_in": None if chosen.budget_in == "own" else chosen.budget_in,
        "options": _state.options(name),
        "mean_weight": _state.whole().mean_weight,
    }


def key(name: str) -> Hashable:
    """Names an outcome by all that it depends on."""
    given = arguments(name)
    return ("outcome", given.pop("matrix").hash, *(str(value) for value in given.values()))


def quick() -> list[str]:
    """Algorithms that are run at once."""
    return [name for name in odk.algorithms.names() if not odk.algorithms.get(name).slow]


def slow() -> list[str]:
    """Algorithms that are run in the background."""
    return [name for name in odk.algorithms.names() if odk.algorithms.get(name).slow]


def outcomes() -> list[Outcome]:
    """Outcomes that are there, in the order of the registry; quick ones that are not are run first, with progress.

    Whoever stops them sees what is there; the rest is run when asked again, or when a setting changes.
    """
    collect()
    todo = [name for name in quick() if not _state.known(key(name))]
    stopped = st.session_state.get("_stopped") == key("")
    if todo and not stopped:
        place = st.empty()
        for done, name in enumerate(todo):
            with place.container(horizontal=True, vertical_alignment="center"):
                title = odk.algorithms.get(name).title
                st.progress(done / len(todo), f"{title}: {done + 1} of {len(todo)} algorithms that are quick")
                st.button("Stop", key=f"stop-{name}", on_click=_stop, args=(key(""),), icon=":material/close:")
            _state.cached(key(name), lambda name=name: run(**arguments(name)))
        place.empty()
    elif todo:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"Stopped: {len(todo)} algorithms were not run.", width="content")
            st.button("Run the rest", key="resume", on_click=_stop, args=(None,))
    return [_state.cached(key(n), _never) for n in odk.algorithms.names() if _state.known(key(n))]


def _stop(at: Hashable) -> None:
    st.session_state["_stopped"] = at


def _never() -> Outcome:
    raise AssertionError("the outcome is known")


def collect() -> None:
    """Take over what jobs have finished."""
    for name in slow():
        job = _jobs.find(key(name))
        if job is not None and job.state not in ("running", "cancelled"):
            _jobs.forget(key(name))  # first: a job that failed must not meet every later visit
            made: Outcome = job.result
            _state.cached(key(name), lambda made=made: made.on(_state.matrix()))


def refused(found: list[Outcome]) -> None:
    """Say quietly which algorithms could not meet the budget or the protection, and by how much."""
    words = [f"**{outcome.entry.title}**: {outcome.error}." for outcome in found if outcome.error]
    if words:
        st.caption(f"No release from {'  '.join(words)}")


def offer() -> None:
    """Buttons for the slow ones that have not been run, and the progress of those that are running."""
    left = [name for name in slow() if not _state.known(key(name)) and key(name) not in _jobs.running()]
    if left:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("These take longer and run in the background:", width="content")
            for name in left:
                entry = odk.algorithms.get(name)
                st.button(entry.title, key=f"run-{name}", on_click=_start, args=(name,), help=entry.summary)
    _jobs.watch(*(key(name) for name in slow()))


def _start(name: str) -> None:
    _jobs.start(RUN, arguments(name), key=key(name), label=odk.algorithms.get(name).title)


def zoning(outcome: Outcome) -> str:
    """Whether one set of zones serves all flows."""
    if outcome.release is None:
        return "no release"
    return "one for all" if outcome.release.homogeneous else "boxes" if outcome.entry.kind == "boxes" else "differ"


def explain(found: list[Outcome]) -> None:
    """What does not apply, and why, and what was decided on the way, as a table."""
    rows = [(f"**{outcome.entry.title}**", _misses(outcome), _notes(outcome)) for outcome in found]
    rows = [row for row in rows if row[1] or row[2]]
    if not rows:
        st.markdown("Every metric applies to every algorithm.")
        return
    heads = ["algorithm", "what does not apply", "to know"]
    st.table(pd.DataFrame(rows, columns=heads), hide_index=True, border="horizontal")


def _misses(outcome: Outcome) -> str:
    if outcome.error:
        return f"No release: {outcome.error}."
    parts = [f"Not compared, as {outcome.not_compared}."] if outcome.not_compared else []
    why: dict[str, list[str]] = {}
    for metric, reason in outcome.reasons.items():
        why.setdefault(reason, []).append(TERMS[metric].short if metric in TERMS else metric)
    return " ".join([*parts, *(f"No {', '.join(names)}: {reason}." for reason, names in why.items())])


def _notes(outcome: Outcome) -> str:
    notes = outcome.release.notes if outcome.release is not None else ()
    symbol = [not note.split()[0].isalpha() or not note.isascii() for note in notes]  # v_target and λ stay small
    starts = [note[0] if small else note[0].upper() for note, small in zip(notes, symbol, strict=True)]
    return " ".join(f"{start}{note[1:].rstrip('.')}." for start, note in zip(starts, notes, strict=True))
