"""Checks of the cells and zones of a bundle, from the files alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from odk import cells
from odk.errors import OdkError
from odk.export import _zones
from odk.export._bundle import Bundle
from odk.export._finding import Finding, verdict
from odk.export._flows import ENDS, Flows, sort_flows
from odk.hierarchy import VIRTUAL_ROOT
from odk.matrix import MICRO
from odk.protection import MEASURES
from odk.release import BOX_COLUMNS

WORDS = {"trips": "trips", "persons": "distinct persons", "population": "weighted trips"}


def cell_findings(bundle: Bundle) -> list[Finding]:
    """Columns, thresholds, order and places of the cells, then the zones."""
    return [
        _columns(bundle),
        _order(bundle),
        _thresholds(bundle),
        _rounded(bundle),
        _sense(bundle),
        _zones_match(bundle),
        *_places(bundle),
    ]


def _columns(bundle: Bundle) -> Finding:
    kind, guarded = bundle.manifest["kind"], bundle.manifest["guarded"]
    loose = [m for m in bundle.published.measures if m not in guarded]
    lacking = [m for m in guarded if m not in bundle.published.measures]
    wanted = (*(BOX_COLUMNS if kind == "boxes" else ENDS), *(m for m in MEASURES if m in guarded))
    wrong = ""
    if loose:
        wrong = f"flows.csv publishes {WORDS[loose[0]]}, which are not guarded: nothing is promised of them."
    elif lacking:
        wrong = f"flows.csv does not publish {WORDS[lacking[0]]}, which the manifest says are guarded."
    elif bundle.columns != wanted:
        wrong = f"flows.csv must begin with the line {','.join(wanted)}."
    return verdict("columns", wrong, f"flows.csv holds the guarded measures only ({', '.join(guarded)}).")


def _order(bundle: Bundle) -> Finding:
    flows = bundle.published
    wrong = ""
    if len(set(flows.places)) < len(flows) and not flows.boxes:
        wrong = "flows.csv has a pair of zones twice: their difference would be a count that nobody published."
    elif sort_flows(flows.places, flows.measures, flows.boxes).to_csv().encode() != bundle.files["flows.csv"]:
        wrong = (
            "flows.csv is not written as odk writes it (order of rows, form of numbers, names that a spreadsheet would run "
            "as a formula): it may say more than it should."
        )
    return verdict(
        "form", wrong, "flows.csv is in the one order and form that tell nothing, and safe in a spreadsheet."
    )


def _exact(measure: str, value: float) -> int:
    return round(value * MICRO) if measure == "population" else int(value)


def _thresholds(bundle: Bundle) -> Finding:
    parts, said = [], []
    for measure, threshold in bundle.manifest["thresholds"].items():
        values = bundle.published.measures.get(measure)
        if values is None:
            continue
        low = int((values < _exact(measure, threshold)).sum())
        if low:
            parts.append(f"{low:,} of {len(values):,} cells have fewer than {threshold:,.6g} {WORDS[measure]}")
        said.append(f"{threshold:,.6g} {WORDS[measure]}")
    wrong = f"{' and '.join(parts)}: the promise is broken." if parts else ""
    return verdict("thresholds", wrong, f"All {len(bundle.published):,} cells have at least {' and '.join(said)}.")


def _rounded(bundle: Bundle) -> Finding:
    bases = bundle.manifest["rounding"]
    for measure, base in bases.items():
        values = bundle.published.measures.get(measure)
        step = _exact(measure, base)
        if values is None or step <= 0 or (values % step != 0).any():
            wrong = f"{WORDS[measure].capitalize()} are said to be multiples of {base:,.6g}, and are not."
            return verdict("rounding", wrong, "")
    said = ", ".join(f"{WORDS[m]} to multiples of {base:,.6g}" for m, base in bases.items())
    return Finding("rounding", "pass", f"Rounded as stated: {said}." if said else "Nothing is rounded.")


def _sense(bundle: Bundle) -> Finding:
    """Counts that no trips could have."""
    values = bundle.published.measures
    wrong = ""
    if "trips" in values and "persons" in values and not bundle.manifest["rounding"]:
        more = int((values["persons"] > values["trips"]).sum())
        wrong = f"{more:,} cells have more persons than trips." if more else ""
    return verdict("sense", wrong, "No cell has counts that trips could not have.")


def _zones_match(bundle: Bundle) -> Finding:
    manifest, flows = bundle.manifest, bundle.published
    named = manifest["hierarchy"] != "h3" and not flows.boxes
    have = {f["properties"]["zone"]: f for f in bundle.zones["features"]}
    want = _zones.zone_names(flows)
    extra, lacking = [z for z in have if z not in want], [z for z in want if z not in have]
    wrong = ""
    if extra:
        wrong = f"zones.geojson names {len(extra):,} zone(s) without a published flow, such as {extra[0][:60]}."
    elif lacking:
        wrong = f"zones.geojson lacks {len(lacking):,} zone(s) of flows.csv, such as {lacking[0][:60]}."
    else:
        try:
            centres, within = _named(have) if named else (None, None)
            again = _zones.collection(flows, manifest["hierarchy"], centres, within)
            file = bundle.files["zones.geojson"]
            near = _zones.dumps(bundle.zones).encode() == file and _zones.same(bundle.zones, again)
            if _zones.dumps(again).encode() != file and not near:
                wrong = "zones.geojson does not draw the zones of flows.csv as odk draws them."
        except OdkError as problem:
            wrong = f"zones.geojson: {problem}."
        loose = {z for f in have.values() for z in f["properties"].get("within", [])} - set(want)
        if loose:
            wrong = f"zones.geojson names a zone without a published flow: {min(map(str, loose))[:60]}."
    return verdict(
        "zones", wrong, f"zones.geojson holds the {len(want):,} zones that have a published flow, and no other."
    )


def _named(features: Mapping[str, Any]) -> tuple[dict[str, _zones.Point], dict[str, list[str]]]:
    """Centres and nesting as the file gives them: they come from the hierarchy, which a bundle does not hold."""
    centres, within = {}, {}
    for name, feature in features.items():
        geometry = feature["geometry"]
        if geometry is not None and geometry["type"] == "Point":
            centres[name] = (geometry["coordinates"][1], geometry["coordinates"][0])
        within[name] = feature["properties"].get("within", [])
    return centres, within


def _places(bundle: Bundle) -> list[Finding]:
    flows, manifest = bundle.published, bundle.manifest
    if (manifest["kind"] == "boxes") != flows.boxes:
        return [Finding("places", "error", f"flows.csv has other places than a release of {manifest['kind']}.")]
    if flows.boxes:
        return _boxes(bundle)
    try:
        above = _above(bundle)
    except OdkError as problem:
        return [Finding("places", "error", f"{problem}.")]
    found = [_overlap(flows, above, homogeneous=manifest["kind"] == "homogeneous")]
    if manifest["hierarchy"] == "h3":
        found.append(_levels(bundle, [name for name in above if name != VIRTUAL_ROOT]))
    return found


def _above(bundle: Bundle) -> dict[str, list[str]]:
    """For every zone, the published zones that hold it, itself not included."""
    names = list(_zones.zone_names(bundle.published))
    if bundle.manifest["hierarchy"] != "h3":
        return {f["properties"]["zone"]: list(f["properties"].get("within", [])) for f in bundle.zones["features"]}
    known = set(names)
    found: dict[str, list[str]] = {VIRTUAL_ROOT: []} if VIRTUAL_ROOT in known else {}
    real = [name for name in names if name != VIRTUAL_ROOT]
    ids = cells.to_ids(real)
    levels = cells.resolution(ids)
    ups: list[list[str]] = [[] for _ in real]
    for level in sorted(set(levels.tolist()), reverse=True):
        finer = np.flatnonzero(levels > level)
        for i, up in zip(finer.tolist(), cells.to_hex(cells.parent(ids[finer], level)), strict=True):
            if up in known:
                ups[i].append(up)
    root = [VIRTUAL_ROOT] if VIRTUAL_ROOT in known else []
    return found | {name: above + root for name, above in zip(real, ups, strict=True)}


def _overlap(flows: Flows, above: Mapping[str, list[str]], *, homogeneous: bool) -> Finding:
    if homogeneous:
        sides: Iterable[set[str]] = ({place[end] for place in flows.places} for end in (0, 1))
        pairs = [(zone, up) for zones in sides for zone in sorted(zones) for up in above.get(zone, []) if up in zones]
        wrong = f"Zones overlap: {pairs[0][0]} lies in {pairs[0][1]} ({len(pairs):,} such)." if pairs else ""
        return verdict("overlap", wrong, "No two zones of one side overlap.")
    known = set(flows.places)
    nested = [
        (place, other)
        for place in flows.places
        for o in (place[0], *above.get(place[0], []))
        for d in (place[1], *above.get(place[1], []))
        if (other := (o, d)) != place and other in known
    ]
    wrong = ""
    if nested:
        inner, outer = nested[0]
        wrong = (
            f"Cells overlap: {inner[0]} to {inner[1]} lies in {outer[0]} to {outer[1]} ({len(nested):,} such), so that one "
            "can be subtracted from the other."
        )
    return verdict("overlap", wrong, "No two cells overlap: every trip is counted at most once.")


def _levels(bundle: Bundle, names: list[str]) -> Finding:
    found = sorted(set(cells.resolution(cells.to_ids(names)).tolist())) if names else []
    leaf = bundle.recipe.resolution
    if found and found[-1] > leaf:
        return Finding(
            "levels", "error", f"Zones of level {found[-1]} are finer than the leaves ({leaf}) that were counted."
        )
    said = f"Zones are of level {', '.join(map(str, found))}" if found else "There is one zone"
    leaves = leaf in found
    more = "; those of the last are leaves, published as zones of their own" if leaves else ""
    return Finding("levels", "note" if len(found) > 1 or leaves else "pass", f"{said}{more}.")


def _boxes(bundle: Bundle) -> list[Finding]:
    sides = bundle.published.sides
    wide = sides[:, [2, 6]] - sides[:, [0, 4]]
    wide = np.where(wide < 0, wide + 360, wide)
    high = sides[:, [3, 7]] - sides[:, [1, 5]]
    bad = ((wide <= 0) | (high <= 0)).any(axis=1) | (np.abs(sides[:, [1, 3, 5, 7]]) > 90).any(axis=1)
    wrong = f"{int(bad.sum()):,} boxes have no area, or lie beyond a pole." if bad.any() else ""
    found = [verdict("places", wrong, "Every box has an area.")]
    if bundle.recipe.options.get("partition") == "relaxed":
        found.append(
            Finding("overlap", "note", "Boxes of the relaxed kind may overlap where trips share a coordinate.")
        )
    return found
