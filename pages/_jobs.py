"""Long work in the background: started from a page, kept by the session, seen and cancelled from any page that shows it.

A job belongs to one session: nobody else sees it or its result, and it ends with the session (odk.background).
"""

from collections.abc import Hashable, Mapping
from typing import Any

import streamlit as st

from odk.background import Job
from odk.viz.theme import count


def start(function: str, arguments: Mapping[str, Any], *, key: Hashable, label: str) -> Job:
    """Run "module:name" with these arguments in the background; a job of this key that runs already is kept.

    The function is also given `progress`. `label` is what people read beside the progress bar.
    """
    jobs = st.session_state.setdefault("_jobs", {})
    known = find(key)
    if known is None or known.state != "running":
        jobs[key] = (Job(function, arguments), label)
    return jobs[key][0]


def find(key: Hashable) -> Job | None:
    """The session's job of a key, running or over; None where none was started or it was forgotten."""
    found = st.session_state.get("_jobs", {}).get(key)
    return None if found is None else found[0]


def forget(key: Hashable) -> None:
    """Drop a job, and end it if it runs."""
    job, _ = st.session_state.get("_jobs", {}).pop(key, (None, ""))
    if job is not None:
        job.cancel()


def running() -> list[Hashable]:
    """Keys of the session's jobs that run."""
    return [key for key, (job, _) in st.session_state.get("_jobs", {}).items() if job.state == "running"]


def watch(*keys: Hashable, name: str = "cancel") -> None:
    """Show the progress of those jobs that run, each with a button to cancel; the page is run again when one ends.

    A page that watches at several places gives each a `name` of its own.
    """
    waiting = [key for key in keys if (job := find(key)) is not None and job.state == "running"]
    if waiting:
        _watch(tuple(waiting), name)


@st.fragment(run_every=0.5)
def _watch(keys: tuple[Hashable, ...], name: str) -> None:
    ended = False
    for number, key in enumerate(keys):
        found = st.session_state.get("_jobs", {}).get(key)
        if found is None or found[0].state != "running":
            ended = True
            continue
        job, label = found
        share, message = job.progress
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(min(max(share, 0.0), 1.0), f"{label}: {message} ({count(job.seconds)} s)")
            st.button("Cancel", key=f"{name}-{number}", on_click=forget, args=(key,), icon=":material/close:")
    if ended:
        st.rerun()
