"""The shared sidebar: data, area, k, budget, target, algorithm, an Advanced fold, and recipes.

Every widget's key is a field of Settings and a parameter of the address, so that a link reproduces what is seen. The
address holds what a widget shows (Streamlit's rule), so choices are shown by their own names, without format_func.
"""

import streamlit as st

import odk
from odk.viz.theme import count
from pages import _adopt, _data, _state

TARGET_WORDS = {
    "participants": "at least k trips in each cell",
    "population": "at least k × the mean weight of a trip, in weighted trips",
    "both": "the two together",
    "persons": "at least k different persons",
}


def draw() -> None:
    """Draw the sidebar; afterwards `_state.settings()` is what it says."""
    _data.draw()
    bind = {"bind": "query-params"}
    if _state.uploaded() is None:
        st.segmented_control(
            "Area",
            ["whole", "centre"],
            key="area",
            default="whole",
            required=True,
            help="Centre: trips with both ends in five H3 cells around Paris, the area of the published figures.",
            width="stretch",
            **bind,
        )
    _thresholds()
    st.slider(
        "Suppression budget",
        0,
        50,
        10,
        format="%d%%",
        key="budget",
        help="The largest share of each guarded measure that may be left out to keep zones fine.",
        **bind,
    )
    st.selectbox(
        "Target",
        list(TARGET_WORDS),
        key="target",
        help="The release that the headline figures, Audit and Release act on; both maps are always shown. "
        + " ".join(f"**{name}**: {words}." for name, words in TARGET_WORDS.items()),
        **bind,
    )
    names = [name for name in odk.algorithms.names() if not odk.algorithms.get(name).slow]
    first = names.index(_state.DEFAULT_ALGORITHM)
    words = "  \n".join(f"**{name}**: {odk.algorithms.get(name).summary}" for name in names)
    st.selectbox("Algorithm", names, first, key="algorithm", help=words, **bind)
    _advanced(bind)
    _adopt.draw()


def _thresholds() -> None:
    """K as a slider, and both thresholds it stands for, each of which can be typed."""
    slider = st.container()
    left, right = st.columns(2)
    help_k = "Every published cell must hold at least k of what the target guards."
    left.number_input("Trips", 2, 1_000_000, 10, key="k", help=help_k, bind="query-params", on_change=_follow_k)
    k = st.session_state["k"]
    right.number_input(
        "Weighted trips",
        min_value=0.000001,
        value=None,
        key="population",
        format="%.6g",
        placeholder=count(_state.weighted(k)),
        help=f"The population's threshold: k × {_state.whole().mean_weight:,.1f}, the mean weight of a trip. "
        "Type your own; clear it, or move k, to return.",
        bind="query-params",
    )
    st.session_state["k_slider"] = min(k, 100)
    slider.slider(
        "k: the least a published cell may hold", 2, 100, key="k_slider", on_change=_follow_slider, help=help_k
    )


def _follow_slider() -> None:
    st.session_state["k"] = st.session_state["k_slider"]
    _follow_k()


def _follow_k() -> None:
    """Both maps show the same k: an own population threshold goes when k moves."""
    st.session_state["population"] = None


def _advanced(bind: dict[str, str]) -> None:
    with st.expander("Advanced"):
        st.slider("H3 resolution of the leaves", 6, 11, 10, key="resolution", help="10: cells of 0.015 km².", **bind)
        st.selectbox(
            "Budget counts", ["own", "volume", "pairs"], key="budget_in", help="own: as the algorithm does.", **bind
        )
        st.select_slider(
            "TwinCut's effort",
            list(_state.EFFORT),
            key="effort",
            disabled=st.session_state["algorithm"] != "twincut",
            help="Quick follows a slider; normal and thorough search from more starts, for seconds, and may be finer.",
            **bind,
        )
        own = st.session_state["algorithm"] != "odkanon"
        st.slider("L: levels of ODkAnon's filter", 0, 6, 3, key="levels", disabled=own, **bind)
        st.slider(
            "Drift allowed between the axes", 0, 50, 3, format="%d%%", key="drift", help="ODkAnon's 3% rule.", **bind
        )
        st.toggle(
            "Online basemap",
            key="online",
            help="Off: nothing leaves this machine. On: the browser asks tile.openstreetmap.org for pictures of the area that "
            "you look at, and that host then knows the area. It is not part of a link.",
        )
