"""Boxes over points: counted and spread as if every point were held against every box."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odk import boxes as rectangles
from odk.boxes import TOLERANCE, centres, cover, overlapping


def inside(points, boxes):
    """Point x box, one comparison a side; boxes run east from west."""
    good = np.ones((len(points), len(boxes)), dtype=bool)
    for axis in range(points.shape[1] // 2):
        west, south, east, north = boxes[:, 4 * axis : 4 * axis + 4].T
        lon, lat = points[:, 2 * axis, None], points[:, 2 * axis + 1, None]
        width = np.where(east >= west, np.minimum(east - west, 360), np.mod(east - west, 360))
        good &= (lat >= south - TOLERANCE) & (lat <= north + TOLERANCE)
        good &= np.mod(lon - west + TOLERANCE, 360) <= width + 2 * TOLERANCE
    return good


def scene(seed, n_points, n_boxes, ends, spread):
    """Points on a coarse grid (so that edges meet points), and boxes of all widths, some across the antimeridian."""
    rng = np.random.default_rng(seed)
    lon, lat = rng.integers(-9, 10, (2, n_points, ends)) * spread
    points = np.stack([(lon + 180 + 180) % 360 - 180, lat], axis=2).reshape(n_points, 2 * ends)
    west, width = rng.integers(-10, 10, (n_boxes, ends)) * spread, rng.integers(0, 12, (n_boxes, ends)) * spread
    south, height = rng.integers(-10, 10, (n_boxes, ends)) * spread, rng.integers(0, 12, (n_boxes, ends)) * spread
    west = (west + 180 + 180) % 360 - 180
    east = west + width
    east = np.where(rng.random(east.shape) < 0.5, (east + 180) % 360 - 180, east)  # both ways to write it
    return points, np.stack([west, south, east, south + height], axis=2).reshape(n_boxes, 4 * ends)


@given(
    st.integers(0, 10**6), st.integers(1, 700), st.integers(0, 40), st.sampled_from([1, 2]), st.sampled_from([1.0, 9.0])
)
def test_coverage_equals_point_by_point(seed, n_points, n_boxes, ends, spread):
    points, boxes = scene(seed, n_points, n_boxes, ends, spread)
    found, expected = cover(points, boxes), inside(points, boxes)
    assert found.count.tolist() == expected.sum(axis=0).tolist()
    values = np.random.default_rng(seed).random(n_boxes)
    assert found.spread(values) == pytest.approx(expected @ values)
    group = np.random.default_rng(seed + 1).integers(0, 5, n_points)
    by_group = np.stack([expected[group == g].sum(axis=0) for g in range(5)], axis=1)
    assert found.count_by(group, 5).toarray().tolist() == by_group.tolist()


def test_many_boxes_go_down_in_several_parts(monkeypatch):
    points, boxes = scene(3, 300, 50, 2, 1.0)
    at_once = cover(points, boxes).count
    monkeypatch.setattr(rectangles, "_CHUNK", 7)
    assert cover(points, boxes).count.tolist() == at_once.tolist()


def test_a_box_without_outer_bounds_covers_everything():
    points, _ = scene(4, 100, 1, 1, 9.0)
    whole = np.array([[-np.inf, -np.inf, np.inf, np.inf], [-180.0, -90.0, 180.0, 90.0]])
    assert cover(points, whole).count.tolist() == [100, 100]


def test_an_outline_is_part_of_its_box():
    points = np.array([[2.0, 48.0], [3.0, 49.0], [3.0, 48.5], [2.0 - 1e-6, 48.5]])
    assert cover(points, np.array([[2.0, 48.0, 3.0, 49.0]])).count.tolist() == [3]


def test_middles():
    lat, lon = centres(np.array([[2.0, 48.0, 3.0, 49.0], [179.0, -2.0, -179.0, 2.0], [179.0, -2.0, 183.0, 2.0]]))
    assert lat.tolist() == [48.5, 0.0, 0.0]
    assert lon.tolist() == [2.5, -180.0, -179.0]


@given(st.integers(0, 10**6))
def test_overlap_is_symmetric_and_needs_area(seed):
    _, boxes = scene(seed, 1, 60, 2, 9.0)
    a, b = boxes[:, :4], boxes[:, 4:]
    found = overlapping(a, b)
    assert found.tolist() == overlapping(b, a).tolist()
    # on a grid between the lines of the boxes: those with area overlap exactly where they share a point of it
    grid = np.stack(np.meshgrid(np.arange(-180 + 4.5, 180, 9), np.arange(-180 + 4.5, 190, 9)), axis=2).reshape(-1, 2)
    both = (inside(grid, a) & inside(grid, b)).any(axis=0)
    area = inside(grid, a).any(axis=0) & inside(grid, b).any(axis=0)
    assert found[area].tolist() == both[area].tolist()


def test_overlap_of_points_and_edges():
    square, beside, point, away = [0, 0, 2, 2], [2, 0, 4, 2], [2, 1, 2, 1], [3, 3, 3, 3]
    pairs = [(square, beside), (square, point), (point, beside), (point, point), (point, away), (square, square)]
    a, b = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    assert overlapping(a, b).tolist() == [False, True, True, True, False, True]
