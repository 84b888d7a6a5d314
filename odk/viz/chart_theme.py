"""The look of every chart: odk's palette as an altair theme (apart from theme.py, which pages without a chart use too)."""

from typing import cast

import altair as alt

from odk.viz.theme import FONT, hexcode, palette


def chart_theme(mode: str | None) -> alt.theme.ThemeConfig:
    """The look of every chart in one mode."""
    p = palette(mode)
    text, faint = hexcode(p.text), hexcode(p.faint)
    axis = {
        "labelColor": faint,
        "titleColor": text,
        "labelFontSize": 13,
        "titleFontSize": 13,
        "titleFontWeight": 600,
        "gridColor": hexcode(p.region),
        "gridOpacity": 0.6,
        "domainColor": hexcode(p.border),
        "tickColor": hexcode(p.border),
    }
    config = {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "axis": axis,
        "legend": {"labelColor": text, "titleColor": text, "labelFontSize": 13, "titleFontSize": 13},
        "title": {"color": text, "fontSize": 16, "fontWeight": 600, "anchor": "start", "subtitleColor": faint},
        "header": {"labelColor": text, "titleColor": text, "labelFontSize": 13},
        "range": {
            "category": [hexcode(c) for c in (p.participants, p.population, p.failing, p.good, p.faint)],
            "ramp": [hexcode(c) for c in p.ramp("participants")],
        },
        "mark": {"color": hexcode(p.participants)},
        "text": {"color": text, "fontSize": 13},
        "rule": {"color": hexcode(p.border)},
    }
    return cast(alt.theme.ThemeConfig, {"config": config})


@alt.theme.register("odk-light", enable=True)
def _light() -> alt.theme.ThemeConfig:
    return chart_theme("light")


@alt.theme.register("odk-dark", enable=False)
def _dark() -> alt.theme.ThemeConfig:
    return chart_theme("dark")
