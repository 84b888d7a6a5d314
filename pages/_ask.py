"""Work that waits for a click: a button, then its progress, then the result, kept by the session."""

from collections.abc import Hashable, Mapping
from typing import Any

import streamlit as st

from pages import _frame, _jobs, _state


def ask(function: str, arguments: Mapping[str, Any], *, name: str, key: Hashable, label: str) -> Any:
    """The result of "module:name" with these arguments once it is there; until then None, and a button that starts it.

    `name` is the button's key, `key` names all that the result depends on; `label` is what people read, in
    parentheses what it costs.
    """
    job = _jobs.find(key)
    if job is not None and job.state not in ("running", "cancelled"):
        if job.state != "refused":  # a refusal stays to be read until the work is asked for again
            _jobs.forget(key)
        with _frame.refusals():
            result = job.result
            _state.cached(key, lambda: result)
    if _state.known(key):
        return _state.cached(key, dict)
    if key not in _jobs.running():
        with st.container(horizontal=True, vertical_alignment="center"):
            more = {"key": key, "label": label.split(" (")[0]}
            st.button(label, key=name, on_click=_jobs.start, args=(function, arguments), kwargs=more)
            st.caption("Runs in the background; the other pages can be used meanwhile.", width="content")
    _jobs.watch(key, name=f"cancel-{name}")
    return None
