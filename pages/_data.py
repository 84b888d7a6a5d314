"""The data panel of the sidebar: the demo survey, or an upload with its column mapping and what was refused."""

from typing import Any

import streamlit as st

import odk
from odk.columns import CELLS, POINTS
from odk.readers.generic import Preview, preview_columns
from odk.viz.theme import counted
from pages import _state

NONE = "–"
LABELS = {
    "person": "Person",
    "origin_lat": "Origin latitude",
    "origin_lon": "Origin longitude",
    "destination_lat": "Destination latitude",
    "destination_lon": "Destination longitude",
    "origin": "Origin cell (H3)",
    "destination": "Destination cell (H3)",
    "weight": "Weight",
    "start_time": "Start time",
}


def draw() -> None:
    """Choose the data; a file that cannot be read says why, and what was shown before stays."""
    st.segmented_control(
        "Data",
        ["demo", "upload"],
        key="data",
        default="demo",
        required=True,
        bind="query-params",
        width="stretch",
    )
    if st.session_state["data"] != "upload":
        return
    file = st.file_uploader(
        "Trips: CSV or Parquet, plain or compressed",
        key="file",
        help="One row a trip, with coordinates or H3 cells at both ends. It stays in this session, on this machine.",
    )
    refusal = st.container()
    if file is not None:
        try:
            st.session_state["_uploaded"] = _read(file)
        except odk.OdkError as error:
            refusal.error(f"This file was not used. {error}", icon=":material/block:")
    own = _state.uploaded()
    if own is None:
        st.info("Showing the demo survey until a file is read.", icon=":material/info:")
    else:
        refused = sum(own.rejected.values())
        st.caption(f"**{own.source}**: {counted(len(own), 'trip')}, {counted(refused, 'row')} refused.")


def _read(file: Any) -> odk.Trips:
    preview = _state.cached(("preview", file.file_id), lambda: preview_columns(file))
    found = preview.guessed.keys()
    complete = preview.format is not None or {*POINTS} <= found or {*CELLS} <= found
    with st.expander("Columns of the file", expanded=not complete):
        mapping = _mapping(preview, file.file_id)
        st.dataframe(preview.rows, hide_index=True, height=150)
    if not any(all(mapping[end] for end in ends) for ends in (POINTS, CELLS)):
        raise odk.InputError(
            f"Choose below which of its columns ({', '.join(preview.names)}) hold the ends of a trip: "
            "latitudes and longitudes, or H3 cells."
        )
    key = ("trips", file.file_id, tuple(mapping.items()))
    with st.spinner("Reading"):
        trips = _state.cached(key, lambda: odk.read_trips(file, columns=mapping))
        _state.matrix_of(trips)  # what cannot be counted is refused here, before it replaces what is shown
    return trips


def _mapping(preview: Preview, file_id: str) -> dict[str, str | None]:
    """One choice a target; guessed names are chosen already."""
    names = [NONE, *preview.names]
    chosen: dict[str, str | None] = {}
    for target, label in LABELS.items():
        guess = preview.guessed.get(target, NONE)
        picked = st.selectbox(label, names, names.index(guess), key=f"column-{target}-{file_id}")
        chosen[target] = None if picked == NONE else picked
    return chosen
