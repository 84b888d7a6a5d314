"""compare, sweep and reproduce on the command line: tables, JSON, files, exit codes."""

import json

import pandas as pd
import pytest

from odk.cli.progress import progress
from tests.reproduce.conftest import town


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("trips") / "town.csv"
    town(400).to_csv(path, index=False)
    return path


def test_compare_prints_one_line_an_algorithm(ask, file):
    code, out, err = ask("compare", "--input", file, "--algorithms", "odkanon-late,mondrian", "--workers", 1)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split()[:3] == ["algorithm", "zones", "cells"]
    assert [line.split()[0] for line in lines[1:3]] == ["odkanon-late", "mondrian"]
    assert "participants protected" in out


def test_compare_json_and_file(ask, file, tmp_path):
    out_file = tmp_path / "runs.csv"
    asked = ("--algorithms", "oigh,atg-dual", "--protect", "population", "--k", 5, "--workers", 1)
    code, out, _ = ask("compare", "--input", file, *asked, "--json", "--out", out_file)
    found = json.loads(out)
    assert (code, found["runs"], found["failed"]) == (0, 2, 0)
    assert {row["algorithm"]: row["view"] for row in found["rows"]} == dict.fromkeys(("oigh", "atg-dual"), "population")
    assert len(pd.read_csv(out_file)) == 4  # two runs, two views


def test_a_segment_keeps_the_thresholds_of_the_whole_file(ask, file):
    def threshold(*more):
        asked = ("--algorithms", "oigh", "--protect", "population", "--workers", 1, "--json")
        return json.loads(ask("compare", "--input", file, *asked, *more)[1])["rows"][0]["threshold_population"]

    assert threshold("--segment", "sex=F") == threshold()


def test_sweep_runs_every_k_with_every_budget(ask, file):
    asked = ("--algorithms", "odkanon-late", "--k", "3,5", "--budget", "0,0.2", "--workers", 1)
    code, out, _ = ask("sweep", "--input", file, *asked, "--json")
    rows = json.loads(out)["rows"]
    assert code == 0
    assert [(row["k"], row["budget"]) for row in rows] == [(3, 0.0), (3, 0.2), (5, 0.0), (5, 0.2)]
    assert rows[1]["g"] <= rows[0]["g"]
    assert ask("sweep", "--input", file, *asked)[0] == 0


def test_all_runs_failed_is_code_1(ask, file):
    code, out, _ = ask("compare", "--input", file, "--algorithms", "oigh", "--k", 100_000, "--workers", 1)
    assert code == 1
    assert "must not exceed" in out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("compare", "--algorithms", "magic"), "algorithm ('magic')"),
        (("sweep", "--k", "5,many"), "--k (5,many)"),
        (("sweep", "--budget", "1.5"), "budget (1.5)"),
        (("compare", "--k", "ten"), "must be a whole number"),
        (("reproduce", "--table", "report-99"), "--table (report-99)"),
    ],
)
def test_bad_input_is_code_2_and_one_line(ask, file, argv, words):
    verb, *rest = argv
    code, out, err = ask(verb, "--input", file, *rest, "--workers", 1)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_reproduce_json_files_and_store(ask, file, tmp_path):
    store, folder = tmp_path / "runs.jsonl", tmp_path / "out"
    code, out, err = ask("reproduce", "--input", file, "--workers", 1, "--json", "--store", store, "--out", folder)
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert {"runs", "failed", "seconds", "tables"} <= found.keys()
    assert (found["runs"], found["failed"]) == (4 * 2 * 5, 0)
    assert len(found["tables"]) == 39
    g = [f for f in found["tables"]["report-4"]["figures"] if f["metric"] == "g" and f["algorithm"] == "odkanon"]
    assert g[0]["published"] == 601.8
    assert g[0]["everywhere"] > 2
    names = {path.name for path in folder.iterdir()}
    assert {"report.html", "runs.csv", "comparison.csv", "report-4.csv", "abstract-2.csv"} <= names
    assert "thesis-5.3.csv" not in names  # not in Turin
    again = json.loads(ask("reproduce", "--input", file, "--json", "--store", store)[1])
    assert again["reused"] == again["runs"] + again["centre_runs"]
    assert again["tables"] == found["tables"]
    code, out, _ = ask("reproduce", "--input", file, "--store", store, "--table", "report-8")
    assert code == 0
    assert "Table 8 of the report" in out
    assert "PROTECTING PARTICIPANTS" not in out
    assert "Protecting participants does not protect the population" in out


def test_out_that_is_a_file_is_refused(ask, file):
    code, _, err = ask("reproduce", "--input", file, "--out", file)
    assert code == 2
    assert "--out" in err


def test_progress_only_where_someone_watches(capsys, monkeypatch):
    with progress() as tell:
        assert tell is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress() as tell:
        tell(0.5, "half")
    assert "[############............] half" in capsys.readouterr().err
