"""Checks of the manifest of a bundle: what follows from the cells is computed again, what must not be said is looked for."""

from __future__ import annotations

from typing import Any

from odk.export._bundle import Bundle, changed_files
from odk.export._figures import BELOW, DIGITS, OF_SUPPRESSION, guarded_views, to_digits
from odk.export._finding import Finding, verdict
from odk.export._statement import advice, natural, promise
from odk.export._zones import zone_names
from odk.matrix import MICRO
from odk.metrics import MEASURE_OF
from odk.protection import MEASURES, Protection
from odk.recipe import entry_of


def figure_findings(bundle: Bundle) -> list[Finding]:
    """Digests, promises, sums and figures of the manifest."""
    return [_digests(bundle), _promises(bundle), _sums(bundle), _figures(bundle), _suppressed(bundle), _audit(bundle)]


def _digests(bundle: Bundle) -> Finding:
    changed = changed_files(bundle)
    wrong = (
        f"{' and '.join(changed)} {'was' if len(changed) == 1 else 'were'} changed after writing." if changed else ""
    )
    return verdict("digests", wrong, "All files are as they were written.")


def _promises(bundle: Bundle) -> Finding:
    """Thresholds, rounding and fingerprint against the recipe."""
    said, recipe = bundle.manifest, bundle.recipe
    asked = {m: getattr(recipe, m) for m in MEASURES if getattr(recipe, m) is not None}
    if recipe.population_k is not None:
        asked["population"] = said["thresholds"].get("population")  # follows from the data
    asked = {m: asked[m] for m in MEASURES if m in asked}
    wrong = ""
    if said["guarded"] != list(said["thresholds"]) or said["thresholds"] != asked:
        wrong = "The thresholds of the manifest are not those of its recipe."
    elif said["promise"] != promise(said["thresholds"]):
        wrong = "The promise in words is not that of the thresholds."
    elif said["rounding"] != recipe.rounding.bases:
        wrong = "The rounding of the manifest is not that of its recipe."
    elif said["input_fingerprint"] != recipe.data.fingerprint or said["hierarchy"] != recipe.hierarchy:
        wrong = "The manifest and its recipe are not about the same input."
    elif entry_of(recipe.algorithm).kind != said["kind"]:
        wrong = f"{recipe.algorithm} does not make releases of kind {said['kind']}."
    return verdict("promises", wrong, f"Promised: {said['promise']}.")


def _sums(bundle: Bundle) -> Finding:
    said, flows = bundle.manifest, bundle.published
    zones = zone_names(flows).values()
    again: dict[str, Any] = {
        "cells": len(flows),
        "zones": {"origins": sum(o for o, _ in zones), "destinations": sum(d for _, d in zones)},
        "published": {m: natural(m, flows.total(m)) for m in flows.measures if m != "persons"},
        "minimum": {m: natural(m, int(values.min())) for m, values in flows.measures.items()},
    }
    different = [key for key, value in again.items() if said[key] != value]
    wrong = f"The manifest's {different[0]} ({said[different[0]]}) is not that of flows.csv." if different else ""
    return verdict("sums", wrong, "Counts, sums and least values of the manifest are those of flows.csv.")


def _figures(bundle: Bundle) -> Finding:
    """Metrics: of guarded views only, of three digits at most, and C_AVG as the cells give it."""
    said, flows = bundle.manifest, bundle.published
    views = guarded_views(Protection(**said["thresholds"])) if said["thresholds"] else ()
    wrong = ""
    if tuple(said["metrics"]) != views or tuple(said["withheld"]) != views:
        wrong = f"Metrics must be of the guarded views ({', '.join(views)}) and no other."
    for view in views if not wrong else ():
        metrics, name = said["metrics"][view], MEASURE_OF[view]
        long = [key for key, value in metrics.items() if value is not None and to_digits(value, DIGITS) != value]
        if long:
            wrong = f"{long[0]} of the {view} ({metrics[long[0]]}) is stated to more than {DIGITS} digits."
        if name in flows.measures:
            k = said["thresholds"].get(name)
            mean = flows.total(name) / (MICRO if name == "population" else 1) / len(flows)
            if k and metrics["c_avg"] != to_digits(mean / k):
                wrong = f"C_AVG of the {view} ({metrics['c_avg']}) is not that of flows.csv."
    return verdict("figures", wrong, "Metrics are of the guarded views, to three digits at most.")


def _suppressed(bundle: Bundle) -> Finding:
    said, recipe = bundle.manifest, bundle.recipe
    views = guarded_views(Protection(**said["thresholds"])) if said["thresholds"] else ()
    wrong = ""
    if list(said["suppressed"]) != [MEASURE_OF[view] for view in views]:
        wrong = "The suppressed share must be of the guarded measures and no other."
    for view in views if not wrong else ():
        share, metrics = said["suppressed"][MEASURE_OF[view]], said["metrics"].get(view, {})
        if share == BELOW:
            told = [key for key in OF_SUPPRESSION if metrics.get(key) is not None]
            if told:
                wrong = f"{told[0]} of the {view} tells the suppressed volume, which is below the threshold."
            continue
        if not 0 < share < 1 or to_digits(share) != share or metrics.get("s") != share:
            wrong = f"The suppressed share ({share}) must lie between 0 and 1, have three digits, and be that of the metrics."
        elif (
            recipe.budget_in == "volume"
            and entry_of(recipe.algorithm).honours_budget
            and share > to_digits(recipe.budget) + 10.0**-DIGITS * share
        ):
            wrong = f"The suppressed share ({share:.1%}) is above the budget ({recipe.budget:.1%})."
    shares = [s if s == BELOW else f"{s:.3g}" for s in said["suppressed"].values()]
    return verdict("suppressed", wrong, f"Suppressed share: {', '.join(map(str, shares))}.")


def _audit(bundle: Bundle) -> Finding:
    said = bundle.manifest
    checks = said["audit"]["checks"]
    broken = [c["title"] for c in checks if c["guarded"] and c["verdict"] != "pass"]
    known = {c["name"] for c in checks if c["guarded"]}
    lacking = [m for m in said["guarded"] if f"cross {m}" not in known]
    wrong = ""
    if broken:
        wrong = f"A check that was promised does not pass: {broken[0]}."
    elif lacking:
        wrong = f"No check of {lacking[0]}, which are guarded, is recorded."
    elif advice(checks) != said["advice"][: len(advice(checks))]:
        wrong = "The advice of the manifest is not that of its checks."
    elif (said["audit"]["status"] == "passed") != (bundle.recipe.audit is not None):
        wrong = "The manifest and its recipe do not agree whether an audit was run."
    if wrong:
        return Finding("audit", "error", wrong)
    if said["audit"]["status"] != "passed":
        return Finding("audit", "note", "No audit was run: the cells were checked from the counted matrix only.")
    return Finding("audit", "pass", "An audit was run by the publisher, and everything promised passed.")
