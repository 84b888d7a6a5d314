"""The headline figures of a release: zones, least cell, what was left out, G and how far above its lower bound it is."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import odk
from odk.viz.theme import count, counted, figure, percent
from pages import _state

G_HELP = (
    "Mean generalisation error: Σ (|origin zone| + |destination zone|) × volume over all published cells, divided by "
    "the published volume; |z| counts the leaves observed in the input. 2 would be the finest. View: {view}."
)
BOUND_HELP = " Lower bound: {limit}, for releases of this kind suppressing at most {share}; it need not be reached."


def draw(target: str) -> DeltaGenerator:
    """Draw the figures of the current release of a target; `complete` fills what is returned, when all else is drawn."""
    release = _state.release(target)
    lead = release.protection.lead
    least = release.minimum
    if not release.k_anonymous:
        st.warning("This release is not k-anonymous: its values are noisy, and no threshold is kept.")
    zoned = not isinstance(release, odk.BoxRelease)
    boxes = st.columns([1.1, 1, 1, 1.2, 1.2, 1.5])
    zones = f"{count(len(release.origin_zones))} × {count(len(release.destination_zones))}" if zoned else "boxes"
    boxes[0].metric(
        "Zones",
        zones,
        f"{counted(release.n_cells, 'flow')} published",
        delta_color="off",
        delta_arrow="off",
        border=True,
        help="Origin zones × destination zones that have at least one published flow.",
    )
    _least(boxes[1], "trips", least["trips"], release.protection)
    _least(boxes[2], "persons", least["persons"], release.protection)
    _least(boxes[3], "population", least["population"], release.protection)
    boxes[4].metric(
        "Suppressed",
        percent(release.suppressed[lead]),
        f"of {'weighted trips' if lead == 'population' else 'trips'}, budget {percent(release.budget.share, 0)}",
        delta_color="off",
        delta_arrow="off",
        border=True,
        help=f"Share not published: {percent(release.suppressed['trips'])} of trips, "
        f"{percent(release.suppressed['population'])} of weighted trips (population).",
    )
    box = boxes[5].empty()
    _generalisation(box, target, _state.bound(target, wait=False))
    return box


def complete(box: DeltaGenerator, target: str) -> None:
    """Compare G with its lower bound, which takes longer than everything else on the page."""
    if _state.bound(target, wait=False) is None:
        _generalisation(box, target, _state.bound(target))


def _least(box: DeltaGenerator, name: str, value: float | None, rule: odk.Protection) -> None:
    words = {"trips": "Least trips", "persons": "Least persons", "population": "Least weighted trips"}
    guard = rule.guards.get(name)
    note = f"guarded: at least {count(guard)}" if guard is not None else "not guarded"
    if guard is None and _state.unweighted() and {name, *rule.guards} == {"trips", "population"}:
        note = "all weigh the same"  # the two measures are one, and so are their rules
    box.metric(
        words[name],
        "unknown" if value is None else count(value),
        note,
        delta_color="off",
        delta_arrow="off",
        border=True,
        help=f"Least {words[name].lower().removeprefix('least ')} in any published cell."
        + (" Weighted trips are sums of survey weights (population), not people." if name == "population" else ""),
    )


def _generalisation(box: DeltaGenerator, target: str, bound: odk.AboveLimit | None) -> None:
    view = _state.view(target)
    note, more = "comparing with the lower bound", ""
    if bound is not None and bound.ratio is None:
        note, more = "no lower bound", f" {bound.reason}."
    elif bound is not None and bound.ratio is not None:
        far = f"{percent(bound.ratio - 1, 0)} above" if bound.ratio < 2 else f"{bound.ratio:.1f} ×"
        note = f"at most {far} the lower bound"
        more = BOUND_HELP.format(limit=figure(bound.limit), share=percent(bound.suppressing))
    box.metric(
        f"G ({view})",
        figure(_state.generalisation_of(target)),
        note,
        delta_color="off",
        delta_arrow="off",
        border=True,
        help=G_HELP.format(view=view) + more,
    )
