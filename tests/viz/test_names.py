"""Zones are called by what people know."""

import numpy as np

from odk.viz import names


def test_direction_and_distance():
    # Versailles (GeoNames) is at 48.804, 2.134: 0.03° north is 3.3 km, 0.03° / cos(48.8°) east would be as much.
    assert names.place_names([48.804], [2.134]) == ["Versailles"]
    assert names.place_names([48.804 + 0.09], [2.134], reach_km=12.0)[0].endswith(
        "km NW"
    )  # the largest near is Nanterre
    north_east = names.place_names([41.85003 + 0.018], [-87.65005 - 0.024])[0]
    assert north_east.split(",")[0] == "Lower West Side"


def test_compass_of_eight_winds(monkeypatch):
    import pandas as pd

    table = pd.DataFrame({"name": ["Here"], "lat": [0.0], "lon": [179.99], "people": [1], "quarter": [0]})
    monkeypatch.setattr(names, "places", lambda: table)
    names._tree.cache_clear()
    try:
        angle = np.radians(np.arange(0, 360, 45))
        # 0.045° is 5 km; going east crosses the antimeridian.
        found = names.place_names(0.045 * np.cos(angle), 179.99 + 0.045 * np.sin(angle))
        assert found == [f"Here, 5 km {way}" for way in names.COMPASS]
        assert names.place_names([0.0], [-179.965]) == ["Here, 5 km E"]
        assert names.place_names([-34.05], [151.2]) == ["34.05° S, 151.20° E"]
    finally:
        names._tree.cache_clear()


def test_coarse_zones_take_the_largest_place_and_twins_are_told_apart():
    fine, coarse = names.zone_names([48.80, 48.80], [2.20, 2.20], [9, 5])
    assert fine.endswith("level 9")
    assert coarse.startswith("Boulogne-Billancourt, 5 km SW, level 5")  # 108,782 people, within the edge of level 5
    assert names.zone_names([48.80, 48.80], [2.20, 2.20], [9, 9])[1].endswith("level 9 (2)")
    assert "level" not in names.zone_names([48.8], [2.2], [-1])[0]
    assert names.zone_names([], [], []) == []


def test_exchanged_coordinates_are_known_by_where_they_would_lie():
    chicago, paris, quito = (41.88, -87.63), (48.86, 2.35), (-0.18, -78.47)
    for lat, lon in (chicago, paris):
        assert names.exchanged([lat], [lon]) is None
        assert names.exchanged([lon, lon, 0.0], [lat, lat, 0.0])
    assert names.exchanged([quito[0]], [quito[1]]) is None
    assert names.exchanged([-40.0], [-120.0]) is None  # the Pacific; exchanged, there is no such latitude
