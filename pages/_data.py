"""The data panel of the sidebar: the demo survey, or an upload with its column mapping and what was refused."""

from typing import Any

import numpy as np
import streamlit as st

import odk
from odk.columns import CELLS, POINTS, names_vehicle
from odk.readers import netmob25, zoned
from odk.readers.generic import Preview, preview_columns
from odk.viz.names import exchanged
from odk.viz.theme import count, counted, percent
from pages import _profile, _state

NONE = "–"
LABELS = {
    "origin_lat": "Origin latitude",
    "origin_lon": "Origin longitude",
    "destination_lat": "Destination latitude",
    "destination_lon": "Destination longitude",
    "origin": "Origin cell or zone",
    "destination": "Destination cell or zone",
    "person": "Person",
    "weight": "Weight",
    "start_time": "Start time",
}
HELP = {
    "person": "Who made the trip, by any code. Without it, persons cannot be guarded.",
    "weight": "How many trips of the population the trip stands for. Without it, every trip counts 1.",
    "start_time": "Parts the trips by time of day and of week on the page Segments.",
}
SECOND = (
    "For trips between zones that are no H3 cells: the zones, with columns zone, lat, lon and, where they lie within "
    "others, parent (New York: LocationID, lat, lon). For NetMob25: individuals_dataset.csv, with trips that were cut before."
)
NETMOB = "NetMob25"
MANY = 0.01  # a larger share of refused rows is a warning


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
    if st.session_state["data"] == "upload":
        _upload()
    if st.button("About the data", icon=":material/table_view:", width="stretch", help="Profile and refused rows."):
        _about()


@st.dialog("About the data", width="large")
def _about() -> None:
    _profile.draw()


def _upload() -> None:
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
        words = "Showing the demo survey until a file is read. A file is kept for one visit: after a reload, choose it again."
        st.info(words, icon=":material/info:")
        return
    refused = sum(own.rejected.values())
    words = f"**{own.source}**: {counted(len(own), 'trip')}, {counted(refused, 'row')} refused."
    if refused > MANY * own.rows:
        why = "; ".join(f"{reason}: {count(n)}" for reason, n in own.rejected.items())
        st.warning(f"{words[:-1]} ({percent(refused / own.rows)}). {why}.", icon=":material/rule:")
        words = ""
    st.caption(f"{words} {_persons(own)}")
    if file is not None:
        _warn_exchanged(own, file.file_id)


def _persons(own: odk.Trips) -> str:
    """What stands for the person, where that is not plain."""
    if not own.has_person:
        return "No person column: persons cannot be guarded."
    column = own.columns.get("person", "person")
    return f"Persons are told apart by {column}: vehicles, not people." if names_vehicle(column) else ""


def _warn_exchanged(own: odk.Trips, file_id: str) -> None:
    """Trips in the middle of nowhere that would lie in a town with latitude and longitude exchanged."""
    if own.ends != "points":
        return
    ends = own.table["origin_lat"], own.table["origin_lon"]
    place = _state.cached(("exchanged", own.fingerprint), lambda: exchanged(*ends))
    if place is None:
        return
    st.warning(
        f"These trips lie far from any town; with latitude and longitude exchanged they lie near {place}.",
        icon=":material/wrong_location:",
    )
    st.button("Exchange them", on_click=_exchange, args=(file_id,), icon=":material/swap_horiz:", width="stretch")


def _exchange(file_id: str) -> None:
    for end in CELLS:
        lat, lon = (f"column-{end}_{short}-{file_id}" for short in ("lat", "lon"))
        st.session_state[lat], st.session_state[lon] = st.session_state[lon], st.session_state[lat]


def _read(file: Any) -> odk.Trips:
    preview = _state.cached(("preview", file.file_id), lambda: preview_columns(file))
    found = preview.guessed.keys()
    complete = preview.format is not None or {*POINTS} <= found or {*CELLS} <= found
    with st.expander("Columns of the file", expanded=not complete):
        if preview.format is not None:
            st.caption(f"Known by its columns: {preview.format}. The ends are found in it.")
        mapping = _mapping(preview, file.file_id)
        further = st.container()
        st.dataframe(preview.rows, hide_index=True, height=150)
        table = st.file_uploader("Second table, if the trips need one", key=f"table-{file.file_id}", help=SECOND)
    if table is None and preview.format is None:
        _check_ends(mapping)
    key = ("trips", file.file_id, tuple(mapping.items()), table and table.file_id)
    with st.spinner("Reading"):
        trips = _state.cached(key, lambda: _trips(file, table, mapping, None))
        chosen = _segments(further, preview, trips, f"{file.file_id}-{table and table.file_id}")
        if chosen != trips.segments:
            trips = _state.cached((*key, tuple(chosen)), lambda: _trips(file, table, mapping, chosen))
        _state.matrix_of(trips)  # what cannot be counted is refused here, before it replaces what is shown
    return trips


def _trips(file: Any, table: Any, mapping: dict[str, str | None], segments: list[str] | None) -> odk.Trips:
    """The trips of a file, and of a second table where there is one: zones of their own, or NetMob25's individuals."""
    if table is None:
        return odk.read_trips(file, columns=mapping, segments=segments)
    names = preview_columns(table).names
    if {*netmob25.INDIVIDUALS} <= {*names}:
        return odk.readers.read_netmob25(table, trips=file, name=NETMOB)
    if not zoned.is_zone_table(names):
        raise odk.InputError(f"The second table ({', '.join(names)}) must be one of these. {SECOND}")
    read = odk.readers.read_zoned(file, table, {**mapping, **dict.fromkeys(POINTS)}, segments=segments)
    if not np.isfinite(read.hierarchy.lat).all():
        raise odk.InputError(f"{table.name} must give every zone its lat and lon: the maps need them.")
    st.session_state.setdefault("_trees", {})[read.trips.fingerprint] = read.hierarchy
    return read.trips


def _mapping(preview: Preview, file_id: str) -> dict[str, str | None]:
    """One choice a target; guessed names are chosen already."""
    names = [NONE, *preview.names]
    chosen: dict[str, str | None] = {}
    for target, label in LABELS.items():
        guess = preview.guessed.get(target, NONE)
        key = f"column-{target}-{file_id}"
        picked = st.selectbox(label, names, names.index(guess), key=key, help=HELP.get(target))
        chosen[target] = None if picked == NONE else picked
    return chosen


def _check_ends(mapping: dict[str, str | None]) -> None:
    """Refuse a mapping without both ends, and name those that the user still has to choose."""
    if any(all(mapping[end] for end in ends) for ends in (POINTS, CELLS)):
        return
    points = any(mapping[end] for end in POINTS)
    ends = [LABELS[end].lower() for end in (POINTS if points else CELLS) if not mapping[end]]
    if points or len(ends) == 1:
        raise odk.InputError(f"Choose below which column is the {' and the '.join(ends)}.")
    raise odk.InputError(
        "Choose below which columns are the ends of a trip: latitudes and longitudes, or H3 cells. "
        "Trips between other zones need the table of the zones too: add it at the end of the list."
    )


def _segments(place: Any, preview: Preview, trips: odk.Trips, files: str) -> list[str]:
    """The columns that part the trips into segments: those with few values until the user says otherwise."""
    free = [name for name in preview.names if name not in trips.columns.values()]
    offered = list(dict.fromkeys([*trips.segments, *free]))
    if not offered or trips.source == NETMOB:  # whose segments are those of the individuals
        return trips.segments
    return place.multiselect(
        "Segments",
        offered,
        trips.segments,
        key=f"segments-{files}",
        help="Columns by which the page Segments compares groups; best with few different values.",
    )
