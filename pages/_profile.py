"""The data panel below the maps: what was read, what was refused, and what the matrix looks like."""

import pandas as pd
import streamlit as st

from odk.viz.theme import count, counted, figure, percent
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
        "Persons": count(profile.persons) if profile.persons is not None else "unknown: no person column",
        "Trips per person": figure(profile.trips_per_person),
        "Sum of weights (weighted trips)": count(profile.population),
        "Mean weight of a trip": f"{profile.mean_weight:,.1f}",
    }
    pairs = {
        "Pairs of leaves with a trip": count(profile.pairs),
        "Origin leaves": count(profile.origins),
        "Destination leaves": count(profile.destinations),
        "Leaves in all": count(profile.leaves),
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
