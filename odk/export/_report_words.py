"""Sentences and tables of the report: figures in words."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from odk.export._figures import BELOW
from odk.recipe import Recipe, entry_of
from odk.viz.theme import scientific

WORD = {"trips": "trips", "persons": "distinct persons", "population": "weighted trips"}
VIEW = {
    "participants": "Participants: every trip counts 1.",
    "population": "Population: every trip counts its weight (weighted trips, not people).",
}
METRIC = {
    "g": (
        "G, generalisation",
        "The two zones of a published trip cover {} leaves in all, on average (leaves observed in the input).",
    ),
    "gdm_mean": ("GDM, mean", "The middle of a trip's zone lies {} from where it started or ended, on average."),
    "gdm_median": ("GDM, median", "Half of all ends lie within {} of the middle of their zone."),
    "gdm_std": ("GDM, spread", "The standard deviation of these distances is {}."),
    "e": (
        "E, reconstruction",
        "Spreading each flow evenly over its zones misses the input by {} of its volume (0 is exact, 2 is the most).",
    ),
    "d": ("D, distribution", "As shares, the flows spread like that differ from the input's by {} (0 to 2)."),
    "c_avg": ("C_AVG, mean flow", "A published flow holds {} times the threshold, on average."),
    "c_dm": (
        "C_DM, discernibility",
        "Squares of all flows, and the whole volume for each unit suppressed, come to {}: less is finer.",
    ),
    "s": ("S, suppressed", "{} of the volume is not published."),
}
"""Metrics in the order of the report, each in words."""


def number_text(value: float) -> str:
    """A figure of at most three digits: 1,140; 0.0998; 5.43 × 10⁷."""
    if abs(value) >= 1e6:
        return scientific(value, 2)
    return f"{int(value):,}" if value == int(value) else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def metres_text(value: float) -> str:
    """A distance: 934 m, 12.4 km."""
    return f"{value:,.4g} m" if value < 10_000 else f"{value / 1000:,.4g} km"


def percent_text(share: float) -> str:
    """A share of three digits as a percentage: 9.98%."""
    return f"{share * 100:.3g}%"


def amount_text(measure: str, value: float) -> str:
    """A published amount in full: 81,291; 26,823.9."""
    if measure != "population":
        return f"{int(value):,}"
    return f"{value:,.1f}".removesuffix(".0")


def metric_text(key: str, value: float) -> str:
    """A metric with its unit."""
    if key.startswith("gdm"):
        return metres_text(value)
    return percent_text(value) if key == "s" else number_text(value)


def suppressed_text(said: Mapping[str, Any], recipe: Recipe) -> str:
    """What is not published, in a sentence."""
    allowed = f"at most {recipe.budget * 100:.4g}% of the {'pairs' if recipe.budget_in == 'pairs' else 'volume'}"
    shares = said["suppressed"]
    if BELOW in shares.values():
        text = "What is not published is below the threshold itself, so its amount is not stated."
    else:
        parts = [f"{percent_text(share)} of the {WORD[m]}" for m, share in shares.items()]
        text = f"{' and '.join(parts)} are not published."
    entry = entry_of(recipe.algorithm)
    return text if not (entry.suppresses and entry.honours_budget) else f"{text} The settings allow {allowed}."


def rounding_text(said: Mapping[str, Any]) -> str:
    """How amounts were rounded, in a sentence; empty where they were not."""
    parts = [f"{WORD[m]} to multiples of {number_text(base)}" for m, base in said["rounding"].items()]
    if not parts:
        return ""
    return f"After the checks, flows were rounded: {', '.join(parts)}; never below the threshold."


def about_metrics(said: Mapping[str, Any]) -> str:
    """One table a guarded view: metric, value, meaning."""
    parts = []
    for view, metrics in said["metrics"].items():
        rows = []
        for key, (name, sentence) in METRIC.items():
            value, why = metrics[key], said["withheld"].get(view, {}).get(key)
            if value is None and why is None:
                continue
            shown = "not stated" if value is None else metric_text(key, value)
            words = f"Not stated: {why}." if value is None else sentence.format(shown)
            rows.append(f"<tr><td>{escape(name)}</td><td class='n'>{escape(shown)}</td><td>{escape(words)}</td></tr>")
        parts.append(f"<p>{escape(VIEW[view])}</p><table>{''.join(rows)}</table>")
    return "".join(parts)


def what_is_not_said(said: Mapping[str, Any]) -> str:
    """The rules of SPEC 4, in words for a reader of the report."""
    loose = [word for m, word in WORD.items() if m not in said["guarded"]]
    if "persons" in said["guarded"]:  # who counts persons guards their trips as well: metrics are of them
        loose = [word for word in loose if word != WORD["trips"]]
    rows = [
        "No trip, no person and no place finer than the zones shown here.",
        "Between two zones without a published flow there may be nobody, or too few: the bundle does not tell which.",
        "Zones without any published flow are left out of the files and the maps.",
        f"Flows are given in {' and '.join(WORD[m] for m in said['guarded'])} only"
        + (f"; {' and '.join(loose)} are not guarded and not stated." if loose else "."),
        "Metrics have three digits at most, fewer where a group as small as the threshold could change them.",
        "The fingerprint lets who holds the data confirm that it is the same; it cannot be turned back into data.",
    ]
    return "<ul>" + "".join(f"<li>{escape(row)}</li>" for row in rows) + "</ul>"
