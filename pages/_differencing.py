"""Between releases: what all minus a segment gives away when each is zoned alone, and that one zoning leaves nothing."""

from collections.abc import Hashable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import odk
from odk.disclosure import SegmentSet
from odk.metrics import generalisation
from odk.viz.differences import leak_table, leak_zones, words
from odk.viz.safety import short_pane
from odk.viz.theme import count, counted, figure
from pages import _frame, _safety, _state, _twin
from pages._ask import ask

OTHER = "under another rule"
SEPARATE, COMMON = "zoned separately", "one common zoning"
MOST = 500  # rows shown; the CSV has all
ORDER = ["all", "segments", "left", "threshold", "about", "from", "to", "origin", "destination"]
COLUMNS = {
    "all": st.column_config.NumberColumn("all", format="%,.0f", width=65),
    "segments": st.column_config.NumberColumn("− published", format="%,.0f", width=90),
    "left": st.column_config.NumberColumn("= left", format="%,.0f", width=65),
    "threshold": st.column_config.NumberColumn("needs", format="%,.0f", width=65),
    "about": st.column_config.TextColumn("whose trips", width=85),
    "from": st.column_config.TextColumn("from", width=180),
    "to": st.column_config.TextColumn("to", width=180),
}


def draw() -> None:
    """Choose what is published besides all, and how it is zoned; see what subtraction tells."""
    trips, keep = _safety.segmented(), {"persist_state": "session"}
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        column = st.selectbox(
            "All trips are published, and also", [*trips.segments, OTHER], key="d_column", width=210, **keep
        )
    with _frame.refusals():
        if column == OTHER:
            _another(row)
        else:
            _segments(row, column, sorted(trips.table[column].dropna().astype(str).unique()))


def _segments(row: DeltaGenerator, column: str, every: list[str]) -> None:
    keep = {"persist_state": "session"}
    with row:
        values = st.multiselect("of", every, every[:1], key=f"d_values_{column}", width=330, **keep)
        how = st.segmented_control("Zones", [SEPARATE, COMMON], key="d_how", default=SEPARATE, required=True, **keep)
    if not values:
        st.info("Choose at least one group that is published besides all.")
        return
    with st.spinner("Zoning and subtracting"):
        apart = _safety.segments(column, tuple(values), common=False)
        made = apart if how == SEPARATE else _safety.segments(column, tuple(values), common=True)
    _show(made, apart, _state.release_key("proof", column, tuple(values), how))


def _another(row: DeltaGenerator) -> None:
    keep, chosen = {"persist_state": "session"}, _state.settings()
    targets = [t for t in _state.TARGETS if t != "persons" or _state.matrix().has_persons]
    with row:
        target = st.selectbox("protecting", targets, targets.index(chosen.target), key="d_target", width=200, **keep)
        k = st.number_input("at k", 2, 1_000_000, 2 * chosen.k, key="d_k", width=130, **keep)
    with st.spinner("Zoning and subtracting"):
        made = _safety.another(target, k)
    _show(made, made, _state.release_key("proof", target, k))


def _show(made: SegmentSet, apart: SegmentSet, key: Hashable) -> None:
    mode, axis = _frame.mode(), _state.settings().axis
    sentence, level = words(made, apart)
    box, icon = (st.error, "visibility") if level == "leak" else (st.success, "shield")
    box(sentence, icon=f":material/{icon}:")
    left, right = st.columns([9, 11], gap="medium")
    with left:
        label, zones = leak_zones(made, axis)
        pane = short_pane(zones, f"{axis.capitalize()} of {label}", "flows given away", mode=mode)
        _twin.show([pane], _state.window(width=480), "map-leaks", height=340)
        st.caption(_costs(made, apart))
    with right:
        leaks = leak_table(made)
        table = leaks if len(leaks) or not made.rest else leak_table(made, every=True)
        if len(table):
            size = min(310, 38 + 35 * len(table))
            st.dataframe(table.head(MOST), hide_index=True, column_order=ORDER, column_config=COLUMNS, height=size)
        with st.container(horizontal=True, vertical_alignment="center"):
            what = "flows given away" if len(leaks) else "differences, the least first"
            st.caption(f"{count(len(table))} {what}; in {_unit(made)}.", width="stretch")
            st.download_button(
                "CSV", table.to_csv(index=False), "differences.csv", icon=":material/download:", on_click="ignore"
            )
        if made.tables[0].measures:  # persons do not subtract: they were counted
            _prove(made, key)


def _unit(made: SegmentSet) -> str:
    guards = made.whole.protection.guards
    return " and ".join("weighted trips" if m == "population" else m for m in guards)


def _costs(made: SegmentSet, apart: SegmentSet) -> str:
    """What the zoning costs: flows, and G of all (sizes of a segment's own zones are of another input)."""
    view = _state.view(_state.settings().target)
    parts = []
    for label, release in made.releases.items():
        other = apart.releases[label]
        g, before = (f", G {figure(generalisation(r, view))}" if label == "all" else "" for r in (release, other))
        was = "" if made is apart else f" (separately {count(other.n_cells)}{before})"
        parts.append(f"**{label}**: {counted(release.n_cells, 'flow')}{g}{was}")
    return f"{'; '.join(parts)}. View: {view}."


def _prove(made: SegmentSet, key: Hashable) -> None:
    """Subtraction finds most leaks, not all; the rest needs linear programs, which take longer."""
    found: odk.Differencing | None = ask(
        "odk.disclosure:difference", {"tables": made.tables}, name="prove", key=key, label="Prove it (some seconds)"
    )
    if found is None:
        return
    more = int(found.leaks["way"].str.contains("linear programming").sum()) if len(found.leaks) else 0
    rest = f"{counted(found.unproved, 'flow')} in parts too large to prove" if found.unproved else "no part too large"
    st.caption(
        f":material/fact_check: Least and greatest value by linear programming: {counted(len(found.proofs), 'part')} "
        f"gone through, {count(more)} more given away; {rest}."
    )
