"""Cells: conversions, parents by bit arithmetic against h3 itself, pentagons, the antimeridian."""

import h3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk import cells

PARIS = "8a1fb464000ffff"
PENTAGON = h3.get_pentagons(7)[0]


@st.composite
def any_cell(draw: st.DrawFn) -> str:
    """A cell anywhere on earth, at any resolution; often a pentagon or inside one."""
    res = draw(st.integers(0, 15))
    if draw(st.booleans()):
        return h3.cell_to_center_child(draw(st.sampled_from(h3.get_pentagons(min(res, 5)))), res)
    return h3.latlng_to_cell(draw(st.floats(-90, 90)), draw(st.floats(-180, 180)), res)


@given(st.lists(any_cell(), min_size=1, max_size=8), st.integers(0, 15))
def test_parents_are_those_of_h3(words, wanted):
    ids = cells.to_ids(words)
    assert cells.to_hex(ids) == words
    assert cells.resolution(ids).tolist() == [h3.get_resolution(w) for w in words]
    coarsest = min(h3.get_resolution(w) for w in words)
    if wanted <= coarsest:
        assert cells.to_hex(cells.parent(ids, wanted)) == [h3.cell_to_parent(w, wanted) for w in words]
    else:
        with pytest.raises(odk.InputError, match=rf"resolution \({wanted}\) must not be finer .* \({coarsest}\)"):
            cells.parent(ids, wanted)


@given(st.lists(st.tuples(any_cell(), st.lists(st.integers(0, 63), max_size=3)), min_size=1, max_size=8))
def test_what_is_a_cell_is_what_h3_says(given):
    ids = []
    for word, flips in given:  # a cell with up to three of its bits turned over is one now and then
        number = int(word, 16)
        for bit in flips:
            number ^= 1 << bit
        ids.append(number)
    assert cells.valid(np.array(ids, dtype=np.uint64)).tolist() == [
        n < 2**63 and h3.is_valid_cell(f"{n:x}") for n in ids
    ]


def test_a_pentagon_has_no_children_along_one_axis():
    parent = h3.str_to_int(PENTAGON)
    for level in range(8, 16):
        digits = (np.uint64(parent) & ~np.uint64((1 << 3 * (15 - 7)) - 1)) & ~(np.uint64(15) << np.uint64(52))
        shift, unused = 3 * (15 - level), (1 << 3 * (15 - level)) - 1
        children = [int(digits) | level << 52 | digit << shift | unused for digit in range(8)]
        found = cells.valid(np.array(children, dtype=np.uint64)).tolist()
        assert found == [h3.is_valid_cell(f"{n:x}") for n in children]
        assert found == [True, False, True, True, True, True, True, False]


@given(st.lists(any_cell(), min_size=1, max_size=5))
def test_centres_and_descendants_are_those_of_h3(words):
    ids = cells.to_ids(words)
    lat, lon = cells.centres(ids)
    assert list(zip(lat, lon, strict=True)) == [h3.cell_to_latlng(w) for w in words]
    assert cells.descendants(ids, 15).tolist() == [h3.cell_to_children_size(w, 15) for w in words]


def test_a_pentagon_has_fewer_descendants():
    # A hexagon has 7 children; a pentagon 6, of which one is again a pentagon: 6 + 5 * 7 - ... = 1 * 6 + 5 * 7 = 41.
    assert cells.descendants(cells.to_ids([PARIS]), 12).tolist() == [49]
    assert cells.descendants(cells.to_ids([PENTAGON]), 8).tolist() == [6]
    assert cells.descendants(cells.to_ids([PENTAGON]), 9).tolist() == [41]


def test_every_spelling_of_a_cell_is_read():
    number = int(PARIS, 16)
    for spelling in (
        [PARIS],
        [PARIS.upper()],
        [f" {PARIS} "],
        ["0x" + PARIS],
        [number],
        np.array([PARIS]),
        np.array([PARIS], dtype=object),
        np.array([number], dtype=object),
        np.array([number], dtype=np.int64),
        np.array([number], dtype=np.uint64),
    ):
        ids = cells.to_ids(spelling)
        assert ids.dtype == np.uint64
        assert ids.tolist() == [number]
    assert cells.to_ids([]).tolist() == []
    assert cells.to_ids(iter([PARIS, PARIS])).tolist() == [number, number]


@pytest.mark.parametrize(
    ("bad", "shown"),
    [
        ("Paris", "'Paris'"),
        ("", "''"),
        (None, "nan"),  # missing, as pandas calls it
        (float("nan"), "nan"),
        (1.5, "1.5"),
        ("8a1fb464000fffe", "'8a1fb464000fffe'"),  # an unused digit that is not 7
        (str(int(PARIS, 16)), f"'{int(PARIS, 16)}'"),  # decimal digits, read as hex
        ("115283473fffffff", "'115283473fffffff'"),  # an edge between two cells
    ],
)
def test_what_is_no_cell_is_refused_by_name(bad, shown):
    values = np.array([PARIS, bad], dtype=object)
    with pytest.raises(odk.InputError) as caught:
        cells.to_ids(values)
    assert str(caught.value) == f"cell ({shown}) must be an H3 index; 1 distinct value(s) are not"


@pytest.mark.parametrize("bad", [0, -1, 1, 2**62])
def test_numbers_that_are_no_cell_are_refused(bad):
    with pytest.raises(odk.InputError, match=rf"cell \({bad}\) must be an H3 index; 1 value"):
        cells.to_ids(np.array([int(PARIS, 16), bad]))
    with pytest.raises(odk.InputError, match="must be an H3 index"):
        cells.to_ids([2**70])


def test_points_are_placed_by_h3():
    lat, lon = [48.85, -17.0, 89.9, 0.0], [2.35, 180.0, 10.0, -179.9999]
    assert cells.to_hex(cells.from_points(lat, lon, 9)) == [
        h3.latlng_to_cell(a, b, 9) for a, b in zip(lat, lon, strict=True)
    ]


@pytest.mark.parametrize("bad", [-1, 16, 9.5, "9", None, True])
def test_a_resolution_is_a_whole_number_from_0_to_15(bad):
    with pytest.raises(odk.InputError, match=r"resolution \(.*\) must be a whole number between 0 and 15"):
        cells.from_points([48.0], [2.0], bad)
    with pytest.raises(odk.InputError, match=r"resolution \(.*\) must be a whole number between 0 and 15"):
        cells.parent(cells.to_ids([PARIS]), bad)


def test_distances_on_the_sphere():
    quarter = np.pi / 2 * cells.EARTH_RADIUS_M
    assert cells.distance_m(0, 0, 90, 0) == pytest.approx(quarter)
    assert cells.distance_m(0, 179.5, 0, -179.5) == pytest.approx(quarter / 90)  # one degree, across the antimeridian
    assert cells.distance_m(10, 20, -10, -160) == pytest.approx(2 * quarter)  # antipodes
    assert cells.distance_m([1.0, 2.0], 5, [1.0, 2.0], 5).tolist() == [0.0, 0.0]
    assert cells.distance_m(48.85, 2.35, 48.86, 2.36) == pytest.approx(
        h3.great_circle_distance((48.85, 2.35), (48.86, 2.36), unit="m"), rel=1e-6
    )
