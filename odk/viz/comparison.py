"""Charts of comparisons (altair): the trade-off between k, ε and utility, and figure 12 of 001."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import h3
import pandas as pd

from odk.viz.charts import dressed
from odk.viz.theme import count, figure, hexcode, palette, percent

PROMISES = {
    "k-anonymity": ("k-anonymity", "at least k trips in every published cell"),
    "noise": ("Noise", "how much one trip may show; smaller is noisier"),
}
NAMES = {
    "twincut": "one map (TwinCut)",
    "atg-joint": "a map per origin (ATG)",
    "laplace": "noisy flows (Laplace)",
    "ipf-dp": "synthetic trips (IPF)",
}
METRICS = {"g": "generalisation G", "e": "reconstruction loss E", "d": "distribution distance D", "seconds": "time"}


def tradeoff_chart(table: pd.DataFrame, mode: str | None = "light", *, height: int = 320) -> Any:
    """Two panels on one scale: strong protection left, weak right; how many trips end up in the wrong place.

    `table` is that of `odk.comparison.privacy_utility`.
    """
    p = palette(mode)
    data = table.dropna(subset="misplaced").copy()
    data["name"] = [NAMES.get(a, a) for a in data["algorithm"]]
    data["label"] = [f"{s:g}" for s in data["setting"]]
    names = list(dict.fromkeys(data["name"]))
    colours = [p.participants, p.good, p.population, p.failing]
    scale = alt.Scale(domain=names, range=[hexcode(colours[i % len(colours)]) for i in range(len(names))])
    panels = []
    for i, (promise, (title, what)) in enumerate(PROMISES.items()):
        part = data[data["promise"] == promise]
        if part.empty:
            continue
        strong_first = promise == "k-anonymity"
        order = [f"{s:g}" for s in sorted(part["setting"].unique(), reverse=strong_first)]
        letter = "k" if strong_first else "ε"
        x = alt.X(
            "label:O",
            sort=order,
            title=[f"{letter}: {what}", "← more private"],
            axis=alt.Axis(labelAngle=0, grid=False),
        )
        y = alt.Y(
            "misplaced:Q",
            title=None if i else "trips in the wrong place",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%", tickCount=5),
        )
        tip = [
            alt.Tooltip("name:N", title="method"),
            alt.Tooltip("label:N", title=letter),
            alt.Tooltip("misplaced:Q", title="in the wrong place", format=".0%"),
            alt.Tooltip("added:Q", title="trips made up", format=".0%"),
        ]
        base = alt.Chart(part, title=title, width=310, height=height).encode(
            x=x, y=y, color=alt.Color("name:N", scale=scale, legend=None), tooltip=tip
        )
        last = part[part["label"] == order[-1]]
        text = (
            alt.Chart(last)
            .mark_text(align="left", dx=10, fontWeight="bold", clip=False)
            .encode(
                x=alt.X("label:O", sort=order), y="misplaced:Q", text="name:N", color=alt.Color("name:N", scale=scale)
            )
        )
        panels.append(base.mark_line(strokeWidth=3) + base.mark_point(size=70, filled=True, opacity=1) + text)
    level = _district(str(data["level"].iloc[0])) if len(data) else ""
    chart = alt.hconcat(*panels, spacing=120).properties(
        title=alt.TitleParams(
            _point(data),
            subtitle=[
                f"Share of published trips that lie between the wrong two districts ({level})",
                "k hides a trip in a group; ε hides whether it was made at all: one cannot be turned into the other",
            ],
            anchor="start",
            offset=14,
        )
    )
    return dressed(chart, mode)


def _point(data: pd.DataFrame) -> str:
    """What the chart shows; a question where it does not show that privacy costs."""
    costs = []
    for (promise, _), part in data.groupby(["promise", "algorithm"]):
        shares = part.sort_values("setting", ascending=promise != "k-anonymity")["misplaced"]  # the strongest first
        costs.append((shares.diff().dropna() <= 0.01).all() and shares.iloc[0] - shares.iloc[-1] >= 0.05)
    if costs and all(costs):
        return "The stronger the promise, the more trips end up in the wrong place"
    return "How many trips end up in the wrong place?"


def _district(level: str) -> str:
    """What a district is, with its mean area where it is an H3 cell."""
    if not level.startswith("H3 resolution "):
        return level
    area = h3.average_hexagon_area(int(level.rsplit(" ", 1)[1]), unit="km^2")
    return f"{level}: some {area:,.2g} km² each"


def figure_12(ratios: pd.DataFrame, mode: str | None = "light", *, height: int = 220) -> Any:
    """Each solver over ATG-Dual, one panel a metric: boxes over the matrices of a data set; below 1 is better.

    `ratios` is that of `odk.comparison.Comparison`.
    """
    p = palette(mode)
    data = ratios.copy()
    solvers = list(dict.fromkeys(data["solver"]))
    datasets = list(dict.fromkeys(data["dataset"]))
    colours = [p.participants, p.population, p.good, p.failing]
    scale = alt.Scale(domain=datasets, range=[hexcode(colours[i % len(colours)]) for i in range(len(datasets))])
    panels = []
    for metric, title in METRICS.items():
        part = data[data["metric"] == metric]
        if part.empty:
            continue
        base = alt.Chart(part, title=f"{title}, over that of ATG-Dual", width=440, height=height)
        y = alt.Y(
            "ratio:Q",
            title=None,
            scale=alt.Scale(type="log", nice=True),
            axis=alt.Axis(format="~g", values=[10.0**n for n in range(-4, 6)]),
        )
        x = alt.X("solver:N", sort=solvers, title=None, axis=alt.Axis(labelAngle=-30))
        colour = alt.Color("dataset:N", scale=scale, legend=alt.Legend(title=None, orient="top"))
        tip = [
            *("dataset:N", "matrix:N", "solver:N"),
            alt.Tooltip("ratio:Q", format=".3~g", title="times ATG-Dual"),
            alt.Tooltip("value:Q", format=".4~g", title=title),
        ]
        offset = alt.XOffset("dataset:N", sort=datasets)
        boxes = base.mark_boxplot(extent="min-max", size=9).encode(x=x, y=y, xOffset=offset, color=colour)
        dots = base.mark_point(filled=True, size=28, opacity=0.9).encode(
            x=x, y=y, xOffset=offset, color=colour, tooltip=tip
        )
        even = (
            alt.Chart(pd.DataFrame({"one": [1.0]}))
            .mark_rule(strokeDash=[4, 3], color=hexcode(p.text))
            .encode(y="one:Q")
        )
        panels.append(even + boxes + dots)
    rows = [alt.hconcat(*panels[i : i + 2], spacing=24) for i in range(0, len(panels), 2)]
    return dressed(alt.vconcat(*rows), mode)


def written(table: pd.DataFrame, mode: str | None = "light") -> Any:
    """A table of the comparisons as a pandas Styler: numbers for people, published figures fainter than ours."""
    style = table.style
    for column in table.columns:
        style = style.format(_writer(str(column), table[column]), subset=[column], na_rep="–")
        if str(column).endswith("published"):
            style = style.set_properties(subset=[column], color=hexcode(palette(mode).faint))
    return style


def _writer(column: str, values: pd.Series) -> Callable[[Any], str]:
    if pd.api.types.is_bool_dtype(values):
        return lambda met: "yes" if met else "no"
    if pd.api.types.is_integer_dtype(values):
        return count
    if not pd.api.types.is_numeric_dtype(values):
        return str
    if column in ("S", "S, published", "misplaced", "added"):
        return percent
    if column in ("seconds", "Execution_Time"):
        return lambda seconds: f"{seconds:.3f}"
    if column == "Priorn":
        return lambda prior: f"{prior:g}"
    return lambda value: count(value) if value >= 2 and value == int(value) else figure(value)
