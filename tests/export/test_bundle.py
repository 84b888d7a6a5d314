"""What a bundle says, and how it is made: numbers that one can check by hand."""

import io
import json
import os
import zipfile

import h3
import pytest

import odk
from odk.export import make_bundle
from tests.audit.towns import NORTH, SOUTH, people
from tests.export.towns import EAST, leaves, towns

TEN = odk.Protection(trips=10)


def manifest(release, audit=None, **more):
    return make_bundle(release, audit, **more).manifest


def test_four_files_and_the_guarded_measures_only():
    files = make_bundle(leaves(towns(), TEN)).files
    assert sorted(files) == ["flows.csv", "manifest.json", "report.html", "zones.geojson"]
    assert files["flows.csv"].decode() == f"origin,destination,trips\n{NORTH},{SOUTH},12\n{SOUTH},{NORTH},10\n"
    zones = json.loads(files["zones.geojson"])
    assert [f["properties"] for f in zones["features"]] == [
        {"zone": NORTH, "origin": True, "destination": True, "level": 7},
        {"zone": SOUTH, "origin": True, "destination": True, "level": 7},
    ]
    ring = zones["features"][0]["geometry"]["coordinates"][0]
    assert ring[0] == ring[-1]
    assert len(ring) == 7
    lat, lon = h3.cell_to_boundary(NORTH)[0]
    assert ring[0] == [round(lon, 6), round(lat, 6)]


@pytest.mark.parametrize(
    ("guard", "head", "first"),
    [
        (odk.Protection(persons=10), "persons", "12"),
        (odk.Protection(population=15), "population", "24"),
        (odk.Protection(trips=10, population=15), "trips,population", "12,24"),
        (odk.Protection(trips=10, persons=10, population=15), "trips,persons,population", "12,12,24"),
    ],
)
def test_columns_follow_the_guards(guard, head, first):
    lines = make_bundle(leaves(towns(), guard)).files["flows.csv"].decode().splitlines()
    assert lines[:2] == [f"origin,destination,{head}", f"{NORTH},{SOUTH},{first}"]


def test_the_manifest_says_what_was_promised():
    said = manifest(leaves(towns(), odk.Protection(trips=10, population=15)))
    assert said["schema_version"] == 1
    assert said["software_version"] == odk.__version__
    assert said["guarded"] == ["trips", "population"]
    assert said["thresholds"] == {"trips": 10, "population": 15.0}
    assert said["promise"] == "every published cell has at least 10 trips and 15 weighted trips (population)"
    assert said["minimum"] == {"trips": 10, "population": 15.0}
    assert said["published"] == {"trips": 22, "population": 39.0}
    assert (said["cells"], said["zones"]) == (2, {"origins": 2, "destinations": 2})
    assert said["audit"]["status"] == "audit not run"
    assert said["recipe"]["release"]["algorithm"] == "suppression"
    assert len(said["input_fingerprint"]) == 64


def test_small_releases_state_few_metrics():
    said = manifest(leaves(towns(), TEN))
    # 22 trips in 2 cells: C_AVG = 11 / 10. 22 is fewer than 10 times the threshold: nothing that depends on places.
    stated = {key: value for key, value in said["metrics"]["participants"].items() if value is not None}
    assert stated == {"c_avg": 1.1}
    assert list(said["metrics"]) == ["participants"]
    assert set(said["withheld"]["participants"]) == set(said["metrics"]["participants"]) - {"c_avg"}


def test_metrics_have_three_digits_where_there_is_enough(centre):
    release = odk.anonymise(centre, TEN, algorithm="odkanon-late")
    said = manifest(release)
    real = odk.measure(release).as_dict()
    assert said["metrics"]["participants"] == {key: float(f"{value:.3g}") for key, value in real.items()}
    assert said["suppressed"] == {"trips": float(f"{release.suppressed['trips']:.3g}")}


