"""Charts and little maps of segments."""

import base64
import json
import re

import pandas as pd
import pytest

import odk
from odk.viz import charts_segments, maps
from odk.viz.small import small_map
from odk.viz.zones import zone_table

TABLE = pd.DataFrame(
    {
        "segment": ["whole", "F", "M"],
        "g": [100.0, 120.0, None],
        "limit": [80.0, 30.0, None],
        "above_limit": [1.25, 4.0, None],
        "gdm_mean": [900.0, 1100.0, None],
        "cause": ["data", "algorithm", ""],
    }
)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_achieved_against_possible(mode):
    spec = charts_segments.achieved_chart(TABLE, "participants", mode).to_dict()
    rows = next(iter(spec["datasets"].values()))
    assert [row["segment"] for row in rows] == ["whole", "F"]  # M has no release
    assert [row["above"] for row in rows] == ["1.25 ×", "4.00 ×"]
    assert rows[1]["why"].startswith("perhaps the algorithm")
    json.dumps(spec, allow_nan=False)


def test_own_against_common():
    cost = TABLE.assign(gdm_mean_common=[1000.0, 2200.0, None], price=[1.11, 2.0, None])
    rows = next(iter(charts_segments.common_chart(cost).to_dict()["datasets"].values()))
    assert [(row["own"], row["shared"]) for row in rows] == [("900.0 m", "1,000.0 m"), ("1,100.0 m", "2,200.0 m")]


@pytest.mark.parametrize("algorithm", ["odkanon-late", "mondrian"])
def test_a_little_map_is_a_picture_with_words(small_matrix, algorithm):
    release = odk.anonymise(small_matrix, odk.Protection(trips=5), algorithm=algorithm, budget=0.2)
    table = zone_table(release)
    where = maps.window(table["lat"], table["lon"])
    html = small_map(table, where, maps.breaks([table["density"]]), "Women & men: <12> origins", mode="dark")
    assert 'alt="Women &amp; men: &lt;12&gt; origins"' in html
    found = re.search(r"base64,([^\"]+)", html)
    assert found is not None
    svg = base64.b64decode(found[1]).decode()
    assert svg.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    zones = svg.split('class="zones"')[1].split("</g>")[0]
    assert zones.count("<path") == len(table)
