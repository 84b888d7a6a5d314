"""Mondrian over records of categories, as 004 (section 3.3) uses it: one record a person, columns as numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from odk.cells import Ints
from odk.errors import InputError
from odk.ipf import categories
from odk.trips import Trips


@dataclass(frozen=True, eq=False)
class Generalised:
    """Records whose values were replaced by ranges."""

    table: pd.DataFrame = field(repr=False)
    """The records in their order: every column a category like `20-30` or `20-30 .. 40-50`."""
    part: Ints = field(repr=False)
    """Part of every record."""
    k: int
    partition: str

    @property
    def classes(self) -> Ints:
        """Sizes of the equivalence classes: records that look alike, even where they come from two parts."""
        sizes = self.table.groupby(list(self.table.columns), observed=True).size()
        return np.asarray(sizes, dtype=np.int64)

    @property
    def c_dm(self) -> int:
        """Discernibility: the sum of the squares of the class sizes."""
        return int((self.classes**2).sum())

    @property
    def k_anonymous(self) -> bool:
        """Whether every class has at least k records."""
        return int(self.classes.min()) >= self.k


def people_of(trips: Trips, columns: list[str]) -> pd.DataFrame:
    """One record a person (the values of the first trip), or a trip where persons are unknown, without missing ones."""
    unknown = [c for c in columns if c not in trips.segments]
    if unknown:
        raise InputError(f"columns ({unknown[0]}) must be segment columns: {', '.join(trips.segments) or 'none'}")
    table = trips.table.drop_duplicates("person") if trips.has_person else trips.table
    return table[columns].dropna().reset_index(drop=True)


def mondrian_records(table: pd.DataFrame, k: int, partition: Literal["strict", "relaxed"] = "relaxed") -> Generalised:
    """Cut the records at medians while both sides keep k, and publish the range of each column in each part.

    The column with the most distinct values in the part is cut first (ties: the first column), at the lower median m:
    strict keeps equal values together (values up to m, else values below m), relaxed halves the sorted records. If
    that leaves less than k on a side, the next column is tried. Categories are numbered in their order.
    """
    if partition not in ("strict", "relaxed"):
        raise InputError(f"partition ({partition!r}) must be strict or relaxed")
    if k < 2 or k > len(table):
        raise InputError(f"k ({k}) must lie between 2 and the {len(table):,} records")
    coded = [categories(table[name]) for name in table.columns]
    codes = np.stack([c for c, _ in coded], axis=1)
    part = np.zeros(len(table), dtype=np.int64)
    waiting, done = [np.arange(len(table))], 0
    while waiting:
        rows = waiting.pop()
        halves = _cut(codes, rows, k, partition)
        if halves is None:
            part[rows] = done
            done += 1
        else:
            waiting.extend(reversed(halves))
    order = np.argsort(part, kind="stable")
    start = np.searchsorted(part[order], np.arange(done))
    low, high = np.minimum.reduceat(codes[order], start), np.maximum.reduceat(codes[order], start)
    data = {}
    for j, name in enumerate(table.columns):
        names = coded[j][1]
        label = [
            names[a] if a == b else f"{names[a]} .. {names[b]}" for a, b in zip(low[:, j], high[:, j], strict=True)
        ]
        data[name] = pd.Categorical([label[p] for p in part.tolist()])
    return Generalised(pd.DataFrame(data), part, k, partition)


def _cut(codes: Ints, rows: Ints, k: int, partition: str) -> tuple[Ints, Ints] | None:
    """Both sides of the first cut that keeps k on each; rows stay in order."""
    if len(rows) < 2 * k:
        return None
    here = codes[rows]
    distinct = [len(np.unique(here[:, j])) for j in range(here.shape[1])]
    for j in sorted(range(len(distinct)), key=lambda j: (-distinct[j], j)):
        if distinct[j] < 2:
            return None
        values = here[:, j]
        by_value = np.argsort(values, kind="stable")
        if partition == "relaxed":
            middle = (len(rows) + 1) // 2
            left = np.zeros(len(rows), dtype=bool)
            left[by_value[:middle]] = True
            choices = [left]
        else:
            median = values[by_value[(len(rows) - 1) // 2]]
            choices = [values <= median, values < median]
        for left in choices:
            if k <= int(left.sum()) <= len(rows) - k:
                return rows[left], rows[~left]
    return None
