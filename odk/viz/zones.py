"""Tables of what is drawn: one row a zone, or one row a failing cell, with names that people can say."""

from typing import Literal

import h3
import numpy as np
import numpy.typing as npt
import pandas as pd

from odk import cells
from odk.cells import Ints
from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.matrix import MICRO, exact_sums
from odk.protection import Protection
from odk.release import BoxRelease, NoisyRelease, Release, TreeRelease
from odk.viz.names import zone_names
from odk.viz.relate import by_level

Axis = Literal["origins", "destinations"]
BOX = ["west", "south", "east", "north"]


def below(release: Release, rule: Protection | None) -> npt.NDArray[np.bool_]:
    """Which published cells do not reach a rule; none where there is no rule, or where noise keeps none by design."""
    if rule is None or not release.k_anonymous:
        return np.zeros(release.n_cells, dtype=bool)
    return ~rule.reached(release.trips, release.population, release.persons)


def places(release: Release, axis: Axis) -> tuple[pd.DataFrame, Ints]:
    """The distinct zones of one axis (zone, level, leaves, lat, lon; boxes: their sides), and that of every cell."""
    if isinstance(release, TreeRelease):
        tree = release.matrix.origins if axis == "origins" else release.matrix.destinations
        nodes, of_cell = np.unique(release.o_node if axis == "origins" else release.d_node, return_inverse=True)
        return node_places(tree, nodes), of_cell.astype(np.int64)
    if isinstance(release, NoisyRelease):
        zoning, of = (release.origins, release.o_zone) if axis == "origins" else (release.destinations, release.d_zone)
        used, of_cell = np.unique(of, return_inverse=True)
        level = cells.resolution(zoning.ids[used]) if zoning.labels is None else np.full(len(used), -1)
        place = {"lat": zoning.lat[used], "lon": zoning.lon[used]}
        found = pd.DataFrame({"zone": zoning.names(used), "level": level, "leaves": zoning.size[used]} | place)
        return found, of_cell.astype(np.int64)
    if not isinstance(release, BoxRelease):
        raise InputError(f"release ({type(release).__name__}) must have zones or boxes to be drawn")
    sides = release.boxes[:, :4] if axis == "origins" else release.boxes[:, 4:]
    boxes, of_cell = np.unique(sides, axis=0, return_inverse=True)
    table = pd.DataFrame(boxes, columns=BOX)
    lat, lon = (table["south"] + table["north"]) / 2, (table["west"] + table["east"]) / 2
    found = pd.DataFrame({"zone": [f"box {i + 1}" for i in range(len(table))], "level": -1, "lat": lat, "lon": lon})
    return pd.concat([found, table], axis=1), of_cell.reshape(-1).astype(np.int64)


def node_places(tree: Hierarchy, nodes: Ints) -> pd.DataFrame:
    """Nodes of a tree as zones: zone, level (H3; -1 for others), leaves, lat, lon."""
    level = np.full(len(nodes), -1, dtype=np.int64)
    if tree.kind == "h3":
        real = tree.ids[nodes] != 0
        level[real] = cells.resolution(tree.ids[nodes[real]])
    zone = tree.names(nodes)
    place = {"lat": tree.lat[nodes], "lon": tree.lon[nodes]}
    return pd.DataFrame({"zone": zone, "level": level, "leaves": tree.size[nodes]} | place)


def zone_table(release: Release, axis: Axis = "origins", rule: Protection | None = None) -> pd.DataFrame:
    """One row a zone that has a published flow, largest first.

    Columns: zone (hex or label), name, level (H3; -1 for others), leaves (observed), flows (published cells), trips,
    persons (distinct, where known) and population (weighted trips) of those flows, density (trips per km²), failing
    (cells below `rule`), lat, lon; for H3 zones other_way (published trips that end in an origin zone, or start in a
    destination zone); for boxes west, south, east, north.
    """
    table, of_cell = places(release, axis)
    n = len(table)
    trips, persons, population = _sums(release, of_cell, n)
    table.insert(1, "name", zone_names(table["lat"], table["lon"], table["level"]))
    table["flows"] = np.bincount(of_cell, minlength=n)
    table["trips"] = trips
    if persons is not None:
        table["persons"] = persons
    table["population"] = population / MICRO
    table["density"] = trips / area_km2(table)
    table["failing"] = np.bincount(of_cell[below(release, rule)], minlength=n)
    if isinstance(release, TreeRelease) and release.matrix.origins.kind == "h3":
        table["other_way"] = _other_way(release, axis, table["zone"].tolist())
    return table.sort_values(["trips", "zone"], ascending=[False, True], ignore_index=True)


