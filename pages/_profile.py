"""The data panel below the maps: what was read, what was refused, and what the matrix looks like."""

import h3
import pandas as pd
import streamlit as st

import odk
from odk.viz.theme import count, counted, figure, percent
from odk.zoning import leaf_resolution
from pages import _state


def draw() -> None:
    """Draw the profile of the current data."""
    trips, k = _state.trips(), _state.settings().k
    profile = _state.cached(("profile", _state.matrix().hash, k), lambda: _state.matrix().profile(k))
    left, right = st.columns(2)
    refused = sum(trips.rejected.values())
    read = {
        "Rows read": count(trips.rows),
        "Rows refused": count(refused),
        "Trips": count(profile.trips),
        _persons(trips): count(profile.persons) if profile.persons is not None else "unknown: no person column",
        "Trips per person": figure(profile.trips_per_person),
        "Sum of weights (weighted trips)": count(profile.population),
        "Mean weight of a trip": f"{profile.mean_weight:,.1f}",
        "Start times": _times(trips),
    }
    pairs = {
        "Finest zones (leaves)": _leaf(),
        "Leaves in all": count(profile.leaves),
        "Origin leaves": count(profile.origins),
        "Destination leaves": count(profile.destinations),
        "Pairs of leaves with a trip": count(profile.pairs),
        "Density: pairs over all possible": percent(profile.density, 3),
        f"Pairs that already hold {k} trips": percent(profile.pairs_at_k, 2),
        "Trips in such pairs": percent(profile.volume_at_k, 2),
    }
    for column, facts in ((left, read), (right, pairs)):
        table = pd.DataFrame({"": list(facts), "value": list(facts.values())})
        column.dataframe(table, hide_index=True, width="stretch", height="content")
    if refused:
        st.markdown(f"**{counted(refused, 'row')} refused**, by reason; the first of each as they stand in the file:")
        for reason, number in trips.rejected.items():
            with st.expander(f"{counted(number, 'row')}: {reason}"):
                st.dataframe(trips.rejected_rows[reason], hide_index=True)
    elif trips.rows:
        st.caption("No row was refused.")
    if trips.warnings:
        kept = "; ".join(f"{what}: {count(number)}" for what, number in trips.warnings.items())
        st.caption(f"Kept although something optional lacks: {kept}.")


def _persons(trips: odk.Trips) -> str:
    """What the persons of a file are told apart by."""
    column = trips.columns.get("person", "person")
    return "Persons" if column == "person" or not trips.has_person else f"Persons (told apart by {column})"


def _times(trips: odk.Trips) -> str:
    if "start_time" not in trips.table.columns or trips.table["start_time"].isna().all():
        return "none"
    times = trips.table["start_time"]
    return f"{times.min():%Y-%m-%d} to {times.max():%Y-%m-%d}"


def _leaf() -> str:
    """What the finest zones are."""
    tree = _state.matrix().origins
    if tree.kind != "h3":
        return "zones of the second table"
    level = leaf_resolution(_state.matrix())
    return f"H3 level {level}, {h3.average_hexagon_area(level, 'km^2'):.2g} km²"
