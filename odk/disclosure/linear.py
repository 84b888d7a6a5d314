"""Least and greatest value of every zone pair consistent with all that is published, for parts that are small enough.

Unknowns are x[atom, o, d] >= 0: the volume of one part of the data between what a zone o holds outside the finer zones that
the tables name inside it, and likewise d. A zone's volume is then the sum over the zones inside it, itself included. A zone
that named zones cover wholly holds nothing else, so its own unknowns are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from odk import cells
from odk.cells import Floats, Ints
from odk.disclosure.published import ROOT, Published, containers, exact
from odk.matrix import MICRO

_SLACK = 1e-6
WITHOUT = " without the zones named inside it"
Key = tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class Proof:
    """One connected part, gone through."""

    variables: int
    targets: int
    leaks: tuple[dict[str, object], ...]


@dataclass(frozen=True, eq=False)
class _Sum:
    """What is known of a sum of unknowns."""

    members: Ints
    least: float
    most: float
    published: bool


class _Axis:
    """The zones of one end: what each holds."""

    def __init__(self, names: Sequence[str], parents: Mapping[str, str] | None) -> None:
        self.names = sorted(set(names))
        self.parents = parents
        above = containers(self.names, self.names, parents)
        self.inside: dict[str, list[str]] = {n: [] for n in self.names}
        for inner, ups in above.items():
            for up in ups:
                self.inside[up].append(inner)
        self.own = {n for n in self.names if not self._covered(n, above)}

    def _covered(self, name: str, above: dict[str, list[str]]) -> bool:
        """Whether the zones named inside a zone fill it."""
        direct = [n for n in self.inside[name] if n != name and above[n][1:2] == [name]]
        if not direct or name == ROOT:
            return False
        if self.parents is not None:
            kids = [n for n, up in self.parents.items() if up == name]
            return all(k in self.inside[name] for k in kids)
        ids = cells.to_ids([name, *direct])
        finest = int(cells.resolution(ids).max())
        counts = cells.descendants(ids, finest)
        return int(counts[1:].sum()) == int(counts[0])

    def areas(self) -> Iterator[tuple[str, set[str]]]:
        """What a target may speak of: a zone, or a zone without the zones named inside it."""
        for name in self.names:
            yield name, set(self.inside[name])
            if len(self.inside[name]) > 1 and name in self.own:
                yield name + WITHOUT, {name}


def prove(
    tables: Sequence[Published],
    *,
    max_variables: int,
    max_programs: int,
    progress: Callable[[float, str], None] | None = None,
) -> tuple[list[Proof], int]:
    """Proofs of the parts that are small enough, smallest first, and the number of published cells in the others."""
    proofs: list[Proof] = []
    unproved = 0
    left = max_programs
    for measure in ("trips", "population"):
        used = [t for t in tables if measure in t.measures]
        if len(used) < 2:
            continue
        origins, destinations = (
            _Axis([z for t in used for z in t.flows[end]], used[0].parents) for end in ("origin", "destination")
        )
        if len(origins.names) * len(destinations.names) > 250_000:  # nothing of this size is small enough
            unproved += sum(len(t.flows) for t in used)
            continue
        system = _System(used, measure, origins, destinations)
        # One table alone gives away nothing that it does not publish.
        parts = sorted((p for p in system.parts() if p.tables > 1), key=lambda p: (len(p.variables), p.first))
        for done, part in enumerate(parts):
            if progress is not None:
                progress(done / len(parts), f"{measure}: part {done + 1:,} of {len(parts):,}")
            targets = list(system.targets(part)) if len(part.variables) <= max_variables and left else []
            if not targets or 2 * len(targets) > left:
                unproved += part.published
                continue
            left -= 2 * len(targets)
            proofs.append(system.prove(part, targets))
    return proofs, unproved


@dataclass(frozen=True, eq=False)
class _Part:
    variables: Ints
    sums: Ints
    first: int
    published: int
    tables: int


@dataclass(frozen=True, eq=False)
class _Target:
    origin: str
    destination: str
    about: frozenset[str]
    members: Ints


class _System:
    def __init__(self, tables: Sequence[Published], measure: str, origins: _Axis, destinations: _Axis) -> None:
        self.tables, self.measure = tables, measure
        self.axes = (origins, destinations)
        self.unit = MICRO if measure == "population" else 1
        self.number: dict[Key, int] = {}
        self.sums: list[_Sum] = []
        self.table_of: list[int] = []
        for t, table in enumerate(tables):
            for known in self._sums(table):
                self.sums.append(known)
                self.table_of.append(t)
        self.keys = list(self.number)  # by number
        self.areas = tuple(_areas_over(axis) for axis in self.axes)

    def _members(self, scope: frozenset[str], origin: str, destination: str) -> Ints:
        """Numbers of the unknowns that a cell of a table adds up."""
        inner_o = [z for z in self.axes[0].inside[origin] if z in self.axes[0].own]
        inner_d = [z for z in self.axes[1].inside[destination] if z in self.axes[1].own]
        keys = product(sorted(scope), inner_o, inner_d)
        return np.array([self.number.setdefault(k, len(self.number)) for k in keys], dtype=np.int64)

    def _sums(self, table: Published) -> Iterator[_Sum]:
        values = exact(table.flows, self.measure).astype(np.float64)
        here = set()
        for o, d, value in zip(table.flows["origin"], table.flows["destination"], values.tolist(), strict=True):
            here.add((o, d))
            yield _Sum(self._members(table.scope, o, d), value, value if table.whole_cells else np.inf, True)
        guards = table.protection.guards
        if set(guards) != {self.measure} or not table.whole_cells or not _one_zoning(table):
            return
        most = float(table.protection.threshold(self.measure) - 1)  # not published: empty or below the threshold
        zones = [sorted(set(table.flows[end])) for end in ("origin", "destination")]
        for o, d in product(*zones):
            if (o, d) not in here:
                yield _Sum(self._members(table.scope, o, d), 0.0, most, False)

    def parts(self) -> Iterator[_Part]:
        """Unknowns that are tied together by sums."""
        n, m = len(self.number), len(self.sums)
        rows = np.concatenate([np.full(len(s.members), i) for i, s in enumerate(self.sums)])
        cols = np.concatenate([s.members for s in self.sums])
        graph = csr_array((np.ones(len(rows)), (rows, cols + m)), shape=(m + n, m + n))
        _, label = connected_components(graph, directed=False)
        by_label: dict[int, tuple[list[int], list[int]]] = {}
        for i, where in enumerate(label.tolist()):
            by_label.setdefault(where, ([], []))[0 if i >= m else 1].append(i - m if i >= m else i)
        for variables, sums in by_label.values():
            published = [i for i in sums if self.sums[i].published]
            yield _Part(
                np.array(variables, dtype=np.int64),
                np.array(sums, dtype=np.int64),
                min(sums, default=0),
                len(published),
                len({self.table_of[i] for i in published}),
            )

    def targets(self, part: _Part) -> Iterator[_Target]:
        """Zone pairs of the part, for every part of the data that two tables differ in or share."""
        keys = [self.keys[i] for i in part.variables.tolist()]
        scopes = {t.scope for t in self.tables}
        scopes |= {a - b for a, b in product(scopes, scopes)} | {a & b for a, b in combinations(scopes, 2)}
        near = [
            [area for _, area in sorted({n: a for key in keys for n, a in over[key[end]]}.items())]
            for end, over in enumerate(self.areas, 1)
        ]
        for origin, o_in in near[0]:
            for destination, d_in in near[1]:
                here = [(k[0], self.number[k]) for k in keys if k[1] in o_in and k[2] in d_in]
                if not here:
                    continue
                for scope in sorted(scopes - {frozenset()}, key=sorted):
                    members = np.array([i for atom, i in here if atom in scope], dtype=np.int64)
                    if len(members):
                        yield _Target(origin, destination, scope, members)

    def prove(self, part: _Part, targets: list[_Target]) -> Proof:
        """Least and greatest value of every target."""
        place = {v: i for i, v in enumerate(part.variables.tolist())}
        known = [self.sums[i] for i in part.sums.tolist()]
        matrix = np.zeros((len(known), len(place)))
        for row, item in zip(matrix, known, strict=True):
            row[[place[v] for v in item.members.tolist()]] = 1
        least, most = (np.array([getattr(s, end) for s in known]) / self.unit for end in ("least", "most"))
        leaks = []
        for target in targets:
            weights = np.zeros(len(place))
            weights[[place[v] for v in target.members.tolist()]] = 1
            threshold = self._threshold(target)
            if threshold is None:
                continue
            high = -_extreme(-weights, matrix, least, most)
            if _SLACK < high < threshold - _SLACK:
                low = _extreme(weights, matrix, least, most)
                if low > _SLACK:
                    leaks.append(self._leak(target, low, high, threshold))
        return Proof(len(place), len(targets), tuple(leaks))

    def _threshold(self, target: _Target) -> float | None:
        """The threshold that the target's trips are guarded by; None where they are not, or where it is published."""
        guarded = [t for t in self.tables if target.about & t.scope and self.measure in t.protection.guards]
        return min((t.protection.guards[self.measure] for t in guarded), default=None)

    def _leak(self, target: _Target, low: float, high: float, threshold: float) -> dict[str, object]:
        value = f"exactly {low:,.6g}" if high - low < _SLACK else f"between {low:,.6g} and {high:,.6g}"
        return {
            "origin": target.origin,
            "destination": target.destination,
            "about": " or ".join(sorted(target.about)),
            "measure": self.measure,
            "value": round((low + high) / 2, 6),
            "threshold": threshold,
            "way": "all tables together (linear programming)",
            "from_": value,
        }


