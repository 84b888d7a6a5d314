"""The runner: same table whether killed or not, errors as rows, cancel, cores."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import odk
from odk.experiment import Grid, run_grid
from odk.experiment.runner import _groups

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def trips():
    rng = np.random.default_rng(1)
    n = 600
    places = rng.normal((48.86, 2.34), (0.03, 0.04), size=(12, 2))
    ends = [places[rng.integers(0, 12, n)] + rng.normal(0, 0.002, (n, 2)) for _ in "od"]
    names = ["origin_lat", "origin_lon", "destination_lat", "destination_lon"]
    table = pd.DataFrame(np.hstack(ends), columns=names)
    table = table.assign(
        person=rng.integers(0, 90, n), weight=rng.integers(500, 3000, n), sex=rng.choice(["F", "M"], n)
    )
    return odk.Trips.from_table(table, segments=["sex"])


@pytest.fixture(scope="module")
def grid(trips):
    return Grid(algorithms=("odkanon-late", "twincut", "mondrian"), ks=(5, 400)).with_segments(trips)


def same(one, two):
    columns = [c for c in one.columns if c != "seconds"]
    pd.testing.assert_frame_equal(one[columns], two[columns])


@pytest.fixture(scope="module")
def result(trips, grid):
    return run_grid(trips, grid, workers=1)


def test_tidy_table_with_failures_as_rows(result, grid):
    runs = len(list(grid.runs()))
    assert (result.runs, result.reused, len(result.table)) == (runs, 0, 2 * runs)
    failed = result.table[result.table["error"] != ""]
    # k=400: a segment has about 300 trips, so no release of it exists; the whole has 600
    assert set(failed["segment"]) == {"F", "M"}
    assert set(failed["k"]) == {400}
    assert failed["error"].str.contains("must not exceed|can publish").all()
    assert result.failed == len(failed) // 2
    good = result.table[result.table["error"] == ""]
    assert (
        good.loc[good["target"] == "participants", "minimum_trips"] >= good["k"][good["target"] == "participants"]
    ).all()
    assert good["g"].notna().all()


def test_thresholds_of_segments_are_those_of_the_whole(result, trips):
    whole = odk.Protection.population_of(odk.ODMatrix.from_trips(trips), 5).population
    rows = result.table[(result.table["target"] == "population") & (result.table["k"] == 5)]
    assert set(rows["threshold_population"]) == {whole}


@pytest.mark.parametrize("cut", [0, 1, 0.37, 0.8])
def test_killed_anywhere_it_ends_with_the_same_table(tmp_path, trips, grid, result, cut):
    store = tmp_path / "runs.jsonl"
    run_grid(trips, grid, store=store, workers=1)
    whole = store.read_bytes()
    store.write_bytes(whole[: int(len(whole) * cut) - (1 if cut == 1 else 0)])  # a kill in the middle of a line
    again = run_grid(trips, grid, store=store, workers=1)
    same(again.table, result.table)
    if 0 < cut < 1:
        assert 0 < again.reused < again.runs
    kept = [json.loads(line)["key"] for line in store.read_text().splitlines() if line.endswith("}") and _whole(line)]
    assert len(kept) == len(set(kept)) == again.runs


def _whole(line):
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def test_a_store_of_other_data_is_not_used(tmp_path, trips, grid):
    store = tmp_path / "runs.jsonl"
    run_grid(trips.where(sex="F"), Grid(algorithms=("odkanon-late",), ks=(5,)), store=store, workers=1)
    other = run_grid(trips, Grid(algorithms=("odkanon-late",), ks=(5,)), store=store, workers=1)
    assert other.reused == 0


def test_over_the_cores_it_is_the_same(trips, grid, result):
    same(run_grid(trips, grid, workers=2).table, result.table)


def test_cancel_keeps_what_is_done(tmp_path, trips, grid, result):
    store = tmp_path / "runs.jsonl"

    def stop(share, message):
        if share > 0.4:
            raise odk.Cancelled("enough")

    with pytest.raises(odk.Cancelled):
        run_grid(trips, grid, store=store, workers=2, progress=stop)
    again = run_grid(trips, grid, store=store, workers=1)
    assert again.reused > 0
    same(again.table, result.table)


def test_runs_of_one_segment_and_target_stay_together_and_all_trips_come_first(trips):
    grid = Grid(algorithms=("oigh", "mondrian"), ks=(5, 10)).with_segments(trips)
    groups = _groups(list(grid.runs()))
    assert [(str(group[0].segment), group[0].target) for group in groups] == [
        (segment, target) for segment in ("whole", "F", "M") for target in ("participants", "population")
    ]
    assert all(len(group) == 4 for group in groups)
    assert all(len({(run.segment, run.target) for run in group}) == 1 for group in groups)


def test_two_workers_share_one_group(trips):
    """One segment and target: the worker without work takes over from the other, and nothing is run twice."""
    grid = Grid(algorithms=("oigh", "odkanon-late"), targets=("participants",), ks=(5, 6, 7))
    two, one = run_grid(trips, grid, workers=2), run_grid(trips, grid, workers=1)
    assert two.runs == 6
    same(two.table, one.table)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_workers_end_when_their_parent_is_killed(tmp_path, trips):
    """A real kill of a real process, in the middle of its runs: its workers go too, and the store is used again."""
    trips.table.to_csv(tmp_path / "trips.csv", index=False)
    store = tmp_path / "runs.jsonl"
    asked = ["sweep", "--input", tmp_path / "trips.csv", "--algorithms", "twincut", "--workers", "2", "--store", store]
    command = [
        sys.executable,
        "-m",
        "odk",
        *map(str, asked),
        "--k",
        ",".join(map(str, range(3, 33))),
        "--budget",
        "0.1",
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
    end = time.monotonic() + 60
    while not (store.exists() and store.read_bytes().count(b"\n") >= 2):
        assert time.monotonic() < end
        time.sleep(0.02)
    process.kill()
    process.wait()
    while alive(process.pid):
        assert time.monotonic() < end
        time.sleep(0.05)
    done = store.read_bytes().count(b"\n")
    again = subprocess.run([*command, "--json"], cwd=ROOT, capture_output=True, check=True)
    assert json.loads(again.stdout)["reused"] >= done


def alive(group):
    """Whether any process of a group is left, other than ended ones that nobody has waited for."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = status.read_text().rpartition(")")[2].split()[:3]
        except FileNotFoundError:  # it ended meanwhile
            continue
        if int(its_group) == group and state != "Z":
            return True
    return False
