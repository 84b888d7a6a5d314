"""What the manifest says of a release: promises, figures, verdicts; never a number of a measure that is not guarded."""

from __future__ import annotations

from typing import Any

import numpy as np

from odk._version import __version__
from odk.auditing import Audit
from odk.export._figures import figures, stated_thresholds
from odk.export._flows import Flows
from odk.export._zones import zone_names
from odk.matrix import MICRO
from odk.protection import MEASURES
from odk.recipe import Recipe, entry_of
from odk.release import BoxRelease, Release
from odk.rounding import Rounding

SCHEMA = 1
WORDS = {"trips": "trips", "persons": "distinct persons", "population": "weighted trips (population)"}
NOT_RUN = "audit not run"
MEANS = {
    "input": "The audit was made with trips that are not those of the release.",
    "cross trips": "A flow may rest on few trips of large weight, and its sum may be the weight of a single one.",
    "cross persons": "One person's trips may fill a flow.",
    "cross population": "A flow may stand for less of the population than others.",
    "persons": "One person's ten trips are not ten people.",
    "k^m one end": "Who knows one end of a trip may be left with few people.",
    "k^m both ends": "Who knows both ends of a trip may be left with few people.",
    "l-diversity leaves": "Who knows the zone may know the place.",
    "l-diversity": "Who knows that someone is in a flow may learn it.",
    "t-closeness origins": "The origin may tell much about the destination.",
    "t-closeness destinations": "The destination may tell much about the origin.",
    "homogeneity origins": "Who knows the origin may know the destination.",
    "homogeneity destinations": "Who knows the destination may know the origin.",
    "dominance": "A flow may tell about one person.",
    "effective sample": "A few heavy weights may make up a flow.",
}
"""What it means for a reader where a check that was not promised falls short."""
SAME = {"persons": "cross persons", "k^m both ends": "cross persons"}
"""Checks whose advice says no more than that of another."""


def statement(release: Release, flows: Flows, audit: Audit | None, recipe: Recipe) -> dict[str, Any]:
    """The manifest without the digests of the files."""
    guard, rounding = release.protection, recipe.rounding
    follows, part = recipe.population_k is not None, bool(recipe.segment or recipe.area)
    stated = stated_thresholds(release, follows, part)
    found = figures(release, flows, stated)
    zones = zone_names(flows).values()
    checks = _own_checks(release, recipe, stated) if audit is None else _audited(audit, stated)
    return {
        "schema_version": SCHEMA,
        "software": "odk",
        "software_version": __version__,
        "synthetic": release.matrix.synthetic,
        "input_fingerprint": recipe.data.fingerprint,
        "kind": "boxes" if isinstance(release, BoxRelease) else "homogeneous" if release.homogeneous else "tree",
        "hierarchy": release.matrix.origins.kind,
        "guarded": list(guard.guards),
        "thresholds": stated,
        "promise": promise(stated),
        "rounding": rounding.bases,
        "cells": len(flows),
        "zones": {"origins": sum(o for o, _ in zones), "destinations": sum(d for _, d in zones)},
        "published": {m: natural(m, flows.total(m)) for m in flows.measures if m != "persons"},
        "minimum": {m: natural(m, int(values.min())) for m, values in flows.measures.items()},
        "suppressed": found.suppressed,
        "metrics": found.metrics,
        "withheld": found.withheld,
        "audit": {"status": NOT_RUN if audit is None else "passed", "checks": checks},
        "advice": advice(checks) + _settings_advice(release, rounding),
        "recipe": recipe.to_dict(),
    }


def natural(measure: str, exact: int) -> float | int:
    """An exact amount in natural units."""
    return exact / MICRO if measure == "population" else exact


def promise(stated: dict[str, float]) -> str:
    """The rule in words."""
    parts = [
        f"{value:,.6g} {WORDS[m]}" if m == "population" else f"{value:,} {WORDS[m]}" for m, value in stated.items()
    ]
    return f"every published cell has at least {' and '.join(parts)}"


def _check(name: str, title: str, verdict: str, guarded: bool) -> dict[str, Any]:
    return {"name": name, "title": title, "verdict": verdict, "guarded": guarded}


def cross_title(measure: str, threshold: float | None, k: int) -> str:
    """A threshold in words; one of the population that is not guarded would tell the mean weight, and is not said."""
    if threshold is None:
        return f"At least as many weighted trips (population) as {k:,} trips of mean weight"
    shown = f"{threshold:,.6g}" if measure == "population" else f"{int(threshold):,}"
    return f"At least {shown} {WORDS[measure]}"


def _audited(audit: Audit, stated: dict[str, float]) -> list[dict[str, Any]]:
    """Verdicts of an audit, without its counts and worst values: they are of measures that may not be guarded."""
    k = next((int(c.threshold) for c in audit.checks if c.name == "cross trips" and c.threshold is not None), 0)
    found = []
    for check in audit.checks:
        title = check.title
        if check.name.startswith("cross "):
            measure = check.name.removeprefix("cross ")
            threshold = stated.get(measure)
            if threshold is None and measure != "population":
                threshold = check.threshold
            title = cross_title(measure, threshold, k)
        found.append(_check(check.name, title, check.verdict, check.guarded))
    return found


def _own_checks(release: Release, recipe: Recipe, stated: dict[str, float]) -> list[dict[str, Any]]:
    """What the release itself allows to check: sums and places (refused otherwise), and every measure at the same k."""
    k = recipe.k(release.matrix)
    least = release.minimum
    found = [
        _check("sums", "Sums of the cells counted again from the matrix", "pass", True),
        _check("places", "Zones hold both ends of what is counted in them", "pass", True),
    ]
    for measure in MEASURES:
        guarded = measure in stated
        threshold = stated.get(measure, None if measure == "population" else k)
        wanted = k * release.matrix.mean_weight if threshold is None else threshold
        value = least[measure]
        verdict = "not checked" if value is None else "pass" if guarded or value >= wanted else "advice"
        found.append(_check(f"cross {measure}", cross_title(measure, threshold, k), verdict, guarded))
    return found


def advice(checks: list[dict[str, Any]]) -> list[str]:
    """A sentence for every check that falls short although nothing was promised of it."""
    short = [check for check in checks if check["verdict"] == "advice"]
    names = {check["name"] for check in short}
    columns = [c for c in short if str(c["name"]).startswith("l-diversity ") and c["name"] != "l-diversity leaves"]
    found = []
    for check in short:
        name, title = str(check["name"]), str(check["title"])
        if SAME.get(name) in names or check in columns[1:]:
            continue
        if check in columns:  # all sensitive columns in one sentence
            title = ", ".join([title, *(str(other["name"]).removeprefix("l-diversity ") for other in columns[1:])])
            name = "l-diversity"
        found.append(f"{title}: does not hold everywhere. {MEANS.get(name, '')}".strip())
    return found


def _settings_advice(release: Release, rounding: Rounding) -> list[str]:
    """What follows from the settings themselves."""
    found = []
    entry = entry_of(release.algorithm)
    never = not entry.suppresses or getattr(release.options, "suppress", True) is False
    if (never or not release.budget.share) and entry.honours_budget:
        found.append("Nothing can be suppressed under these settings: where no cell is published, nobody travelled.")
    matrix = release.matrix
    uneven = float(np.ptp(matrix.population / matrix.trips)) >= 1  # millionths
    if release.protection.population is not None and rounding.population is None and uneven:
        found.append(
            "Weighted trips are exact sums of weights: who knows the weights may tell which trips a cell holds. Rounding the "
            "population hides this."
        )
    return found
