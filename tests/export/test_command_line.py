"""run --bundle, run --recipe and verify: the same bundle from a script, exit codes, one line for every mistake."""

import json

import h3
import pandas as pd
import pytest

import odk
from tests.audit.towns import FAR, NORTH, SOUTH, people, survey

COLUMNS = "person=bike_id,origin_lat=from_y,origin_lon=from_x,destination_lat=to_y,destination_lon=to_x"


@pytest.fixture
def file(tmp_path):
    """12 + 11 + 13 trips with points and names of their own."""
    flows = ((NORTH, SOUTH, people(12)), (SOUTH, NORTH, people(11)), (FAR, FAR, people(13)))
    trips = survey(*flows, sex=["F", "M"] * 18)
    table = pd.DataFrame({"bike_id": trips.table["person"], "sex": trips.table["sex"]})
    for end, word in (("origin", "from"), ("destination", "to")):
        at = trips.table[end].map(h3.cell_to_latlng)
        table[f"{word}_y"], table[f"{word}_x"] = at.str[0], at.str[1]
    path = tmp_path / "trips.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture
def settings(file):
    return ["--input", file, "--columns", COLUMNS, "--resolution", 7, "--k", 10, "--algorithm", "suppression"]


def test_from_a_file_to_a_checked_bundle_and_back(ask, settings, file, tmp_path):
    out, again, recipe = tmp_path / "release.zip", tmp_path / "again.zip", tmp_path / "recipe.toml"
    code, text, _ = ask("run", *settings, "--bundle", out, "--save-recipe", recipe, "--json")
    assert code == 0
    said = json.loads(text)
    assert said["bundle"] == {"file": str(out), "digest": odk.read_bundle(out).digest}
    assert odk.read_bundle(out).manifest["audit"]["status"] == "passed"
    for source in (recipe, out):  # the recipe of the file, and the bundle's own
        assert ask("run", "--recipe", source, "--input", file, "--bundle", again)[0] == 0
        assert again.read_bytes() == out.read_bytes()
    code, text, _ = ask("verify", out)
    assert code == 0
    assert "passes every check" in text
    code, text, _ = ask("verify", out, "--input", file, "--json")
    assert code == 0
    found = json.loads(text)
    assert found["passed"] is True
    assert {c["check"]: c["severity"] for c in found["checks"]}["rebuild"] == "pass"


def test_a_rejected_bundle_is_exit_code_1_and_an_unreadable_one_2(ask, settings, tmp_path):
    out = tmp_path / "release.zip"
    ask("run", *settings, "--bundle", out)
    assert ask("verify", out, "--digest", "0" * 64)[0] == 1
    other = tmp_path / "other.zip"
    other.write_bytes(b"nothing")
    code, _, error = ask("verify", other)
    assert code == 2
    assert "zip" in error
    assert len(error.splitlines()) == 1


def test_a_release_that_may_not_be_bundled_is_exit_code_1(ask, settings, tmp_path):
    out = tmp_path / "release.zip"
    code, _, error = ask("run", *settings[:-1], "laplace", "--bundle", out)
    assert code == 1
    assert "k-anonymous" in error
    assert not out.exists()


def test_rounding(ask, settings, tmp_path):
    out = tmp_path / "release.zip"
    assert ask("run", *settings, "--bundle", out, "--rounding", 5)[0] == 0
    assert odk.read_bundle(out).flows["trips"].tolist() == [10, 10, 15]
    assert ask("run", *settings, "--bundle", out, "--rounding", "trips=4")[0] == 0
    assert odk.read_bundle(out).flows["trips"].tolist() == [12, 12, 12]
    assert ask("run", *settings, "--bundle", out, "--rounding", "persons=4")[0] == 2


def test_settings_beside_a_recipe_are_refused(ask, settings, file, tmp_path):
    recipe = tmp_path / "recipe.toml"
    ask("run", *settings, "--save-recipe", recipe)
    for more in (["--k", 5], ["--algorithm", "twincut"], ["--segment", "sex=F"], ["--budget-in", "pairs"]):
        code, _, error = ask("run", "--recipe", recipe, "--input", file, *more)
        assert code == 2
        assert f"{more[0]} must not be given with --recipe" in error
    assert ask("run", "--recipe", recipe)[0] == 2  # no data
    assert ask("run", "--recipe", tmp_path / "nothing.toml", "--input", file)[0] == 2


def test_other_data_than_the_recipes_is_said(ask, settings, file, tmp_path):
    recipe = tmp_path / "recipe.toml"
    ask("run", *settings, "--save-recipe", recipe)
    table = pd.read_csv(file)
    table.iloc[1:].to_csv(file, index=False)
    code, text, _ = ask("run", "--recipe", recipe, "--input", file)
    assert code == 0
    assert "not that of the recipe's fingerprint" in text


def test_a_demo_recipe_needs_no_data(ask, tmp_path):
    recipe, out = tmp_path / "recipe.toml", tmp_path / "release.zip"
    code, _, _ = ask(
        "run",
        "--demo",
        "--area",
        "centre",
        "--segment",
        "sex=F",
        "--protect",
        "both",
        "--bundle",
        out,
        "--save-recipe",
        recipe,
    )
    assert code == 0
    assert "demo = 0" in recipe.read_text()
    assert ask("run", "--recipe", recipe, "--bundle", tmp_path / "again.zip")[0] == 0
    assert (tmp_path / "again.zip").read_bytes() == out.read_bytes()
    assert ask("verify", out, "--demo")[0] == 0


def test_two_bundles_against_each_other(ask, settings, tmp_path):
    every, women = tmp_path / "all.zip", tmp_path / "women.zip"
    ask("run", *settings, "--bundle", every)
    settings[7] = 5  # 6, 6 (5) and 7 (6) women: what is left of the men is below 10
    ask("run", *settings, "--segment", "sex=F", "--bundle", women)
    code, text, _ = ask("verify", every, "--against", women)
    assert code == 1
    assert "sex = any other" in text
    code, text, _ = ask("verify", every, "--against", women, "--json")
    assert code == 1
    assert json.loads(text)["against"]["passed"] is False
    assert ask("verify", every, "--against", every)[0] == 0
