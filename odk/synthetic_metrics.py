"""How near synthetic or noisy records come to the originals: replicated uniques and pMSE (004, section 3.4.2).

Notes:
    A record that is unique in the original and whose combination of values is unique in the synthetic data too may be
    taken for the same person: a *replicated unique*. The share of records is ru; as a percentage of the share of
    originals that are unique at all (p1), it says how many of those at risk came back.

    pMSE asks how well the two can be told apart: a model says for every record of both, put together, how likely it is
    synthetic (p̂), and pMSE = mean (p̂-c)², c the share of synthetic records. The model here is a table: in a cell with y
    originals and s synthetic records p̂ = s/(s+y). Synthetic records drawn from the right distribution still differ by
    chance, by (cells-1)·c·(1-c)²/N on average; pMSE over that is the standardised form: 1 is as good as chance allows.
    It is computed for every two-way table and averaged, as in the published figures.

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from odk.algorithms._units import records_of
from odk.cells import Ints
from odk.errors import InputError
from odk.ipf import categories, two_way
from odk.release import NoisyRelease
from odk.trips import Trips

COUNT = "records"


@dataclass(frozen=True)
class Likeness:
    """Risk and utility of synthetic records, over the combinations of all variables."""

    variables: tuple[str, ...]
    records: int
    """Original records, N."""
    synthetic: int
    cells: int
    """Combinations of values that could occur."""
    p0: float
    """Combinations without an original record, in percent of all."""
    p1: float
    """Original records that are unique, in percent of all."""
    ru: float
    """Replicated uniques, in percent of the original records."""
    ru_of_p1: float | None
    """Replicated uniques in percent of the original uniques; None where there are none."""
    pmse: float
    """Mean over all two-way tables."""
    s_pmse: float
    """Standardised pMSE, mean over all two-way tables; 1 is as good as chance allows."""


def pmse(original: Ints, synthetic: Ints) -> tuple[float, float]:
    """The pMSE of one table and its standardised form; counts of the same cells in both."""
    both = original + synthetic
    seen = both > 0
    n = int(both.sum())
    c = int(synthetic.sum()) / n
    found = float((both[seen] * (synthetic[seen] / both[seen] - c) ** 2).sum() / n)
    chance = (int(seen.sum()) - 1) * c * (1 - c) ** 2 / n
    return found, found / chance if chance > 0 else 1.0


def likeness(original: pd.DataFrame, synthetic: pd.DataFrame) -> Likeness:
    """Compare two tables of categories with the same columns, one row a record.

    A column `records` (COUNT), where there is one, says how many records a row stands for.
    """
    columns = [c for c in original.columns if c != COUNT]
    if not columns or set(columns) != {c for c in synthetic.columns if c != COUNT}:
        raise InputError("synthetic table must have the columns of the original, and at least one")
    parts = [_weighted(table, columns) for table in (original, synthetic)]
    both = pd.concat(parts, ignore_index=True)
    codes, shape = [], []
    for name in columns:
        declared = _declared(original[name])
        code, found = pd.factorize(both[name], sort=True)
        codes.append(code.astype(np.int64))
        shape.append(max(len(found), declared))
    count = both[COUNT].to_numpy(dtype=np.int64)
    is_synthetic = np.repeat([False, True], [len(p) for p in parts])
    return likeness_of_counts(
        tuple(map(str, columns)), codes, shape, np.where(is_synthetic, 0, count), np.where(is_synthetic, count, 0)
    )


def likeness_of_counts(
    variables: tuple[str, ...], codes: list[Ints], shape: list[int], original: Ints, synthetic: Ints
) -> Likeness:
    """The same from codes: row i has `original[i]` and `synthetic[i]` records of the values `codes[.][i]`."""
    n, m = int(original.sum()), int(synthetic.sum())
    if not n or not m:
        raise InputError("records (0) must be at least 1 in both tables")
    y, s = _tables(codes, shape, original, synthetic)
    unique = y == 1
    both = int((unique & (s == 1)).sum())
    cells = int(np.prod([float(k) for k in shape]))
    pairs = two_way(len(shape))
    found = [pmse(*_tables([codes[i] for i in p], [shape[i] for i in p], original, synthetic)) for p in pairs]
    return Likeness(
        variables=variables,
        records=n,
        synthetic=m,
        cells=cells,
        p0=100 * (1 - int((y > 0).sum()) / cells),
        p1=100 * int(unique.sum()) / n,
        ru=100 * both / n,
        ru_of_p1=100 * both / int(unique.sum()) if unique.any() else None,
        pmse=float(np.mean([a for a, _ in found])),
        s_pmse=float(np.mean([b for _, b in found])),
    )


def _tables(codes: list[Ints], shape: list[int], original: Ints, synthetic: Ints) -> tuple[Ints, Ints]:
    """Counts by combination, of those that occur in either."""
    key = np.zeros(len(original), dtype=np.int64)
    for code, size in zip(codes, shape, strict=True):
        if len(key) and int(key.max()) >= 2**62 // max(size, 1):
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        key = key * size + code
    slot = pd.factorize(key)[0]
    k = int(slot.max()) + 1
    sums = [np.bincount(slot, weights=c, minlength=k).astype(np.int64) for c in (original, synthetic)]
    return sums[0], sums[1]


def _weighted(table: pd.DataFrame, columns: list[Any]) -> pd.DataFrame:
    out = pd.DataFrame({name: _texts(table[name]) for name in columns})
    return out.assign(**{COUNT: table[COUNT].to_numpy() if COUNT in table.columns else 1})


def _texts(column: pd.Series) -> list[str]:
    codes, names = categories(column)
    return [names[c] for c in codes.tolist()]


def _declared(column: pd.Series) -> int:
    """How many values a column can have."""
    return len(categories(column)[1])


def likeness_of_release(release: NoisyRelease, trips: Trips | None = None) -> Likeness:
    """Noisy flows against the trips they were made from: the variables are the zones of both ends.

    Where the release has segment columns, `trips` (those of its matrix) are compared on them as well.
    """
    if release.noised != "trips":
        raise InputError(f"release of {release.noised} must be of trips: weighted trips are no records")
    matrix, (o, d) = release.matrix, (release.origins, release.destinations)
    extra = []
    if trips is not None and release.records is not None:
        extra = [c for c in release.records.columns if c not in ("origin", "destination", release.noised)]
    if not extra:
        a, b = o.of_leaf[matrix.o], d.of_leaf[matrix.d]
        inside = (a >= 0) & (b >= 0)
        codes = [np.concatenate([a[inside], release.o_zone]), np.concatenate([b[inside], release.d_zone])]
        y, s = matrix.trips[inside], release.trips
        original = np.concatenate([y, np.zeros(len(s), dtype=np.int64)])
        synthetic = np.concatenate([np.zeros(len(y), dtype=np.int64), s])
        return likeness_of_counts(("origin", "destination"), codes, [len(o), len(d)], original, synthetic)
    assert trips is not None
    assert release.records is not None
    pair = records_of(matrix, trips)[0]
    ends = {
        "origin": pd.Categorical(o.names(o.of_leaf[matrix.o[pair]]), categories=o.names(np.arange(len(o)))),
        "destination": pd.Categorical(d.names(d.of_leaf[matrix.d[pair]]), categories=d.names(np.arange(len(d)))),
    }
    original_table = pd.DataFrame(ends).assign(**{c: trips.table[c].to_numpy() for c in extra})
    return likeness(original_table, release.records.rename(columns={release.noised: COUNT}))
