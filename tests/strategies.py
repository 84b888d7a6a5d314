"""Random small problems for every test of an algorithm.

    from tests.strategies import budgets, cases, matrices, problems, protections

    @given(problems())                               # (matrix, protection, budget): what `anonymise` takes
    def test_totals_are_conserved(problem): ...

    @given(matrices(kinds=("h3",), persons=False))   # one ODMatrix
    @given(cases(), budgets(), st.data())            # a Case: the raw rows too, for an oracle that shares no code
    def test_equals_the_oracle(case, budget, data):
        guard = data.draw(protections(case.matrix))

`kinds` are any of "h3" (a city, around a pentagon, across the antimeridian, or on several base cells with a virtual
root), "table" (a random zone/parent table with leaves at uneven depth, single children and, sometimes, several roots)
and "ward" (clustered centroids). Origins and destinations are drawn from the same leaves, but rarely observe the same.
There are always two pairs or more (one pair alone is refused), but an axis may have a single leaf.
Every drawn protection can be reached by the whole matrix, so `Protection.check` passes; a budget may still be too small
for an algorithm that cannot merge everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import h3
import pandas as pd
from hypothesis import strategies as st

from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix
from odk.protection import Budget, Protection, population_threshold
from odk.trips import Trips

T = TypeVar("T")
KINDS = ("h3", "table", "ward")
AREAS: dict[str, tuple[str, ...]] = {
    "city": (h3.latlng_to_cell(48.86, 2.34, 5), h3.latlng_to_cell(48.86, 2.34, 6)),
    "two towns": (h3.latlng_to_cell(48.86, 2.34, 5), h3.latlng_to_cell(48.60, 2.40, 5)),
    "pentagon": (h3.get_pentagons(4)[0], h3.get_pentagons(5)[3]),
    "antimeridian": (h3.latlng_to_cell(-17.0, 179.999, 4), h3.latlng_to_cell(-17.0, -179.9, 5)),
    "several base cells": (
        h3.latlng_to_cell(48.86, 2.34, 5),
        h3.latlng_to_cell(35.7, 139.7, 5),
        h3.get_pentagons(5)[7],
    ),
}
"""Cells under which the leaves of an H3 problem lie."""


@dataclass(frozen=True)
class Row:
    """One trip."""

    origin: str
    destination: str
    weight: float
    person: int


@dataclass(frozen=True)
class Case:
    """A problem in plain values, for oracles, and the matrix that odk makes of it."""

    rows: tuple[Row, ...]
    kind: str
    hierarchy: Hierarchy | None = field(default=None, repr=False)
    """The tree over all leaves; None for H3, where the cells say it themselves."""
    parents: dict[str, str | None] | None = None
    """The same tree as child -> parent, nodes in the order of their ids; None for H3."""
    persons: bool = True

    @property
    def resolution(self) -> int:
        """Resolution of the leaves; only for H3."""
        return h3.get_resolution(self.rows[0].origin)

    @cached_property
    def trips(self) -> Trips:
        """The rows as Trips."""
        table = pd.DataFrame([vars(row) for row in self.rows])[["person", "origin", "destination", "weight"]]
        if not self.persons:
            table = table.drop(columns="person")
        return Trips(table=table, rows=len(table), source="random", ends="h3" if self.kind == "h3" else "zones")

    @cached_property
    def matrix(self) -> ODMatrix:
        """The rows as a matrix."""
        if self.kind == "h3":
            return ODMatrix.from_trips(self.trips, resolution=self.resolution)
        return ODMatrix.from_trips(self.trips, hierarchy=self.hierarchy)


@st.composite
def h3_leaves(draw: st.DrawFn, max_leaves: int = 16) -> list[str]:
    """Cells of one resolution, 1 to 4 levels below the cells of one of the AREAS."""
    tops = draw(st.sampled_from(sorted(AREAS)).map(AREAS.__getitem__))
    finest = max(h3.get_resolution(t) for t in tops) + draw(st.integers(1, 3))
    leaf = st.tuples(st.sampled_from(tops), st.lists(st.integers(0, 6), min_size=4, max_size=4))
    found = {_descend(top, digits, finest) for top, digits in draw(_many(leaf, 2, max_leaves))}
    if len(found) == 1:  # two at least: trips in one pair only are refused
        found |= set(h3.cell_to_children(h3.cell_to_parent(*found))[:2])
    return sorted(found)


def _descend(cell: str, digits: Sequence[int], resolution: int) -> str:
    """The descendant of a cell that is reached by taking, level by level, the child of the given number."""
    for digit in digits:
        if h3.get_resolution(cell) == resolution:
            break
        children = sorted(h3.cell_to_children(cell))
        cell = children[digit % len(children)]  # a pentagon has six
    return cell


@st.composite
def zone_tables(draw: st.DrawFn, max_leaves: int = 16) -> dict[str, str | None]:
    """Child -> parent of a tree with leaves at uneven depth; sometimes with several roots."""
    n = draw(st.integers(2, max_leaves + 6))
    parents: dict[str, str | None] = {"z0": None}
    for i in range(1, n):
        above = draw(st.integers(-1, i - 1)) if i % 5 == 4 else draw(st.integers(max(0, i - 4), i - 1))
        parents[f"z{i}"] = None if above < 0 else f"z{above}"
    if len(set(parents) - set(parents.values())) == 1:
        parents["z"] = "z0"  # two leaves at least
    names = draw(st.permutations(list(parents)))  # so that ids, which follow the rows, do not follow the tree
    return {name: parents[name] for name in names}


def table_tree(parents: dict[str, str | None]) -> Hierarchy:
    """Hierarchy of a child -> parent mapping, with made-up centres."""
    places = range(len(parents))
    lat, lon = [40 + 0.01 * (i % 7) for i in places], [-74 + 0.01 * (i // 7) for i in places]
    return Hierarchy.from_table(list(parents), list(parents.values()), lat=lat, lon=lon)


@st.composite
def ward_trees(draw: st.DrawFn, max_leaves: int = 16) -> Hierarchy:
    """Ward tree of zones at random places, some of which coincide."""
    place = st.tuples(st.integers(0, 30), st.integers(0, 30))
    places = draw(_many(place, 2, max_leaves))
    lat, lon = [40 + p[0] / 100 for p in places], [-74 + p[1] / 100 for p in places]
    return Hierarchy.from_ward([f"w{i}" for i in range(len(places))], lat=lat, lon=lon)


@st.composite
def _many(draw: st.DrawFn, each: st.SearchStrategy[T], least: int, most: int) -> list[T]:
    """A list that is long more often than not (hypothesis' own lists are mostly short)."""
    n = draw(st.integers(least, most) | st.integers(max(least, most * 2 // 3), most))
    return draw(st.lists(each, min_size=n, max_size=n))


def weights() -> st.SearchStrategy[float]:
    """Weights with at most six decimals: ones, survey weights, tiny and huge ones."""
    return st.one_of(
        st.just(1.0),
        st.sampled_from([0.1, 0.3, 2674.2, 1e-6, 123456.789]),
        st.integers(1, 5_000_000).map(lambda micro: micro / 1_000_000),
    )


@st.composite
def cases(
    draw: st.DrawFn,
    kinds: Sequence[str] = KINDS,
    persons: bool | None = None,
    weighted: bool | None = None,
    max_leaves: int = 16,
    max_rows: int = 60,
) -> Case:
    """A random problem with its raw rows. `persons`, `weighted`: None leaves it to chance."""
    kind = draw(st.sampled_from(list(kinds)))
    hierarchy, parents = None, None
    if kind == "h3":
        leaves = draw(h3_leaves(max_leaves))
    else:
        if kind == "table":
            table = draw(zone_tables(max_leaves))
            hierarchy = table_tree(table)
        else:
            hierarchy = draw(ward_trees(max_leaves))
        parents = parents_of(hierarchy)
        leaves = hierarchy.names(range(hierarchy.n_leaves))
    known = draw(st.booleans()) if persons is None else persons
    uneven = draw(st.booleans()) if weighted is None else weighted
    # Few distinct pairs drawn often, and some drawn once: cells on both sides of a threshold.
    pair = st.tuples(st.sampled_from(leaves), st.sampled_from(leaves))
    pairs = draw(_many(pair, 1, max(1, max_rows // 2)))
    other = next(p for p in ((a, b) for a in leaves for b in leaves) if p != pairs[0])
    weight = weights() if uneven else st.just(1.0)
    row = st.tuples(st.sampled_from(pairs), weight, st.integers(1, 9))
    drawn = draw(_many(row, 2, max_rows))
    if len({ends for ends, _, _ in drawn}) == 1:  # two pairs at least
        drawn[0] = (other if drawn[0][0] == pairs[0] else pairs[0], *drawn[0][1:])
    rows = [Row(*ends, weight, person) for ends, weight, person in drawn]
    return Case(tuple(rows), kind, hierarchy, parents, known)


def parents_of(tree: Hierarchy) -> dict[str, str | None]:
    """Child -> parent of a tree by name, nodes in the order of their ids (the tie rule)."""
    by_id = sorted(range(tree.n_nodes), key=lambda i: int(tree.ids[i]))
    return {tree.label(i): None if tree.parent[i] < 0 else tree.label(int(tree.parent[i])) for i in by_id}


def matrices(
    kinds: Sequence[str] = KINDS,
    persons: bool | None = None,
    weighted: bool | None = None,
    max_leaves: int = 16,
    max_rows: int = 60,
) -> st.SearchStrategy[ODMatrix]:
    """A random matrix; the parameters are those of `cases`."""
    drawn = cases(kinds=kinds, persons=persons, weighted=weighted, max_leaves=max_leaves, max_rows=max_rows)
    return drawn.map(lambda case: case.matrix)


@st.composite
def protections(draw: st.DrawFn, matrix: ODMatrix, measures: Sequence[str] | None = None) -> Protection:
    """A protection that the whole matrix reaches. `measures`: guard exactly these; None leaves it to chance."""
    if measures is None:
        sets = [["trips"], ["population"], ["trips", "population"]]
        if matrix.has_persons and matrix.n_persons >= 2:
            sets += [["persons"], ["trips", "persons"], ["population", "persons"]]
        measures = draw(st.sampled_from(sets))
    guard: dict[str, float] = {}
    if "trips" in measures:
        guard["trips"] = draw(st.integers(2, min(12, matrix.total_trips)))
    if "persons" in measures:
        guard["persons"] = draw(st.integers(2, min(6, matrix.n_persons)))
    if "population" in measures:
        guard["population"] = population_threshold(matrix, draw(st.integers(2, min(12, matrix.total_trips))))
    return Protection(**guard)


def budgets(within: str | None = None) -> st.SearchStrategy[Budget]:
    """Budgets from none to generous, of volume or of pairs."""
    share = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5, 0.9])
    return st.builds(Budget, share, st.sampled_from(["volume", "pairs"]) if within is None else st.just(within))


@st.composite
def problems(
    draw: st.DrawFn,
    kinds: Sequence[str] = KINDS,
    persons: bool | None = None,
    weighted: bool | None = None,
    measures: Sequence[str] | None = None,
    within: str | None = None,
    max_leaves: int = 16,
    max_rows: int = 60,
) -> tuple[ODMatrix, Protection, Budget]:
    """What `anonymise` takes: a matrix, a protection that it can reach, and a budget."""
    matrix = draw(matrices(kinds, persons, weighted, max_leaves, max_rows))
    return matrix, draw(protections(matrix, measures)), draw(budgets(within))
