"""Glove: pairs merged with their nearest until they are publishable (001, section 4.2 and appendix B)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odk import boxes as rectangles
from odk.algorithms._agglomerate import Bools, Clusters, agglomerate
from odk.algorithms._base import Algorithm, Problem, register
from odk.algorithms.mondrian import METRES_PER_DEGREE, points
from odk.cells import Floats, Ints
from odk.errors import InputError
from odk.matrix import ODMatrix, exact_sums
from odk.release import BoxRelease, Release

DIMENSIONS = 4


@dataclass(frozen=True, kw_only=True)
class GloveOptions:
    """Options of `glove`."""

    neighbours: int | None = None
    """Pairs may merge only along a graph of this many nearest neighbours (100 in 001, for speed). None: with any other,
    which is exact and faster here."""
    max_pairs: int = 1_000_000
    """More pairs than this are refused. Time grows with their number (benchmarks/results/algorithms.md), and is some
    five times as much along a graph of 100 neighbours."""

    def __post_init__(self) -> None:
        check_count("neighbours", self.neighbours)
        check_count("max_pairs", self.max_pairs)


def check_count(name: str, value: int | None) -> None:
    """Refuse what is neither None nor a whole number above 0."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise InputError(f"{name} ({value!r}) must be a whole number of at least 1")


def check_size(name: str, matrix: ODMatrix, max_pairs: int) -> None:
    """Refuse a matrix that the algorithm would not finish in good time."""
    if matrix.n_pairs > max_pairs:
        raise InputError(
            f"{name}: pairs ({matrix.n_pairs:,}) must not exceed max_pairs ({max_pairs:,}); "
            "take an area, coarser leaves, or raise max_pairs"
        )


def in_metres(degrees: Floats) -> Floats:
    """Points [n, 4] in whole metres on a flat map of the area, from `points` in degrees [4, n]."""
    middle = np.radians((degrees[1::2].min() + degrees[1::2].max()) / 2)
    x = METRES_PER_DEGREE * float(np.cos(middle))
    scale = np.array([x, METRES_PER_DEGREE, x, METRES_PER_DEGREE])
    return np.asarray(np.rint((degrees * scale[:, None]).T))


def tight_boxes(degrees: Floats, of_pair: Ints, n: int) -> Floats:
    """Bounds of the points of every cell, columns as in BOX_COLUMNS."""
    inside = np.flatnonzero(of_pair >= 0)
    inside = inside[np.argsort(of_pair[inside], kind="stable")]
    start = np.searchsorted(of_pair[inside], np.arange(n))
    out = np.empty((n, 2 * DIMENSIONS))
    for i, (lon, lat) in enumerate(((0, 1), (2, 3))):
        for j, dimension in enumerate((lon, lat)):
            values = degrees[dimension][inside]
            out[:, 4 * i + j] = np.minimum.reduceat(values, start)
            out[:, 4 * i + j + 2] = np.maximum.reduceat(values, start)
    return out


def sizes(matrix: ODMatrix, boxes: Floats) -> Ints:
    """|o| + |d| of boxes: observed leaves whose centre they cover."""
    total = np.zeros(len(boxes), dtype=np.int64)
    for i, tree in enumerate((matrix.origins, matrix.destinations)):
        leaves = np.column_stack([tree.lon[: tree.n_leaves], tree.lat[: tree.n_leaves]])
        total += rectangles.cover(leaves, boxes[:, 4 * i : 4 * i + 4]).count
    return total


def run_glove(problem: Problem) -> Release:
    """Merge the nearest clusters; one that is publishable is finished; then drop the dearest within the budget."""
    matrix, protection = problem.matrix, problem.protection
    check_size("glove", matrix, problem.options.max_pairs)
    degrees = points(matrix)
    number = np.full(matrix.n_pairs, -1, dtype=np.int64)

    def finished(clusters: Clusters, some: Ints) -> Bools:
        number[some] = np.arange(len(some))
        groups = matrix.regroup(number[clusters.root], len(some), persons=protection.needs_persons)
        number[some] = -1
        return protection.publishable(groups)

    every = np.arange(matrix.n_pairs)
    alone = protection.publishable(matrix.regroup(every, matrix.n_pairs, persons=protection.needs_persons))
    clusters = Clusters.of_points(in_metres(degrees), ~alone)
    first = max(1, int(clusters.open.sum()))
    merges = agglomerate(
        clusters,
        finished,
        neighbours=problem.options.neighbours,
        tick=lambda left: problem.tick(0.05 + 0.85 * (1 - left / first), f"{left:,} clusters to finish"),
    )
    problem.tick(0.9, "dropping what costs most")
    of_pair, notes = _settle(problem, clusters)
    return _drop(problem, degrees, of_pair, merges, notes)


