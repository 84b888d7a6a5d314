"""Which points lie in which boxes: counting and spreading for releases whose cells are rectangles (Mondrian, Glove).

Thousands of boxes over tens of thousands of points: the points are packed along a Z-order curve into a tree of
bounding boxes, and all boxes go down that tree together, a level at a time. A part of the tree that lies in a box
as a whole is kept as one entry, so that boxes may be large and may overlap at no great cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from odk.cells import Floats, Ints

TOLERANCE = 1e-9
"""Degrees (0.1 mm) by which a box is widened on each side: outlines are closed, and rounding must not lose a point."""
_BELOW_180 = float(np.nextafter(180.0, 0.0))
_FAN = 8  # children a node
_CHUNK = 1024  # boxes that go down together: bounds the memory

WEST, SOUTH, EAST, NORTH = range(4)


@dataclass(frozen=True, eq=False)
class Coverage:
    """What boxes cover of a set of points, as whole parts of the packed tree."""

    n_points: int
    n_boxes: int
    order: Ints = field(repr=False)
    """Points in the order of the tree."""
    hits: tuple[tuple[Ints, Ints], ...] = field(repr=False)
    """Per level of the tree (points first): boxes, and the nodes of that level that they cover as a whole."""

    @cached_property
    def count(self) -> Ints:
        """Number of points in each box."""
        total = np.zeros(self.n_boxes, dtype=np.int64)
        for level, (box, node) in enumerate(self.hits):
            width = _FAN**level
            size = np.minimum(width, self.n_points - node * width)
            total += np.bincount(box, weights=size, minlength=self.n_boxes).astype(np.int64)
        return total

    def spread(self, values: Floats) -> Floats:
        """For each point, the sum of the values of the boxes that cover it."""
        acc = np.zeros(1)
        for level in range(len(self.hits) - 1, -1, -1):
            n = -(-self.n_points // _FAN**level)
            box, node = self.hits[level]
            acc = np.repeat(acc, _FAN)[:n] if len(acc) < n else acc
            acc = acc + np.bincount(node, weights=values[box], minlength=n)
        out = np.empty(self.n_points)
        out[self.order] = acc
        return out

    def count_by(self, group: Ints, n_groups: int) -> csr_array:
        """Number of points of each group in each box (boxes x groups), for points that each have a group."""
        total = csr_array((self.n_boxes, n_groups), dtype=np.int64)
        place = np.arange(self.n_points)
        for level, (box, node) in enumerate(self.hits):
            n = -(-self.n_points // _FAN**level)
            one = np.ones(self.n_points, dtype=np.int64)
            in_node = csr_array((one, (place // _FAN**level, group[self.order])), shape=(n, n_groups))
            covered = csr_array((np.ones(len(box), dtype=np.int64), (box, node)), shape=(self.n_boxes, n))
            total = total + covered @ in_node
        return total


def cover(points: Floats, boxes: Floats) -> Coverage:
    """Which points each box covers. Points have one row (longitude, latitude, ...) a point, in degrees.

    A box has columns west, south, east, north for each pair of columns of the points. It is closed, and runs from
    west to east: where west is greater, over the antimeridian.
    """
    n_boxes = len(boxes)
    ends = points.shape[1] // 2
    points = points.copy()
    points[:, 0::2] = _wrapped(points[:, 0::2])
    corners = boxes.reshape(n_boxes, ends, 4)
    shape = (n_boxes, 2 * ends)
    low, high, owner = _parts(corners[:, :, :2].reshape(shape), corners[:, :, 2:].reshape(shape))
    order = _z_order(points)
    ordered = np.ascontiguousarray(points[order].T)
    levels = [(ordered, ordered)]
    while levels[-1][0].shape[1] > _FAN:
        at = np.arange(0, levels[-1][0].shape[1], _FAN)
        below_low, below_high = levels[-1]
        levels.append((np.minimum.reduceat(below_low, at, axis=1), np.maximum.reduceat(below_high, at, axis=1)))
    low, high = np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)
    hits: list[list[tuple[Ints, Ints]]] = [[] for _ in levels]
    for start in range(0, low.shape[1], _CHUNK):
        _descend(levels, low, high, np.arange(start, min(start + _CHUNK, low.shape[1])), owner, hits)
    empty = np.empty(0, dtype=np.int64)
    packed = tuple(
        (np.concatenate([h[0] for h in found] or [empty]), np.concatenate([h[1] for h in found] or [empty]))
        for found in hits
    )
    return Coverage(len(points), n_boxes, order, packed)


def centres(boxes: Floats) -> tuple[Floats, Floats]:
    """Latitude and longitude (degrees) of the middle of rectangles (columns west, south, east, north)."""
    west, east = boxes[:, WEST], boxes[:, EAST]
    return (boxes[:, SOUTH] + boxes[:, NORTH]) / 2, _wrapped(west + _width(west, east) / 2)


def overlapping(a: Floats, b: Floats) -> npt.NDArray[np.bool_]:
    """Which rectangles of `a` overlap the one in the same row of `b`. To touch along an edge is not enough, unless one
    of the two is a line or a point there.
    """
    wide_a, wide_b = _width(a[:, WEST], a[:, EAST]), _width(b[:, WEST], b[:, EAST])
    high_a, high_b = a[:, NORTH] - a[:, SOUTH], b[:, NORTH] - b[:, SOUTH]
    # going round to the east, b starts within a, or a within b
    across = _starts_within(_round_east(b[:, WEST] - a[:, WEST]), wide_a, wide_b)
    across |= _starts_within(_round_east(a[:, WEST] - b[:, WEST]), wide_b, wide_a)
    up = _starts_within(b[:, SOUTH] - a[:, SOUTH], high_a, high_b)
    up |= _starts_within(a[:, SOUTH] - b[:, SOUTH], high_b, high_a)
    return np.asarray(across & up)


def _round_east(gap: Floats) -> Floats:
    """Degrees to go east, less than a full turn; a gap of nothing but rounding is no full turn."""
    return np.mod(gap + TOLERANCE, 360.0) - TOLERANCE


def _starts_within(gap: Floats, length: Floats, other: Floats) -> npt.NDArray[np.bool_]:
    """Whether an interval that starts `gap` after another of some length overlaps it."""
    thin = (length <= TOLERANCE) | (other <= TOLERANCE)
    return np.asarray((gap >= -TOLERANCE) & np.where(thin, gap <= length + TOLERANCE, gap < length - TOLERANCE))


def _wrapped(lon: Floats) -> Floats:
    """Longitudes in [-180, 180); those already there stay as they are, to the last bit."""
    return np.where((lon >= -180.0) & (lon < 180.0), lon, np.mod(lon + 180.0, 360.0) - 180.0)


def _width(west: Floats, east: Floats) -> Floats:
    """Degrees from west to east, going east; at most once round."""
    return np.where(east >= west, np.minimum(east - west, 360.0), np.mod(east - west, 360.0))


def _parts(low: Floats, high: Floats) -> tuple[Floats, Floats, Ints]:
    """Boxes widened by the tolerance and cut at the antimeridian: bounds of the parts, and the box of each part."""
    low, high = low - TOLERANCE, high + TOLERANCE
    owner = np.arange(len(low))
    for axis in range(0, low.shape[1], 2):  # the columns of longitudes
        west = np.where(np.isneginf(low[:, axis]), -180.0, low[:, axis])
        width = _width(west, np.where(np.isposinf(high[:, axis]), 180.0, high[:, axis]))
        low[:, axis] = np.where(width < 360.0, _wrapped(west), -180.0)
        high[:, axis] = np.where(width < 360.0, low[:, axis] + width, _BELOW_180)
        over = high[:, axis] >= 180.0
        if over.any():
            rest_low, rest_high = low[over], high[over]
            rest_low[:, axis], rest_high[:, axis] = -180.0, rest_high[:, axis] - 360.0
            high[over, axis] = _BELOW_180
            low, high = np.concatenate([low, rest_low]), np.concatenate([high, rest_high])
            owner = np.concatenate([owner, owner[over]])
    return low, high, owner


def _z_order(points: Floats) -> Ints:
    """Points along a Z-order curve: neighbours in every dimension come near each other."""
    n, dims = points.shape
    bits = min(60 // dims, max(1, int(n).bit_length()))
    key = np.zeros(n, dtype=np.int64)
    for dim in range(dims):
        rank = np.empty(n, dtype=np.int64)
        rank[np.argsort(points[:, dim], kind="stable")] = np.arange(n)
        rank = (rank << bits) // n
        for bit in range(bits):
            key |= ((rank >> bit) & 1) << (bit * dims + dim)
    return np.argsort(key, kind="stable")


def _descend(
    levels: list[tuple[Floats, Floats]],
    low: Floats,
    high: Floats,
    chosen: Ints,
    owner: Ints,
    hits: list[list[tuple[Ints, Ints]]],
) -> None:
    """Take boxes down the packed tree; add to `hits`, per level, the nodes that lie in a box as a whole.

    Bounds of nodes and boxes have a row a dimension.
    """
    dims = range(len(low))
    top = levels[-1][0].shape[1]
    box, node = np.repeat(chosen, top), np.tile(np.arange(top), len(chosen))
    for level in range(len(levels) - 1, -1, -1):
        node_low, node_high = levels[level]
        for dim in dims:  # one dimension after the other: most are out after the first
            near = (node_low[dim][node] <= high[dim][box]) & (node_high[dim][node] >= low[dim][box])
            box, node = box[near], node[near]
        if level == 0:
            hits[0].append((owner[box], node))
            return
        inside = np.ones(len(box), dtype=bool)
        for dim in dims:
            inside &= (node_low[dim][node] >= low[dim][box]) & (node_high[dim][node] <= high[dim][box])
        hits[level].append((owner[box[inside]], node[inside]))
        box, node = np.repeat(box[~inside], _FAN), (node[~inside][:, None] * _FAN + np.arange(_FAN)).ravel()
        real = node < levels[level - 1][0].shape[1]
        box, node = box[real], node[real]
