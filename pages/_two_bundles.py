"""Two bundles side by side: figures, zones, and what they give away together."""

import streamlit as st

from odk.export import Bundle
from odk.review import RELATIONS, BundleComparison, compare_bundles, relation_of
from odk.viz.theme import count, counted, figure, percent
from pages import _opened, _state

COLUMNS = {"figure": st.column_config.TextColumn("figure", width="medium")}
LEAKS = {
    "about": st.column_config.TextColumn("whose trips"),
    "value": st.column_config.NumberColumn("left", format="%,.0f"),
    "threshold": st.column_config.NumberColumn("needs", format="%,.0f"),
    "from_": st.column_config.TextColumn("from"),
}


def draw(first: Bundle) -> None:
    """Ask for the second bundle and compare."""
    opened = _opened.ask("second", "The other bundle (.zip)")
    if opened is None:
        st.caption(
            "Two releases of the same trips can give away together what each hides: a flow of all less that of a group, "
            "say. Open the other one, and see what differs and whether subtracting tells anything below the thresholds."
        )
        return
    second = opened[1].bundle
    if second.digest == first.digest:
        st.info("The two are one and the same bundle.", icon=":material/equal:")
        return
    guessed = relation_of(first, second)
    names = list(RELATIONS)
    relation = st.selectbox(
        "How their trips relate",
        names,
        names.index(guessed),
        format_func=lambda r: f"{RELATIONS[r]}{' (as the recipes say)' if r == guessed else ''}",
        width=520,
    )
    key = ("comparison", first.digest, second.digest, relation)
    asked = None if relation == guessed else relation  # the recipes know more than how the trips relate
    found = _state.cached(key, lambda: compare_bundles(first, second, asked))
    _together(found)
    figures, origins, destinations = st.tabs(["Figures", "Origins", "Destinations"])
    with figures:
        table = found.figures
        texts = {
            end: [_shown(n, v) for n, v in zip(table["figure"], table[end], strict=True)] for end in ("first", "second")
        }
        st.dataframe(table.assign(**texts), hide_index=True, height="content", column_config=COLUMNS)
    for tab, axis in ((origins, "origins"), (destinations, "destinations")):
        a, b, both = found.shared[axis]
        only = f"{count(a - both)} only in the first, {count(b - both)} only in the second"
        tab.markdown(f"{counted(both, 'zone')} in both, {only}.")
        with tab:
            both = {"First bundle": (first, axis), "Second bundle": (second, axis)}
            _opened.zone_maps(both, f"map-{axis}-of-two")


def _together(found: BundleComparison) -> None:
    together = found.differencing
    if together is not None and together.checked:
        box, icon = (st.success, "shield") if together.passed else (st.error, "visibility")
        box(together.sentence, icon=f":material/{icon}:")
        if not together.passed:
            st.dataframe(together.leaks, hide_index=True, height=200, column_config=LEAKS)
    for note in found.notes:
        st.caption(note)


def _shown(name: str, value: object) -> str:
    if value is None or value != value:
        return "–"
    if isinstance(value, str):
        return value
    if name.startswith(("suppressed", "s (")):
        return percent(float(value))
    return count(value) if isinstance(value, int) else figure(float(value))
