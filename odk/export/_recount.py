"""Checks of a bundle with the data at hand: cells counted again from the published zones, the recipe run again, the audit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from odk.auditing import Audit, audit
from odk.cells import Ints
from odk.errors import OdkError
from odk.export import _container
from odk.export._bundle import Bundle
from odk.export._finding import Finding, verdict
from odk.export._make import make_bundle
from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix
from odk.protection import Protection
from odk.recipe import Made, Recipe, fingerprint
from odk.trips import Trips

WORDS = {"trips": "trips", "persons": "distinct persons", "population": "weighted trips"}


@dataclass(frozen=True, eq=False)
class Recounted:
    """What the data says of a bundle."""

    findings: tuple[Finding, ...]
    audit: Audit | None = None
    """The full audit of the release that the recipe makes, where it is the bundle's."""


def recount(bundle: Bundle, trips: Trips | pd.DataFrame, hierarchy: Hierarchy | None = None) -> Recounted:
    """Count the cells again, run the recipe again and audit what it makes."""
    recipe = replace(bundle.recipe, data=replace(bundle.recipe.data, fingerprint=None))
    try:
        made = recipe.make(trips, hierarchy=hierarchy)
    except OdkError as problem:
        return Recounted((Finding("input", "error", f"The recipe cannot be run on these trips: {problem}."),))
    same = fingerprint(made.release.matrix) == bundle.manifest["input_fingerprint"]
    found = [verdict("input", "" if same else OTHER, "The trips are those that the bundle was made from.")]
    found.append(count_again(bundle, made.release.matrix, made.release.protection))
    built, checked = _build_again(bundle, made, recipe)
    return Recounted((*found, *built), checked)


OTHER = "The trips are not those that the bundle was made from (another file, area, segment or order of columns)."


def count_again(bundle: Bundle, matrix: ODMatrix, protection: Protection) -> Finding:
    """Every published cell, counted from the pairs that lie in its zones; the algorithm is not asked."""
    if bundle.published.boxes:
        return Finding("recount", "note", "Boxes are not counted from their sides: the recipe is run again instead.")
    of_pair = _cells_of_pairs(bundle, matrix)
    sums = matrix.regroup(of_pair, len(bundle.published), persons=protection.needs_persons)
    exact: dict[str, Ints | None] = {"trips": sums.trips, "persons": sums.persons, "population": sums.population}
    more, fewer, low = (np.zeros(len(bundle.published), dtype=bool) for _ in range(3))
    for measure, said in bundle.published.measures.items():
        counted = exact[measure]
        if counted is None:
            continue
        threshold = protection.threshold(measure)
        shown = bundle.recipe.rounding.apply(measure, counted, threshold)
        more, fewer, low = more | (said > shown), fewer | (said < shown), low | (counted < threshold)
    if more.any() or low.any():
        n = int((more | low).sum())
        return Finding("recount", "error", f"{n:,} cells publish more than the trips between their zones give.")
    if fewer.any():
        text = f"{int(fewer.sum()):,} cells publish less than all trips between their zones give"
        if bundle.recipe.algorithm == "odkanon":
            return Finding("recount", "note", f"{text}: odkanon drops pairs before it merges.")
        return Finding("recount", "error", f"{text}.")
    return Finding("recount", "pass", f"All {len(bundle.published):,} cells have the counts that the trips give.")


def _cells_of_pairs(bundle: Bundle, matrix: ODMatrix) -> Ints:
    """The published cell of every pair of leaves, by names alone; -1 where it lies in none."""
    number = {place: i for i, place in enumerate(bundle.published.places)}
    zones = [{place[end] for place in number} for end in (0, 1)]
    above = [
        _zones_above(tree, known) for tree, known in zip((matrix.origins, matrix.destinations), zones, strict=True)
    ]
    out = np.full(matrix.n_pairs, -1, dtype=np.int64)
    for i, (o, d) in enumerate(zip(matrix.o.tolist(), matrix.d.tolist(), strict=True)):
        # At most one: the bundle's cells do not overlap. A loop, as zones of one release lie at many levels.
        out[i] = next((number[key] for a in above[0][o] for b in above[1][d] if (key := (a, b)) in number), -1)
    return out


def _zones_above(tree: Hierarchy, zones: set[str]) -> list[list[str]]:
    """For every leaf, the published zones that hold it."""
    names = tree.names(np.arange(tree.n_nodes))
    up = tree.parent.tolist()
    held: list[list[str]] = [[] for _ in names]
    for node in range(tree.n_nodes - 1, -1, -1):  # parents come after children
        inherited = held[up[node]] if up[node] >= 0 else []
        held[node] = [names[node], *inherited] if names[node] in zones else inherited
    return held[: tree.n_leaves]


def _build_again(bundle: Bundle, made: Made, recipe: Recipe) -> tuple[list[Finding], Audit | None]:
    checked = None
    try:
        options = recipe.audit_options(made.whole)
        checked = audit(made.release, made.trips, made.release.protection, options)
        again = make_bundle(made.release, None if options is None else checked, recipe=recipe)
    except OdkError as problem:
        return [Finding("rebuild", "error", f"The recipe does not make a bundle of these trips: {problem}.")], checked
    changed = [name for name in _container.MEMBERS if again.files[name] != bundle.files[name]]
    data = [name for name in changed if name in ("flows.csv", "zones.geojson")]
    older = again.manifest["software_version"] != bundle.manifest["software_version"]
    if data or (changed and not older):
        wrong = f"The recipe makes another {' and '.join(changed)} of these trips."
        return [Finding("rebuild", "error", wrong)], None
    said = "The recipe makes the same bundle of these trips, byte for byte."
    if changed:
        said = "The recipe makes the same flows and zones of these trips; the texts are of another version of odk."
    verdicts = {check.name: check for check in checked.checks}
    bad = [check.title for check in verdicts.values() if check.guarded and check.passed is not True]
    return [
        Finding("rebuild", "pass", said),
        verdict(
            "full audit",
            f"The audit fails: {bad[0]}." if bad else "",
            "The full audit, from the trips and by other code, passes.",
        ),
    ], checked
