"""Lower bounds of G: how good a release of some kind could be at best, whatever the algorithm (SPEC 2.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.algorithms._joint import build, lower_bound
from odk.algorithms._levels import DESTINATION, ORIGIN, Work
from odk.cells import Ints
from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix, exact_sums
from odk.metrics import MEASURE_OF, View, generalisation
from odk.protection import Budget, Protection, Volume
from odk.release import Release, TreeRelease

LEAST = 2.0
"""G of a release in which nothing is merged: one leaf at each end."""
_FAR = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Bound:
    """What a lower bound is computed from."""

    matrix: ODMatrix
    protection: Protection
    measure: Volume
    """The measure of V, C, σ and G."""
    dropped: int
    """C: the most volume that a release may have suppressed, in exact units."""


def limit(
    matrix: ODMatrix,
    protection: Protection,
    budget: float | Budget = 0.10,
    among: str = "any",
    *,
    suppressed: float | Mapping[str, float] | None = None,
    measured_in: Volume | None = None,
) -> float:
    """Lower bound of G for every release of tree zones that protects alike and suppresses at most C; at least 2.

    C is the larger of `budget` (share of the volume) and `suppressed`, the share that a release did suppress
    (`release.suppressed`), which may be more where its budget counts pairs. All in one measure that has a budget: the
    lead measure, or `measured_in`. Sizes are the leaves observed in the full input. None is claimed for boxes or noise.

    Notes:
        `among="any"` holds for any release whose cells are pairs of tree zones, overlapping or not, and whatever pairs
        were filtered out first. Why: take a published trip. Its cell (o, d) is a pair of ancestors of its two leaves
        (the leaves themselves included), and reaches every threshold with a part of the full volume of (o, d): so that
        full volume reaches them too, as all measures only grow. So |o|+|d| is at least the cost of the trip's cheapest
        pair of ancestors whose full volume is publishable. Summed over what is published, Σ(|o|+|d|)v is at least
        the sum of these costs; and of all ways to leave out at most C, leaving out the dearest C, the last pair by
        fraction, gives the least mean. Each trip is priced alone, so the bound need not be reached.

        `among="partitions"` holds for releases that cut one axis once and the other anew for each of its zones (ATG),
        `among="homogeneous"` for one cut of each axis; whole cells or pre-filtered pairs. Both come from the dual of
        problem J: with B(λ) the least Σα+λΣσ over all releases of an order, any release of it that suppresses S <= C has
        Σα >= B(λ)-λS, and for λ >= 2 (B(λ)-λC)/(V-C) bounds its G from below. The first takes the smaller of the two
        orders' bounds, the second the larger, as a homogeneous release is of both orders.

    """
    if among not in _BOUNDS:
        raise InputError(f"among ({among!r}) must be one of {', '.join(_BOUNDS)}")
    if not isinstance(protection, Protection):
        raise InputError(f"protection ({protection!r}) must be an odk.Protection")
    protection.check(matrix)
    name = protection.lead if measured_in is None else measured_in
    if name not in protection.budget_measures:
        have = ", ".join(protection.budget_measures)
        raise InputError(f"measured_in ({name!r}) must be a measure that has a budget: {have}")
    share = budget if isinstance(budget, Budget) else Budget(budget)
    dropped = max(share.of(matrix.total(name)), _volume_of(suppressed, name, matrix.total(name)))
    if dropped >= matrix.total(name):
        raise InputError(f"suppressed ({suppressed!r}) must leave something that is published")
    return max(LEAST, _BOUNDS[among](Bound(matrix, protection, name, dropped)))


def _volume_of(suppressed: float | Mapping[str, float] | None, name: str, total: int) -> int:
    """Suppressed share as a volume in exact units, never less than it was."""
    if suppressed is None:
        return 0
    share = suppressed[name] if isinstance(suppressed, Mapping) else suppressed
    if isinstance(share, bool) or not isinstance(share, int | float | np.number) or not 0 <= share <= 1:
        raise InputError(f"suppressed ({share!r}) must be a share in [0, 1)")
    exact = round(share * total)  # the volume that the share was computed from, where it was
    return exact if exact / total == share else math.ceil(share * total)


# --- among="any" -------------------------------------------------------------------------------------------------------
def cheapest(matrix: ODMatrix, protection: Protection) -> Ints:
    """For each pair of the input, the least |o|+|d| of all pairs of ancestors whose full volume is publishable.

    One group-by per pair of depths, coarse to fine. Publishability only falls towards finer zones, so that a pair of
    leaves matters at (i, j) only if it lay in a publishable cell at (i-1, j) and at (i, j-1): the rest is left out, cells
    as a whole, and the fine levels, which have the most cells, are short. Depths, not numbers of steps from the leaf:
    all leaves of a zone must have it at the same level for its full volume to be counted, also in uneven trees.
    """
    o_levels, d_levels = _Axis.levels_of(matrix.origins, matrix.o), _Axis.levels_of(matrix.destinations, matrix.d)
    best = np.full(matrix.n_pairs, _FAR, dtype=np.int64)
    above = [np.ones(matrix.n_pairs, dtype=bool)] * len(d_levels)  # publishable at (i-1, j), for every j
    for o in o_levels:
        left = o.code >= 0  # publishable at (i, j-1)
        here = []
        for j, d in enumerate(d_levels):
            active = np.flatnonzero(left & above[j] & (d.code >= 0))
            good = active[_publishable(matrix, protection, o, d, active)]
            best[good] = np.minimum(best[good], o.size[good] + d.size[good])
            left = np.zeros(matrix.n_pairs, dtype=bool)
            left[good] = True
            here.append(left)
        above = here
    return best


@dataclass(frozen=True, eq=False)
class _Axis:
    """One depth of one axis, as the pairs of the matrix see it."""

    code: Ints
    """Number of each pair's ancestor among the nodes of this depth; -1 where its leaf lies less deep."""
    size: Ints
    """Size of that ancestor."""
    n: int

    @classmethod
    def levels_of(cls, tree: Hierarchy, leaf: Ints) -> list[_Axis]:
        """All depths, the root first."""
        found = []
        for depth in range(int(tree.depth.max()) + 1):
            nodes = np.flatnonzero(tree.depth == depth)
            code = np.full(tree.n_nodes + 1, -1, dtype=np.int64)
            code[nodes] = np.arange(len(nodes))
            node = tree.at_depth(depth)[leaf]
            found.append(cls(code[node], tree.size[node], len(nodes)))
        return found


