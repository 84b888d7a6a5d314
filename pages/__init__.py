"""The pages of the dashboard, and what they share; app.py opens them.

Until st.navigation has been called once, Streamlit takes a folder of this name for its older kind of multipage app, and
runs the file of a link by itself: the first visitor of a server would see a page without its sidebar.
"""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

if PagesManager.uses_pages_directory:
    PagesManager.uses_pages_directory = False
    st.rerun()
