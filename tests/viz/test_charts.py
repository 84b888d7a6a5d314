"""Charts carry their theme with them."""

from odk.viz import charts, zones


def test_levels_chart_counts_zones(small_release):
    table = zones.zone_table(small_release)
    spec = charts.levels_chart({"participants": table, "population": table.head(3)}, "dark").to_dict()
    rows = next(iter(spec["datasets"].values()))
    assert sum(row["zones"] for row in rows if row["view"] == "participants") == len(table)
    assert sum(row["zones"] for row in rows if row["view"] == "population") == 3
    assert spec["config"]["axis"]["titleColor"] == "#e6ebf1"
    assert charts.levels_chart({}).to_dict()
