"""ODkAnon merge by merge: the pseudo-code of 000 (algorithms 1-3) with the tie rules of SPEC 2.1, in plain dicts.

Slow on purpose and shares no code with odk: the filter groups row by row; every step of algorithm 3 takes the minimum
over all cells (line 4) and looks at every parent of a tree for the cheapest group of siblings that are all there (line
23). Rows of the matrix are destinations, columns are origins.
"""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import h3

ROOT = "root"


@dataclass
class Entry:
    """What a cell, or an input pair, holds: trips, weighted trips in units of 10^-6, and persons (None: unknown)."""

    trips: int = 0
    population: int = 0
    persons: frozenset | None = frozenset()

    def __add__(self, other: "Entry") -> "Entry":
        known = self.persons is not None and other.persons is not None
        return Entry(
            self.trips + other.trips,
            self.population + other.population,
            self.persons | other.persons if known else None,
        )

    def value(self, measure: str) -> int:
        return len(self.persons) if measure == "persons" else getattr(self, measure)


@dataclass
class Outcome:
    """What was published: cells by (origin zone, destination zone), pairs not published, merges made."""

    cells: dict[tuple[str, str], Entry]
    dropped: set[tuple[str, str]]
    steps: int
    origin_zones: set[str]
    destination_zones: set[str]


def pairs_of(rows: Iterable[tuple[str, str, float, object]], persons: bool = True) -> dict[tuple[str, str], Entry]:
    """Count trips (origin, destination, weight, person) by pair."""
    found: dict[tuple[str, str], Entry] = {}
    for origin, destination, weight, person in rows:
        one = Entry(1, round(weight * 1_000_000), frozenset([person]) if persons else None)
        start = Entry(persons=frozenset() if persons else None)
        found[origin, destination] = found.get((origin, destination), start) + one
    return found


def h3_parents(leaves: Iterable[str]) -> dict[str, str | None]:
    """Child -> parent of the full H3 tree above some cells, in order of cell number; a root joins the base cells."""
    parents: dict[str, str | None] = {ROOT: None}
    for cell in leaves:
        while cell not in parents:
            parents[cell] = h3.cell_to_parent(cell) if h3.get_resolution(cell) else ROOT
            cell = parents[cell]
    return dict(sorted(parents.items(), key=lambda item: 0 if item[0] == ROOT else int(item[0], 16)))


class Tree:
    """Algorithm 2: the tree over the observed leaves, from the finest node that covers them all."""

    def __init__(self, leaves: Iterable[str], parents: dict[str, str | None]) -> None:
        self.leaves = sorted(set(leaves))
        paths = []
        for leaf in self.leaves:
            path = [leaf]
            while parents[path[-1]] is not None:
                path.append(parents[path[-1]])
            paths.append(path)
        self.root = next(node for node in paths[0] if all(node in path for path in paths))
        self.parent: dict[str, str] = {}
        self.depth = {self.root: 0}
        self.children: dict[str, set[str]] = {}
        for path in paths:
            down = path[: path.index(self.root) + 1][::-1]
            for above, below in itertools.pairwise(down):
                self.parent[below] = above
                self.depth[below] = self.depth[above] + 1
                self.children.setdefault(above, set()).add(below)
        self.rank = {name: i for i, name in enumerate(parents)}  # by id

    def generalize(self, leaf: str, level: int) -> str:
        """The level-th ancestor; the root stays."""
        for _ in range(level):
            leaf = self.parent.get(leaf, leaf)
        return leaf


def publishable(entry: Entry, guards: dict[str, int]) -> bool:
    return all(entry.value(measure) >= threshold for measure, threshold in guards.items())


def lead_of(guards: dict[str, int]) -> str:
    return "population" if list(guards) == ["population"] else "trips"


def volumes_of(guards: dict[str, int]) -> set[str]:
    """The measures a budget of volume limits; trips for persons."""
    return {"trips" if measure == "persons" else measure for measure in guards}


def suppress(
    pairs: dict[tuple[str, str], Entry],
    parents: dict[str, str | None],
    guards: dict[str, int],
    budget: Fraction,
    within: str,
    levels: int,
) -> set[tuple[str, str]]:
    """Algorithm 1: the pairs that the filter drops."""
    trees = [Tree([pair[axis] for pair in pairs], parents) for axis in (0, 1)]
    valid = set()
    for level in range(levels + 1):
        groups: dict[tuple[str, str], Entry] = {}
        above = {p: (trees[0].generalize(p[0], level), trees[1].generalize(p[1], level)) for p in pairs}
        for pair, entry in pairs.items():
            groups[above[pair]] = groups[above[pair]] + entry if above[pair] in groups else entry
        valid |= {pair for pair in pairs if publishable(groups[above[pair]], guards)}
    lead, rank = lead_of(guards), trees[0].rank
    problematic = sorted(set(pairs) - valid, key=lambda p: (pairs[p].value(lead), rank[p[0]], rank[p[1]]))
    dropped: set[tuple[str, str]] = set()
    spent = dict.fromkeys(["pairs"] if within == "pairs" else volumes_of(guards), 0)
    total = {m: len(pairs) if m == "pairs" else sum(e.value(m) for e in pairs.values()) for m in spent}
    for pair in problematic:
        for measure in spent:
            spent[measure] += 1 if measure == "pairs" else pairs[pair].value(measure)
        if any(spent[m] > budget * total[m] for m in spent):
            break
        dropped.add(pair)
    return dropped


