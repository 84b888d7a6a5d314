"""The benchmark of the grid counts what is missing, and takes processor time of workers into account."""

import pandas as pd

from benchmarks.bench_grid import measured
from odk.experiment import Result


def test_a_row_counts_failed_runs_and_missing_figures():
    names = ["c_dm", "c_avg", "g", "e", "d", "s", "gdm_mean"]
    table = pd.DataFrame([[1.0] * 7, [1.0] * 6 + [None]], columns=names).assign(seconds=[0.1, 0.4])
    row = measured("nothing", lambda: Result(table, 1, 0, 0, 0.0))
    assert (row["runs"], row["failed"], row["figures missing (N/A)"], row["longest run (s)"]) == (1, 0, 1, 0.4)
    assert row["processor / 2 (s)"] == row["processor (s)"] / 2
