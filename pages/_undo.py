"""Settings taken over by a click, and the way back: the last ones of each kind are kept until they are changed by hand."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

KEPT = "_undo"
LASTING = ("k", "population", "budget", "target", "algorithm")  # controls that every page shows: the others may be gone


def take(kind: str, values: Mapping[str, Any]) -> None:
    """Make these the widgets' values, and remember what they were; call it before the widgets are drawn."""
    before = {name: st.session_state[name] for name in values if name in st.session_state}
    st.session_state.setdefault(KEPT, {})[kind] = (before, dict(values))  # what had no value is absent
    st.session_state.update(values)


def offer(kind: str) -> None:
    """A button that gives back what was before, as long as what was taken over is still what is set."""
    before, taken = st.session_state.get(KEPT, {}).get(kind, ({}, {}))
    held = [name for name in LASTING if name in taken]
    if not held or any(st.session_state.get(name) != taken[name] for name in held):
        return
    was = ", ".join(
        f"{'k =' if name == 'k' else name} {before[name]}{'%' if name == 'budget' else ''}"
        for name in held
        if before.get(name) is not None and before[name] != taken[name]
    )
    st.button(
        "Undo",
        key=f"undo-{kind}",
        on_click=back,
        args=(kind,),
        icon=":material/undo:",
        help=f"Back to {was or 'what was'}.",
    )


def back(kind: str) -> None:
    """Give back what was before."""
    before, taken = st.session_state[KEPT].pop(kind)
    for name in taken:
        if name in before:
            st.session_state[name] = before[name]
        else:
            st.session_state.pop(name, None)