def test_what_is_suppressed_is_stated_only_where_it_could_be_published():
    for n in (0, 3, 9):  # none, 3 of 25, 9 of 31: below the threshold of 10, and not told apart
        assert manifest(leaves(towns(far=n), TEN))["suppressed"] == {"trips": "below threshold"}
    split = towns((EAST, EAST, people(6)), far=6)  # 6 + 6 trips in two cells: together 12 reach the threshold
    said = manifest(leaves(split, TEN))
    assert said["suppressed"] == {"trips": 0.353}  # 12 of 34
    assert said["metrics"]["participants"]["s"] == 0.353
    assert said["metrics"]["participants"]["c_dm"] == 652  # 144 + 100 + 34 x 12
    # the same 12 trips by 6 people do not reach 10 persons
    said = manifest(leaves(split, odk.Protection(trips=10, persons=10)))
    assert said["suppressed"] == {"trips": "below threshold"}


def test_rounding_is_stated_and_never_below_the_threshold():
    trips = towns((EAST, EAST, people(13)))
    release = leaves(trips, odk.Protection(trips=10, population=15))
    bundle = make_bundle(release, rounding={"trips": 4, "population": 10})
    # 12 -> 12; 10 -> 8 would look like a cell below 10, so 12. Population 24 -> 20, 15 -> 20 (half up); 13 is not published.
    assert bundle.files["flows.csv"].decode().splitlines()[1:] == [f"{NORTH},{SOUTH},12,20", f"{SOUTH},{NORTH},12,20"]
    said = bundle.manifest
    assert said["rounding"] == {"trips": 4, "population": 10.0}
    assert said["minimum"] == {"trips": 12, "population": 20.0}
    assert said["published"] == {"trips": 24, "population": 40.0}
    assert said["metrics"]["participants"]["c_avg"] == 1.2  # of what is published: 24 / 2 / 10
    assert "rounded: trips to multiples of 4" in bundle.report
    assert manifest(release, rounding=5)["rounding"] == {"trips": 5, "population": 5.0}
    with pytest.raises(odk.InputError, match="guarded measure"):
        make_bundle(release, rounding={"persons": 5})


def test_a_base_above_the_threshold_would_show_small_cells_too_large():
    with pytest.raises(odk.InputError, match=r"rounding of trips \(20\) must not exceed the threshold \(10\)"):
        make_bundle(leaves(towns(), TEN), rounding=20)


@pytest.mark.parametrize("wrong", [1, 0, -5, 2.5, True, "x", {"trips": 0}, {"speed": 3}, {"population": 0.5}])
def test_rounding_must_make_sense(wrong):
    with pytest.raises(odk.InputError, match="rounding"):
        make_bundle(leaves(towns(), odk.Protection(trips=10, population=15)), rounding=wrong)


def test_the_same_input_and_recipe_give_the_same_bytes(tmp_path):
    for name in ("a.zip", "b.zip"):
        odk.write_bundle(leaves(towns(), TEN), tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "b.zip"]


def test_a_bundle_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    place = tmp_path / "release.zip"
    place.write_bytes(b"the old one")

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(odk.InputError, match="No space left"):
        odk.write_bundle(leaves(towns(), TEN), place)
    assert place.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [place]
    with pytest.raises(odk.InputError, match="must be writable"):
        odk.write_bundle(leaves(towns(), TEN), tmp_path / "nowhere" / "release.zip")


def test_what_is_written_is_read(tmp_path):
    release = leaves(towns(), odk.Protection(trips=10, population=15))
    written = odk.write_bundle(release, tmp_path / "release.zip", rounding={"population": 3})
    for place in (tmp_path / "release.zip", written.to_bytes(), io.BytesIO(written.to_bytes())):
        read = odk.read_bundle(place)
        assert read.files == written.files
        assert read.flows.to_dict(orient="list") == {
            "origin": [NORTH, SOUTH],
            "destination": [SOUTH, NORTH],
            "trips": [12, 10],
            "population": [24.0, 15.0],
        }
        assert read.thresholds == {"trips": 10, "population": 15.0}
        assert read.recipe.rounding == odk.Rounding(population=3)
        assert read.digest == written.digest


def test_the_report_opens_without_a_network():
    bundle = make_bundle(leaves(towns(), TEN))
    for word in ("http:", "https:", "<script", "<img", "<link", "src=", "href="):
        assert word not in bundle.report
    assert bundle.report.count("<svg viewBox") == 2
    assert "every published cell has at least 10 trips" in bundle.report
