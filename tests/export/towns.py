"""A survey that the bundle tests can count by hand, and bundles whose files can be changed and signed again.

Leaves of resolution 7 as in tests/audit/towns.py: NORTH, SOUTH and EAST are siblings under NEAR, FAR lies elsewhere.
"""

import json
from collections.abc import Callable
from typing import Any

import h3
import numpy as np

import odk
from odk.cells import parent
from odk.export import Bundle, _zones
from odk.export._container import MEMBERS, digest, pack
from odk.export._flows import parse_flows
from odk.export._json import dumps
from odk.export._report import report_html
from odk.export._statement import natural
from odk.hierarchy import Hierarchy
from odk.release import TreeRelease, cut_release
from odk.trips import Trips
from tests.audit.towns import FAR, NEAR, NORTH, SOUTH, people, survey

EAST = sorted(h3.cell_to_children(NEAR, 7))[2]
FARTHER = sorted(h3.cell_to_children(h3.cell_to_parent(FAR, 6), 7))[1]
Change = Callable[[dict[str, Any]], Any]


def towns(*more, far: int = 3) -> Trips:
    """NORTH-SOUTH 12 trips by 12 (weight 2), SOUTH-NORTH 10 by 10 (weight 1.5), FAR-FAR `far` trips by as many."""
    flows = [(NORTH, SOUTH, people(12, 2.0)), (SOUTH, NORTH, people(10, 1.5)), *more]
    return survey(*flows, *([(FAR, FAR, people(far))] if far else []))


def leaves(trips: Trips, guard: odk.Protection) -> TreeRelease:
    """Publish every pair of leaves that reaches the thresholds."""
    matrix = odk.ODMatrix.from_trips(trips, resolution=7)
    return zoned(matrix, guard, np.arange(matrix.origins.n_leaves), np.arange(matrix.destinations.n_leaves))


def at_level(trips: Trips, guard: odk.Protection, level: int) -> TreeRelease:
    """Publish zones of one H3 level, where they reach the thresholds."""
    matrix = odk.ODMatrix.from_trips(trips, resolution=7)
    return zoned(matrix, guard, cut_at(matrix.origins, level), cut_at(matrix.destinations, level))


def zoned(matrix, guard, o_cut, d_cut) -> TreeRelease:
    """Homogeneous release of two cuts; `suppression` is the one algorithm without options or budget to agree with."""
    options = odk.algorithms.get("suppression").options()
    return cut_release(
        matrix, guard, odk.Budget(0.5), algorithm="suppression", options=options, o_cut=o_cut, d_cut=d_cut
    )


def cut_at(tree: Hierarchy, level: int) -> np.ndarray:
    wanted = set(parent(tree.ids[: tree.n_leaves], level).tolist())
    return np.array([node for node in range(tree.n_nodes) if int(tree.ids[node]) in wanted])


def signed(bundle: Bundle, files: dict[str, bytes] | None = None, change: Change = lambda said: None) -> bytes:
    """A zip with some files replaced and the manifest changed, all digests computed again, as a forger would."""
    said = statement(bundle)
    change(said)
    new = dict(bundle.files) | (files or {})
    said["files"] = {name: digest(new[name]) for name in MEMBERS if name != "manifest.json"}
    said["digest"] = digest(dumps(said).encode())
    new["manifest.json"] = dumps(said).encode()
    return pack(new)


def redrawn(bundle: Bundle, flows: str | None = None, change: Change = lambda said: None) -> bytes:
    """The most careful forger: new flows, zones and report drawn from them, sums of the manifest brought into line."""
    said = statement(bundle)
    text = flows or bundle.files["flows.csv"].decode()
    cells, _ = parse_flows(text)
    zones = _zones.collection(cells, said["hierarchy"])
    names = _zones.zone_names(cells).values()
    said |= {
        "cells": len(cells),
        "zones": {"origins": sum(o for o, _ in names), "destinations": sum(d for _, d in names)},
        "published": {m: natural(m, cells.total(m)) for m in cells.measures if m != "persons"},
        "minimum": {m: natural(m, int(v.min())) for m, v in cells.measures.items()},
    }
    change(said)
    files = {
        "flows.csv": text.encode(),
        "zones.geojson": _zones.dumps(zones).encode(),
        "report.html": report_html(said, cells, zones).encode(),
    }
    return signed(bundle, files, lambda now: (now.clear(), now.update(said)))


def statement(bundle: Bundle) -> dict[str, Any]:
    """A copy of the manifest without digests."""
    said = json.loads(json.dumps(bundle.manifest))
    return {key: value for key, value in said.items() if key not in ("files", "digest")}
