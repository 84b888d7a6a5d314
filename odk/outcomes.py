"""Algorithms beside each other on the same data, protection and budget: one outcome each, and who is best at what.

An algorithm that cannot meet the budget or the protection is an outcome too: it says what is missing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pandas as pd

from odk import algorithms
from odk.algorithms import Algorithm
from odk.errors import OdkError
from odk.glossary import TERMS
from odk.limits import AboveLimit, above_limit
from odk.matrix import ODMatrix
from odk.metrics import Metrics, View, measure
from odk.protection import Protection
from odk.release import BoxRelease, NoisyRelease, Release, TreeRelease

Progress = algorithms.Progress
VIEWS: tuple[View, ...] = ("participants", "population")


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What one algorithm made of the data, or why it could not."""

    algorithm: str
    seconds: float
    """Of the algorithm alone, with the matrix in hand."""
    release: Release | None = None
    error: str = ""
    """Why there is no release; "" where there is one."""
    metrics: Mapping[str, Metrics] = field(default_factory=dict)
    """By view; empty where the release cannot be measured (`reasons` says why)."""
    above: AboveLimit | None = None
    """G beside its lower bound, in the view of the lead measure."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why a metric does not apply, by its key; where that is so in one view only, it says so."""

    @property
    def entry(self) -> Algorithm:
        """The algorithm's entry in the registry."""
        return algorithms.get(self.algorithm)

    @property
    def not_compared(self) -> str:
        """Why this outcome cannot be the best at anything: it breaks a rule that the others keep. "" where it can."""
        release = self.release
        if release is None:
            return self.error
        if not release.k_anonymous:
            return "it is not k-anonymous"
        if isinstance(release, BoxRelease) and release.tight:
            return "its boxes are bounds of observed places and cannot be published"
        over = [m for m in release.protection.budget_measures if release.suppressed[m] > release.budget.share]
        if over:
            return f"it suppresses {release.suppressed[over[0]]:.1%}, more than the budget"
        return ""

    @property
    def budget_used(self) -> float | None:
        """Share of the suppression budget that was spent, in what the budget counts; None where there is no budget."""
        release = self.release
        if release is None or not release.k_anonymous or release.budget.share == 0:
            return None
        if release.budget.within == "pairs":
            gone = release.suppressed_pairs / release.matrix.n_pairs
        else:
            gone = max(release.suppressed[m] for m in release.protection.budget_measures)
        return gone / release.budget.share

    def on(self, matrix: ODMatrix) -> Outcome:
        """The same outcome on an equal matrix that is in memory already (a process that made it sent its own copy)."""
        return self if self.release is None else replace(self, release=replace(self.release, matrix=matrix))


def run(
    matrix: ODMatrix,
    protection: Protection,
    algorithm: str,
    budget: float = 0.10,
    *,
    budget_in: Literal["volume", "pairs"] | None = None,
    options: Mapping[str, Any] | None = None,
    mean_weight: float | None = None,
    limits: bool = True,
    progress: Progress | None = None,
) -> Outcome:
    """Run one algorithm and measure its release in both views; `mean_weight` is the whole survey's, for a segment."""
    start = time.perf_counter()
    try:
        release = algorithms.anonymise(
            matrix, protection, algorithm, budget, budget_in=budget_in, options=options, progress=progress
        )
    except OdkError as error:
        return Outcome(algorithm=algorithm, seconds=time.perf_counter() - start, error=str(error))
    seconds = time.perf_counter() - start
    found: dict[str, Metrics] = {}
    reasons: dict[str, str] = {}
    try:
        found = {view: measure(release, view=view, mean_weight=mean_weight) for view in VIEWS}
    except OdkError as error:
        reasons = dict.fromkeys(TERMS, str(error))
    for view, metrics in found.items():
        for key, why in metrics.reasons.items():
            both = all(key in other.reasons for other in found.values())
            reasons[key] = why if both else f"{why} ({view} view)"
    above = None
    if limits and isinstance(release, TreeRelease):
        above = above_limit(release)
        reasons |= {"above_limit": above.reason} if above.reason else {}
    elif limits:
        reasons["above_limit"] = "no lower bound is claimed for boxes or noise"
    return Outcome(algorithm=algorithm, seconds=seconds, release=release, metrics=found, above=above, reasons=reasons)


def table(outcomes: Iterable[Outcome], view: View = "participants") -> pd.DataFrame:
    """One row an algorithm: what it made, its metrics in a view, and why it is not compared.

    Columns: algorithm, title, kind, homogeneous, shape (zones, or boxes), cells, budget_used, every metric of
    `odk.glossary.TERMS`, seconds, not_compared, error.
    """
    return pd.DataFrame([_row(outcome, view) for outcome in outcomes])


def _row(outcome: Outcome, view: View) -> dict[str, Any]:
    release, metrics = outcome.release, outcome.metrics.get(view)
    row: dict[str, Any] = {
        "algorithm": outcome.algorithm,
        "title": outcome.entry.title,
        "kind": outcome.entry.kind,
        "homogeneous": None if release is None else release.homogeneous,
        "shape": _shape(release),
        "cells": None if release is None else release.n_cells,
        "budget_used": outcome.budget_used,
    }
    row |= dict.fromkeys(TERMS)
    if metrics is not None:
        row |= {key: value for key, value in metrics.as_dict(planning=True).items() if key in TERMS}
    lead = "population" if release is not None and release.protection.lead == "population" else "participants"
    if outcome.above is not None and view == lead:
        row["above_limit"] = outcome.above.ratio
    return row | {
        "seconds": outcome.seconds,
        "not_compared": outcome.not_compared,
        "error": outcome.error,
    }


def _shape(release: Release | None) -> str:
    """The shape of the published matrix: origin zones × destination zones, or the number of boxes."""
    if isinstance(release, TreeRelease | NoisyRelease):
        return f"{len(release.origin_zones):,} × {len(release.destination_zones):,}"
    return "" if release is None else f"{release.n_cells:,} boxes"


def best(found: pd.DataFrame, keys: Sequence[str] = tuple(TERMS)) -> dict[str, set[str]]:
    """The algorithms that are best at each metric, among those that keep the protection and the budget.

    Ties: all that are equal to four digits, which is more than any of the metrics means.
    """
    fair = found[found["not_compared"] == ""]
    winners: dict[str, set[str]] = {}
    for key in keys:
        values = pd.to_numeric(fair[key]).dropna()
        if values.empty:
            winners[key] = set()
            continue
        top = values.max() if TERMS[key].better == "higher" else values.min()
        winners[key] = set(fair.loc[values.index[(values - top).abs() <= 5e-5 * abs(top)], "algorithm"])
    return winners
