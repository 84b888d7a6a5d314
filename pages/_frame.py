"""What stands around every page: the style, the banner that says which data is shown, and refusals in words."""

import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

import odk
from odk.viz.theme import count

STYLE = """<style>
.stMainBlockContainer {padding: 3.6rem 2rem 2rem;}
[data-testid="stSidebarUserContent"] {padding-top: 0.5rem;}
.stMetric, .stMetric > div {padding: 0 !important;}
.stMetric {padding: 0.45rem 0.7rem !important; height: 100%;}
.stMetric .stMarkdownEllipsis, .stMetric .stMarkdownEllipsis p, .stMetric [data-testid="stMetricDelta"]
    {white-space: normal !important; overflow: visible !important; text-overflow: clip !important;}
[data-testid="stMetricValue"] {font-size: 1.55rem; line-height: 1.25; padding: 0;}
[data-testid="stMetricDelta"] {font-size: 0.8rem; line-height: 1.2; background: none !important; padding: 0 !important;
    border-radius: 0 !important;}
[data-testid="stButtonGroup"] button p::first-letter {text-transform: uppercase;}
h1 {padding: 0 !important;}
[data-testid="stTopNavLink"] {padding-left: 0.35rem; padding-right: 0.35rem; gap: 0.3rem;}
/* Small grey text keeps a contrast of 4.5 : 1 in both themes; what is chosen is told by weight, frame and ground. */
[data-testid="stCaptionContainer"] {opacity: 0.8;}
[data-testid="stCaptionContainer"] code {font-size: 0.8rem;}
[data-testid="stMetricDelta"], [data-testid="stMetricDelta"] * {color: inherit !important;}
[data-testid="stMetricDelta"] {opacity: 0.8;}
[data-testid="stButtonGroup"] [data-selected="true"], [data-testid="stSliderThumbValue"], [data-testid="stTab"],
[data-testid="stTopNavLink"] [data-testid="stIconMaterial"] {color: inherit !important;}
[data-testid="stButtonGroup"] [data-selected="true"] p, [data-testid="stTab"][data-selected="true"] p,
[data-testid="stSliderThumbValue"] p {font-weight: 600; color: inherit;}
a:focus-visible, [role="tab"]:focus-visible {outline: 3px solid #3577bc; outline-offset: 1px; border-radius: 0.4rem;}
.st-key-checks {max-height: calc(100vh - 16rem); min-height: 24rem; display: block; overflow-y: auto; padding-bottom: 2rem;
    mask-image: linear-gradient(to bottom, black calc(100% - 3rem), transparent);}
/* Read from the back of a room: everything grows with the screen. */
@media (min-width: 1800px) {
    :root:root {font-size: 18px;}
    [data-testid="stSidebar"][data-collapsed="false"] {min-width: 345px !important;}
}
</style>"""

# How tables show what odk calls by short names.
COLUMNS = {
    "name": st.column_config.TextColumn("name", width=185),
    "from": st.column_config.TextColumn("from", width=212),
    "to": st.column_config.TextColumn("to", width=212),
    "trips": st.column_config.NumberColumn("trips", format="localized", width=62),
    "persons": st.column_config.NumberColumn("persons", format="localized", width=66),
    "population": st.column_config.NumberColumn("weighted trips", format="%,.0f", width=98),
    "density": st.column_config.NumberColumn("trips per km²", format="%,.1f", width=96),
    "failing": st.column_config.NumberColumn("flows that fail", format="localized"),
    "reached": st.column_config.ProgressColumn(
        "of threshold",
        format="%.0f%%",
        min_value=0,
        max_value=100,
        width=100,
        help="What the flow holds of what it would need.",
    ),
}


def style() -> None:
    """Less air than Streamlit's own, so that the point of a page is seen without scrolling."""
    st.session_state["_runs"] = st.session_state.get("_runs", 0) + 1
    st.html(STYLE)


def routed() -> None:
    """Run app.py in place of a page that Streamlit ran by itself; every page calls this, or `mode`, before it draws.

    Until st.navigation was called once, Streamlit takes every file in pages/ for a page of its own: the first user of a
    fresh server who follows a link to a page would see it without its frame, settings and neighbours.
    """
    if "_runs" not in st.session_state:
        runpy.run_path(str(Path(__file__).parents[1] / "app.py"))
        st.stop()


def mode() -> str:
    """The user's theme: "light" or "dark".

    The browser tells it with each run, but where --theme.base forces one, the first run still hears the system's wish.
    Our theme file is not read then, so its colours are missing.
    """
    routed()
    forced = st.get_option("theme.dark.backgroundColor") is None
    known = st.get_option("theme.base") if forced and st.session_state["_runs"] == 1 else st.context.theme.type
    return "dark" if known == "dark" else "light"


def banner(trips: odk.Trips, matrix: odk.ODMatrix, title: str) -> None:
    """The page's title, the data's name and size, and a badge where it is synthetic."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.title(title, width="content", anchor=False)
        name = trips.source.removesuffix(" (synthetic)")
        kept, every = matrix.total_trips, len(trips)
        size = f"{count(every)} trips" if kept == every else f"{count(kept)} of {count(every)} trips in this area"
        hand = "trips at hand: " if title == "Review" else ""  # the page is about a bundle, which may be of other trips
        st.markdown(f":gray[{hand}{name} · {size}]", width="content")
        if trips.synthetic:
            st.badge(
                "synthetic data",
                icon=":material/science:",
                color="violet",
                help="Generated by a seeded program; no real person is in it.",
            )


@contextmanager
def refusals(hint: str = "") -> Iterator[None]:
    """Show an OdkError raised inside in words; anything else is a bug and crashes in the open."""
    try:
        yield
    except odk.OdkError as error:
        words = str(error)
        more = hint or ("Raise the suppression budget or lower k." if isinstance(error, odk.BudgetError) else "")
        st.error(f"{words[:1].upper()}{words[1:].rstrip('.')}. {more}", icon=":material/block:")
