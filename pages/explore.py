"""Explore: zones when participants are protected beside zones when the population is, and what each leaves unsafe."""

import pandas as pd
import streamlit as st

from odk.viz import basemap, charts, maps
from odk.viz.theme import broken, count, counted, rule
from pages import _frame, _headline, _profile, _state

COLOUR = {"participants": "blue", "population": "red"}
MAP_HEIGHT = 430
ZONE_COLUMNS = ["name", "trips", "persons", "population", "density", "flows", "failing", "leaves", "zone"]
CELL_COLUMNS = ["reached", "from", "to", "trips", "population", "persons", "origin", "destination"]


def title(target: str) -> str:
    """A target's heading in its colour."""
    return f":{COLOUR.get(target, 'green')}[**{target.capitalize()} protected**]"


chosen, mode = _state.settings(), _frame.mode()
targets = ["participants", "population"] + [t for t in ("both", "persons") if t == chosen.target]
with st.container():  # the figures first: they follow a slider
    if _state.refused(chosen.target):
        st.markdown(f"No release for the target *{chosen.target}*: see below why.")
    else:
        pending = _headline.draw(chosen.target)
controls = st.container(horizontal=True, vertical_alignment="center", gap="medium")
columns = dict(zip(targets, st.columns(len(targets)), strict=True))
with controls:
    st.segmented_control(
        "Zones of",
        ["origins", "destinations"],
        key="axis",
        default="origins",
        required=True,
        label_visibility="collapsed",
        bind="query-params",
    )
    shade = st.selectbox(
        "Colour by",
        [f for f in maps.FIGURES if f != "persons" or _state.matrix().has_persons],
        key="colour",
        format_func=maps.FIGURES.get,
        label_visibility="collapsed",
        width=300,
        bind="query-params",
    )

tables: dict[str, pd.DataFrame] = {}
for target, column in columns.items():
    with column:
        st.markdown(f"{title(target)}: {rule(_state.protection(target))}")
        if target == "population" and chosen.population is None and _state.unweighted():
            st.caption("All trips weigh the same here: this is the same rule as for participants.")
        with _frame.refusals():
            tables[target] = _state.zones(target)


where = _state.window(tables.values(), width=500 if len(targets) == 2 else 330)
controls.caption(basemap.note(where.box), width="content")
figures = [table[shade] for table in tables.values()]
limits = maps.breaks(figures)
for target, table in tables.items():
    with columns[target]:
        deck = maps.zones_map(table, where, view=target, figure_shown=shade, limits=limits, mode=mode)
        words = maps.describe(table, f"{chosen.axis} when {target} are protected")
        st.pydeck_chart(deck, height=MAP_HEIGHT, key=f"map-{target}", alt=words)
        st.html(maps.legend(figures, target, shade, mode, fails=bool((table["failing"] > 0).any())))

failing = {target: _state.failing(target) for target in tables if _state.other(target) is not None}
fails, zones, data = st.tabs([f"Fails the other rule ({count(sum(map(len, failing.values())))})", "Zones", "Data"])
for (target, found), column in zip(failing.items(), fails.columns(max(1, len(failing))), strict=False):
    share = f"{count(len(found))} of {counted(_state.release(target).n_cells, 'published flow')}"
    column.markdown(f"{title(target)}: {share} have {broken(_state.other(target))}")
    if len(found):
        column.dataframe(found, hide_index=True, column_order=CELL_COLUMNS, column_config=_frame.COLUMNS, height=260)
with zones:
    for (target, table), column in zip(tables.items(), st.columns(max(1, len(tables))), strict=False):
        column.markdown(f"{title(target)}: {counted(len(table), 'zone')}")
        column.dataframe(table, hide_index=True, column_order=ZONE_COLUMNS, column_config=_frame.COLUMNS, height=260)
    st.altair_chart(charts.levels_chart(tables, mode), theme=None, alt="Number of zones at each H3 level, both views.")
with data:
    _profile.draw()
if chosen.target in tables:
    _headline.complete(pending, chosen.target)
