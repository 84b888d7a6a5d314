"""Differencing: what several releases of overlapping data give away together (SPEC 4).

1. Subtraction. Where a table counts some of the trips of another (all and women; the same data in finer zones), the cells
   that lie inside one of its cells are subtracted from it. What remains is a count of real trips that nobody published; if
   it is above zero and not publishable, it is given away. Tables of disjoint parts (women, men) are also subtracted
   together.
2. Proof by linear programming. For connected parts that are small enough, the least and the greatest value of every zone
   pair that is consistent with everything published (and with what was not: an unpublished cell is empty or below its
   threshold). A value that is positive and below the threshold in both is given away, whatever way leads to it.
3. What was too large to prove is said. Persons do not subtract: they are counted again from the trips, or the report says
   that safety for them is not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd

from odk.disclosure.linear import WITHOUT, Proof, prove
from odk.disclosure.published import Published, exact, nested_in
from odk.errors import InputError
from odk.matrix import MICRO

COLUMNS = ("origin", "destination", "about", "measure", "value", "threshold", "way", "from_")


@dataclass(frozen=True, eq=False)
class Differencing:
    """What a set of releases gives away."""

    leaks: pd.DataFrame
    """One row a value given away: origin, destination, about (whose trips), measure, value, threshold, way, from_."""
    checked: int
    """Values that were derived by subtraction."""
    proofs: tuple[Proof, ...] = ()
    """Connected parts that linear programming went through."""
    unproved: int = 0
    """Cells in parts that were too large to prove; subtraction was tried on them."""
    notes: tuple[str, ...] = field(default=())

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not len(self.leaks)

    @property
    def sentence(self) -> str:
        """The verdict in a sentence."""
        if not self.passed:
            cells = len(self.leaks.drop_duplicates(["origin", "destination", "about"]))
            return f"Together these releases give away {cells:,} flow(s) that none of them may publish."
        rest = f" {self.unproved:,} cells lie in parts too large to prove." if self.unproved else ""
        return f"Nothing below a threshold was found in {self.checked:,} differences.{rest}"


def difference(
    tables: Sequence[Published],
    *,
    max_variables: int = 200,
    max_programs: int = 4000,
    progress: Callable[[float, str], None] | None = None,
) -> Differencing:
    """Everything that the tables give away together.

    max_variables: largest connected part that is proved by linear programming (zone pairs times parts of the data).
    max_programs: most linear programs in all (two a zone pair), spent on the smallest parts first; 0: subtraction only.
    progress: called with a share and a message between parts; may raise odk.Cancelled.
    """
    if len({t.label for t in tables}) < len(tables):
        raise InputError("labels of the releases must differ")
    rows: list[dict[str, object]] = []
    checked = 0
    for outer in tables:
        inside = [t for t in tables if t is not outer and t.scope <= outer.scope]
        for family in _families(inside):
            found, n = _subtract(outer, family)
            rows += found
            checked += n
    proofs, unproved = prove(tables, max_variables=max_variables, max_programs=max_programs, progress=progress)
    known = {_place(row) for row in rows}
    rows += [leak for proof in proofs for leak in proof.leaks if _place(leak) not in known]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return Differencing(table, checked, tuple(proofs), unproved, _notes(tables))


def _place(row: Mapping[str, object]) -> tuple[object, ...]:
    """Where a leak lies and how much it is: subtraction and proof name the same one in their own words."""
    zones = (str(row[end]).removesuffix(WITHOUT) for end in ("origin", "destination"))
    return (*zones, row["measure"], row["value"])


def _families(tables: list[Published]) -> list[tuple[Published, ...]]:
    """Single tables, pairs of disjoint ones, and for every table the largest family of disjoint ones around it."""
    found: list[tuple[Published, ...]] = [(t,) for t in tables]
    found += [(a, b) for a, b in combinations(tables, 2) if not a.scope & b.scope]
    for first in tables:
        family = [first]
        for table in tables:
            if all(not table.scope & member.scope for member in family):
                family.append(table)
        if len(family) > 2:
            found.append(tuple(sorted(family, key=lambda t: t.label)))
    return list(dict.fromkeys(found))


def _subtract(outer: Published, family: tuple[Published, ...]) -> tuple[list[dict[str, object]], int]:
    """Remainders of the cells of one table once those of a family that lie inside are taken away."""
    shared = [m for m in outer.measures if all(m in t.measures for t in family)]
    left = {m: exact(outer.flows, m) for m in shared}
    touched = np.zeros(len(outer.flows), dtype=bool)
    for table in family:
        place = nested_in(table, outer)
        fits = place >= 0
        touched[place[fits]] = True
        for m in shared:
            np.subtract.at(left[m], place[fits], exact(table.flows, m)[fits])
    rest = outer.scope - frozenset().union(*(t.scope for t in family))
    about = (
        " or ".join(sorted(rest)) if rest else f"{outer.label}, unpublished in {' and '.join(t.label for t in family)}"
    )
    way = " − ".join([outer.label, *(t.label for t in family)])
    rows: list[dict[str, object]] = []
    for m in shared:
        threshold = outer.protection.guards.get(m)
        if threshold is None:
            continue
        bad = touched & (left[m] > 0) & (left[m] < outer.protection.threshold(m))
        unit = MICRO if m == "population" else 1
        for i in np.flatnonzero(bad).tolist():
            rows.append(
                {
                    "origin": outer.flows["origin"].iloc[i],
                    "destination": outer.flows["destination"].iloc[i],
                    "about": about,
                    "measure": m,
                    "value": left[m][i] / unit,
                    "threshold": threshold,
                    "way": way,
                    "from_": f"{outer.label}: {exact(outer.flows, m)[i] / unit:,.6g}",
                }
            )
    return rows, int(touched.sum()) * len(shared)


def _notes(tables: Sequence[Published]) -> tuple[str, ...]:
    notes = []
    if any(t.protection.persons is not None for t in tables):
        notes.append("Persons do not subtract: without the trips, safety of differences for persons is not shown.")
    dropped = [t.label for t in tables if not t.whole_cells]
    if dropped:
        notes.append(
            f"{', '.join(dropped)}: pairs were dropped inside published cells, so what subtraction gives there is what an "
            "adversary would compute, not always the truth."
        )
    return tuple(notes)
