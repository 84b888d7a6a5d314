"""The cells and zones of a release as a bundle publishes them."""

from __future__ import annotations

import math

import h3
import numpy as np

from odk.cells import Floats, resolution
from odk.errors import UnsafeError
from odk.export._flows import Flows, sort_flows
from odk.export._names import check_name
from odk.export._zones import Point, zone_names
from odk.hierarchy import Hierarchy
from odk.release import BoxRelease, Release, TreeRelease
from odk.rounding import Rounding

METRES_PER_DEGREE = 111_195.0


def published_flows(release: Release, rounding: Rounding) -> Flows:
    """Guarded measures of every cell, rounded where asked, between zones or boxes."""
    guard = release.protection
    exact = {"trips": release.trips, "persons": release.persons, "population": release.population}
    measures = {}
    for measure in guard.guards:
        values = exact[measure]
        if values is None:
            raise UnsafeError(f"release must know {measure} where they are guarded")
        measures[measure] = rounding.apply(measure, values, guard.threshold(measure))
    if isinstance(release, BoxRelease):
        decimals = box_decimals(release)
        sides = coarse_sides(release.boxes, decimals)
        texts = [tuple(_degrees(x, decimals) for x in row) for row in sides.tolist()]
        return sort_flows(texts, measures, boxes=True)
    assert isinstance(release, TreeRelease)
    m = release.matrix
    places = list(zip(m.origins.names(release.o_node), m.destinations.names(release.d_node), strict=True))
    for name in {name for place in places for name in place}:
        check_name(name)
    return sort_flows(places, measures, boxes=False)


def box_decimals(release: BoxRelease) -> int:
    """Decimals of a degree to which boxes are published: steps of a fifth of a leaf's edge or less, 4 to 8 m at level 10.

    A cut line lies on the roundest number between the two leaves that it parts. So a line of many decimals says that they
    lie close by, close enough to tell which ones they are. Coarser lines do not, and are still finer than any leaf.
    """
    tree = release.matrix.origins
    if tree.kind != "h3":
        return 4
    edge = h3.average_hexagon_edge_length(int(resolution(tree.ids[:1])[0]), "m")
    return max(0, math.ceil(-math.log10(edge / 5 / METRES_PER_DEGREE)))


def coarse_sides(boxes: Floats, decimals: int) -> Floats:
    """Sides of boxes rounded; a box that would vanish keeps a step's width."""
    step = 10.0**-decimals
    sides = np.round(boxes, decimals)
    for low in (0, 1, 4, 5):
        flat = sides[:, low] == sides[:, low + 2]
        sides[flat, low] = np.round(sides[flat, low] - step, decimals)
        sides[flat, low + 2] = np.round(sides[flat, low + 2] + step, decimals)
    return sides


def _degrees(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def centres_of(release: Release, flows: Flows) -> dict[str, Point]:
    """Centres that the hierarchy gives named zones; none for H3 cells and boxes, whose names say where they lie."""
    if not isinstance(release, TreeRelease) or release.matrix.origins.kind == "h3":
        return {}
    found: dict[str, Point] = {}
    wanted = set(zone_names(flows))
    for tree, nodes in _axes(release):
        for node in np.unique(nodes).tolist():
            if tree.label(node) in wanted:
                found[tree.label(node)] = (float(tree.lat[node]), float(tree.lon[node]))
    return found


def within_of(release: Release, flows: Flows) -> dict[str, list[str]]:
    """For named zones, the published zones above each, nearest first: so that a reader can tell which overlap."""
    if not isinstance(release, TreeRelease) or release.matrix.origins.kind == "h3":
        return {}
    published = set(zone_names(flows))
    found: dict[str, list[str]] = {}
    for tree, nodes in _axes(release):
        for node in np.unique(nodes).tolist():
            above, at = [], int(tree.parent[node])
            while at >= 0:
                if tree.label(at) in published:
                    above.append(tree.label(at))
                at = int(tree.parent[at])
            # the trees of both axes are parts of one: the longer way up holds the shorter
            found[tree.label(node)] = max(found.get(tree.label(node), []), above, key=len)
    return found


def _axes(release: TreeRelease) -> tuple[tuple[Hierarchy, np.ndarray[tuple[int], np.dtype[np.int64]]], ...]:
    m = release.matrix
    return ((m.origins, release.o_node), (m.destinations, release.d_node))
