"""Every cut of a tiny tree, tried one by one: the optimum that the clever searches are measured against.

Shares no code with odk's algorithms: plain dictionaries, loops over all cuts, sums over all pairs. A *solution* is a tuple
(Σ(|o|+|d|)v published, v suppressed, then the suppressed amount of every budgeted measure), v in the lead measure.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix
from odk.protection import Budget, Protection

Solution = tuple[float, ...]


def all_cuts(tree: Hierarchy) -> list[tuple[int, ...]]:
    """Every cut of a tree as a tuple of nodes."""

    def below(node: int) -> list[tuple[int, ...]]:
        kids = [i for i in range(tree.n_nodes) if tree.parent[i] == node]
        if not kids:
            return [(node,)]
        return [(node,)] + [sum(parts, ()) for parts in product(*(below(k) for k in kids))]

    return below(tree.n_nodes - 1)


def leaves_below(tree: Hierarchy) -> dict[int, set[int]]:
    """The leaves under every node."""
    out: dict[int, set[int]] = {i: set() for i in range(tree.n_nodes)}
    for leaf in range(tree.n_leaves):
        node = leaf
        while node >= 0:
            out[node].add(leaf)
            node = int(tree.parent[node])
    return out


class Problem:
    """A problem as dictionaries."""

    def __init__(self, matrix: ODMatrix, protection: Protection, budget: Budget) -> None:
        self.matrix, self.protection, self.budget = matrix, protection, budget
        self.trees = (matrix.origins, matrix.destinations)
        self.under = tuple(leaves_below(t) for t in self.trees)
        self.lead = protection.lead
        people: dict[int, set[int]] = {}
        if matrix.person is not None and matrix.person_pair is not None:
            for pair, person in zip(matrix.person_pair.tolist(), matrix.person.tolist(), strict=True):
                people.setdefault(pair, set()).add(person)
        self.pairs = {
            (o, d): {"trips": t, "population": p, "pairs": 1, "people": people.get(i, set())}
            for i, (o, d, t, p) in enumerate(
                zip(*(x.tolist() for x in (matrix.o, matrix.d, matrix.trips, matrix.population)), strict=True)
            )
        }
        if budget.within == "pairs":
            self.allowed = {"pairs": budget.of(matrix.n_pairs)}
        else:
            self.allowed = dict(budget.allowed(matrix, protection))
        self.total = sum(p[self.lead] for p in self.pairs.values())

    @cache  # noqa: B019 - lives as long as one example of a test
    def cell(self, o: int, d: int) -> Solution:
        """Solution of one pair of nodes taken as a cell."""
        inside = [p for (a, b), p in self.pairs.items() if a in self.under[0][o] and b in self.under[1][d]]
        sums = {m: sum(p[m] for p in inside) for m in ("trips", "population", "pairs")}
        sums["persons"] = len(set().union(*(p["people"] for p in inside))) if inside else 0
        good = all(sums[m] >= self.protection.threshold(m) for m in self.protection.guards)
        if good:
            size = len(self.under[0][o]) + len(self.under[1][d])
            return (size * sums[self.lead], 0, *(0 for _ in self.allowed))
        return (0, sums[self.lead], *(sums[m] for m in self.allowed))

    def fits(self, solution: Solution) -> bool:
        """Whether every budget holds."""
        return all(s <= most for s, most in zip(solution[2:], self.allowed.values(), strict=True))

    def g(self, solution: Solution) -> float:
        """Mean generalisation error."""
        left = self.total - solution[1]
        return solution[0] / left if left else float("inf")

    def homogeneous(self) -> list[Solution]:
        """Solution of every pair of cuts."""
        return [
            add(self.cell(o, d) for o in o_cut for d in d_cut)
            for o_cut in all_cuts(self.trees[0])
            for d_cut in all_cuts(self.trees[1])
        ]

    def nested(self, major: int) -> set[Solution]:
        """Solution of every release of one order: a cut of the major tree, and for each of its zones a minor cut."""
        minor_cuts = all_cuts(self.trees[1 - major])

        @cache
        def of_zone(zone: int) -> frozenset[Solution]:
            cells = (lambda m: (zone, m)) if major == 0 else (lambda m: (m, zone))
            return frozenset(add(self.cell(*cells(m)) for m in cut) for cut in minor_cuts)

        found: set[Solution] = set()
        for cut in all_cuts(self.trees[major]):
            sums: set[Solution] = {(0.0,) * (2 + len(self.allowed))}
            for zone in cut:
                sums = {add((a, b)) for a in sums for b in of_zone(zone)}
            found |= sums
        return found


def add(solutions: object) -> Solution:
    """Sum of solutions."""
    return tuple(sum(parts) for parts in zip(*solutions, strict=True))  # type: ignore[call-overload]
