"""The matrix as a heat map: what is shown, and that margins are those of the whole table."""

import pandas as pd

from odk.viz.flows import flow_table
from odk.viz.heat import heat_map, largest

FLOWS = pd.DataFrame(
    [("a", "x", 50.0), ("a", "y", 1.0), ("b", "x", 30.0), ("b", "y", 25.0), ("c", "z", 40.0)],
    columns=["origin", "destination", "volume"],
).assign(**{"from": lambda t: t["origin"].str.upper(), "to": lambda t: t["destination"].str.upper()})


def test_the_largest_zones_of_each_side():
    # origins: b 55, a 51, c 40; destinations: x 80, z 40, y 26
    assert largest(FLOWS, 1)[["origin", "destination"]].to_numpy().tolist() == [["b", "x"]]
    kept = largest(FLOWS, 2)[["origin", "destination"]].to_numpy().tolist()
    assert kept == [["a", "x"], ["b", "x"]]
    assert largest(FLOWS, None) is FLOWS


def test_margins_are_sums_of_all_that_is_published():
    spec = heat_map(largest(FLOWS, 2), measure="trips", view="participants", totals=FLOWS).to_dict()
    data = spec["datasets"]
    above, row = spec["vconcat"]
    heat, right = row["hconcat"]
    assert data[above["data"]["name"]] == [{"to": "X", "total": 80.0}]
    assert data[right["data"]["name"]] == [{"from": "A", "total": 51.0}, {"from": "B", "total": 55.0}]
    assert heat["encoding"]["y"]["sort"] == ["B", "A"]
    # No row stands for a pair without a published flow: empty or suppressed, it is blank.
    assert [(r["from"], r["to"]) for r in data[heat["data"]["name"]]] == [("A", "X"), ("B", "X")]


def test_a_real_release_has_as_many_cells_as_flows(small_release):
    flows = flow_table(small_release)
    spec = heat_map(flows, measure="trips", view="participants", mode="dark").to_dict()
    heat = spec["vconcat"][1]["hconcat"][0]
    assert len(spec["datasets"][heat["data"]["name"]]) == small_release.n_cells
