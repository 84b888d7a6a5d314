"""Frames of the walk drawn: tables for the map, words for a merge, and curves that end where the walk does."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import odk
from odk.matrix import MICRO
from odk.replay import curve, frames, safe_share
from odk.viz import replay
from odk.walk import Walk


@pytest.fixture(scope="module")
def walk(small_matrix):
    return Walk(small_matrix)


def test_the_largest_zones_with_their_share(walk):
    rule = odk.Protection(trips=5)
    step = walk.n_steps - 5
    zones = safe_share(walk, rule, step)[0]
    table = replay.step_table(walk.trees[0], zones, "trips", most=3)
    assert len(table) == min(3, len(zones))
    assert table["trips"].tolist() == sorted(zones["volume"], reverse=True)[:3]
    assert table["name"].str.contains("level").all()
    assert ((table["safe"] >= 0) & (table["safe"] <= 1)).all()


def test_weighted_trips_are_in_natural_units(small_matrix):
    walk = Walk(small_matrix, lead="population")
    zones = safe_share(walk, odk.Protection.population_of(small_matrix, 5), walk.n_steps)[1]
    table = replay.step_table(walk.trees[1], zones, "population", most=10)
    assert table["population"].tolist() == [small_matrix.total_population / MICRO]
    assert table["safe"].tolist() == [1.0]


def test_a_merge_in_words(walk):
    tree = walk.trees[0]
    node = int(np.flatnonzero(tree.n_children > 1)[0])
    words = replay.merge_words(tree, node, tree.children(node), "origins")
    assert words.startswith(f"{len(tree.children(node))} origin zones become one: ")
    assert "single part" in replay.merge_words(tree, node, tree.children(node)[:1], "destinations")


@pytest.mark.parametrize("rule", [odk.Protection(trips=5), odk.Protection(persons=4), odk.Protection(population=60.0)])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_curves_are_a_picture_of_the_data(small_matrix, rule, mode):
    walk = Walk(small_matrix, lead=rule.lead)
    steps = frames(walk, 12)
    data = curve(walk, rule, steps)
    picture = replay.curves(data, steps[3], rule, 0.1, ("odkanon-late stops", steps[5]), mode)
    root = ET.fromstring(picture)
    paths = [node for node in root.iter() if node.tag.endswith("path")]
    assert len(paths) == 2
    for path in paths:
        points = re.findall(r"[ML]([\d.]+) ([\d.]+)", path.attrib["d"])
        assert len(points) == 2 * len(steps) - 1
        xs = [float(x) for x, _ in points]
        assert xs == sorted(xs)
    # The suppressed share ends at 0, on the lowest line of its frame.
    assert float(re.findall(r"L[\d.]+ ([\d.]+)$", paths[1].attrib["d"])[0]) == pytest.approx(120.0)
    assert "odkanon-late stops" in picture
    assert "budget 10%" in picture
