"""The papers' figures and ours on one axis, as a chart for the app (odk/viz/papers draws the same as SVG)."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import Any

import altair as alt
import pandas as pd

from odk.experiment.grid import EVERYWHERE
from odk.reproduce.plots import BOUND, NAMES, Plot
from odk.reproduce.sidebyside import PUBLISHED
from odk.viz.charts import dressed
from odk.viz.theme import figure, hexcode, palette


def dot_chart(plot: Plot, mode: str | None = "light") -> Any:
    """A row a run, a mark a source, on a logarithmic axis."""
    p = palette(mode)
    rows, group = [], ""
    for label, values in plot.rows:
        group = group if values else label
        rows += [
            {"group": group, "row": label, "source": NAMES[s], "value": v, "shown": figure(v)}
            for s, v in values.items()
            if v is not None
        ]
    data = pd.DataFrame(rows)
    order = list(dict.fromkeys(label for label, values in plot.rows if values))
    looks = {PUBLISHED: (p.faint, "diamond"), EVERYWHERE: (p.failing, "square"), "centre": (p.participants, "circle")}
    looks |= {BOUND: (p.good, "triangle-right")}
    names = [NAMES[s] for s in plot.sources]
    colours, shapes = [hexcode(looks[s][0]) for s in plot.sources], [looks[s][1] for s in plot.sources]
    powers = range(floor(log10(data["value"].min())), ceil(log10(data["value"].max())) + 1)
    legend = alt.Legend(title=None, orient="top", symbolSize=120)
    chart = (
        alt.Chart(data, width=720, height=alt.Step(21))
        .mark_point(filled=True, opacity=0.9)
        .encode(
            size=alt.condition(
                alt.datum.source == NAMES[PUBLISHED], alt.value(260), alt.value(90)
            ),  # seen beneath ours
            x=alt.X(
                "value:Q",
                title=plot.axis,
                scale=alt.Scale(type="log", domain=[10.0 ** powers[0], 10.0 ** powers[-1]]),
                axis=alt.Axis(format="~g" if powers[-1] < 1 else ",~r", values=[10.0**power for power in powers]),
            ),
            y=alt.Y("row:N", sort=order, title=None, axis=alt.Axis(labelLimit=170, ticks=False, grid=True)),
            color=alt.Color("source:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
            shape=alt.Shape("source:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
            tooltip=[alt.Tooltip("row:N", title="run"), "source:N", alt.Tooltip("shown:N", title="value")],
        )
    )
    heading = alt.Header(labelAngle=0, labelAlign="left", labelFontWeight="bold")
    row = alt.Row("group:N", sort=list(dict.fromkeys(data["group"])), title=None, header=heading)
    return dressed(chart.facet(row=row, spacing=8).resolve_scale(y="independent"), mode)
