"""The command line: the JSON that others rely on, tables for people, exit codes, one line for every mistake."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import h3
import pandas as pd
import pytest

import odk
from odk.cli.arguments import pairs, write_table
from tests.audit.towns import FAR, NEAR, NORTH, SOUTH, people, survey

KEYS = {"c_dm", "c_avg", "g", "e", "d", "s", "gdm_mean", "gdm_median", "gdm_std"}


@pytest.fixture
def file(tmp_path):
    """Trips as a file with names of its own: 12 NORTH-SOUTH by 3 people, 6 SOUTH-NORTH by 6, 2 FAR-FAR by 2, one bad row."""
    trips = survey(
        (NORTH, SOUTH, people(3, 2.0) * 4), (SOUTH, NORTH, people(6, 5.0)), (FAR, FAR, people(2)), sex=["F", "M"] * 10
    )
    ends = {end: trips.table[end].map(h3.cell_to_latlng) for end in ("origin", "destination")}
    table = pd.DataFrame(
        {
            "bike_id": trips.table["person"],
            "from_y": ends["origin"].str[0],
            "from_x": ends["origin"].str[1],
            "to_y": ends["destination"].str[0],
            "to_x": ends["destination"].str[1],
            "w": trips.table["weight"],
            "sex": trips.table["sex"],
        }
    )
    table.loc[len(table)] = ["p0", 0.0, 0.0, 48.0, 2.0, 1.0, "F"]
    path = tmp_path / "trips.csv"
    table.to_csv(path, index=False)
    return path


MAPPING = "person=bike_id,origin_lat=from_y,origin_lon=from_x,destination_lat=to_y,destination_lon=to_x,weight=w"


def given(file):
    return ["--input", file, "--columns", MAPPING, "--resolution", 7, "--algorithm", "odkanon-late"]


def test_run_prints_the_json_that_was_promised(ask, file):
    code, out, err = ask("run", *given(file), "--protect", "trips", "--k", 3, "--budget", 0.1, "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["algorithm"] == "odkanon-late"
    assert said["protection"] == {"trips": 3}
    assert said["budget"] == 0.1
    wanted = {"rows": 21, "trips": 20, "rejected": {"coordinate is (0, 0)": 1}, "pairs": 3, "origins": 3}
    assert said["input"].items() >= (wanted | {"destinations": 3}).items()
    # Two trips of twenty are within the budget: FAR-FAR is suppressed, and nothing need be merged.
    assert said["zones"] == {"origins": 2, "destinations": 2}
    assert said["cells"] == 2
    assert said["suppressed"] == {"trips": 0.1, "population": 2 / 56}
    assert said["minimum"] == {"trips": 6, "persons": 3, "population": 24.0}
    assert set(said["metrics"]) == {"participants", "population"}
    assert all(set(view) >= KEYS for view in said["metrics"].values())
    assert said["metrics"]["participants"]["g"] == 2.0
    assert said["limit"] == 2.0
    assert set(said["seconds"]) == {"read", "matrix", "anonymise", "measure"}


def test_run_says_the_same_as_python(ask, file):
    for protect in ("trips", "persons", "population", "both"):
        code, out, _ = ask("run", *given(file), "--protect", protect, "--k", 3, "--budget", 0.2, "--json")
        assert code == 0
        said = json.loads(out)
        columns = dict(part.split("=") for part in MAPPING.split(","))
        matrix = odk.ODMatrix.from_trips(odk.read_trips(file, columns=columns), resolution=7)
        guard = {
            "trips": odk.Protection(trips=3),
            "persons": odk.Protection(persons=3),
            "population": odk.Protection.population_of(matrix, 3),
            "both": odk.Protection.both(matrix, 3),
        }[protect]
        release = odk.anonymise(matrix, guard, algorithm="odkanon-late", budget=0.2)
        assert said["protection"] == guard.guards
        assert said["cells"] == release.n_cells
        assert said["minimum"] == release.minimum
        assert said["suppressed"] == release.suppressed
        for view in ("participants", "population"):
            measured = odk.measure(release, view=view)
            assert said["metrics"][view]["g"] == measured.g
            assert said["metrics"][view]["c_dm"] == measured.c_dm
        assert said["limit"] == odk.limit(matrix, guard, budget=0.2)


def test_a_segment_keeps_the_thresholds_of_the_whole_input(ask, file):
    _, out, _ = ask("run", *given(file), "--segment", "sex=F", "--protect", "both", "--k", 3, "--budget", 0.2, "--json")
    said = json.loads(out)
    assert said["input"]["trips"] == 10
    assert said["protection"] == {"trips": 3, "population": 8.4}  # 3 x 56 / 20, of all twenty trips


def test_an_area_is_the_trips_with_both_ends_inside(ask, file):
    _, out, _ = ask("run", *given(file), "--area", NEAR, "--k", 3, "--json")
    assert json.loads(out)["input"]["trips"] == 18


def test_run_is_readable(ask, file):
    code, out, _ = ask("run", *given(file), "--k", 3)
    assert code == 0
    for words in (
        "every cell has at least 3 trips",
        "20 trips, 3 pairs, 3 origins x 3 destinations",
        "1 of 21 rows; coordinate is (0, 0): 1",
        "2 origins x 2 destinations, 2 cells",
        "10.00% of trips",
        "6 trips, 3 persons, 24 weighted trips (population)",
    ):
        assert words in out
    assert max(map(len, out.splitlines())) <= 140


def test_options_reach_the_algorithm(ask, file):
    code, out, _ = ask("run", *given(file), "--k", 3, "--options", "drift=0.5", "--json")
    assert code == 0
    assert json.loads(out)["zones"] == {"origins": 2, "destinations": 2}


@pytest.mark.parametrize("algorithm", odk.algorithms.names())
def test_every_algorithm_can_be_run_and_audited(ask, file, algorithm):
    base = ["--input", file, "--columns", MAPPING, "--resolution", 7, "--algorithm", algorithm, "--k", 3]
    code, out, err = ask("run", *base, "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["algorithm"] == algorithm
    noise = odk.algorithms.get(algorithm).kind == "noise"
    assert (said["limit"] is None) == (odk.algorithms.get(algorithm).kind not in ("homogeneous", "tree"))
    code, out, _ = ask("audit", *base)
    assert (code, "not k-anonymous" in out) == ((1, True) if noise else (0, False))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--k", "ten"], "whole number"),
        (["--k", "1"], "at least 2"),
        (["--k", "99"], "must not exceed the 20 trips"),
        (["--budget", "1"], "must lie in [0, 1)"),
        (["--budget", "much"], "must be a number"),
        (["--algorithm", "magic"], "must be one of"),
        (["--protect", "dogs"], "invalid choice"),
        (["--segment", "sex=X"], "must be a value that occurs"),
        (["--segment", "height=2"], "must be a segment column"),
        (["--segment", "sex"], "name=value"),
        (["--area", "nowhere"], "must be an H3 index"),
        (["--options", "depth=2"], "option (depth)"),
        (["--options", "drift=often"], "drift"),
        (["--columns", "person=dog"], "once"),
        (["--resolution", "16"], "resolution (16)"),
        (["--budget-in", "cheese"], "invalid choice"),
        (["--k"], "expected one argument"),
        (["--nonsense"], "unrecognized"),
        (["--demo"], "not allowed with"),
    ],
)
def test_bad_input_is_one_line_and_code_2(ask, file, arguments, words):
    for verb in ("run", "audit"):
        code, out, err = ask(verb, *given(file), *arguments)
        assert (code, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1


def test_bad_files_are_one_line_and_code_2(ask, tmp_path):
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    text = tmp_path / "text.csv"
    text.write_text("a,b\n1,2\n")
    nobody = tmp_path / "nobody.csv"
    nobody.write_text("origin_lat,origin_lon,destination_lat,destination_lon\n" + "48.8,2.3,48.9,2.4\n" * 5)
    for argv in (
        ["run"],
        ["run", "--input", tmp_path / "none.csv"],
        ["run", "--input", tmp_path],
        ["run", "--input", empty],
        ["run", "--input", text],
        ["run", "--input", nobody, "--protect", "persons", "--k", "2"],
        ["run", "--input", nobody, "--columns", "person=who"],
        ["run", "--demo", "--columns", "person=who"],
        ["fly"],
        [],
    ):
        code, out, err = ask(*argv)
        assert (code, out, err.count("\n")) == (2, "", 1), argv


def test_no_release_within_the_budget_is_code_1(ask, tmp_path):
    # Each of two pairs has 2 trips; ODkAnon's filter at the leaves drops one of them, and 2 trips are fewer than 3.
    path = tmp_path / "few.csv"
    survey((NORTH, SOUTH, people(2)), (SOUTH, NORTH, people(2))).table.to_csv(path, index=False)
    settings = ["--algorithm", "odkanon", "--k", 3, "--budget", 0.5, "--options", "levels=0"]
    code, out, err = ask("run", "--input", path, *settings)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "can publish nothing" in err


def test_audit_passes_a_clean_release_and_gives_advice(ask, file):
    code, out, _ = ask("audit", *given(file), "--k", 5, "--json")
    assert code == 0
    said = json.loads(out)
    assert said["passed"] is True
    assert said["minimum"] == {"trips": 6, "persons": 3, "population": 24.0}
    assert [(row["measure"], row["value"], row["guarded"]) for row in said["failing"]] == [("persons", 3.0, False)]
    code, out, _ = ask("audit", *given(file), "--k", 5)
    assert code == 0
    assert "every guarded check passes" in out
    assert "1 cell of the 2 with at least 5 trips is made by fewer than 5 people; the least by 3 people." in out


def test_audit_takes_the_thresholds_of_the_whole_input(ask, file):
    _, out, _ = ask("audit", *given(file), "--segment", "sex=F", "--k", 3, "--json")
    checks = {check["name"]: check for check in json.loads(out)["checks"]}
    assert checks["cross population"]["threshold"] == 8.4


def test_audit_writes_the_failing_cells(ask, file, tmp_path):
    code, _, _ = ask("audit", *given(file), "--k", 5, "--cells", tmp_path / "cells.csv")
    assert code == 0
    written = pd.read_csv(tmp_path / "cells.csv")
    assert written.loc[written["check"].str.startswith("cross"), "measure"].tolist() == ["persons"]


def test_audit_takes_thresholds_of_its_own(ask, file):
    base = ["audit", *given(file), "--k", 3, "--json", "--thresholds"]
    code, out, _ = ask(*base, "l_leaves=1,t=0.25,sensitive=sex,effective=2.5")
    assert code == 0
    checks = {check["name"]: check for check in json.loads(out)["checks"]}
    assert checks["l-diversity leaves"]["passed"]
    assert checks["t-closeness origins"]["threshold"] == 0.25
    assert checks["effective sample"]["threshold"] == 2.5
    assert "l-diversity sex" in checks
    for wrong, words in (("magic=1", "must be one of"), ("t=2", "between 0 and 1"), ("sensitive=height", "height")):
        code, out, err = ask(*base, wrong)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert words in err


def test_a_failed_check_is_code_1(ask, file, monkeypatch):
    honest = odk.algorithms.anonymise

    def greedy(*args, **more):
        release = honest(*args, **more)
        return replace(release, trips=release.trips + 1)

    monkeypatch.setattr("odk.cli.arguments.algorithms.anonymise", greedy)
    code, out, _ = ask("audit", *given(file), "--k", 3)
    assert code == 1
    assert "A GUARDED CHECK FAILS" in out
    assert "publish a sum that differs from the trips" in out


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_demo_survey_can_be_written_and_read_again(ask, tmp_path, ending):
    path = tmp_path / f"demo.{ending}"
    code, out, _ = ask("demo", path)
    assert code == 0
    assert "synthetic" in out
    again, demo = odk.read_trips(path), odk.demo_survey()
    assert again.rejected == {}
    assert set(demo.segments) <= set(again.segments)
    one, two = (odk.ODMatrix.from_trips(trips) for trips in (again, demo))
    assert (one.n_pairs, one.total_trips, one.total_population) == (two.n_pairs, two.total_trips, two.total_population)
    assert one.n_persons == two.n_persons


def test_tables_are_written_by_the_ending_of_the_file(tmp_path):
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    for ending in ("csv", "csv.gz", "parquet"):
        path = str(tmp_path / f"table.{ending}")
        write_table(table, path)
        again = pd.read_parquet(path) if ending == "parquet" else pd.read_csv(path)
        assert again.to_numpy().tolist() == table.to_numpy().tolist()


def test_demo_says_what_it_is(ask):
    code, out, _ = ask("demo", "--json")
    assert code == 0
    said = json.loads(out)
    assert said["synthetic"] is True
    assert said["file"] is None
    assert said["persons"] == 3320
    assert {"sex", "age", "profession"} <= set(said["segments"])


def test_demo_refuses_a_file_that_it_cannot_write(ask, tmp_path):
    for out in (tmp_path / "demo.xlsx", tmp_path / "no" / "folder" / "demo.csv", tmp_path / "no" / "demo.parquet"):
        code, said, err = ask("demo", out)
        assert (code, said, err.count("\n")) == (2, "", 1)


def test_the_demo_centre_as_a_process():
    root = Path(__file__).resolve().parents[1]
    command = [
        sys.executable,
        "-m",
        "odk",
        "run",
        "--demo",
        "--area",
        "centre",
        "--algorithm",
        "odkanon-late",
        "--json",
    ]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["minimum"]["trips"] >= 10
    assert said["limit"] <= said["metrics"]["participants"]["g"]
    assert said["suppressed"]["trips"] <= 0.1


def test_name_value_pairs():
    assert pairs(["a=1,b=2", "c=x=y"], "options") == {"a": "1", "b": "2", "c": "x=y"}
    with pytest.raises(odk.InputError, match="must be given once"):
        pairs(["a=1", "a=2"], "options")


def test_help_names_every_verb(ask):
    code, out, _ = ask("--help")
    assert code == 0
    assert all(verb in out for verb in ("run", "audit", "demo"))
