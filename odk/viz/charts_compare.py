"""Charts that compare algorithms: each answers the question in its title, in both views."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from odk.glossary import TERMS, Term
from odk.viz.charts import dressed
from odk.viz.tables import FORMATS
from odk.viz.theme import VIEW_LABEL, figure, hexcode, palette

LOGARITHMIC = {"g", "c_dm", "c_avg", "above_limit", "gdm_mean", "gdm_median", "gdm_std", "length_shift"}
"""Metrics whose values differ by orders of magnitude from algorithm to algorithm."""


# Axes write 2,000, 50k and 3 × 10⁸: the short form of vega would write 10¹⁵ as 1P.
_POWER = "floor(log(datum.value) / LN10 + 1e-9)"
_LEAD = f"round(datum.value / pow(10, {_POWER}))"
_DIGIT = f"substring('⁰¹²³⁴⁵⁶⁷⁸⁹', {_POWER} % 10, {_POWER} % 10 + 1)"
SHORT = (
    f"datum.value < 1e6 ? format(datum.value, '~s') : ({_LEAD} == 1 ? '' : {_LEAD} + ' × ') + '10' + "
    f"({_POWER} >= 10 ? '¹' : '') + {_DIGIT}"
)


def _long(tables: Mapping[str, pd.DataFrame], key: str) -> pd.DataFrame:
    """One row an algorithm and view, with the value as people read it."""
    parts = [t[["title", key]].assign(view=VIEW_LABEL[v]).rename(columns={key: "value"}) for v, t in tables.items()]
    data = pd.concat(parts, ignore_index=True)
    data["value"] = pd.to_numeric(data["value"])
    data = data[data["value"].notna()]
    return data.assign(shown=[FORMATS.get(key, figure)(value) for value in data["value"]])


def metric_chart(
    tables: Mapping[str, pd.DataFrame], term: Term, mode: str | None = "light", *, width: int = 250, names: bool = True
) -> Any:
    """One metric of every algorithm, a dot for each view; rows are those of the tables, in their order."""
    p = palette(mode)
    data, order = _long(tables, term.key), next(iter(tables.values()))["title"].tolist()
    scale = alt.Scale(type="log", nice=True) if term.key in LOGARITHMIC and (data["value"] > 0).all() else alt.Scale()
    unit = f"{term.short} ({term.unit})" if term.unit else term.short
    colours = [hexcode(p.participants), hexcode(p.population)]
    axis: dict[str, Any] = (
        {"tickCount": 4, "format": ".0%"} if term.unit == "share" else {"tickCount": 4, "labelExpr": SHORT}
    )
    lines = textwrap.wrap(term.question, width // 7)  # a title never makes its chart wider
    lines += [""] * (2 - len(lines))
    base = alt.Chart(data, width=width, height=22 * len(order), title=alt.TitleParams(lines, fontSize=14))
    rows = alt.Scale(domain=order)  # also of those that have no value here: charts side by side share their names
    y = alt.Y(
        "title:N",
        sort=order,
        scale=rows,
        title=None,
        axis=alt.Axis(labels=names, labelLimit=180, ticks=False, grid=True),
    )
    x = alt.X("value:Q", title=f"{unit}, {term.better} is better", scale=scale, axis=alt.Axis(**axis))
    return base.mark_point(filled=True, size=90, opacity=0.85).encode(
        x=x,
        y=y,
        color=alt.Color(
            "view:N",
            scale=alt.Scale(domain=list(VIEW_LABEL.values()), range=colours),
            legend=alt.Legend(title="view", orient="top"),
        ),
        shape=alt.Shape(
            "view:N", scale=alt.Scale(domain=list(VIEW_LABEL.values()), range=["circle", "diamond"]), legend=None
        ),
        tooltip=[alt.Tooltip("title:N", title="algorithm"), "view:N", alt.Tooltip("shown:N", title=unit)],
    )


def metrics_chart(
    tables: Mapping[str, pd.DataFrame], keys: Sequence[str], mode: str | None = "light", *, columns: int = 4
) -> Any:
    """Several metrics side by side; algorithms are named at the left of each row of charts."""
    rows = []
    for start in range(0, len(keys), columns):
        part = keys[start : start + columns]
        charts = [metric_chart(tables, TERMS[k], mode, width=205, names=i == 0) for i, k in enumerate(part)]
        rows.append(alt.hconcat(*charts, spacing=26))
    return dressed(alt.vconcat(*rows, spacing=26), mode)


def bound_chart(table: pd.DataFrame, view: str, mode: str | None = "light") -> Any:
    """How close each algorithm comes to the lower bound of G: a bar from the bound to what it achieved."""
    p = palette(mode)
    data = table[["title", "g", "above_limit"]].dropna(subset=["g"]).copy()
    data["limit"] = pd.to_numeric(data["g"]) / pd.to_numeric(data["above_limit"])
    data["achieved"] = [figure(g) for g in data["g"]]
    data["bound"] = [figure(b) if b == b else "none is claimed" for b in data["limit"]]
    order = table["title"].tolist()
    base = alt.Chart(data, height=26 * len(data) + 60).encode(  # 60: the axis
        y=alt.Y("title:N", sort=order, title=None, axis=alt.Axis(labelLimit=180, ticks=False))
    )
    scale = alt.Scale(type="log", nice=False, padding=30)  # room for the numbers
    x = alt.X("g:Q", scale=scale, title=f"G, {view} (leaves, logarithmic): left is finer")
    tips = [alt.Tooltip("title:N", title="algorithm"), "achieved:N", alt.Tooltip("bound:N", title="lower bound")]
    bars = base.mark_bar(height=8, opacity=0.45).encode(x=x, x2="limit:Q", tooltip=tips)
    ticks = base.mark_tick(thickness=3, size=18, color=hexcode(p.good)).encode(
        x=alt.X("limit:Q", scale=scale), tooltip=tips
    )
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(x=x, tooltip=tips)
    words = base.mark_text(align="left", dx=9, fontSize=12).encode(x=x, text="achieved:N")
    return dressed(alt.layer(bars, ticks, dots, words), mode)
