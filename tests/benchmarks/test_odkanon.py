"""The comparison of odkanon with the literal version, on a small town."""

import numpy as np
import pandas as pd

import odk
from benchmarks.bench_odkanon import compare
from odk import cells


def test_both_agree_and_are_timed():
    draw = np.random.default_rng(3)
    ends = [cells.to_hex(cells.from_points(*(draw.normal(m, 0.01, 500) for m in (48.86, 2.34)), 9)) for _ in range(2)]
    matrix = odk.ODMatrix.from_pairs(pd.DataFrame({"start_h3": ends[0], "end_h3": ends[1], "count": 1}))
    row = compare(matrix, "trips", odk.Protection(trips=5))
    assert row["same"]
    assert row["pairs"] == matrix.n_pairs
    assert row["merge by merge (s)"] > 0
