"""The picture of H3's levels."""

import xml.etree.ElementTree as ET

from odk.viz.svg_levels import levels_picture


def test_a_cell_and_its_descendants_on_the_way_down():
    root = ET.fromstring(levels_picture(top=6, bottom=8))
    titles = [e[0].text for e in root if e.tag.endswith("path")]
    assert [t.split(":")[0] for t in titles] == ["level 6"] + ["level 7"] * 7 + ["level 8"] * 7
    words = [e.text for e in root if e.tag.endswith("text")]
    assert words[-1] == "level 6: 36.1 km²"


def test_light_and_dark_differ():
    assert levels_picture(mode="dark") != levels_picture(mode="light")
