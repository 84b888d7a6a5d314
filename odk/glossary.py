"""Every metric in words: name, unit, formula, which way is better. Tables, tooltips and pages all take them from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Better = Literal["lower", "higher"]


@dataclass(frozen=True)
class Term:
    """A metric as people are told of it."""

    key: str
    """Its name in `Metrics.as_dict(planning=True)` and in result tables."""
    short: str
    """Heading of a column."""
    title: str
    """What it is, in a few words."""
    unit: str
    """"" for a pure number."""
    formula: str
    question: str
    """What it answers; the title of its chart."""
    better: Better = "lower"

    @property
    def help(self) -> str:
        """Tooltip: what it is, its formula, its unit, which way is better."""
        unit = f" Unit: {self.unit}." if self.unit else ""
        return f"{self.title}. {self.formula}.{unit} {self.better.capitalize()} is better."


LOSS = (
    Term(
        "g",
        "G",
        "Mean generalisation error",
        "leaves",
        "Σ (|o| + |d|)·|E| / |D⁺| over published cells E; |z| counts the leaves observed under a zone; 2 is the finest",
        "How large are the zones of a trip?",
    ),
    Term(
        "above_limit",
        "above bound",
        "G over the lower bound that holds for releases of this kind",
        "times",
        "G / limit; the bound need not be reached",
        "How far from the best possible?",
    ),
    Term(
        "e",
        "E",
        "Reconstruction loss",
        "",
        "Σ |ṽ - v| / |D| over all pairs of leaves, cells spread evenly (ṽ = |E| / (|o||d|)); at most 2, where it saturates",
        "How wrong is the matrix, spread back over the leaves?",
    ),
    Term(
        "d",
        "D",
        "Distance of the distributions",
        "",
        "Σ |ṽ/|D⁺| - v/|D|| over all pairs of leaves; at most 2",
        "How different is the pattern, whatever the volume?",
    ),
    Term(
        "s",
        "S",
        "Share suppressed",
        "share",
        "volume not published / |D|; “added”: noise made up more than was left out",
        "How much is left out?",
    ),
    Term(
        "gdm_mean",
        "GDM mean",
        "Mean distance from the end of a trip to the centre of its zone",
        "m",
        "mean over both ends of all published trips, geodesic",
        "How far are trips moved?",
    ),
    Term(
        "c_dm",
        "C_DM",
        "Discernibility",
        "",
        "Σ |E|² over published cells + |D| for each unit suppressed",
        "How many trips look alike?",
    ),
    Term(
        "c_avg",
        "C_AVG",
        "Mean cell over its threshold",
        "times k",
        "(|D⁺| / number of published cells) / k; 1 would waste nothing",
        "How much larger than k are cells?",
    ),
    Term(
        "gdm_median",
        "GDM median",
        "Median distance from the end of a trip to the centre of its zone",
        "m",
        "median over both ends of all published trips, geodesic",
        "How far is a typical trip moved?",
    ),
    Term(
        "gdm_std",
        "GDM s.d.",
        "Standard deviation of the distance from the end of a trip to the centre of its zone",
        "m",
        "standard deviation over both ends of all published trips, geodesic",
        "How unequally are trips moved?",
    ),
)
PLANNING = (
    Term(
        "row_error",
        "origin totals",
        "Error of the trips that leave each place (row margins)",
        "share",
        "Σ over origin leaves |estimated - true| / |D|, cells spread evenly; at most 2",
        "Are the trips leaving each place right?",
    ),
    Term(
        "column_error",
        "destination totals",
        "Error of the trips that reach each place (column margins)",
        "share",
        "Σ over destination leaves |estimated - true| / |D|, cells spread evenly; at most 2",
        "Are the trips reaching each place right?",
    ),
    Term(
        "length_shift",
        "trip lengths",
        "Shift of the trip lengths (Wasserstein distance)",
        "m",
        "mean metres by which lengths must be moved to turn those published, from zone centre to zone centre, into the true ones",
        "Are trips as long as they were?",
    ),
    Term(
        "intrazonal",
        "within a zone",
        "Trips whose two zones overlap",
        "share",
        "published volume in cells whose zones are the same or overlap / |D⁺|",
        "How many trips seem to stay where they are?",
    ),
    Term(
        "corridors",
        "corridors kept",
        "Share of the 100 largest corridors between districts that are still among the 100 largest",
        "share",
        "|first 100 of the input ∩ first 100 of the release| / 100, cells spread evenly",
        "Are the busiest corridors still the busiest?",
        "higher",
    ),
)
TERMS = {term.key: term for term in (*LOSS, *PLANNING)}
