"""Rules beside each other: the cross k table and what each costs in G."""

from typing import Any

import altair as alt
import pandas as pd

from odk.protection import Protection
from odk.viz.charts import dressed
from odk.viz.theme import Colour, Palette, count, figure, hexcode, palette, percent

WORDS = {"trips": "trips", "persons": "persons", "population": "weighted trips"}


def cross_table(table: pd.DataFrame, wanted: Protection, mode: str | None = "light") -> str:
    """HTML of `odk.guards.guard_table`: rules down, thresholds across; what is below a threshold stands out in amber."""
    p = palette(mode)
    measures = [m for m in WORDS if f"least_{m}" in table]
    faint = hexcode(p.faint)
    spans = [("", 1)] + [(f"{count(wanted.guards[m])} {WORDS[m]}", 2) for m in measures] + [("published", 3), ("G", 4)]
    groups = "".join(f'<th colspan="{n}" scope="colgroup" style="{_HEAD}text-align:center">{t}</th>' for t, n in spans)
    names = ["rule", *["least", "flows below"] * len(measures), "zones", "flows", "suppressed"]
    names += ["participants", "cost", "population", "cost"]
    align = ["left", *["right"] * (len(names) - 1)]
    heads = "".join(
        f'<th scope="col" style="{_HEAD}color:{faint};font-weight:400;text-align:{a}">{name}</th>'
        for name, a in zip(names, align, strict=True)
    )
    rows = "".join(_cross_row(row, measures, p) for row in table.to_dict(orient="records"))
    style = "border-collapse:collapse;width:100%;font-size:0.92rem;font-variant-numeric:tabular-nums"
    return f'<table style="{style}"><thead><tr>{groups}</tr><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


_HEAD = "border:none;padding:0.25rem 0.55rem;"
_BODY = "border:none;border-top:1px solid rgba(128,128,128,0.25);padding:0.4rem 0.55rem;text-align:right;"


def _cross_row(row: dict[Any, Any], measures: list[str], p: Palette) -> str:
    cells = [f'<th scope="row" style="{_BODY}text-align:left;font-weight:600">{row["rule"]}</th>']

    def add(text: str, colour: Colour | None = None, *, bold: bool = False) -> None:
        look = f"background:{hexcode(colour)}40;" if colour else ""
        cells.append(f'<td style="{_BODY}{look}{"font-weight:600;" if bold else ""}">{text}</td>')

    for m in measures:
        below = row[f"below_{m}"]
        known = below is not None and below == below
        kept = "✓ " if row[f"guards_{m}"] else ""
        add(count(row[f"least_{m}"]))
        add(f"{kept}{count(below)}", (p.failing if below else p.good) if known else None, bold=bool(known and below))
    boxes = row["origins"] is None or row["origins"] != row["origins"]
    add("boxes" if boxes else f"{count(row['origins'])} × {count(row['destinations'])}")
    add(count(row["cells"]))
    add(percent(row["suppressed"]))
    for view in ("participants", "population"):
        add(figure(row[f"g_{view}"]), bold=True)
        add(_cost(row[f"cost_{view}"]))
    return f"<tr>{''.join(cells)}</tr>"


def _cost(change: float) -> str:
    """What a rule costs over the first: +17%, or 12 ×."""
    if change != change or change == 0:
        return "–"
    if abs(change) < 0.005:
        return "<1%"
    return f"{change:+.0%}" if abs(change) < 10 else f"{change + 1:.0f} ×"


def cost_chart(table: pd.DataFrame, mode: str | None = "light", *, height: int = 200) -> Any:
    """G of every rule in both views, bars side by side."""
    p = palette(mode)
    views = ["participants", "population"]
    rows = [
        {"rule": rule, "view": view, "G": g, "label": figure(g)}
        for view in views
        for rule, g in zip(table["rule"], table[f"g_{view}"], strict=True)
    ]
    base = alt.Chart(pd.DataFrame(rows), height=height).encode(
        x=alt.X("rule:N", sort=list(table["rule"]), title="rule", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("view:N", sort=views),
        y=alt.Y("G:Q", title="G (leaves)"),
        tooltip=[alt.Tooltip("rule:N"), alt.Tooltip("view:N"), alt.Tooltip("label:N", title="G")],
    )
    colour = alt.Color(
        "view:N",
        scale=alt.Scale(domain=views, range=[hexcode(p.participants), hexcode(p.population)]),
        legend=alt.Legend(title="view", orient="right"),
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(color=colour)
    labels = base.mark_text(dy=-7).encode(text="label:N")
    return dressed(bars + labels, mode)
