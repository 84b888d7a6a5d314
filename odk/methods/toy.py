"""A 4 x 4 matrix to play with: four places in two quarters of a town, small enough to follow every merge by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from odk import algorithms
from odk.errors import InputError, OdkError
from odk.hierarchy import Hierarchy
from odk.limits import above_limit
from odk.matrix import ODMatrix
from odk.metrics import measure
from odk.protection import Protection
from odk.release import TreeRelease
from odk.walk import Walk

PLACES = ("A1", "A2", "B1", "B2")
"""The leaves; A and B are the quarters, and the town is the root."""
PARENTS = ("A", "A", "B", "B", "town", "town", None)
START = ((12, 3, 1, 0), (4, 15, 2, 1), (0, 2, 9, 6), (1, 0, 5, 11))
TOY_ALGORITHMS = ("odkanon", "odkanon-late", "twincut", "oigh", "atg-dual", "atg-joint", "suppression")


@dataclass(frozen=True)
class ToyMerge:
    """One merge of ODkAnon's walk."""

    step: int
    axis: str
    group: tuple[str, ...]
    into: str
    failing: int
    """Cells that are still too small after it."""
    least: int
    """Trips of the smallest cell after it."""


@dataclass(frozen=True)
class Toy:
    """What an algorithm makes of the toy matrix."""

    trips: pd.DataFrame
    """The input, places by places."""
    publishable: pd.DataFrame
    """Which of its cells may be published as they are."""
    zones: pd.DataFrame
    """For every pair of places: the published zones they lie in ("A to B1"), or "" where it was suppressed or empty."""
    published: pd.DataFrame
    """Published cells: origin, destination, trips."""
    merges: tuple[ToyMerge, ...]
    """The walk up to where it stopped, for the two algorithms that walk."""
    suppressed: float
    g: float | None
    bound: float | None
    """Lower bound of G for releases of this kind."""
    error: str = ""
    """Why there is no release."""


def toy_table(values: Sequence[Sequence[int]] = START) -> pd.DataFrame:
    """The matrix as a table: origins down, destinations across."""
    return pd.DataFrame(values, index=list(PLACES), columns=list(PLACES), dtype="int64")


def play(trips: pd.DataFrame, k: int, budget: float = 0.10, algorithm: str = "odkanon-late") -> Toy:
    """Protect the toy matrix by k trips a cell; an algorithm that finds no release says why in `error`."""
    table = trips.reindex(index=list(PLACES), columns=list(PLACES)).fillna(0)
    if (table.to_numpy(dtype=np.float64) < 0).any():
        raise InputError("trips of a cell must not be below 0")
    table = table.astype("int64")
    enough = (table >= k) & (table > 0)
    nothing = pd.DataFrame("", index=table.index, columns=table.columns)
    empty = pd.DataFrame({"origin": [], "destination": [], "trips": []})
    failed = Toy(table, enough, nothing, empty, (), 0.0, None, None)
    try:
        matrix = _matrix(table)
        release = algorithms.anonymise(matrix, Protection(trips=k), algorithm, budget)
    except OdkError as problem:
        return Toy(**{**vars(failed), "error": str(problem)})
    assert isinstance(release, TreeRelease)
    above = above_limit(release)
    return Toy(
        table,
        enough,
        _zones(release, nothing),
        release.flows[["origin", "destination", "trips"]],
        _merges(matrix, release, k),
        release.suppressed["trips"],
        measure(release).g,
        above.limit,
    )


def _matrix(table: pd.DataFrame) -> ODMatrix:
    tree = Hierarchy.from_table([*PLACES, "A", "B", "town"], PARENTS)
    pairs = [(o, d, int(table.loc[o, d])) for o in PLACES for d in PLACES]  # type: ignore[arg-type]
    some = [pair for pair in pairs if pair[2] > 0]
    return ODMatrix.from_pairs(pd.DataFrame(some, columns=["origin", "destination", "trips"]), hierarchy=tree)


def _zones(release: TreeRelease, blank: pd.DataFrame) -> pd.DataFrame:
    matrix, found = release.matrix, blank.copy()
    for pair, cell in enumerate(release.of_pair.tolist()):
        if cell >= 0:
            here = matrix.origins.label(int(matrix.o[pair])), matrix.destinations.label(int(matrix.d[pair]))
            zones = (
                matrix.origins.label(int(release.o_node[cell])),
                matrix.destinations.label(int(release.d_node[cell])),
            )
            found.loc[here[0], here[1]] = f"{zones[0]} to {zones[1]}"
    return found


def _merges(matrix: ODMatrix, release: TreeRelease, k: int) -> tuple[ToyMerge, ...]:
    if release.algorithm != "odkanon-late":  # odkanon walks over what its filter left, which is another matrix
        return ()
    walk, found = Walk(matrix), []
    for number in range(1, (release.steps or 0) + 1):
        step = walk.at(number, Protection(trips=k))
        tree = matrix.origins if step.axis == "origins" else matrix.destinations
        assert step.axis is not None
        assert step.merged is not None
        names = tuple(tree.names(step.group))
        least = step.minimum["trips"] or 0
        found.append(ToyMerge(number, step.axis, names, tree.label(step.merged), step.failing, int(least)))
    return tuple(found)