def _sums(release: Release, of_cell: Ints, n: int) -> tuple[Ints, Ints | None, Ints]:
    """Trips, distinct persons and population of each zone: recounted from the pairs, since persons do not add up."""
    if isinstance(release, NoisyRelease):  # noisy values are of no pair
        return exact_sums(of_cell, release.trips, n), None, exact_sums(of_cell, release.population, n)
    of_pair = np.where(release.of_pair >= 0, of_cell[release.of_pair], -1) if n else release.of_pair
    sums = release.matrix.regroup(of_pair, n)
    return sums.trips, sums.persons, sums.population


def _other_way(release: TreeRelease, axis: Axis, zones: list[str]) -> Ints:
    """Published trips whose other end lies in each zone."""
    matrix = release.matrix
    tree, leaf = (matrix.destinations, matrix.d) if axis == "origins" else (matrix.origins, matrix.o)
    published = release.of_pair >= 0
    volume = exact_sums(leaf[published], matrix.trips[published], tree.n_leaves)
    ids = tree.ids[: tree.n_leaves]
    found = np.zeros(len(zones), dtype=np.int64)
    for level, (here, rows) in by_level(zones).items():
        order = np.argsort(here, kind="stable")
        fine = cells.resolution(ids) >= level
        above = cells.parent(ids[fine], level)
        at = np.searchsorted(here[order], above).clip(0, len(order) - 1)
        hit = here[order][at] == above
        found[rows[order]] = exact_sums(at[hit], volume[fine][hit], len(order))
    return found


def area_km2(table: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Area of each zone: the mean of its H3 level, that of a box on the sphere, not a number for others."""
    if set(BOX) <= set(table.columns):
        high = np.sin(np.radians(table["north"])) - np.sin(np.radians(table["south"]))
        wide = np.radians(table["east"] - table["west"])
        return np.maximum(np.asarray(high * wide) * (cells.EARTH_RADIUS_M / 1000) ** 2, 1e-9)
    area = np.array([h3.average_hexagon_area(level, "km^2") for level in range(16)] + [np.nan])
    return np.asarray(area[table["level"].to_numpy(np.int64)])


def failing_table(release: Release, rule: Protection | None) -> pd.DataFrame:
    """Published cells that do not reach `rule`, worst first: from, to, trips, persons, population, reached.

    `reached` is the share of its threshold that the worst measure has; `origin` and `destination` are the zones' ids.
    """
    bad = np.flatnonzero(below(release, rule))
    ends = {}
    for axis, end, word in (("origins", "origin", "from"), ("destinations", "destination", "to")):
        table, of_cell = places(release, axis)  # type: ignore[arg-type]
        names = np.array(zone_names(table["lat"], table["lon"], table["level"]), dtype=object)
        ends[word] = names[of_cell[bad]]
        ends[end] = table["zone"].to_numpy()[of_cell[bad]]
    measures: dict[str, npt.NDArray[np.int64] | None] = {
        "trips": release.trips,
        "persons": release.persons,
        "population": release.population,
    }
    reached = np.ones(len(bad))
    columns: dict[str, object] = {}
    for name, values in measures.items():
        if values is None:
            continue
        columns[name] = values[bad] / MICRO if name == "population" else values[bad]
        if rule is not None and name in rule.guards:
            reached = np.minimum(reached, values[bad] / rule.threshold(name))
    found = pd.DataFrame({"from": ends["from"], "to": ends["to"]} | columns | {"reached": reached})
    found["origin"], found["destination"] = ends["origin"], ends["destination"]
    return found.sort_values(["reached", "origin", "destination"], ignore_index=True)
