"""Mondrian: boxes in four dimensions, cut at weighted medians (001, appendix B; 003, 2.5.1; 004, 3.3).

A pair is one point (origin x, origin y, destination x, destination y) that carries its volume; it is never repeated.
All boxes of one depth are cut together: every dimension keeps the pairs sorted within their box, so ranges are ends of
runs, medians are found in running totals, and a cut moves each pair to the left or right part in linear time.

What is published of a box are its cut lines. A line may lie anywhere between the two values that it separates, so it
is put on the roundest number there: the values themselves would be coordinates of observed leaves. The outer edges are
those of the area, rounded out to one digit, for the same reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from odk.algorithms._arrays import running, runs, stable_order
from odk.algorithms._base import Algorithm, Problem, register
from odk.cells import EARTH_RADIUS_M, Floats, Ints
from odk.errors import InputError
from odk.matrix import ODMatrix
from odk.protection import Protection
from odk.release import BoxRelease, Release

Bools = npt.NDArray[np.bool_]
WEST, SOUTH, EAST, NORTH = range(4)
METRES_PER_DEGREE = np.pi / 180 * EARTH_RADIUS_M


@dataclass(frozen=True, kw_only=True)
class MondrianOptions:
    """Options of `mondrian`."""

    partition: Literal["relaxed", "strict"] = "relaxed"
    """Strict keeps pairs of equal value on one side of a cut; relaxed may part them, so that boxes may overlap."""
    dimension: Literal["range", "distinct"] = "range"
    """Which dimension to cut first: the one of the largest range in metres, or of the most distinct values (004)."""
    on_failure: Literal["next", "stop"] = "next"
    """Where a cut fails: try the next dimension, or leave the box as it is (001)."""
    persons: int | None = None
    """Also ask for this many distinct persons on both sides of every cut (003), whatever the protection asks."""

    def __post_init__(self) -> None:
        for name, allowed in (
            ("partition", ("relaxed", "strict")),
            ("dimension", ("range", "distinct")),
            ("on_failure", ("next", "stop")),
        ):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} ({getattr(self, name)!r}) must be {' or '.join(allowed)}")
        k = self.persons
        if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 2):
            raise InputError(f"persons ({k!r}) must be a whole number of at least 2")


@dataclass(frozen=True, eq=False)
class Parts:
    """Boxes of one depth and the pairs in them."""

    order: Ints
    """order[j]: pairs by (part, value in dimension j, pair)."""
    ends: Ints
    """Part i holds places ends[i] to ends[i+1] of every order."""
    rows: Ints | None
    """(pair, person) rows by (part, person), where persons are guarded."""
    row_ends: Ints | None
    low: Floats
    high: Floats
    """Bounds of each part, [part, dimension], degrees."""

    def __len__(self) -> int:
        return len(self.ends) - 1


@dataclass(frozen=True, eq=False)
class Cuts:
    """Where the tried parts can be cut: the first place (in the part's order) that goes right, -1 for nowhere."""

    place: Ints
    left_high: Floats
    right_low: Floats
    """The line, as upper bound of the left part and lower bound of the right one."""


def points(matrix: ODMatrix) -> Floats:
    """Longitude and latitude of both ends of every pair, [4, n_pairs], in degrees.

    Longitudes run on beyond 180 where the area lies across the antimeridian (they start after the widest empty arc).
    """
    trees = (matrix.origins, matrix.destinations)
    lat, lon = ([getattr(t, name)[: t.n_leaves] for t in trees] for name in ("lat", "lon"))
    if not (np.isfinite(np.concatenate(lat)).all() and np.isfinite(np.concatenate(lon)).all()):
        raise InputError("hierarchy (without coordinates) must give a centre for every leaf to cut boxes")
    around = np.unique(np.concatenate(lon))
    gaps = np.diff(np.append(around, around[0] + 360))
    widest = int(gaps.argmax())
    if widest < len(around) - 1 and gaps[widest] > gaps[-1]:
        lon = [np.where(values <= around[widest], values + 360, values) for values in lon]
    leaf = (matrix.o, matrix.d)
    return np.stack([axis[i][leaf[i]] for i in range(2) for axis in (lon, lat)])


def outer_bounds(values: Floats) -> tuple[float, float]:
    """Bounds around all values, rounded out to multiples of the power of ten below their extent (at least 0.01°)."""
    least, most = float(values.min()), float(values.max())
    power = int(np.floor(np.log10(max(most - least, 0.01))))
    step, digits = 10.0**power, max(-power, 0)
    low = round(float(np.floor(least / step)) * step, digits)
    high = round(float(np.ceil(most / step)) * step, digits)
    if low >= least:  # strictly outside: the edge must not be a coordinate either
        low = round(low - step, digits)
    if high <= most:
        high = round(high + step, digits)
    return low, high


def roundest_between(low: Floats, high: Floats) -> Floats:
    """The number with the fewest decimals strictly between low and high, the one nearest to the middle."""
    out = (low + high) / 2
    open_ = low < high
    for digits in range(13):
        scale = 10.0**digits
        near = np.rint((low + high) / 2 * scale) / scale
        found = open_ & (low < near) & (near < high)
        out = np.where(found, near, out)
        open_ &= ~found
        if not open_.any():
            break
    return out


class _Mondrian:
    """One run: the points, and the rules of a cut."""

    def __init__(self, matrix: ODMatrix, protection: Protection, options: MondrianOptions) -> None:
        self.matrix, self.options = matrix, options
        k = max(protection.persons or 0, options.persons or 0) or None
        self.protection = Protection(trips=protection.trips, population=protection.population, persons=k)
        self.lead = matrix.volume(protection.lead)
        self.measures = {"trips": matrix.trips, "population": matrix.population}
        self.at = points(matrix)
        middle = np.radians((self.at[1::2].min() + self.at[1::2].max()) / 2)
        x = METRES_PER_DEGREE * float(np.cos(middle))
        self.metres = np.array([x, METRES_PER_DEGREE, x, METRES_PER_DEGREE])

    def whole(self) -> Parts:
        """One part with everything, bounded by the rounded area of both ends together."""
        matrix = self.matrix
        west, east = outer_bounds(self.at[0::2])
        south, north = outer_bounds(self.at[1::2])
        rows, row_ends = None, None
        if self.protection.needs_persons:
            assert matrix.person is not None
            rows = np.argsort(matrix.person, kind="stable")
            row_ends = np.array([0, len(rows)])
        return Parts(
            order=np.stack([np.argsort(values, kind="stable") for values in self.at]),
            ends=np.array([0, matrix.n_pairs]),
            rows=rows,
            row_ends=row_ends,
            low=np.array([[west, south, west, south]]),
            high=np.array([[east, north, east, north]]),
        )

    def dimensions(self, parts: Parts) -> tuple[Ints, Bools]:
        """Dimensions of every part in the order in which to try them, and whether each has any extent."""
        first, last = parts.order[:, parts.ends[:-1]], parts.order[:, parts.ends[1:] - 1]
        j = np.arange(4)[:, None]
        extent = (self.at[j, last] - self.at[j, first]) * self.metres[:, None]
        rank = extent
        if self.options.dimension == "distinct":
            values = self.at[j, parts.order]
            new = np.ones(values.shape, dtype=np.int64)
            new[:, 1:] = values[:, 1:] != values[:, :-1]
            new[:, parts.ends[:-1]] = 1
            rank = np.add.reduceat(new, parts.ends[:-1], axis=1).astype(np.float64)
        return np.argsort(-rank, axis=0, kind="stable"), extent > 0  # ties: origin x, y, destination x, y

    def try_cuts(self, parts: Parts, tried: Ints, dims: Ints) -> Cuts:
        """Cut each tried part in its dimension at the lower weighted median m: x ≤ m, else x < m."""
        n = parts.order.shape[1]
        place, which = runs(parts.ends[tried], parts.ends[tried + 1])
        pairs = parts.order.reshape(-1)[dims[which] * n + place]
        values = self.at.reshape(-1)[dims[which] * self.at.shape[1] + pairs]
        length = parts.ends[tried + 1] - parts.ends[tried]
        end = np.cumsum(length)
        begin = end - length
        so_far = running(self.lead[pairs])
        half = (so_far[end] - so_far[begin] + 1) // 2
        median = np.searchsorted(so_far, so_far[begin] + half, side="left") - 1
        heads = np.union1d(np.flatnonzero(values[1:] != values[:-1]) + 1, begin)  # runs of equal value
        tails = np.append(heads[1:], len(values))
        run = np.searchsorted(heads, median, side="right") - 1
        if self.options.partition == "strict":
            choices = [tails[run], heads[run]]
        else:
            choices = [median + 1, median]
        cut = np.full(len(tried), -1, dtype=np.int64)
        allowed = self._allowed(parts, tried, pairs, begin, end)
        for choice in choices:
            cut = np.where((cut < 0) & (choice > begin) & (choice < end) & allowed(choice), choice, cut)
        inside = np.where(cut < 0, begin, cut)
        before, after = values[np.maximum(inside - 1, 0)], values[inside]
        # pairs of one value on both sides (relaxed): each side's bound lies just beyond that value
        run = np.searchsorted(heads, inside, side="right") - 1
        below, above = heads[run] - 1, tails[run]
        low, high = parts.low[tried, dims], parts.high[tried, dims]
        next_value = np.where(above < end, values[np.minimum(above, len(values) - 1)], np.inf)
        last_value = np.where(below >= begin, values[np.maximum(below, 0)], -np.inf)
        tied = before == after
        line = roundest_between(before, after)
        over = np.where(np.isinf(next_value), high, roundest_between(after, np.minimum(next_value, high)))
        under = np.where(np.isinf(last_value), low, roundest_between(np.maximum(last_value, low), before))
        return Cuts(np.where(cut < 0, -1, cut - begin), np.where(tied, over, line), np.where(tied, under, line))

    def _allowed(self, parts: Parts, tried: Ints, pairs: Ints, begin: Ints, end: Ints) -> _Allowed:
        totals = {name: running(values[pairs]) for name, values in self.measures.items()}
        people: tuple[Ints, Ints, Ints] | None = None
        if parts.rows is not None and parts.row_ends is not None:
            matrix = self.matrix
            assert matrix.person is not None
            assert matrix.person_pair is not None
            at, part = runs(parts.row_ends[tried], parts.row_ends[tried + 1])
            rows = parts.rows[at]
            where = np.empty(matrix.n_pairs, dtype=np.int64)
            where[pairs] = np.arange(len(pairs))
            person, spot = matrix.person[rows], where[matrix.person_pair[rows]]
            heads = np.flatnonzero(np.r_[True, (person[1:] != person[:-1]) | (part[1:] != part[:-1])])
            people = part[heads], np.minimum.reduceat(spot, heads), np.maximum.reduceat(spot, heads)
        return _Allowed(self.protection, totals, people, begin, end)

    def divide(self, parts: Parts, dims: Ints, cuts: Cuts) -> Parts:
        """The two halves of every part that is cut."""
        cut = np.flatnonzero(cuts.place >= 0)
        n = parts.order.shape[1]
        place, which = runs(parts.ends[cut], parts.ends[cut + 1])
        pairs = parts.order.reshape(-1)[dims[cut][which] * n + place]
        goes_right = place - parts.ends[cut][which] >= cuts.place[cut][which]
        half = np.full(self.matrix.n_pairs, -1, dtype=np.int64)
        half[pairs] = 2 * which + goes_right
        order = np.stack([_regroup(row[place], half, 2 * len(cut)) for row in parts.order])
        rows, row_ends = None, None
        if parts.rows is not None and parts.row_ends is not None:
            assert self.matrix.person_pair is not None
            kept = parts.rows[runs(parts.row_ends[cut], parts.row_ends[cut + 1])[0]]
            of_row = half[self.matrix.person_pair]
            rows = _regroup(kept, of_row, 2 * len(cut))
            row_ends = running(np.bincount(of_row[kept], minlength=2 * len(cut)))
        low, high = np.repeat(parts.low[cut], 2, axis=0), np.repeat(parts.high[cut], 2, axis=0)
        here = np.arange(len(cut))
        high[2 * here, dims[cut]] = cuts.left_high[cut]
        low[2 * here + 1, dims[cut]] = cuts.right_low[cut]
        return Parts(order, running(np.bincount(half[pairs], minlength=2 * len(cut))), rows, row_ends, low, high)


@dataclass(frozen=True, eq=False)
class _Allowed:
    """Whether both sides of a cut are publishable."""

    protection: Protection
    totals: dict[str, Ints]
    people: tuple[Ints, Ints, Ints] | None
    """Per (part, person): the part, and the first and last place of that person's pairs."""
    begin: Ints
    end: Ints

    def __call__(self, cut: Ints) -> Bools:
        good = np.ones(len(cut), dtype=bool)
        for a, b, left in ((self.begin, cut, True), (cut, self.end, False)):
            trips, population = (self.totals[m][b] - self.totals[m][a] for m in ("trips", "population"))
            persons = None
            if self.people is not None:
                part, first, last = self.people
                here = first < cut[part] if left else last >= cut[part]
                persons = np.bincount(part[here], minlength=len(cut))
            good &= self.protection.reached(trips, population, persons)
        return good


def run(problem: Problem) -> Release:
    """Cut all boxes of one depth together, until none can be cut."""
    matrix, options = problem.matrix, problem.options
    if options.persons is not None and not matrix.has_persons:
        raise InputError("persons must not be asked for on both sides of a cut: the data has no person column")
    work = _Mondrian(matrix, problem.protection, options)
    parts = work.whole()
    of_pair = np.empty(matrix.n_pairs, dtype=np.int64)
    done: list[Floats] = []
    count = 0
    while len(parts):
        problem.tick(1 - 0.95 * parts.order.shape[1] / matrix.n_pairs, f"cutting {len(parts):,} boxes")
        order, extended = work.dimensions(parts)
        n = len(parts)
        place, dims = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
        left_high, right_low = np.zeros(n), np.zeros(n)
        for rank in range(4 if options.on_failure == "next" else 1):
            tried = np.flatnonzero((place < 0) & extended[order[rank], np.arange(n)])
            if not len(tried):
                continue
            cuts = work.try_cuts(parts, tried, order[rank][tried])
            place[tried], dims[tried] = cuts.place, order[rank][tried]
            left_high[tried], right_low[tried] = cuts.left_high, cuts.right_low
        final = np.flatnonzero(place < 0)
        places, which = runs(parts.ends[final], parts.ends[final + 1])
        of_pair[parts.order[0][places]] = count + which
        done.append(np.hstack([parts.low[final], parts.high[final]]))
        count += len(final)
        if len(final) == n:
            break
        parts = work.divide(parts, dims, Cuts(place, left_high, right_low))
    boxes = np.concatenate(done)[:, [0, 1, 4, 5, 2, 3, 6, 7]]
    by_box = np.lexsort(boxes.T[::-1])
    number = np.empty(count, dtype=np.int64)
    number[by_box] = np.arange(count)
    groups = matrix.regroup(number[of_pair], count)
    return BoxRelease(
        matrix=matrix,
        protection=problem.protection,
        budget=problem.budget,
        algorithm="mondrian",
        options=options,
        of_pair=groups.of_pair,
        trips=groups.trips,
        population=groups.population,
        persons=groups.persons,
        boxes=boxes[by_box],
        tight=False,
    )


def _regroup(items: Ints, group: Ints, n: int) -> Ints:
    """Items by group, otherwise in the order they have."""
    return items[stable_order(group[items], n)]


register(
    Algorithm(
        name="mondrian",
        title="Mondrian",
        kind="boxes",
        source="001, appendix B; 003, 2.5.1; 004, 3.3",
        summary="Halves the trips again and again at medians of place, as long as both halves are publishable.",
        when="Use it where every trip must be published; its boxes are no zones of a map, and relaxed ones overlap.",
        options=MondrianOptions,
        run=run,
        suppresses=False,
    )
)
