"""Maps as SVG: places land where they should, outlines cannot inject markup, the same input gives the same picture."""

import re

import pytest

from odk.viz.svg import Frame, Shape, legend, zone_map

BOX = (2.0, 48.0, 3.0, 49.0)
SQUARE = [[2.25, 48.25], [2.75, 48.25], [2.75, 48.75], [2.25, 48.75], [2.25, 48.25]]


def test_the_middle_of_the_window_is_the_middle_of_the_picture():
    frame = Frame(BOX, 400, 300)
    assert frame.point(2.5, 48.5) == (200.0, 150.0)
    # 1 degree of latitude fills 300 pixels; one of longitude is shorter by cos 48.5 degrees
    assert frame.point(2.5, 49.0) == pytest.approx((200.0, 0.0))
    assert frame.point(3.0, 48.5)[0] == pytest.approx(200 + 150 * 0.66262, abs=0.01)
    west, south, east, north = frame.seen
    assert (south, north) == pytest.approx((48.0, 49.0))
    assert (west + east) / 2 == pytest.approx(2.5)


def test_a_ring_is_a_closed_path_of_its_corners():
    assert Frame(BOX, 300, 300).path(SQUARE) == "M100.3,225.0L199.7,225.0L199.7,75.0L100.3,75.0Z"
    assert Frame(BOX, 300, 300).path([[2.5, 48.5], [2.5, 49.0]], closed=False) == "M150.0,150.0L150.0,0.0"


def test_coarse_zones_lie_below_fine_ones_and_what_is_outside_is_left_out():
    far = [[x + 10, y] for x, y in SQUARE]
    shapes = [
        Shape(SQUARE, 1.0, 1.0),
        Shape([[2.0, 48.0], [3.0, 48.0], [2.5, 49.0], [2.0, 48.0]], 5.0, 9.0),
        Shape(far, 9.0, 2.0),
    ]
    drawn = re.search(r'<g class="zones".*?</g>', zone_map(shapes, Frame(BOX, 300, 300), "participants", (2.0,), "x"))
    paths = re.findall(r'd="(M[^"]*)"', drawn.group(0))
    assert paths == [Frame(BOX, 300, 300).path(shapes[1].ring), Frame(BOX, 300, 300).path(SQUARE)]


def test_points_are_circles():
    picture = zone_map([Shape([[2.5, 48.5]], 1.0, 0.0)], Frame(BOX, 400, 300), "population", (), "x")
    assert '<circle cx="200.0" cy="150.0"' in picture


def test_labels_are_escaped_and_nothing_is_fetched():
    picture = zone_map([Shape(SQUARE, 1.0, 1.0)], Frame(BOX), "participants", (), 'a "<script>" map', name='x"y')
    assert "<script>" not in picture
    assert 'x"y' not in picture
    assert "http" not in picture
    assert picture == zone_map(
        [Shape(SQUARE, 1.0, 1.0)], Frame(BOX), "participants", (), 'a "<script>" map', name='x"y'
    )
    assert "&lt;b&gt;" in legend((1.0, 2.0), "participants", "<b>")


def test_the_scale_bar_has_a_round_length():
    assert ">20 km<" in zone_map([], Frame(BOX, 520, 430), "participants", (), "x")
