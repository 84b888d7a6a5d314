"""The offline basemap: small, cut to the window, and honest about what it does not have."""

import json

import pytest

from odk.viz import basemap

PARIS = (1.0, 47.75, 4.0, 49.5)
CHICAGO = (-88.5, 41.0, -86.5, 42.5)


def test_assets_are_small_and_licensed():
    files = sorted(path for path in basemap.ASSETS.glob("*") if path.is_file())  # shots/ are our own pictures
    assert sum(path.stat().st_size for path in files) < 1_500_000
    licences = (basemap.ASSETS / "LICENCES.md").read_text()
    for path in files:
        stem = path.name.split(".")[0]
        assert path.suffix in {".py", ".md"} or stem in licences


def test_clip_keeps_what_is_inside():
    square = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]
    # The common part of [0,4]² and [2,6]x[1,3] is [2,4]x[1,3].
    clipped = basemap.clip_ring(square, (2, 1, 6, 3))
    assert sorted(map(tuple, clipped)) == [(2.0, 1.0), (2.0, 3.0), (4.0, 1.0), (4.0, 3.0)]
    assert basemap.clip_ring(square, (5, 5, 6, 6)) == []
    assert basemap.clip_ring(square, (-1, -1, 9, 9)) == square


def coordinates(value):
    if isinstance(value[0], int | float):
        yield value
    else:
        for part in value:
            yield from coordinates(part)


def points(layer):
    for geometry in layer.geometries:
        yield from coordinates(geometry["coordinates"])


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("box", [PARIS, CHICAGO, (-12.0, 38.0, -5.0, 45.0)])
def test_fills_stay_in_the_window_and_are_few_bytes(box, mode):
    ground = basemap.ground_shapes(box, mode)
    assert ground
    for layer in ground:
        if "border" not in layer.id:  # strokes may run out of the window, so that its edge is not drawn
            assert all(box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y, *_ in points(layer))
    assert sum(len(json.dumps(layer.geometries)) for layer in (*ground, *basemap.line_shapes(box, mode))) < 250_000


def test_lake_michigan_is_water():
    land = next(layer for layer in basemap.ground_shapes(CHICAGO) if layer.id == "world")
    assert (
        max(x for x, y, *_ in points(land) if 41.7 < y < 42.2 and x < -87) < -87.4
    )  # the shore, not the window's edge


def test_places_are_the_largest_and_apart():
    chosen = basemap.chosen_places(PARIS, most=8)
    assert chosen["name"].iloc[0] == "Paris"
    assert len(chosen) == 8
    wide, high = 0.2 * 3.0, 0.06 * 1.75
    for i, a in chosen.iterrows():
        for _, b in chosen.iloc[i + 1 :].iterrows():
            assert abs(a["lon"] - b["lon"]) > wide or abs(a["lat"] - b["lat"]) > high
    assert "Chicago" in set(basemap.chosen_places(CHICAGO)["name"])


def test_the_note_says_what_is_missing(monkeypatch, tmp_path):
    assert "coarse" not in basemap.note(PARIS)
    assert "coarse" in basemap.note(CHICAGO)
    assert "GeoNames (CC BY 4.0)" in basemap.note(PARIS)
    monkeypatch.setattr(basemap, "ASSETS", tmp_path)
    basemap.features.cache_clear()
    try:
        assert "No basemap" in basemap.note(PARIS)
    finally:
        basemap.features.cache_clear()


def test_without_assets_there_is_a_map_all_the_same(monkeypatch, tmp_path):
    cached = (basemap.features, basemap.places, basemap.ground_shapes, basemap.line_shapes)
    monkeypatch.setattr(basemap, "ASSETS", tmp_path)
    try:
        for function in cached:
            function.cache_clear()
        assert basemap.ground_shapes(CHICAGO) == basemap.line_shapes(CHICAGO) == ()
        assert basemap.chosen_places(CHICAGO).empty
    finally:
        for function in cached:
            function.cache_clear()
