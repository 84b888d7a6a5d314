"""Explore: zones when participants are protected beside zones when the population is, and what each leaves unsafe."""

import streamlit as st

from odk.viz import maps
from odk.viz.theme import broken, count, counted
from pages import _frame, _headline, _maps, _profile, _state, _zone

COLOUR = {"participants": "blue", "population": "red"}
ZONE_COLUMNS = ["name", "trips", "persons", "population", "density", "flows", "failing", "leaves", "zone"]
CELL_COLUMNS = ["reached", "from", "to", "trips", "population", "persons", "origin", "destination"]


def title(target: str) -> str:
    """A target's heading in its colour."""
    return f":{COLOUR.get(target, 'green')}[**{target.capitalize()} protected**]"


def controls() -> None:
    """What is shown, of which axis, coloured by what: one line above everything else."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        once = {"required": True, "label_visibility": "collapsed", "bind": "query-params"}
        show = st.segmented_control(
            "Show", ["map", "matrix", "fails", "zones", "data"], key="show", default="map", **once
        )
        if show in ("map", "zones"):  # the others are of both
            st.segmented_control("Zones of", ["origins", "destinations"], key="axis", default="origins", **once)
        if show != "map":
            return
        known = [f for f in maps.FIGURES if f != "persons" or _state.matrix().has_persons]
        words = {"label_visibility": "collapsed", "width": 235}
        st.selectbox("Colour by", known, key="colour", format_func=maps.FIGURES.get, bind="query-params", **words)
        if not _state.refused(_state.settings().target):
            _zone.choice(**words)


def fails(targets: list[str]) -> None:
    """The published flows that the other rule would not allow."""
    held = [target for target in targets if _state.other(target) is not None]
    for target, column in zip(held, st.columns(max(1, len(held))), strict=False):
        found = _state.failing(target)
        share = f"{count(len(found))} of {counted(_state.release(target).n_cells, 'published flow')}"
        column.markdown(f"{title(target)}: {share} have {broken(_state.other(target))}")
        if len(found):
            shown = found.assign(reached=100 * found["reached"])
            look = {"column_config": _frame.COLUMNS, "height": 490}
            column.dataframe(shown, hide_index=True, column_order=CELL_COLUMNS, **look)


def zones(targets: list[str]) -> None:
    """The zones as tables, and how many there are of each level."""
    from odk.viz import charts  # here: the first page opens without a chart, and sooner without altair

    tables = {target: _state.zones(target) for target in targets}
    for (target, table), column in zip(tables.items(), st.columns(max(1, len(tables))), strict=False):
        column.markdown(f"{title(target)}: {counted(len(table), 'zone')}")
        column.dataframe(table, hide_index=True, column_order=ZONE_COLUMNS, column_config=_frame.COLUMNS, height=315)
    chart = charts.levels_chart(tables, _frame.mode(), height=200)
    st.altair_chart(chart, theme=None, alt="Number of zones at each H3 level, in each view.")


@st.fragment
def body() -> None:
    """All below the figures: a click on a map, or another choice of what to show, runs only this."""
    controls()
    every = ["participants", "population"] + [t for t in ("both", "persons") if t == _state.settings().target]
    targets = [target for target in every if not _state.refused(target)]
    for target in every:
        if target not in targets:
            with _frame.refusals():
                _state.release(target)
    show = st.session_state["show"]
    if show == "data":
        _profile.draw()
    elif targets and show == "matrix":
        from pages import _matrix  # here: for altair, as above

        _matrix.draw()
    elif targets and show == "fails":
        fails(targets)
    elif targets and (show == "zones" or not _maps.draw(targets)):
        zones(targets)


chosen = _state.settings()
with st.container():  # the figures first: they follow a slider
    if _state.refused(chosen.target):
        st.markdown(f"No release for the target *{chosen.target}*: see below why.")
    else:
        pending = _headline.draw(chosen.target)
body()
if not _state.refused(chosen.target):
    _headline.complete(pending, chosen.target)
