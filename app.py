"""The dashboard's router: pages, the shared sidebar, and on every page which data is shown and if it is synthetic."""

from pathlib import Path

import streamlit as st

# Every page of the product in its order; a page is offered as soon as its file is there.
PAGES = [
    ("explore", "Explore", ":material/map:"),
    ("replay", "Replay", ":material/play_circle:"),
    ("algorithms", "Algorithms", ":material/compare:"),
    ("segments", "Segments", ":material/groups:"),
    ("tradeoffs", "Trade-offs", ":material/balance:"),
    ("audit", "Audit", ":material/verified_user:"),
    ("release", "Release", ":material/package_2:"),
    ("review", "Review", ":material/rate_review:"),
    ("reproduce", "Reproduce", ":material/science:"),
    ("methods", "Methods", ":material/menu_book:"),
]
HERE = Path(__file__).parent / "pages"
ICON = str(Path(__file__).parent / "assets" / "icon.png")

st.set_page_config(page_title="odk", page_icon=ICON, layout="wide", initial_sidebar_state="expanded")
pages = [
    st.Page(
        HERE / f"{name}.py",
        title=title,
        icon=icon,
        url_path="" if name == "explore" else name,
        default=name == "explore",
    )
    for name, title, icon in PAGES
    if (HERE / f"{name}.py").exists()
]
st.logo(ICON, size="large")
first = st.empty()
# A visit begins: the browser fetches what draws figures while the engine is imported.
if "_runs" not in st.session_state:
    first.metric("odk", "starting …", border=True, width=180)
from pages import _frame, _sidebar, _state  # noqa: E402 - after the line above, or that would wait for it

page = st.navigation(pages, position="top")
_frame.style()
with st.sidebar:
    _sidebar.draw()
_frame.banner(_state.trips(), _state.matrix(), page.title)
first.empty()
page.run()
