"""Synthetic tables by iterative proportional fitting to noisy two-way margins (004, section 3.4).

1. Count every two-way table of the variables. One unit adds at most its sensitivity to each of the M tables, so
   Laplace noise of scale sensitivity·M/ε on every entry makes all of them together ε-differentially private.
2. Add the prior (priorn over the number of entries), set what is negative to 0, scale every table to sum 1.
3. Fit a joint distribution to them, starting from uniform. 004 words the start as the original frequencies; with that
   the result would depend on the data beside the noisy tables, and ε would mean nothing.
4. Draw the records from the fit.

How many records there are is itself a count. Here it is read off the noisy tables, which costs no privacy; with the
true number (`true_size`), data sets are compared that differ by replacing a record, which moves every table twice as
far: the scale doubles. Steps 2 to 4 see nothing but the noisy tables.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.cells import Floats, Ints
from odk.errors import InputError

ROUNDS = 100
CONVERGED = 1e-3
"""Largest share of records by which a fitted table may differ from what it was fitted to, to count as reached."""
SETTLED = 1e-9
"""Change of the fit in a round, as a share of records, below which more rounds change nothing."""
MAX_CELLS = 5_000_000
MISSING = "(missing)"


def two_way(n_variables: int) -> tuple[tuple[int, ...], ...]:
    """All pairs of variables; a single variable is its own margin."""
    if n_variables == 1:
        return ((0,),)
    return tuple(itertools.combinations(range(n_variables), 2))


def scale_of(sensitivity: float, n_margins: int, epsilon: float, true_size: bool) -> float:
    """Scale of the noise on every entry of every margin."""
    return (2 if true_size else 1) * sensitivity * n_margins / epsilon


def check_cells(names: Sequence[str], shape: Sequence[int], max_cells: int) -> None:
    """Refuse a table that is too large, with the variable to coarsen."""
    n = math.prod(shape)
    if n > max_cells:
        widest = max(range(len(shape)), key=lambda i: shape[i])
        raise InputError(
            f"table ({' x '.join(map(str, shape))} = {n:,} cells) must not exceed {max_cells:,}: "
            f"coarsen {names[widest]} ({shape[widest]:,} values), or leave a column out"
        )


@dataclass(frozen=True, eq=False)
class Margins:
    """Distributions over pairs of variables, and how many records there are."""

    axes: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...] = field(repr=False)
    size: int
    scale: float
    """Of the noise; 0 without."""


def noisy_margins(
    codes: Sequence[Ints],
    shape: Sequence[int],
    weight: npt.NDArray[np.float64] | None,
    rng: np.random.Generator,
    *,
    epsilon: float | None,
    priorn: float = 0.0,
    sensitivity: float = 1.0,
    true_size: bool = False,
) -> Margins:
    """Two-way tables of records (one code array a variable) with noise and prior, each scaled to sum 1.

    The number of records is the mean of the noisy tables' totals, weighted by how exact they are: noise on a table of
    C entries adds up to a variance of C times that of one.
    """
    axes = two_way(len(shape))
    scale = 0.0 if epsilon is None else scale_of(sensitivity, len(axes), epsilon, true_size)
    total = float(len(codes[0]) if weight is None else weight.sum())
    tables, sums, exact = [], [], []
    for axis in axes:
        wide = tuple(shape[a] for a in axis)
        cells = math.prod(wide)
        key = np.ravel_multi_index([codes[a] for a in axis], wide)
        count = np.bincount(key, weights=weight, minlength=cells).astype(np.float64)
        if scale:
            count = count + rng.laplace(0.0, scale, cells)
        sums.append(float(count.sum()))
        exact.append(1.0 / cells)
        count = np.maximum(count + priorn / cells, 0.0)
        share = count / count.sum() if count.sum() > 0 else np.full(cells, 1.0 / cells)
        tables.append(share.reshape(wide))
    estimate = float(np.average(sums, weights=exact))
    size = total if true_size or not scale else estimate
    return Margins(axes, tuple(tables), max(1, round(size)), scale)


@dataclass(frozen=True, eq=False)
class Fit:
    """A joint distribution."""

    share: Floats = field(repr=False)
    """One dimension a variable; sums to 1."""
    rounds: int
    converged: bool
    """Whether all margins were reached. Noisy margins contradict one another, so this is rare with small ε."""
    gap: float
    """Largest distance (half the sum of differences) of a margin from what it was fitted to: a share of records."""


def fit(
    shape: Sequence[int],
    margins: Margins,
    *,
    rounds: int = ROUNDS,
    tick: Callable[[int], None] = lambda _: None,
) -> Fit:
    """Iterative proportional fitting from uniform: scale to one margin after the other, round after round.

    An entry of a margin that is 0 stays 0. Where a margin leaves nothing at all, it is passed over.
    """
    share = np.full(tuple(shape), 1.0 / math.prod(shape))
    done = 0
    for done in range(1, rounds + 1):
        tick(done)
        before = share
        for axis, target in zip(margins.axes, margins.tables, strict=True):
            now = _margin(share, axis)
            factor = np.divide(target, now, out=np.zeros_like(target), where=now > 0)
            scaled = share * _spread(factor, axis, share.ndim)
            left = scaled.sum()
            if left > 0:
                share = scaled / left
        if np.abs(share - before).sum() / 2 <= SETTLED:
            break
    pairs = zip(margins.axes, margins.tables, strict=True)
    gap = max(float(np.abs(_margin(share, axis) - target).sum()) / 2 for axis, target in pairs)
    return Fit(share, done, gap <= CONVERGED, gap)


def _margin(share: Floats, axis: tuple[int, ...]) -> Floats:
    return np.asarray(share.sum(axis=tuple(a for a in range(share.ndim) if a not in axis)))


def _spread(factor: Floats, axis: tuple[int, ...], dims: int) -> Floats:
    return factor.reshape([factor.shape[axis.index(a)] if a in axis else 1 for a in range(dims)])


@dataclass(frozen=True, eq=False)
class Synthesis:
    """Synthetic records and how they came about."""

    table: pd.DataFrame = field(repr=False)
    """One row a record, columns and categories as in the original."""
    epsilon: float | None
    priorn: float
    margins: int
    cells: int
    scale: float
    rounds: int
    converged: bool
    gap: float


def categories(column: pd.Series) -> tuple[Ints, list[str]]:
    """Codes and names of the values of a column; a missing value is a value of its own, the last."""
    values = column.astype("category")
    codes = values.cat.codes.to_numpy().astype(np.int64)
    names = [str(v) for v in values.cat.categories]
    if (codes < 0).any():
        codes = np.where(codes < 0, len(names), codes)
        names = [*names, MISSING]
    return codes, names


def synthesise(
    table: pd.DataFrame,
    *,
    epsilon: float | None = 1.0,
    priorn: float = 0.0,
    seed: int = 0,
    true_size: bool = False,
    max_cells: int = MAX_CELLS,
    rounds: int = ROUNDS,
) -> Synthesis:
    """A synthetic copy of a table of categories; the privacy unit is a row. `epsilon=None`: no noise, no privacy."""
    if not len(table) or not len(table.columns):
        raise InputError("table (empty) must hold at least one row and one column")
    if epsilon is not None and not 0 < epsilon < math.inf:
        raise InputError(f"epsilon ({epsilon!r}) must be a number above 0, or None")
    if not 0 <= priorn < math.inf:
        raise InputError(f"priorn ({priorn!r}) must be a number of at least 0")
    coded = [categories(table[name]) for name in table.columns]
    codes, names = [c for c, _ in coded], [n for _, n in coded]
    shape = [len(n) for n in names]
    check_cells([str(c) for c in table.columns], shape, max_cells)
    rng = np.random.default_rng(seed)
    margins = noisy_margins(codes, shape, None, rng, epsilon=epsilon, priorn=priorn, true_size=true_size)
    joint = fit(shape, margins, rounds=rounds)
    counts = rng.multinomial(margins.size, joint.share.ravel())
    key = np.repeat(np.arange(len(counts)), counts)
    drawn = np.unravel_index(key, shape)
    data = {c: pd.Categorical.from_codes(drawn[i], pd.Index(names[i])) for i, c in enumerate(table.columns)}
    return Synthesis(
        table=pd.DataFrame(data),
        epsilon=epsilon,
        priorn=priorn,
        margins=len(margins.axes),
        cells=math.prod(shape),
        scale=margins.scale,
        rounds=joint.rounds,
        converged=joint.converged,
        gap=joint.gap,
    )
