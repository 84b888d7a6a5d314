"""The published table as a heat map with its margins. An empty cell and a suppressed one look alike: blank."""

from typing import Any

import altair as alt
import pandas as pd

from odk.viz.charts import dressed
from odk.viz.theme import hexcode, palette


def largest(flows: pd.DataFrame, most: int | None = 30) -> pd.DataFrame:
    """The flows of `flow_table` between the largest zones of each side (by volume); None: all of them."""
    if most is None:
        return flows
    kept = flows
    for end in ("origin", "destination"):
        total = flows.groupby(end)["volume"].sum().sort_values(ascending=False, kind="stable")
        kept = kept[kept[end].isin(total.index[:most])]
    return kept.reset_index(drop=True)


def heat_map(
    flows: pd.DataFrame, *, measure: str, view: str, totals: pd.DataFrame | None = None, mode: str | None = "light"
) -> Any:
    """Origins down, destinations across, largest first; bars above and at the right are the margins.

    `flows`: what is shown; `totals`: the whole table, of which the margins are the sums (None: what is shown).
    """
    p = palette(mode)
    whole = flows if totals is None else totals
    sums = {end: whole.groupby(end)["volume"].sum() for end in ("origin", "destination")}
    names, order = {}, {}
    for end, word in (("origin", "from"), ("destination", "to")):
        shown = sums[end][sums[end].index.isin(flows[end])].sort_values(ascending=False, kind="stable")
        called = whole.drop_duplicates(end).set_index(end)[word]
        names[end] = called
        order[end] = [called[zone] for zone in shown.index]
    few = max(len(order["origin"]), len(order["destination"])) <= 60
    # Rows as low as a name needs; columns wider, for names stand aslant below them.
    side = {
        "origin": max(60.0, min(15.0 * len(order["origin"]), 600.0)),
        "destination": max(120.0, min(28.0 * len(order["destination"]), 640.0)),
    }
    ramp = alt.Scale(type="log", range=[hexcode(c) for c in p.ramp(view)], interpolate="rgb")
    label = alt.Axis(labelLimit=170, labelFontSize=11, grid=False, ticks=False, domain=False, labels=few)
    y = alt.Y("from:N", sort=order["origin"], title="from", axis=label)
    x = alt.X("to:N", sort=order["destination"], title="to", axis=alt.Axis(labelAngle=-40, **_same(label)))
    cell = alt.Chart(flows[["from", "to", "volume"]], width=side["destination"], height=side["origin"]).mark_rect()
    heat = cell.encode(
        x=x,
        y=y,
        color=alt.Color("volume:Q", scale=ramp, title=measure, legend=alt.Legend(orient="right", format=",.0f")),
        tooltip=[alt.Tooltip("from:N"), alt.Tooltip("to:N"), alt.Tooltip("volume:Q", title=measure, format=",.0f")],
    )
    bar = hexcode(p.ramp(view)[3])
    above = (
        alt.Chart(_margin(sums["destination"], names["destination"], order["destination"], "to"), height=46)
        .mark_bar(color=bar)
        .encode(
            x=alt.X("to:N", sort=order["destination"], axis=None),
            y=alt.Y("total:Q", title=None, axis=alt.Axis(tickCount=2, format="~s", grid=False)),
            tooltip=[alt.Tooltip("to:N"), alt.Tooltip("total:Q", title=f"{measure} in all", format=",.0f")],
        )
        .properties(width=side["destination"])
    )
    right = (
        alt.Chart(_margin(sums["origin"], names["origin"], order["origin"], "from"), width=70)
        .mark_bar(color=bar)
        .encode(
            y=alt.Y("from:N", sort=order["origin"], axis=None),
            x=alt.X("total:Q", title=None, axis=alt.Axis(tickCount=2, format="~s", grid=False)),
            tooltip=[alt.Tooltip("from:N"), alt.Tooltip("total:Q", title=f"{measure} in all", format=",.0f")],
        )
        .properties(height=side["origin"])
    )
    return dressed(alt.vconcat(above, alt.hconcat(heat, right, spacing=4), spacing=4), mode)


def _same(axis: alt.Axis) -> dict[str, Any]:
    return {k: v for k, v in axis.to_dict().items() if k != "labelAngle"}


def _margin(sums: pd.Series, names: pd.Series, order: list[str], word: str) -> pd.DataFrame:
    table = pd.DataFrame({word: names.reindex(sums.index).to_numpy(), "total": sums.to_numpy()})
    return table[table[word].isin(order)]
