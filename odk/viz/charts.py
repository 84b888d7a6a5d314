"""Charts (altair) in the theme of odk: data in, chart out."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from odk.viz.chart_theme import chart_theme
from odk.viz.theme import hexcode, palette


def dressed(chart: Any, mode: str | None = "light") -> Any:
    """The chart with the theme of one mode in itself, so that users with different modes do not disturb each other."""
    theme = chart_theme(mode)
    return chart.configure(**theme["config"])


def levels_chart(tables: Mapping[str, pd.DataFrame], mode: str | None = "light", *, height: int = 220) -> Any:
    """How many zones each view has at each H3 level: bars side by side, from coarse to fine."""
    p = palette(mode)
    parts = [table.groupby("level").size().reset_index(name="zones").assign(view=v) for v, table in tables.items()]
    data = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"level": [], "zones": [], "view": []})
    colours = {"participants": p.participants, "population": p.population}
    scale = alt.Scale(domain=list(tables), range=[hexcode(colours.get(v, p.good)) for v in tables])
    chart = (
        alt.Chart(data, height=height)
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X("level:O", title="H3 level (coarse to fine)", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("view:N", sort=list(tables)),
            y=alt.Y("zones:Q", title="zones", axis=alt.Axis(tickMinStep=1)),
            color=alt.Color("view:N", scale=scale, legend=alt.Legend(title=None, orient="top")),
            tooltip=[alt.Tooltip("view:N"), alt.Tooltip("level:O"), alt.Tooltip("zones:Q", format=",")],
        )
    )
    return dressed(chart, mode)
