"""Trees and cells in plain dicts, for oracles that share no code with odk."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import h3

ROOT = "root"
MICRO = 1_000_000


@dataclass(frozen=True)
class Trip:
    """One trip; the weight is in units of 10^-6."""

    origin: str
    destination: str
    weight: int
    person: object


class Tree:
    """The tree over the observed leaves, from the finest node that covers them all; children in order of name."""

    def __init__(self, leaves: Iterable[str], parents: dict[str, str | None] | None) -> None:
        self.leaves = sorted(set(leaves))
        paths = {leaf: path(leaf, parents) for leaf in self.leaves}
        self.root = next(n for n in paths[self.leaves[0]] if all(n in p for p in paths.values()))
        self.parent: dict[str, str] = {}
        self.under: dict[str, set[str]] = {}
        for leaf, up in paths.items():
            up = up[: up.index(self.root) + 1]
            for node in up:
                self.under.setdefault(node, set()).add(leaf)
            self.parent |= dict(itertools.pairwise(up))
        self.children: dict[str, list[str]] = {}
        for child, above in sorted(self.parent.items()):
            self.children.setdefault(above, []).append(child)

    def size(self, node: str) -> int:
        return len(self.under[node])

    def way_up(self, leaf: str) -> list[str]:
        way = [leaf]
        while way[-1] != self.root:
            way.append(self.parent[way[-1]])
        return way


def path(leaf: str, parents: dict[str, str | None] | None) -> list[str]:
    """The leaf and all above it; H3 where no parents are given."""
    way = [leaf]
    while True:
        if parents is not None:
            above = parents[way[-1]]
        elif way[-1] == ROOT:
            above = None
        else:
            above = h3.cell_to_parent(way[-1]) if h3.get_resolution(way[-1]) else ROOT
        if above is None:
            return way
        way.append(above)


@dataclass(frozen=True)
class Plain:
    """A problem in plain values; thresholds and allowed volumes in exact units."""

    trips: tuple[Trip, ...]
    parents: dict[str, str | None] | None
    guards: dict[str, int]
    allowed: dict[str, int]
    """Largest droppable volume per measure: trips, population or pairs."""

    @property
    def origins(self) -> Tree:
        return Tree([t.origin for t in self.trips], self.parents)

    @property
    def destinations(self) -> Tree:
        return Tree([t.destination for t in self.trips], self.parents)

    @property
    def lead(self) -> str:
        return "population" if set(self.guards) == {"population"} else "trips"

    def value(self, measure: str, trips: Iterable[Trip]) -> int:
        trips = list(trips)
        if measure == "trips":
            return len(trips)
        if measure == "population":
            return sum(t.weight for t in trips)
        if measure == "persons":
            return len({t.person for t in trips})
        return len({(t.origin, t.destination) for t in trips})  # pairs

    def publishable(self, trips: Iterable[Trip]) -> bool:
        trips = list(trips)
        return all(self.value(m, trips) >= threshold for m, threshold in self.guards.items())

    def fits(self, dropped: Iterable[Trip]) -> bool:
        dropped = list(dropped)
        return all(self.value(m, dropped) <= most for m, most in self.allowed.items())


def plain(case, protection, budget) -> Plain:
    """The problem of a drawn case (tests.strategies), thresholds rounded to exact units as SPEC 1 asks."""
    trips = tuple(
        Trip(r.origin, r.destination, round(r.weight * MICRO), r.person if case.persons else None) for r in case.rows
    )
    guards = {}
    for measure in ("trips", "persons", "population"):
        value = getattr(protection, measure)
        if value is not None:
            guards[measure] = round(value * MICRO) if measure == "population" else value
    share = Fraction(str(float(budget.share)))
    if budget.within == "pairs":
        totals = {"pairs": len({(t.origin, t.destination) for t in trips})}
    else:
        totals = {}
        if "trips" in guards or "persons" in guards:
            totals["trips"] = len(trips)
        if "population" in guards:
            totals["population"] = sum(t.weight for t in trips)
    return Plain(trips, case.parents, guards, {m: int(share * total) for m, total in totals.items()})
