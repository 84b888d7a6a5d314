"""`run`: one release of one file, with its figures."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from odk.cli import arguments, recipes
from odk.cli.output import facts, number, percent, say, say_json, table
from odk.cli.verbs import FINE, Verb, register
from odk.errors import InputError
from odk.limits import above_limit, limit
from odk.metrics import KEYS, View, measure
from odk.recipe import entry_of, fingerprint
from odk.release import BoxRelease, Release, TreeRelease

VIEWS: tuple[View, ...] = ("participants", "population")


def add_arguments(part: argparse.ArgumentParser) -> None:
    """Arguments of `run`."""
    arguments.add_data(part, required=False)
    arguments.add_release(part)
    recipes.add_recipe(part)
    part.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Make a release, print what it is, and write its bundle where one is asked for."""
    prepared = recipes.prepare(args)
    start = time.perf_counter()
    release = prepared.recipe.anonymise(prepared.counted)
    seconds = time.perf_counter() - start
    bundle = recipes.bundle_of(prepared, release) if args.bundle else None
    result = report(prepared.loaded, release, seconds)
    result["notes"] += prepared.notes
    if bundle is not None:
        bundle.write(args.bundle)
        result["bundle"] = {"file": args.bundle, "digest": bundle.digest}
    if args.save_recipe:
        recipes.save(prepared.recipe, args.save_recipe, fingerprint(release.matrix))
    if args.json:
        say_json(result)
    else:
        say(*readable(result, release))
    return FINE


def report(loaded: arguments.Loaded, release: Release, seconds: float) -> dict[str, Any]:
    """The JSON of SPEC section 7."""
    start = time.perf_counter()
    weight = loaded.whole.mean_weight
    metrics, notes = figures(release, weight)
    bound = lower_bound(release)
    measured = time.perf_counter() - start
    matrix, trips = loaded.matrix, loaded.trips
    return {
        "algorithm": release.algorithm,
        "protection": release.protection.guards,
        "budget": release.budget.share,
        "budget_in": release.budget.within,
        "input": {
            "source": trips.source,
            "synthetic": trips.synthetic,
            "filters": list(trips.filters),
            "rows": trips.rows,
            "trips": len(trips),
            "rejected": dict(trips.rejected),
            "pairs": matrix.n_pairs,
            "origins": matrix.origins.n_leaves,
            "destinations": matrix.destinations.n_leaves,
        },
        "zones": zones(release),
        "cells": release.n_cells,
        "suppressed": release.suppressed,
        "suppressed_pairs": release.suppressed_pairs,
        "steps": release.steps,
        "minimum": release.minimum,
        "metrics": metrics,
        "limit": bound,
        "notes": [*release.notes, *notes],
        "details": dict(release.details),
        "seconds": {**loaded.seconds, "anonymise": seconds, "measure": measured},
    }


def figures(release: Release, weight: float) -> tuple[dict[str, dict[str, float | None]], list[str]]:
    """Metrics in both views, and what there is to say of them; noise publishes no cell of which they could be taken."""
    try:
        return {view: measure(release, view, mean_weight=weight).as_dict() for view in VIEWS}, []
    except InputError as problem:
        if release.k_anonymous:
            raise
        return {view: dict.fromkeys(KEYS) for view in VIEWS}, [f"No metrics: {problem}."]


def zones(release: Release) -> dict[str, int]:
    """How many origin and destination zones (distinct rectangles, for boxes) have a published flow."""
    if isinstance(release, TreeRelease):
        return {"origins": len(release.origin_zones), "destinations": len(release.destination_zones)}
    if isinstance(release, BoxRelease):
        sides = {"origins": release.boxes[:, :4], "destinations": release.boxes[:, 4:]}
        return {name: len(np.unique(side, axis=0)) for name, side in sides.items()}
    flows = release.flows  # type: ignore[attr-defined]
    return {"origins": int(flows["origin"].nunique()), "destinations": int(flows["destination"].nunique())}


def lower_bound(release: Release) -> float | None:
    """The limit of G for releases of tree zones that suppress no more; none is claimed for boxes and noise."""
    if entry_of(release.algorithm).kind not in ("homogeneous", "tree"):
        return None
    return limit(release.matrix, release.protection, release.budget.share, suppressed=release.suppressed)


def readable(result: dict[str, Any], release: Release) -> list[str]:
    """The same for people."""
    given, zoning, gone, least = (result[name] for name in ("input", "zones", "suppressed", "minimum"))
    made_up = given["synthetic"] and "synthetic" not in given["source"]
    about = [given["source"], *(["synthetic"] if made_up else []), *given["filters"]]
    rejected = [f"{sum(given['rejected'].values()):,} of {given['rows']:,} rows"]
    rejected += [f"{why}: {n:,}" for why, n in given["rejected"].items()]
    leaves = f"{given['origins']:,} origins x {given['destinations']:,} destinations"
    budget = f"budget {percent(result['budget'])} of {result['budget_in']}"
    shares = f"{percent(gone['trips'])} of trips, {percent(gone['population'])} of weighted trips"
    people = f"{number(least['persons'])} persons, {number(least['population'])} weighted trips (population)"
    rows = [
        ("data", ", ".join(about)),
        ("rejected", "; ".join(rejected)),
        ("input", f"{given['trips']:,} trips, {given['pairs']:,} pairs, {leaves}"),
        (
            "zones",
            f"{zoning['origins']:,} origins x {zoning['destinations']:,} destinations, {result['cells']:,} cells",
        ),
        *([("suppressed", f"{shares}; {budget}")] if release.k_anonymous else []),
        ("minimum", f"{number(least['trips'])} trips, {people}"),
        *bounds(release, result["limit"]),
        *([("merges", f"{release.steps:,}")] if release.steps is not None else []),
        *(("note", note) for note in result["notes"]),
        *([("bundle", f"{made['file']}, digest {made['digest']}")] if (made := result.get("bundle")) else []),
    ]
    metrics = result["metrics"]
    numbers = table(["metric", *VIEWS], [[_unit(key), *(number(metrics[view][key]) for view in VIEWS)] for key in KEYS])
    took = ", ".join(f"{name} {value:.2f}" for name, value in result["seconds"].items())
    return [promise(release), "", *facts(rows), "", *numbers, "", f"  seconds: {took}"]


def bounds(release: Release, any_zones: float | None) -> list[tuple[str, str]]:
    """The tightest lower bound of G at hand, and the one that holds for any release of tree zones."""
    if any_zones is None:
        return []
    above = above_limit(release)
    rows = [("limit of G", f"{number(above.limit)}: {above}")]
    return rows if above.among == "any" else [*rows, ("", f"{number(any_zones)} for any release of tree zones")]


def promise(release: Release) -> str:
    """Title of a release: the algorithm, and what it promises."""
    words = release.protection.describe() if release.k_anonymous else "not k-anonymous (noise)"
    return f"{entry_of(release.algorithm).title}: {words}"


def _unit(key: str) -> str:
    return f"{key} (m)" if key.startswith("gdm") else key


register(Verb("run", "make one release and print its figures", add_arguments, run))