def _settle(problem: Problem, clusters: Clusters) -> tuple[Ints, tuple[str, ...]]:
    """Cell of every pair. At most one cluster was left without a partner: dropped if it fits, else put to the nearest."""
    roots = np.unique(clusters.root)
    left = roots[clusters.open[roots]]
    notes: tuple[str, ...] = ()
    if len(left):
        pairs = clusters.root == left[0]
        if fits(problem, pairs):
            keep = np.where(pairs, -1, clusters.root)
            return _renumber(keep), notes
        host = clusters.nearest(left, roots)
        a, b = np.minimum(left, host), np.maximum(left, host)
        clusters.merge(a, b)
        notes = ("The last pairs had no partner left and were put to the nearest finished cluster.",)
    return _renumber(clusters.root), notes


def _renumber(root: Ints) -> Ints:
    """Cells numbered by their least pair; -1 stays."""
    used = np.unique(root[root >= 0])
    return np.where(root < 0, -1, np.searchsorted(used, root))


def _volumes(problem: Problem) -> list[tuple[Ints, int]]:
    """What the budget counts of every pair, and how much of it may be dropped."""
    matrix = problem.matrix
    if problem.budget.within == "pairs":
        return [(np.ones(matrix.n_pairs, dtype=np.int64), problem.budget.of(matrix.n_pairs))]
    return [(matrix.volume(m), most) for m, most in problem.allowed.items()]


def fits(problem: Problem, pairs: Bools) -> bool:
    """Whether dropping these pairs keeps within the budget."""
    return all(int(volume[pairs].sum()) <= most for volume, most in _volumes(problem))


def _drop(problem: Problem, degrees: Floats, of_pair: Ints, merges: int, notes: tuple[str, ...]) -> Release:
    """Drop whole cells, those with the most leaves first (|o|+|d| is their G per unit), while they fit the budget."""
    matrix = problem.matrix
    n = int(of_pair.max()) + 1
    dear = sizes(matrix, tight_boxes(degrees, of_pair, n))
    gone = of_pair < 0
    counted = _volumes(problem)
    left = np.array([most - int(volume[gone].sum()) for volume, most in counted])
    slot = np.where(gone, n, of_pair)
    need = np.stack([exact_sums(slot, volume, n + 1)[:n] for volume, _ in counted], axis=1)
    drop = np.zeros(n, dtype=bool)
    for cell in np.lexsort((np.arange(n), -dear)).tolist():  # one after the other: each depends on what is left
        if dear[cell] <= 2:
            break
        if (need[cell] <= left).all():
            left -= need[cell]
            drop[cell] = True
    of_pair = _renumber(np.where((of_pair >= 0) & drop[of_pair], -1, of_pair))
    return tight_release(problem, "glove", of_pair, degrees, merges, notes)


def tight_release(
    problem: Problem, name: str, of_pair: Ints, degrees: Floats, steps: int, notes: tuple[str, ...] = ()
) -> BoxRelease:
    """The release of clusters of pairs (-1: dropped) in the least boxes that hold them."""
    n = int(of_pair.max()) + 1
    groups = problem.matrix.regroup(of_pair, n)
    return BoxRelease(
        matrix=problem.matrix,
        protection=problem.protection,
        budget=problem.budget,
        algorithm=name,
        options=problem.options,
        of_pair=of_pair,
        trips=groups.trips,
        population=groups.population,
        persons=groups.persons,
        boxes=tight_boxes(degrees, of_pair, n),
        tight=True,
        steps=steps,
        notes=(*notes, "Boxes are bounds of observed places: good for comparing, not for publishing."),
    )


register(
    Algorithm(
        name="glove",
        title="Glove",
        kind="boxes",
        source="001, section 4.2 and appendix B",
        summary="Merges every pair with its nearest in four dimensions until it is publishable, and drops the largest boxes.",
        when="Use it to see how fine k-anonymity can get; its boxes overlap, are no map and cannot be published.",
        options=GloveOptions,
        run=run_glove,
        slow=True,
    )
)
