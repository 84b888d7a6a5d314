"""Reproduce: the papers' tables on the loaded data, published figures beside ours, and which findings come out."""

import pandas as pd
import streamlit as st

from odk.published import PAPERS
from odk.reproduce.findings import WHERE, findings
from odk.reproduce.plots import plots
from odk.reproduce.sidebyside import head
from odk.viz import charts_reproduce
from odk.viz.papers import report
from odk.viz.theme import counted
from pages import _comparison, _frame, _papers, _state

BADGE = {"found": "green", "partly found": "orange", "not found": "red", "cannot be told": "gray"}
GRID = ["Findings", "Tables", "Plots"]
WAIT = {
    "Findings": "Once computed: whether each comes out of this data too, with the figures that say so.",
    "Plots": "Once computed: published figures, those of all trips and those of the centre, algorithm by algorithm.",
}
ABOUT = (
    "k = 10 trips or 10 × the mean weight of a trip, at most 10% suppressed; ODkAnon, ATG-Soft (v_target 1000), OIGH and "
    "Mondrian; all trips and every sex, age band and profession: as published, whatever the sidebar says. "
    "The published figures are of five H3 cells around Paris, here called the centre."
)

mode = _frame.mode()
made = _papers.found()
parts = [*GRID, "Where code and papers differ", *_comparison.PARTS]
part = st.segmented_control(  # another widget once ours are there: the published tables first, then the findings
    "Part", parts, key=f"part-{bool(made)}", default=parts[not made], required=True, label_visibility="collapsed"
)
if part in GRID and made is None:
    with st.container(border=True):
        _papers.offer(ABOUT)
elif part in GRID:
    st.caption(ABOUT)
    refused = "none failed" if not made.failed else f"{made.failed} failed"
    centre = f" and {made.centre_runs} on the centre" if made.centre_runs else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{counted(made.runs, 'run')}{centre}, {refused}, {made.result.seconds:.0f} s**", width="content")
        for label, name, kind, content in (
            ("Report (HTML)", "reproduction.html", "text/html", lambda: report(made)),
            ("All figures (CSV)", "comparison.csv", "text/csv", lambda: made.comparison.to_csv(index=False)),
            ("All runs (CSV)", "runs.csv", "text/csv", lambda: made.result.table.to_csv(index=False)),
        ):
            text = _state.cached((name, _papers.key()), content)
            st.download_button(label, text, name, kind, on_click="ignore", icon=":material/download:")

if part == "Findings":
    if made is None:
        st.markdown(f"**What the papers found.** {WAIT['Findings']}")
        known = [{"finding": f"**{f.title}**", "published": f.published} for f in findings(pd.DataFrame(), ())]
        st.table(pd.DataFrame(known), hide_index=True, border="horizontal")
    else:
        rows = []
        for finding in made.findings:
            row = {"finding": f"**{finding.title}**", "published": finding.published}
            for answer in reversed(finding.answers):
                badge = f":{BADGE[answer.verdict]}-badge[{answer.verdict}]"
                row[WHERE.get(answer.area, answer.area).lower()] = f"{badge} {answer.short}"
            rows.append(row)
        st.table(pd.DataFrame(rows), hide_index=True, border="horizontal")
        with st.expander("More on each"):
            st.markdown("\n".join(f"- **{f.title}.** {' '.join(map(str, reversed(f.answers)))}" for f in made.findings))
elif part == "Tables":
    sides = _papers.side_by_side()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        paper = st.segmented_control("Paper", list(PAPERS), key="paper", default="report", required=True)
        mine = {f"Table {s.of.number}. {s.of.title}": s for s in sides if s.of.paper == paper}
        chosen = mine[st.selectbox("Table", list(mine), index=1 if paper != "abstract" else 0, key=f"table-{paper}")]
        known = {head(source): source for source in chosen.sources}
        shown = st.pills(
            "Figures", list(known), selection_mode="multi", default=list(known), key=f"sources-{len(known)}"
        )
    if chosen.absent and made is not None:  # before that, what is missing is said above
        st.info(chosen.absent, icon=":material/info:")
    frame = chosen.grouped([known[name] for name in shown] or chosen.sources)
    words = len(chosen.row_heads)
    number = st.column_config.TextColumn(alignment="right", width=80)
    right = dict.fromkeys(range(words + 1, frame.shape[1] + 1), number)  # 0 is the hidden index
    st.dataframe(frame, hide_index=True, height="content", row_height=30, column_config=right)
    text = chosen.frame().to_csv(index=False)
    st.download_button("This table (CSV)", text, f"{chosen.of.key}.csv", "text/csv", icon=":material/download:")
    if chosen.why:
        with st.expander("What may explain a difference"):
            st.markdown("\n".join(f"- **{d.about}.** {d.published} *{d.effect}*" for d in chosen.why))
elif part == "Plots":
    if made is None:
        st.markdown(WAIT["Plots"])
    for plot in plots(made) if made else ():
        st.subheader(plot.question, anchor=False)
        st.altair_chart(charts_reproduce.dot_chart(plot, mode), theme=None, alt=f"{plot.question} As in the tables.")
        st.caption(plot.note)
elif part in _comparison.PARTS:
    _comparison.PARTS[part]()
else:
    _papers.differ()
