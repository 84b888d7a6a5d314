"""What is drawn of checks: verdicts as a list, failing cells with names, and where they lie."""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
import pandas as pd

from odk.auditing import Check
from odk.release import Release
from odk.viz import maps, twin
from odk.viz.names import zone_names
from odk.viz.theme import count, figure, hexcode, palette, percent
from odk.viz.zones import Axis, places, zone_table

SHARES = ("dominance", "t-closeness", "homogeneity")
ORDER = {"FAIL": 0, "error": 0, "advice": 1, "warning": 1, "note": 2, "not checked": 3, "pass": 4}
WORDS = {"FAIL": "fails", "error": "fails", "advice": "advice", "warning": "look", "note": "note", "pass": "pass"}
ICONS = {"FAIL": "✕", "error": "✕", "advice": "!", "warning": "!", "note": "i", "pass": "✓"}


def by_weight(checks: Iterable[Check]) -> list[Check]:
    """Checks as a reviewer reads them: broken promises, then advice, then what was not checked, then what holds."""
    return sorted(checks, key=lambda check: ORDER[check.verdict])


def check_value(check: Check, value: float | int | None) -> str:
    """A value of a check in its unit: shares as per cent, counts whole."""
    if value is None:
        return "–"
    if check.name.startswith(SHARES):
        return figure(float(value)) if check.name.startswith("t-closeness") else percent(float(value), 0)
    return count(value) if float(value).is_integer() or abs(value) >= 100 else figure(float(value))


def verdict_rows(checks: Sequence[Check]) -> list[tuple[str, str, str]]:
    """Verdict, title and sentence of each check, what is promised marked."""
    return [(c.verdict, c.title + (" (promised)" if c.guarded else ""), c.sentence) for c in checks]


def verdict_list(rows: Iterable[tuple[str, str, str]], mode: str | None = "light") -> str:
    """HTML of a list of verdicts: a coloured mark with a word, a title, a sentence."""
    p = palette(mode)
    hues = {0: p.population, 1: p.failing, 4: p.good}
    parts = []
    for verdict, title, sentence in rows:
        colour = hexcode(hues.get(ORDER[verdict], p.faint))
        mark = f"{ICONS.get(verdict, '–')} {WORDS.get(verdict, verdict)}"
        parts.append(
            f'<tr><td style="{_CELL}white-space:nowrap;width:6.2em"><span style="display:inline-block;min-width:5.4em;'
            f"padding:0.1em 0.5em;border-radius:0.8em;border:1.5px solid {colour};background:{colour}2b;"
            f'font-size:0.8rem;font-weight:600;box-sizing:border-box">{escape(mark)}</span></td>'
            f'<td style="{_CELL}"><b>{escape(title)}</b><br>'
            f'<span style="color:{hexcode(p.faint)}">{escape(sentence)}</span></td></tr>'
        )
    return f'<table style="border-collapse:collapse;width:100%;font-size:0.88rem;line-height:1.35">{"".join(parts)}</table>'


_CELL = "border:none;border-bottom:1px solid rgba(128,128,128,0.25);padding:0.38rem 0.4rem;vertical-align:top;"


def failing_cells(release: Release, check: Check) -> pd.DataFrame:
    """Failing cells or zones of a check with names: from, to, measure, value, threshold, origin, destination."""
    failing = check.failing
    columns: dict[str, object] = {}
    for axis, end, word in (("origins", "origin", "from"), ("destinations", "destination", "to")):
        table, of_cell = places(release, axis)  # type: ignore[arg-type]
        names = np.array(zone_names(table["lat"], table["lon"], table["level"]), dtype=object)
        known = dict(zip(table["zone"], names, strict=True)) | {"all": "all"}
        cell = failing["cell"].to_numpy()
        by_cell = names[of_cell[np.maximum(cell, 0)]] if len(names) else np.array([], dtype=object)
        by_zone = [known.get(zone, zone) for zone in failing[end]]
        columns[word] = np.where(cell >= 0, by_cell, by_zone) if len(failing) else []
    found = pd.DataFrame(columns)
    for name in ("measure", "value", "threshold", "origin", "destination"):
        found[name] = failing[name].to_numpy()
    return found


def failing_zones(release: Release, check: Check, axis: Axis) -> pd.DataFrame:
    """Zones of one axis as `zone_table`; `failing` counts the failing cells at each, or 1 where the zone itself fails."""
    table = zone_table(release, axis)
    end = "origin" if axis == "origins" else "destination"
    own, of_cell = places(release, axis)
    zone = own["zone"].to_numpy()
    cell = check.failing["cell"].to_numpy()
    pairs = check.failing.assign(zone=check.failing[end].to_numpy(dtype=object))
    if len(cell):
        pairs["zone"] = np.where(cell >= 0, zone[of_cell[np.maximum(cell, 0)]], pairs["zone"])
    seen = pairs.drop_duplicates(["cell", "origin", "destination"])["zone"].value_counts()
    table["failing"] = table["zone"].map(seen).fillna(0).astype(np.int64)
    return table


def short_pane(
    zones: pd.DataFrame, title: str, what: str = "flows that fall short", fails: str = "", mode: str | None = "light"
) -> twin.Pane:
    """A map of zones coloured by how many of their flows fall short (column `failing`); grey where none does.

    `what` names that number in the legend; `fails`: what is said of those flows in the tooltip.
    """
    short = int((zones["failing"] > 0).sum())
    return twin.Pane(
        id="short",
        title=title,
        zones=zones,
        values=zones["failing"],
        view="failing",
        limits=_short_limits(zones),
        fails=fails or what,
        outlined=False,
        clicks=False,
        alt=f"{title}: {count(len(zones))} zones; {count(short)} of them have {what}.",
        legend=short_legend(zones, what, mode),
    )


def short_legend(zones: pd.DataFrame, what: str = "flows that fall short", mode: str | None = "light") -> str:
    """HTML of the legend of `short_pane`."""
    p, limits = palette(mode), _short_limits(zones)
    seen = zones["failing"].to_numpy()
    step = maps.steps(seen, limits)
    parts = []
    for n in np.unique(step).tolist():
        values = seen[step == n]
        low, high = int(values.min()), int(values.max())
        text = count(low) if low == high else f"{count(low)} to {count(high)}"
        colour = hexcode(p.ramp("failing")[n])
        box = f'<span style="display:inline-block;width:1.4em;height:0.8em;background:{colour}"></span>'
        parts.append(f'<span style="white-space:nowrap">{box} {text}</span>')
    return f'<div style="font-size:0.8rem;color:{hexcode(p.faint)}">{escape(what)}: {" &nbsp; ".join(parts)}</div>'


def _short_limits(zones: pd.DataFrame) -> tuple[float, ...]:
    """Zero is a colour of its own; the others are spread over the rest."""
    some = zones["failing"][zones["failing"] > 0]
    return (0.5, *(limit for limit in maps.breaks([some]) if limit > 1))


def facts(rows: Iterable[tuple[str, str]], title: str, mode: str | None = "light") -> str:
    """HTML of a small table: what, and what is to be said of it."""
    p = palette(mode)
    lines = "".join(
        f'<tr><td style="{_CELL}white-space:nowrap"><b>{escape(what)}</b></td>'
        f'<td style="{_CELL}color:{hexcode(p.faint)}">{escape(text)}</td></tr>'
        for what, text in rows
    )
    style = "border-collapse:collapse;width:100%;font-size:0.9rem;line-height:1.35"
    head = f'<caption style="text-align:left;font-weight:600;padding:0 0.4rem 0.2rem">{escape(title)}</caption>'
    return f'<table style="{style}">{head}{lines}</table>'
