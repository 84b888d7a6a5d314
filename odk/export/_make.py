"""Make a bundle of a release: refuse what may not leave, say what may, and check it as a reviewer would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from odk.auditing import Audit, AuditOptions
from odk.errors import InputError, UnsafeError
from odk.export import _container, _json, _zones
from odk.export._bundle import Bundle, parse
from odk.export._container import digest
from odk.export._content import centres_of, published_flows, within_of
from odk.export._examine import examine
from odk.export._refuse import refuse
from odk.export._statement import statement
from odk.recipe import Recipe, fingerprint
from odk.release import Release
from odk.rounding import Rounding


def make_bundle(
    release: Release,
    audit: Audit | None = None,
    *,
    rounding: Rounding | Mapping[str, float] | float | None = None,
    recipe: Recipe | None = None,
) -> Bundle:
    """What would be published of a release, as `write_bundle` writes it. Refused where a guarded check fails."""
    from odk.export._report import report_html  # here, as drawing libraries take a second to load

    refuse(release, audit)
    recipe = _recipe_of(release, audit, rounding, recipe)
    flows = published_flows(release, recipe.rounding)
    zones = _zones.collection(flows, release.matrix.origins.kind, centres_of(release, flows), within_of(release, flows))
    said = statement(release, flows, audit, recipe)
    files = {
        "flows.csv": flows.to_csv().encode(),
        "zones.geojson": _zones.dumps(zones).encode(),
        "report.html": report_html(said, flows, zones).encode(),
    }
    manifest = said | {"files": {name: digest(files[name]) for name in _container.MEMBERS if name in files}}
    manifest["digest"] = digest(_json.dumps(manifest).encode())
    files["manifest.json"] = _json.dumps(manifest).encode()
    bundle = parse(files, "bundle")
    wrong = [finding for finding in examine(bundle, drawn=True) if finding.severity == "error"]
    if wrong:  # the reviewer's own check, before anything leaves the house
        raise UnsafeError(f"release ({release.algorithm}) must not be bundled: {wrong[0].sentence}")
    return bundle


def write_bundle(
    release: Release,
    path: str | Path,
    audit: Audit | None = None,
    *,
    rounding: Rounding | Mapping[str, float] | float | None = None,
    recipe: Recipe | None = None,
) -> Bundle:
    """Write a release as a zip that says nothing beyond what is guarded; the same input and recipe give the same bytes.

    audit: verdicts for the manifest and the report; without one, what the release itself allows is checked, and
        "audit not run" is recorded. Refused with UnsafeError where a guarded check fails; there is no override.
    rounding: base to which guarded measures are rounded, after the checks: one number, or one per measure.
    recipe: the settings that made the release; by default what the release tells of them.
    """
    bundle = make_bundle(release, audit, rounding=rounding, recipe=recipe)
    bundle.write(path)
    return bundle


def _recipe_of(
    release: Release,
    audit: Audit | None,
    rounding: Rounding | Mapping[str, float] | float | None,
    recipe: Recipe | None,
) -> Recipe:
    """The recipe that goes into the bundle: with the rounding asked for, the audit's options and the fingerprint."""
    if recipe is None:
        found = Recipe.of(release)
    elif not isinstance(recipe, Recipe):
        raise InputError(f"recipe ({type(recipe).__name__}) must be an odk.Recipe")
    else:
        found = recipe
        found.check(release)
    if rounding is not None or recipe is None:
        found = replace(found, rounding=Rounding.of(rounding, release.protection))
    options = None if audit is None else found.audit if found.audit is not None else audit_options(audit)
    data = replace(
        found.data, source=found.data.source or release.matrix.source, fingerprint=fingerprint(release.matrix)
    )
    return replace(found, audit=options, data=data)


def audit_options(audit: Audit) -> AuditOptions:
    """The options that an audit was made with, from the thresholds of its checks."""
    found = {check.name: check for check in audit.checks}
    names = {"k^m one end": "k_m", "l-diversity leaves": "l_leaves", "effective sample": "effective"}
    names |= {"t-closeness origins": "t", "dominance": "dominance", "homogeneity origins": "homogeneity"}
    given: dict[str, Any] = {field: found[name].threshold for name, field in names.items() if name in found}
    values = [
        check for name, check in found.items() if name.startswith("l-diversity ") and not name.endswith(" leaves")
    ]
    sensitive = tuple(check.name.removeprefix("l-diversity ") for check in values)
    if values:
        given["l_values"] = values[0].threshold
    return AuditOptions(**given, sensitive=sensitive)
