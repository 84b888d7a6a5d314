"""The headline figures of a release: zones, least cell, and what was left out."""

import streamlit as st

import odk
from odk.viz.theme import count, counted, percent
from pages import _state


def draw(target: str) -> None:
    """Draw the figures of the current release of a target."""
    release = _state.release(target)
    lead = release.protection.lead
    least = release.minimum
    if not release.k_anonymous:
        st.warning("This release is not k-anonymous: its values are noisy, and no threshold is kept.")
    zoned = not isinstance(release, odk.BoxRelease)
    boxes = st.columns(5)
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


def _least(box: st.delta_generator.DeltaGenerator, name: str, value: float | None, rule: odk.Protection) -> None:
    words = {"trips": "Least trips", "persons": "Least persons", "population": "Least weighted trips"}
    guard = rule.guards.get(name)
    note = f"guarded: at least {count(guard)}" if guard is not None else "not guarded"
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
