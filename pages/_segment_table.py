"""The table of segments: its columns, and which of them are shown at a time."""

import pandas as pd
import streamlit as st

from odk.glossary import PLANNING, TERMS
from odk.viz import tables

FIGURES = {  # so many at a time that no column is cut
    "loss": ["cells", "limit", "harder", "worse", "g", "above_limit", "gdm_mean", "s", "e", "d", "c_dm", "c_avg"],
    "distances": ["persons", "cells", "gdm_mean", "gdm_median", "gdm_std"],
    "planning": ["persons", "cells", *(t.key for t in PLANNING)],
}
WIDTHS = {"trips": 66, "persons": 66, "cells": 62, "limit": 82, "harder": 68, "worse": 76, "g": 68, "above_limit": 72} | {
    "gdm_mean": 90, "s": 62, "e": 52, "d": 52, "c_dm": 84, "c_avg": 68, "column_error": 125
}  # fmt: skip
WORDS = {
    "trips": ("trips", "Trips of the segment."),
    "persons": ("persons", "Participants of the segment."),
    "cells": ("flows", "Published cells."),
    "limit": ("bound of G", "No release of this kind has a lower G."),
    "harder": ("data", "Its bound of G over that of the whole."),
    "worse": ("algorithm", "Its G over its bound, against the whole's."),
    "price": ("price", "Mean distance with the common zoning over that with its own."),
    "withheld": ("withheld", "Flows that reach the thresholds but are hidden for what they would give away."),
} | {t.key: (t.short, t.help) for t in TERMS.values()}
WORDS["above_limit"] = ("× bound", WORDS["above_limit"][1])
COLUMNS = {
    name: st.column_config.NumberColumn(short, help=words, width=WIDTHS.get(name, 105))
    for name, (short, words) in WORDS.items()
} | {
    "segment": st.column_config.TextColumn("segment", width=88),
    "shape": st.column_config.TextColumn("shape", width=82, help="Origin zones × destination zones with a flow."),
    "error": st.column_config.TextColumn("remark", width="large"),
}
LOOK = {"hide_index": True, "column_config": COLUMNS, "placeholder": "–", "row_height": 30, "height": "content"}


def draw(table: pd.DataFrame, mode: str) -> None:
    """Draw it, with a choice of figures."""
    kept = {"required": True, "label_visibility": "collapsed"}
    figures = st.segmented_control("Figures", list(FIGURES), key="segment-figures", default="loss", **kept)
    failed = ["error"] if (table["error"] != "").any() else []
    st.dataframe(
        tables.marked(table, mode=mode), column_order=["segment", "trips", "shape", *FIGURES[figures], *failed], **LOOK
    )
