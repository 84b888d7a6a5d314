"""Explore: zones when participants are protected beside zones when the population is, and what each leaves unsafe."""

import pandas as pd
import streamlit as st

from odk.viz import basemap, charts, maps
from odk.viz.theme import count, rule
from pages import _frame, _headline, _profile, _state

COLOUR = {"participants": "blue", "population": "red"}
MAP_HEIGHT = 430
ZONE_COLUMNS = ["name", "trips", "persons", "population", "density", "flows", "failing", "leaves", "zone"]

chosen, mode = _state.settings(), _frame.mode()
targets = ["participants", "population"] + [t for t in ("both", "persons") if t == chosen.target]
where = _state.window(500 if len(targets) == 2 else 330)
with _frame.refusals():
    _headline.draw(chosen.target)

with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    st.segmented_control(
        "Zones of",
        ["origins", "destinations"],
        key="axis",
        default="origins",
        required=True,
        label_visibility="collapsed",
        bind="query-params",
    )
    figures = [f for f in maps.FIGURES if f != "persons" or _state.matrix().has_persons]
    shade = st.selectbox(
        "Colour by",
        figures,
        key="colour",
        format_func=maps.FIGURES.get,
        label_visibility="collapsed",
        width=300,
        bind="query-params",
    )
    st.caption(basemap.note(where.box), width="content")

tables: dict[str, pd.DataFrame] = {}
columns = dict(zip(targets, st.columns(len(targets)), strict=True))
for target, column in columns.items():
    with column:
        guard = rule(_state.protection(target))
        st.markdown(f":{COLOUR.get(target, 'green')}[**{target.capitalize()} protected**]: {guard}")
        with _frame.refusals():
            tables[target] = _state.zones(target)

limits = maps.breaks([table[shade] for table in tables.values()])
for target, table in tables.items():
    with columns[target]:
        deck = maps.zones_map(table, where, view=target, figure_shown=shade, limits=limits, mode=mode)
        words = maps.describe(table, f"{chosen.axis} when {target} are protected")
        st.pydeck_chart(deck, height=MAP_HEIGHT, key=f"map-{target}", alt=words)
        st.html(maps.legend(limits, target, shade, mode, fails=bool((table["failing"] > 0).any())))

failing = {target: _state.failing(target) for target in tables}
total = sum(map(len, failing.values()))
fails, zones, data = st.tabs([f"Fails the other rule ({count(total)})", "Zones", "Data"])
with fails:
    for target, column in zip(failing, st.columns(max(1, len(failing))), strict=False):
        against = _state.other(target)
        if against is None:
            column.caption(f"{target.capitalize()}: guards both views, so none can fail.")
            continue
        share = f"{count(len(failing[target]))} of {count(_state.release(target).n_cells)} flows"
        column.markdown(
            f":{COLOUR.get(target, 'green')}[**{target.capitalize()} protected**]: {share} miss: {rule(against)}"
        )
        column.dataframe(failing[target], hide_index=True, column_config=_frame.COLUMNS, height=260)
with zones:
    for target, column in zip(tables, st.columns(max(1, len(tables))), strict=False):
        column.markdown(
            f":{COLOUR.get(target, 'green')}[**{target.capitalize()} protected**]: {count(len(tables[target]))} zones"
        )
        column.dataframe(
            tables[target], hide_index=True, column_order=ZONE_COLUMNS, column_config=_frame.COLUMNS, height=260
        )
    st.altair_chart(charts.levels_chart(tables, mode), theme=None, alt="Number of zones at each H3 level, both views.")
with data:
    _profile.draw()
