"""How zones of two maps lie to each other, on cells whose family is known."""

import h3
import pytest

from odk.viz.relate import by_level, differences, same_place

PARENT = "871fb4662ffffff"
CHILDREN = sorted(h3.cell_to_children(PARENT, 8))
GRANDCHILD = h3.cell_to_center_child(PARENT, 9)
ELSEWHERE = "872a1072bffffff"  # in another part of the world


def test_finer_and_coarser_are_each_others_mirror():
    assert differences(CHILDREN, [PARENT]).tolist() == [1] * 7
    assert differences([PARENT], CHILDREN).tolist() == [-1]
    assert differences([GRANDCHILD, ELSEWHERE], [PARENT]).tolist() == [1, 0]
    assert differences([PARENT, ELSEWHERE], [PARENT, ELSEWHERE]).tolist() == [0, 0]


def test_a_zone_of_both_maps_is_no_difference_though_they_overlap():
    assert differences([PARENT], [PARENT, *CHILDREN]).tolist() == [0]
    # Within one zone of the other map and around others: neither finer nor coarser.
    assert differences([CHILDREN[0]], [PARENT, *h3.cell_to_children(CHILDREN[0], 9)]).tolist() == [0]


def test_what_is_no_cell_is_not_compared():
    assert differences(["root", "box 1", PARENT], ["root", "East", CHILDREN[0]]).tolist() == [0, 0, -1]
    assert by_level([]) == {}
    assert differences([], [PARENT]).tolist() == []


@pytest.mark.parametrize(
    ("zone", "zones", "wanted"),
    [
        (PARENT, [*CHILDREN, PARENT], (PARENT,)),
        (GRANDCHILD, [PARENT, h3.cell_to_parent(GRANDCHILD, 8)], (h3.cell_to_parent(GRANDCHILD, 8),)),
        (PARENT, [ELSEWHERE, *CHILDREN], tuple(CHILDREN)),
        (PARENT, [ELSEWHERE], ()),
        ("East", ["West"], ()),
        ("East", ["West", "East"], ("East",)),
    ],
)
def test_the_same_place_on_another_map(zone, zones, wanted):
    assert same_place(zone, zones) == wanted