class Generalised:
    """Algorithm 3: the matrix under way. Axis 0 are the origins (columns), axis 1 the destinations (rows)."""

    def __init__(self, pairs: dict[tuple[str, str], Entry], parents: dict[str, str | None], lead: str) -> None:
        self.lead = lead
        self.trees = [Tree([pair[axis] for pair in pairs], parents) for axis in (0, 1)]
        self.cells = dict(pairs)
        self.zones = [set(tree.leaves) for tree in self.trees]
        self.lines: list[dict[str, set[tuple[str, str]]]] = [{}, {}]  # the cells of each column, of each row
        self.count: list[dict[str, int]] = [{}, {}]
        for cell, entry in pairs.items():
            for axis in (0, 1):
                self.lines[axis].setdefault(cell[axis], set()).add(cell)
                self.count[axis][cell[axis]] = self.count[axis].get(cell[axis], 0) + entry.value(lead)
        self.first = Fraction(len(self.zones[0]), len(self.zones[1]))
        self.steps = 0

    def minimum(self, measure: str) -> int:
        return min(entry.value(measure) for entry in self.cells.values())

    def axis(self, drift: Fraction) -> int:
        ratio = Fraction(len(self.zones[0]), len(self.zones[1]))
        if ratio > self.first * (1 + drift):
            return 0
        if ratio < self.first * (1 - drift):
            return 1
        return self.steps % 2

    def best(self, axis: int) -> str | None:
        tree, best, least = self.trees[axis], None, None
        for parent, siblings in tree.children.items():
            if not siblings <= self.zones[axis]:
                continue
            cost = sum(self.count[axis][child] for child in siblings)
            key = (cost, -tree.depth[parent], tree.rank[parent])
            if least is None or key < least:
                best, least = parent, key
        return best

    def apply(self, axis: int, parent: str) -> None:
        tree = self.trees[axis]
        group = tree.children[parent]
        for old in [cell for child in group for cell in self.lines[axis][child]]:
            entry = self.cells.pop(old)
            new = (parent, old[1]) if axis == 0 else (old[0], parent)
            self.cells[new] = self.cells[new] + entry if new in self.cells else entry
            other = self.lines[1 - axis][old[1 - axis]]
            other.remove(old)
            other.add(new)
            self.lines[axis].setdefault(parent, set()).add(new)
        self.count[axis][parent] = sum(self.count[axis].pop(child) for child in group)
        self.zones[axis] -= group
        self.zones[axis].add(parent)
        self.steps += 1

    def run(self, stop: Callable[["Generalised"], bool], drift: Fraction) -> bool:
        """Merge until `stop` holds; False where nothing is left to merge and it still does not."""
        while not stop(self):
            axis = self.axis(drift)
            parent = self.best(axis)
            if parent is None:
                axis = 1 - axis
                parent = self.best(axis)
                if parent is None:
                    return False
            self.apply(axis, parent)
        return True


def odkanon(
    pairs: dict[tuple[str, str], Entry],
    parents: dict[str, str | None],
    guards: dict[str, int],
    *,
    budget: str = "0.1",
    within: str = "pairs",
    levels: int = 3,
    drift: str = "0.03",
) -> Outcome | None:
    """ODkAnon as published; None where it would return an unsafe matrix. Guards in exact units (population: 10^-6)."""
    dropped = suppress(pairs, parents, guards, Fraction(budget), within, levels)
    left = {pair: entry for pair, entry in pairs.items() if pair not in dropped}
    if not left:
        return None
    state = Generalised(left, parents, lead_of(guards))
    if not state.run(lambda s: all(s.minimum(m) >= threshold for m, threshold in guards.items()), Fraction(drift)):
        return None
    return Outcome(state.cells, dropped, state.steps, state.zones[0], state.zones[1])


def odkanon_late(
    pairs: dict[tuple[str, str], Entry],
    parents: dict[str, str | None],
    guards: dict[str, int],
    *,
    budget: str = "0.1",
    within: str = "volume",
    drift: str = "0.03",
) -> Outcome:
    """The same merges without the filter, until what is not publishable fits the budget; that is left out."""
    state = Generalised(pairs, parents, lead_of(guards))
    share = Fraction(budget)
    total = {m: sum(e.value(m) for e in pairs.values()) for m in ("trips", "population")}

    def lost(s: Generalised) -> set[tuple[str, str]]:
        """Pairs in cells that are not publishable; the zone above a leaf is found by climbing."""
        return {p for p in pairs if not publishable(s.cells[_above(s, 0, p[0]), _above(s, 1, p[1])], guards)}

    def fits(s: Generalised) -> bool:
        gone = lost(s)
        if within == "pairs":
            return len(gone) <= share * len(pairs)
        return all(sum(pairs[p].value(m) for p in gone) <= share * total[m] for m in volumes_of(guards))

    assert state.run(fits, Fraction(drift))
    cells = {cell: entry for cell, entry in state.cells.items() if publishable(entry, guards)}
    return Outcome(cells, lost(state), state.steps, {o for o, _ in cells}, {d for _, d in cells})


def _above(state: Generalised, axis: int, leaf: str) -> str:
    while leaf not in state.zones[axis]:
        leaf = state.trees[axis].parent[leaf]
    return leaf
