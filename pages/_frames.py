"""One frame of Replay: controls, figures, the two maps, and the curves with the place that is shown."""

import time

import streamlit as st

from odk.replay import merged_since, safe_share
from odk.viz import replay, twin
from odk.viz.theme import MEASURE_LABEL, count, counted, percent, rule
from odk.walk import WalkStep
from pages import _frame, _state, _twin, _walk

PACE = 0.45  # seconds from frame to frame
MOST = 10_000  # zones drawn on each map
OUTLINED = 400  # of those that merged; more would hide the map


def go(step: int | None) -> None:
    """Show a step; None: play from here, or from the start where the end is reached."""
    st.session_state["_playing"] = step is None
    if step is not None:
        st.session_state["_step"] = step


def stage() -> None:
    """Everything that changes from frame to frame; runs alone while it plays."""
    which = st.session_state["walk"]
    shown = _walk.shown(which)
    step = _walk.step(shown, which)
    playing = st.session_state.get("_playing", False)
    dragged = st.session_state.get("scrub")
    # Looked at here and not in a callback: the browser repeats what a slider was even when it is shown no more.
    if not playing and dragged in shown.steps and dragged != st.session_state.get("_scrubbed", dragged):
        step = st.session_state["_step"] = dragged
    if playing and time.monotonic() - st.session_state.get("_ticked", 0.0) > PACE / 2:
        if step == shown.walk.n_steps:
            step = 0  # play again
        step = st.session_state["_step"] = shown.frame_after(step) or step
        st.session_state["_ticked"] = time.monotonic()
    if playing != st.session_state["_paced"] or (playing and step == shown.walk.n_steps):
        st.session_state["_playing"] = playing and step < shown.walk.n_steps
        st.rerun()  # the pace of a fragment is set by a run of the whole page
    controls(shown, step, playing)
    at = shown.walk.at(step, shown.protection)
    figures(shown, at)
    stop = (f"{which} stops", shown.stop)
    place = shown.frame_at(step)
    curves = replay.curves(shown.curve, place, shown.protection, shown.budget, stop, _frame.mode())
    maps(shown, at, curves)


def controls(shown: _walk.Shown, step: int, playing: bool) -> None:
    """Play, step by step, and the scrubber."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        label, icon = ("Stop", ":material/stop:") if playing else ("Play", ":material/play_arrow:")
        st.button(label, icon=icon, type="primary", on_click=go, args=(step if playing else None,), key="play")
        for label, icon, by in (("Back", ":material/skip_previous:", -1), ("Next", ":material/skip_next:", 1)):
            st.button(label, icon=icon, on_click=go, args=(shown.near(step, by),), key=label.lower())
        st.button("To its end", icon=":material/flag:", on_click=go, args=(shown.stop,), key="flag")
        if playing:  # nobody drags a slider that moves by itself
            st.progress(shown.steps.index(step) / max(1, len(shown.steps) - 1))
            return
        st.session_state["scrub"] = st.session_state["_scrubbed"] = shown.frame_at(step)
        look = {"format_func": lambda s: f"{s:,}", "label_visibility": "collapsed"}
        st.select_slider("Merges made", shown.steps, key="scrub", **look)


def figures(shown: _walk.Shown, at: WalkStep) -> None:
    """The state in figures, and the merge in words."""
    lead = shown.protection.lead
    if at.merged is None or at.axis is None:
        last = "No merge yet: every zone is a leaf."
    else:
        tree = shown.walk.trees[0 if at.axis == "origins" else 1]
        last = replay.merge_words(tree, at.merged, at.group, at.axis)
    nouns = {"trips": "trip", "persons": "person", "population": "weighted trip"}
    least = ", ".join(counted(round(at.minimum[m] or 0), nouns[m]) for m in shown.protection.guards)
    state = "stopped here" if at.step == shown.stop else "already stopped" if at.step > shown.stop else "goes on"
    st.markdown(
        f"**Step {count(at.step)}** of {count(shown.walk.n_steps)} ({state}) · **{count(len(at.o_cut))} × "
        f"{count(len(at.d_cut))}** zones · least cell **{least}** · **{percent(at.suppressed[lead])}** would be suppressed "
        f"({count(at.failing)} cells)  \n:gray[{last}]"
    )


def maps(shown: _walk.Shown, at: WalkStep, curves: str) -> None:
    """Origins and destinations, coloured by how much of each zone is safe already; what just merged is outlined."""
    lead, mode = shown.protection.lead, _frame.mode()
    view = _state.view(_state.settings().target)
    fresh = merged_since(shown.walk, shown.frame_before(at.step), at.step)
    legend = replay.legend(view, mode)
    panes = []
    for tree, zones, axis in zip(
        shown.walk.trees, safe_share(shown.walk, shown.protection, at.step), fresh, strict=True
    ):
        table = replay.step_table(tree, zones, lead, MOST)
        table["percent"] = (100 * table["safe"]).round()
        drawn = f"{count(len(zones))} zones" + (f", the {count(MOST)} largest drawn" if len(zones) > MOST else "")
        panes.append(
            twin.Pane(
                id=axis,
                title=f"{axis.capitalize()}:",
                note=drawn,
                zones=table,
                values=table["safe"],
                view=view,
                ramp=replay.ramp(view, mode),
                rule=f"Rule: {rule(shown.protection)}",
                alt=f"{axis.capitalize()} after {count(at.step)} merges: {drawn}.",
                legend=legend,
                clicks=False,
                fresh=tuple(tree.names(fresh[axis])) if len(fresh[axis]) <= OUTLINED else (),
                rings=((float(tree.lon[at.merged]), float(tree.lat[at.merged])),) if at.axis == axis else (),
                words={
                    lead: MEASURE_LABEL[lead],
                    "percent": "% of them in flows that reach the rule",
                    "leaves": "leaves",
                },
            )
        )
    if not _twin.show(panes, _state.window(), "replay-map", limits=replay.LIMITS, least=300, foot=curves):
        for pane, column in zip(panes, st.columns(2), strict=True):
            column.dataframe(pane.zones[["name", lead, "percent", "leaves"]], hide_index=True, height=260)
