"""Random releases of a given problem, of every kind: what metrics, limits and checks must cope with.

release = data.draw(tree_releases(matrix, guard))     # one cut an axis, a cut per zone, or zones that overlap
release = data.draw(box_releases(matrix, guard))      # boxes that may overlap
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from odk.cells import Ints
from odk.hierarchy import Hierarchy
from odk.matrix import MICRO, ODMatrix
from odk.protection import Budget, Protection
from odk.release import BoxRelease, NoisyRelease, TreeRelease, tree_release
from odk.zoning import Zoning, h3_zonings, leaf_resolution, named_zonings, observed_area


@st.composite
def cuts(draw: st.DrawFn, tree: Hierarchy) -> Ints:
    """A cut of a tree."""
    marks = draw(st.lists(st.booleans(), min_size=tree.n_nodes, max_size=tree.n_nodes))
    return tree.cut_of_marks(np.array(marks))


@st.composite
def nodes_of_pairs(draw: st.DrawFn, matrix: ODMatrix, shape: str) -> tuple[Ints, Ints]:
    """A node of each tree for every pair. `shape`: cuts, origin, destination (a cut per zone of that axis) or any."""
    o, d = matrix.origins, matrix.destinations
    if shape == "any":
        rise = st.lists(st.integers(0, 4), min_size=matrix.n_pairs, max_size=matrix.n_pairs)
        up = [np.minimum(draw(rise), len(tree.paths) - 1) for tree in (o, d)]
        return o.paths[up[0], matrix.o], d.paths[up[1], matrix.d]
    if shape == "cuts":
        return o.zone_of_leaf(draw(cuts(o)))[matrix.o], d.zone_of_leaf(draw(cuts(d)))[matrix.d]
    first, second, a, b = (o, d, matrix.o, matrix.d) if shape == "origin" else (d, o, matrix.d, matrix.o)
    major = first.zone_of_leaf(draw(cuts(first)))[a]
    minor = np.empty_like(major)
    for zone in np.unique(major).tolist():
        minor[major == zone] = second.zone_of_leaf(draw(cuts(second)))[b[major == zone]]
    return (major, minor) if shape == "origin" else (minor, major)


@st.composite
def tree_releases(
    draw: st.DrawFn,
    matrix: ODMatrix,
    protection: Protection,
    shapes: tuple[str, ...] = ("cuts", "origin", "destination", "any"),
) -> TreeRelease:
    """A release of tree zones that publishes something; pairs may have been filtered out first."""
    shape = draw(st.sampled_from(shapes))
    keep = np.array(draw(st.lists(st.integers(0, 4), min_size=matrix.n_pairs, max_size=matrix.n_pairs))) > 0
    o_node, d_node = draw(nodes_of_pairs(matrix, shape))

    def make(o: Ints, d: Ints, keep: np.ndarray | None) -> TreeRelease:
        return tree_release(
            matrix, protection, Budget(0.1), algorithm="random", options=None, o_node=o, d_node=d, keep=keep
        )

    release = make(o_node, d_node, keep if draw(st.booleans()) else None)
    if release.n_cells:
        return release
    everything = np.zeros(matrix.n_pairs, dtype=np.int64)
    return make(everything + matrix.origins.root, everything + matrix.destinations.root, None)


@st.composite
def box_releases(draw: st.DrawFn, matrix: ODMatrix, protection: Protection) -> BoxRelease:
    """A release of boxes around random groups of pairs; some boxes are wider than need be, and they may overlap."""
    n = matrix.n_pairs
    group = np.array(draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)))
    if (group < 0).all():
        group[:] = 0
    used, group = np.unique(group, return_inverse=True)
    group = group - int(used[0] < 0)
    cells = int(group.max()) + 1
    ends = [
        (tree.lon[leaf], tree.lat[leaf]) for tree, leaf in ((matrix.origins, matrix.o), (matrix.destinations, matrix.d))
    ]
    rows = []
    for cell in range(cells):
        row = []
        for lon, lat in ends:
            here_lon, here_lat = lon[group == cell], lat[group == cell]
            more = draw(st.sampled_from([0.0, 0.0, 0.005, 0.02, 2.0]))
            if (
                np.ptp(here_lon) > 180
            ):  # across the antimeridian: from the least eastern longitude to the greatest western
                west, east = here_lon[here_lon > 0].min(), here_lon[here_lon < 0].max()
            else:
                west, east = here_lon.min(), here_lon.max()
            row += [west - more, here_lat.min() - more, east + more, here_lat.max() + more]
        rows.append(row)
    sums = matrix.regroup(group, cells)
    return BoxRelease(
        matrix=matrix,
        protection=protection,
        budget=Budget(0.1),
        algorithm="random",
        of_pair=group,
        trips=sums.trips,
        population=sums.population,
        persons=sums.persons,
        boxes=np.array(rows, dtype=np.float64),
    )


@st.composite
def noisy_releases(draw: st.DrawFn, matrix: ODMatrix, protection: Protection) -> NoisyRelease:
    """Random flows between zones: those of two cuts, or a public zoning that reaches beyond what was observed."""
    if draw(st.booleans()):
        trees = (matrix.origins, matrix.destinations)
        origins, destinations = (Zoning.of_cut(tree, draw(cuts(tree))) for tree in trees)
    elif matrix.origins.kind == "h3":
        area = observed_area(matrix)
        deepest = min(leaf_resolution(matrix), int(draw(st.integers(0, 1))) + leaf_resolution(matrix) - 5)
        origins, destinations = h3_zonings(matrix, area, max(deepest, 0))
    else:
        origins, destinations = named_zonings(matrix, None)
    pair = st.tuples(st.integers(0, len(origins) - 1), st.integers(0, len(destinations) - 1))
    found = sorted(draw(st.sets(pair, min_size=1, max_size=12)))
    values = np.array(draw(st.lists(st.integers(1, 30), min_size=len(found), max_size=len(found))))
    measure = draw(st.sampled_from(["trips", "population"]))
    return NoisyRelease(
        matrix=matrix,
        protection=protection,
        budget=Budget(0.1),
        algorithm="random",
        of_pair=np.full(matrix.n_pairs, -1),
        trips=values if measure == "trips" else values * 0,
        population=values * MICRO if measure == "population" else values * 0,
        origins=origins,
        destinations=destinations,
        o_zone=np.array([a for a, _ in found]),
        d_zone=np.array([b for _, b in found]),
        noised=measure,
        epsilon=1.0,
    )