def _publishable(matrix: ODMatrix, protection: Protection, o: _Axis, d: _Axis, active: Ints) -> npt.NDArray[np.bool_]:
    """Which of the active pairs lie, at these depths, in a cell whose full volume is publishable."""
    slot, n = o.code[active] * d.n + d.code[active], o.n * d.n
    if n > 4 * len(active) + 100_000:  # too many possible cells to count in a table: number those in use
        slot, cells = pd.factorize(slot)
        n = len(cells)
    none = np.zeros(n, dtype=np.int64)
    persons = None
    if protection.needs_persons and matrix.person is not None and matrix.person_pair is not None:
        cell = np.full(matrix.n_pairs, -1, dtype=np.int64)
        cell[active] = slot
        row_cell, span = cell[matrix.person_pair], int(matrix.person.max()) + 1
        rows = pd.unique((row_cell * span + matrix.person)[row_cell >= 0])
        persons = np.bincount(rows // span, minlength=n).astype(np.int64)
    good = protection.reached(
        none if protection.trips is None else exact_sums(slot, matrix.trips[active], n),
        none if protection.population is None else exact_sums(slot, matrix.population[active], n),
        persons,
    )
    return np.asarray(good[slot])


def _any(bound: Bound) -> float:
    """Mean cost of the cheapest publishable ancestors, the dearest volume left out."""
    costs, place = np.unique(cheapest(bound.matrix, bound.protection), return_inverse=True)
    volume = exact_sums(place, bound.matrix.volume(bound.measure), len(costs)).tolist()
    left = kept = bound.matrix.total(bound.measure) - bound.dropped
    spent = 0  # Python's integers: cost x volume may pass 2^63
    for cost, amount in zip(costs.tolist(), volume, strict=True):  # cheapest first, until all that must stay has
        taken = min(amount, left)
        spent += cost * taken
        left -= taken
    return spent / kept


# --- among="partitions", "homogeneous" ---------------------------------------------------------------------------------
def _orders(bound: Bound) -> tuple[float, float]:
    """Dual bounds of problem J for origin-major and destination-major releases (odk.algorithms._joint).

    Kept for as long as the matrix lives: algorithms that are compared on it are held against the same bounds.
    """
    known = _KNOWN.setdefault(bound.matrix, {})
    asked = (bound.protection, bound.measure, bound.dropped)
    if asked not in known:
        work = Work(bound.matrix, bound.protection, Budget(0.0), bound.measure)
        first, second = (lower_bound(build(work, major), bound.dropped) for major in (ORIGIN, DESTINATION))
        known[asked] = (first, second)
    return known[asked]


_KNOWN: WeakKeyDictionary[ODMatrix, dict[tuple[Protection, Volume, int], tuple[float, float]]] = WeakKeyDictionary()


def _partitions(bound: Bound) -> float:
    """A release of either order: the smaller bound."""
    return min(_orders(bound))


def _homogeneous(bound: Bound) -> float:
    """A homogeneous release is of both orders: the larger bound."""
    return max(_orders(bound))


_BOUNDS: dict[str, Callable[[Bound], float]] = {"any": _any, "partitions": _partitions, "homogeneous": _homogeneous}
"""Bounds by the releases they hold for."""


# --- achieved against possible -----------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class AboveLimit:
    """G of a release beside the lower bound that holds for releases of its kind."""

    g: float | None
    """None where nothing is published in the view."""
    limit: float | None
    """None where no bound is claimed: `reason` says why."""
    among: str
    suppressing: float
    """C as a share of the volume: the bound is for releases that suppress at most this."""
    reason: str = ""

    @property
    def ratio(self) -> float | None:
        """G over the limit, at least 1."""
        return None if self.limit is None or self.g is None else self.g / self.limit

    def __str__(self) -> str:
        if self.ratio is None:
            return f"no lower bound: {self.reason}"
        kind = {"any": "of tree zones", "partitions": "of this kind", "homogeneous": "with one zoning"}[self.among]
        return (
            f"at most {self.ratio - 1:.1%} above the lower bound for releases {kind} "
            f"suppressing at most {self.suppressing:.1%}"
        )


def above_limit(release: Release, view: View | None = None, *, among: str | None = None) -> AboveLimit:
    """How far G of a release is above the lower bound, in a view (default: that of the lead measure).

    `among`: which bound; by default the tightest that is at hand for releases of this kind.
    """
    protection, matrix = release.protection, release.matrix
    shown: View = view or ("population" if protection.lead == "population" else "participants")
    g = generalisation(release, shown)
    name = MEASURE_OF[shown]
    most = max(release.budget.of(matrix.total(name)), release.suppressed_volume[name]) / matrix.total(name)
    reason = ""
    if not isinstance(release, TreeRelease):
        reason = "none is claimed for releases that are not of tree zones"
    elif name not in protection.budget_measures:
        reason = f"the {shown} view has no budget"
    elif g is None:
        reason = "nothing is published"
    if reason:
        return AboveLimit(g=g, limit=None, among=among or "any", suppressing=most, reason=reason)
    if among is None:
        wanted = ("homogeneous", "partitions", "any") if release.homogeneous else ("partitions", "any")
        among = next(kind for kind in wanted if kind in _BOUNDS)
    share = Budget(release.budget.share)
    found = limit(matrix, protection, share, among, suppressed=release.suppressed, measured_in=name)
    return AboveLimit(g=g, limit=found, among=among, suppressing=most)
