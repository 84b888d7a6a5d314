"""Sums up the levels of one axis while the other is fixed: what pruning needs to know of every node.

The rows (node, other zone) of one depth are merged into those of the depth above, so that a pass over a tree costs about as
much as its levels have non-empty rows, whatever the number of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from odk.algorithms._base import Problem
from odk.algorithms._prune import ALPHA, EACH, LEAD, Bools, Ladder, Penalties
from odk.cells import Floats, Ints
from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix, compress, exact_sums, number_keys
from odk.protection import Budget, Protection

ORIGIN, DESTINATION = 0, 1


@dataclass(frozen=True, eq=False)
class Rows:
    """Sums by (node of the axis, zone of the other)."""

    node: Ints
    other: Ints
    trips: Ints
    population: Ints
    pairs: Ints
    person_row: Ints | None = None
    """Row of every distinct (row, person); None where persons are not guarded."""
    person: Ints | None = None

    def volume(self, measure: str) -> Ints:
        """Volume of every row in exact units."""
        return {"trips": self.trips, "population": self.population, "pairs": self.pairs}[measure]

    @property
    def persons(self) -> Ints | None:
        """Distinct persons of every row."""
        if self.person_row is None:
            return None
        return np.bincount(self.person_row, minlength=len(self.node)).astype(np.int64)

    def take(self, keep: Bools) -> Rows:
        """Some of the rows."""
        person_row, person = self.person_row, self.person
        if person_row is not None and person is not None:
            stay = keep[person_row]
            person_row, person = (np.cumsum(keep) - 1)[person_row[stay]], person[stay]
        return Rows(
            self.node[keep],
            self.other[keep],
            self.trips[keep],
            self.population[keep],
            self.pairs[keep],
            person_row,
            person,
        )

    def merged(self, node: Ints, other: Ints, n_nodes: int, n_others: int) -> Rows:
        """The rows summed by new nodes and zones."""
        nodes, a = compress(node, n_nodes)
        others, b = compress(other, n_others)
        keys, row = number_keys(a * len(others) + b, len(nodes) * len(others))
        n = len(keys)
        person_row, person = self.person_row, self.person
        if person_row is not None and person is not None:
            span = int(person.max(initial=0)) + 1
            distinct = pd.unique(row[person_row] * span + person)
            person_row, person = distinct // span, distinct % span
        return Rows(
            nodes[keys // len(others)],
            others[keys % len(others)],
            exact_sums(row, self.trips, n),
            exact_sums(row, self.population, n),
            exact_sums(row, self.pairs, n),
            person_row,
            person,
        )


@dataclass(frozen=True, eq=False)
class Work:
    """A problem with what every pass over it needs."""

    matrix: ODMatrix
    protection: Protection
    budget: Budget
    measured_in: str | None = None
    """The measure of the objective; None: the lead measure."""

    @classmethod
    def of(cls, problem: Problem) -> Work:
        """The work of a problem."""
        return cls(problem.matrix, problem.protection, problem.budget)

    @cached_property
    def trees(self) -> tuple[Hierarchy, Hierarchy]:
        """Both trees, origins first."""
        return self.matrix.origins, self.matrix.destinations

    @property
    def lead(self) -> str:
        """The measure of the objective."""
        return self.protection.lead if self.measured_in is None else self.measured_in

    @cached_property
    def total(self) -> int:
        """Volume of the input in the lead measure."""
        return self.matrix.total(self.lead)

    @cached_property
    def budgets(self) -> dict[str, float]:
        """Allowed volume per budgeted measure; one half where nothing may go, so that one unit is already too much."""
        if self.budget.within == "pairs":
            return {"pairs": max(self.budget.of(self.matrix.n_pairs), 0.5)}
        return {m: max(most, 0.5) for m, most in self.budget.allowed(self.matrix, self.protection).items()}

    @cached_property
    def floors(self) -> tuple[Ints, Ints]:
        """Per axis and leaf: the lowest node above it whose whole volume could be publishable at all.

        No node below it has a publishable cell with anything, so all sums may start there. (Persons are at most trips.)
        """
        found = []
        for tree, leaf in zip(self.trees, (self.matrix.o, self.matrix.d), strict=True):
            able = np.ones(tree.n_nodes, dtype=bool)
            for measure, threshold in self._least.items():
                able &= tree.sum_up(exact_sums(leaf, self.matrix.volume(measure), tree.n_leaves)) >= threshold
            able[tree.root] = True
            floor = np.arange(tree.n_leaves)
            while not able[floor].all():
                floor = np.where(able[floor], floor, tree.parent[floor])
            found.append(floor)
        return found[0], found[1]

    @property
    def _least(self) -> dict[str, int]:
        """Volumes that any publishable cell has, in exact units."""
        guards = {m: self.protection.threshold(m) for m in self.protection.guards}
        trips = max(guards.get("trips", 0), guards.get("persons", 0))
        found = {"trips": trips} if trips else {}
        return found | ({"population": guards["population"]} if "population" in guards else {})

    @cached_property
    def whole_volume(self) -> tuple[Floats, Floats]:
        """Per axis: rows as in Penalties for nodes that publish nothing: no α, all their volume suppressed."""
        found = []
        for tree, leaf in zip(self.trees, (self.matrix.o, self.matrix.d), strict=True):
            table = np.zeros((EACH + len(self.budgets), tree.n_nodes))
            measures = [(self.lead, 1.0), *self.budgets.items()]
            for row, (measure, most) in zip(table[LEAD:], measures, strict=True):
                volume = np.ones(len(leaf), dtype=np.int64) if measure == "pairs" else self.matrix.volume(measure)
                row[:] = tree.sum_up(exact_sums(leaf, volume, tree.n_leaves)) / most
            found.append(table)
        return found[0], found[1]

    @cached_property
    def rows(self) -> Rows:
        """The pairs summed by the floors of their leaves: rows (origin node, destination node)."""
        o_floor, d_floor = self.floors
        pairs = self.pairs
        return pairs.merged(o_floor[pairs.node], d_floor[pairs.other], *(t.n_nodes for t in self.trees))

    @cached_property
    def pairs(self) -> Rows:
        """The pairs themselves as rows (origin leaf, destination leaf)."""
        m = self.matrix
        guard = self.protection.needs_persons
        return Rows(
            m.o, m.d, m.trips, m.population, np.ones(m.n_pairs, dtype=np.int64),
            m.person_pair if guard else None, m.person if guard else None,
        )  # fmt: skip

    @cached_property
    def _on_floor(self) -> tuple[Rows, Rows]:
        """Per axis, the pairs summed by (floor on this axis, leaf of the other)."""
        pairs, (o_tree, d_tree) = self.pairs, self.trees
        return (
            pairs.merged(self.floors[ORIGIN][pairs.node], pairs.other, o_tree.n_nodes, d_tree.n_nodes),
            pairs.merged(self.floors[DESTINATION][pairs.other], pairs.node, d_tree.n_nodes, o_tree.n_nodes),
        )

    @cached_property
    def _above_floor(self) -> tuple[Bools, Bools]:
        """Per axis, the nodes that are a floor or lie above one."""
        found = []
        for tree, floor in zip(self.trees, self.floors, strict=True):
            above = np.zeros(tree.n_nodes, dtype=bool)
            at = np.unique(floor)
            while len(at):
                above[at] = True
                at = np.unique(tree.parent[at])
                at = at[(at >= 0) & ~above[at]]
            found.append(above)
        return found[0], found[1]

    def publishable(self, rows: Rows) -> Bools:
        """Which rows reach every threshold."""
        return np.asarray(self.protection.reached(rows.trips, rows.population, rows.persons))

    def penalties(self, axis: int, other_cut: Ints) -> Penalties:
        """α and σ of every node of one axis for a fixed cut of the other (SPEC 2.2)."""
        tree, other = self.trees[axis], self.trees[1 - axis]
        base = self._on_floor[axis]
        rows = base.merged(base.node, other.zone_of_leaf(other_cut)[base.other], tree.n_nodes, other.n_nodes)
        table = np.where(self._above_floor[axis], 0.0, self.whole_volume[axis])
        for depth in range(int(tree.depth.max()), -1, -1):
            here = tree.depth[rows.node] == depth
            self._add(rows, here, tree, other.size, table)
            if depth:
                up = np.where(here, tree.parent[rows.node], rows.node)
                rows = rows.merged(up, rows.other, tree.n_nodes, other.n_nodes)
        return Penalties(Ladder.of(tree, table[ALPHA] > 0), table)

    def _add(self, rows: Rows, here: Bools, tree: Hierarchy, other_size: Ints, table: Floats) -> None:
        """Add the rows of one depth to the penalties of their nodes."""
        good = self.publishable(rows)
        volume = rows.volume(self.lead).astype(np.float64)
        yes, no = here & good, here & ~good
        cost = (tree.size[rows.node[yes]] + other_size[rows.other[yes]]) * volume[yes]
        n = tree.n_nodes
        table[ALPHA] += np.bincount(rows.node[yes], weights=cost, minlength=n)
        table[LEAD] += np.bincount(rows.node[no], weights=volume[no], minlength=n)
        for row, (measure, most) in zip(table[EACH:], self.budgets.items(), strict=True):
            row += np.bincount(rows.node[no], weights=rows.volume(measure)[no] / most, minlength=n)