def _areas_over(axis: _Axis) -> dict[str, list[tuple[int, tuple[str, set[str]]]]]:
    """For every zone, the areas that hold it, numbered in their order."""
    over: dict[str, list[tuple[int, tuple[str, set[str]]]]] = {name: [] for name in axis.names}
    for number, area in enumerate(axis.areas()):
        for name in area[1]:
            over[name].append((number, area))
    return over


def _one_zoning(table: Published) -> bool:
    """Whether the zones of each end are disjoint, so that every pair of them is a cell, published or not."""
    for end in ("origin", "destination"):
        names = sorted(set(table.flows[end]))
        if any(len(ups) > 1 for ups in containers(names, names, table.parents).values()):
            return False
    return True


def _extreme(cost: Floats, matrix: Floats, least: Floats, most: Floats) -> float:
    """Least of cost·x for x >= 0 and least <= matrix·x <= most."""
    equal = least == most
    bounded = ~equal & np.isfinite(most)
    above = ~equal & (least > 0)
    upper = np.vstack([matrix[bounded], -matrix[above]])
    from scipy.optimize import linprog  # here: few need it, and it would slow every start

    found = linprog(
        cost,
        A_ub=upper if len(upper) else None,
        b_ub=np.concatenate([most[bounded], -least[above]]) if len(upper) else None,
        A_eq=matrix[equal] if equal.any() else None,
        b_eq=least[equal] if equal.any() else None,
        method="highs",
    )
    if found.status != 0 or found.fun is None:  # unbounded, or contradictory tables: nothing can be said
        return -np.inf
    return float(found.fun)
