"""Charts of segments: achieved against possible, and one zoning each against a common one."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from odk.viz.charts import dressed
from odk.viz.tables import times
from odk.viz.theme import figure, hexcode, metres, palette

ROW, AXES = 27, 85
"""Pixels of a segment, and of axis, title and legend together (a page fits a chart with them into its height)."""
CAUSES = {
    "data": "the data: little can be gained",
    "both": "data and algorithm",
    "algorithm": "perhaps the algorithm: far above the bound",
    "": "no bound is claimed",
}


def achieved_chart(table: pd.DataFrame, view: str, mode: str | None = "light") -> Any:
    """Is it the data or the algorithm? For each segment a tick at the lower bound and a dot at what was achieved."""
    p = palette(mode)
    data = table[table["g"].notna()].copy()
    data["achieved"] = [figure(g) for g in data["g"]]
    data["bound"] = [figure(b) if b == b else "none is claimed" for b in data["limit"]]
    data["above"] = [times(a) for a in data["above_limit"]]
    data["why"] = [CAUSES[c] for c in data["cause"]]
    data["mean"] = [metres(m) for m in data["gdm_mean"]]
    order = data["segment"].tolist()
    scale = alt.Scale(type="log", nice=False, padding=14)
    tips = [
        alt.Tooltip("segment:N"),
        alt.Tooltip("achieved:N", title=f"G, {view} (leaves)"),
        alt.Tooltip("bound:N", title="lower bound"),
        alt.Tooltip("above:N", title="G over bound"),
        alt.Tooltip("mean:N", title="mean distance"),
        alt.Tooltip("why:N", title="because of"),
    ]
    colours = {"data": p.participants, "both": p.faint, "algorithm": p.failing, "": p.faint}
    used = [c for c in CAUSES if c in set(data["cause"])]
    colour = alt.Color(
        "why:N",
        scale=alt.Scale(domain=[CAUSES[c] for c in used], range=[hexcode(colours[c]) for c in used]),
        legend=alt.Legend(title=None, orient="top", labelLimit=300, columns=2),
    )
    base = alt.Chart(data, height=ROW * len(data) + AXES).encode(
        y=alt.Y("segment:N", sort=order, title=None, axis=alt.Axis(labelLimit=160, ticks=False))
    )
    x = alt.X("g:Q", scale=scale, title=f"G, {view} (leaves, logarithmic): left is finer")
    bars = base.mark_bar(height=8, opacity=0.5).encode(x=x, x2="limit:Q", color=colour, tooltip=tips)
    ticks = base.mark_tick(thickness=4, size=20, color=hexcode(p.good)).encode(
        x=alt.X("limit:Q", scale=scale), tooltip=tips
    )
    dots = base.mark_point(filled=True, size=120, opacity=1).encode(x=x, color=colour, tooltip=tips)
    words = base.mark_text(align="left", dx=10, fontSize=12).encode(x=x, text="above:N")
    return dressed(alt.layer(bars, ticks, dots, words), mode)


def common_chart(cost: pd.DataFrame, mode: str | None = "light") -> Any:
    """What would one common zoning cost each segment? Mean metres with its own zoning and with the common one."""
    p = palette(mode)
    data = cost[cost["gdm_mean_common"].notna()].copy()
    data["own"], data["shared"] = ([metres(v) for v in data[c]] for c in ("gdm_mean", "gdm_mean_common"))
    data["times"] = [times(v) for v in data["price"]]
    order = data["segment"].tolist()
    tips = [
        alt.Tooltip("segment:N"),
        alt.Tooltip("own:N", title="own zoning"),
        alt.Tooltip("shared:N", title="common zoning"),
        alt.Tooltip("times:N", title="price"),
    ]
    base = alt.Chart(data, height=ROW * len(data) + AXES).encode(
        y=alt.Y("segment:N", sort=order, title=None, axis=alt.Axis(labelLimit=160, ticks=False)), tooltip=tips
    )
    title = "mean distance to the zone's centre (m): left is finer"
    scale = alt.Scale(zero=False, padding=14)
    x = alt.X("gdm_mean:Q", scale=scale, title=title, axis=alt.Axis(format=",.0f"))
    other = alt.X("gdm_mean_common:Q", scale=scale)
    bars = base.mark_bar(height=6, opacity=0.4, color=hexcode(p.faint)).encode(x=x, x2="gdm_mean_common:Q")
    own = base.mark_point(filled=True, size=120, opacity=1, color=hexcode(p.participants)).encode(x=x)
    shared = base.mark_point(filled=True, size=120, opacity=1, shape="diamond", color=hexcode(p.population))
    words = base.mark_text(align="left", dx=10, fontSize=12).encode(x=other, text="times:N")
    return dressed(alt.layer(bars, own, shared.encode(x=other), words), mode)
