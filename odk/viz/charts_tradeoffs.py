"""Charts of a sweep of k and budget: what each setting costs, and what more suppression buys.

A click on a point selects it under the name PICK, with its k and budget (in per cent).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from odk.viz.charts import dressed
from odk.viz.theme import Colour, figure, hexcode, palette, percent

PICK = "setting"
TIPS = [
    alt.Tooltip("algorithm:N"),
    alt.Tooltip("k:O"),
    alt.Tooltip("share:N", title="budget"),
    alt.Tooltip("loss:N", title="G (leaves)"),
    alt.Tooltip("gone:N", title="suppressed"),
    alt.Tooltip("zones:N"),
]


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of a sweep that gave a release, with texts for tooltips and the budget in per cent."""
    known = table[table["g"].notna()].copy()
    known["percent"] = (known["budget"] * 100).round().astype("int64")
    known["share"] = [percent(b, 0) for b in known["budget"]]
    known["loss"] = [figure(g) for g in known["g"]]
    known["gone"] = [percent(s) for s in known["s"]]
    shapes = zip(known["origins"], known["destinations"], strict=True)
    known["zones"] = [f"{o:,} × {d:,}" if o else "–" for o, d in shapes]
    return known


def heat_map(
    table: pd.DataFrame,
    current: tuple[int, float],
    suggested: tuple[int, float] | None = None,
    mode: str | None = "light",
    *,
    view: str = "participants",
    height: int = 430,
) -> Any:
    """What each k and budget costs: G by colour and number; the current setting is framed, the suggested one dashed."""
    p = palette(mode)
    data = readable(table)
    x = alt.X("percent:O", title="suppression budget (% of volume)", axis=alt.Axis(labelAngle=0))
    y = alt.Y("k:O", sort="descending", title="k: the least a published cell may hold")
    ramp = [hexcode(c) for c in p.ramp(view)]
    data["ink"] = _inks(data["g"], p.ramp(view))
    base = alt.Chart(data, height=height)
    cells = (
        base.mark_rect(cursor="pointer")
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "g:Q",
                scale=alt.Scale(type="log", range=ramp),
                legend=alt.Legend(title="G (leaves)", orient="right", tickCount=4, format="~s"),
            ),
            tooltip=TIPS,
        )
        .add_params(alt.selection_point(name=PICK, fields=["k", "percent"], on="click", empty=False))
    )
    words = base.mark_text(fontSize=12, tooltip=None).encode(
        x=x, y=y, text="loss:N", color=alt.Color("ink:N", scale=None)
    )
    frames = []
    for at, dash in ((suggested, [5, 3]), (current, [1, 0])):
        if at is None:
            continue
        here = data[(data["k"] == at[0]) & (data["percent"] == round(at[1] * 100))]
        frame = alt.Chart(here).mark_rect(
            filled=False, stroke=hexcode(p.failing), strokeWidth=4, strokeDash=dash, tooltip=None
        )
        frames.append(frame.encode(x=x, y=y))
    return dressed(alt.layer(cells, words, *frames).resolve_scale(color="independent"), mode)


def _inks(values: pd.Series[float], ramp: Sequence[Colour]) -> list[str]:
    """Black or white for a text on each value's colour, whichever stands out more; values are on a log scale."""
    logs = np.log(values.to_numpy(np.float64))
    place = (logs - logs.min()) / max(float(np.ptp(logs)), 1e-12) * (len(ramp) - 1)
    grounds = np.column_stack([np.interp(place, range(len(ramp)), part) for part in zip(*ramp, strict=True)]) / 255
    linear = np.where(grounds <= 0.04045, grounds / 12.92, ((grounds + 0.055) / 1.055) ** 2.4)
    bright = linear @ np.array([0.2126, 0.7152, 0.0722])
    return ["#000000" if (b + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff" for b in bright.tolist()]


def frontier_chart(
    table: pd.DataFrame,
    current: tuple[int, float],
    mode: str | None = "light",
    *,
    view: str = "participants",
    height: int = 430,
) -> Any:
    """What more suppression buys: G over the share suppressed, a line for each k; settings that another one beats at
    once in k, G and S are hollow (column `best`); the lines of the current k are heavy.
    """
    p = palette(mode)
    data = readable(table).assign(now=lambda t: t["k"] == current[0])
    x = alt.X("s:Q", title="share suppressed", axis=alt.Axis(format=".0%"))
    y = alt.Y("g:Q", title=f"G, {view} (leaves, logarithmic)", scale=alt.Scale(type="log", nice=False, padding=8))
    ks = sorted(data["k"].unique().tolist())
    steps = p.ramp(view)[2:]  # those before are too near the ground for a line
    colours = [hexcode(steps[round(i * (len(steps) - 1) / max(len(ks) - 1, 1))]) for i in range(len(ks))]
    colour = alt.Color("k:O", scale=alt.Scale(domain=ks, range=colours), legend=alt.Legend(title="k", orient="right"))
    dashes = alt.Legend(title=None, orient="top") if len(set(data["algorithm"])) > 1 else None
    base = alt.Chart(data, height=height)
    lines = base.mark_line(interpolate="linear").encode(
        x=x,
        y=y,
        color=colour,
        detail="algorithm:N",
        strokeDash=alt.StrokeDash("algorithm:N", legend=dashes),
        strokeWidth=alt.condition("datum.now", alt.value(4), alt.value(1.5)),
    )
    dots = (
        base.mark_point(size=70, cursor="pointer", strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=colour,
            fill=alt.condition("datum.best", colour, alt.value(hexcode(p.background))),
            tooltip=TIPS,
        )
        .add_params(alt.selection_point(name=PICK, fields=["k", "percent"], on="click", empty=False))
    )
    here = data[data["now"] & (data["percent"] == round(current[1] * 100))]
    ring = alt.Chart(here).mark_point(size=330, strokeWidth=4, stroke=hexcode(p.failing), tooltip=None)
    return dressed(alt.layer(lines, dots, ring.encode(x=x, y=y)), mode)
