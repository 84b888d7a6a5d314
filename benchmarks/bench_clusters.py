"""Glove on the demo survey: finer than Mondrian, and as one merge at a time would have it (k=10 trips, budget 10%).

`one by one` is greedy merging with a table of all distances, on the first pairs of the centre only: it needs n² memory and time.
`graph of 100` is Glove along 100 nearest neighbours, as published. G in participants' view. Synthetic data.
"""

import time

import numpy as np
import pandas as pd

import odk
from odk.algorithms.glove import in_metres
from odk.algorithms.mondrian import points

GUARD = odk.Protection(trips=10)
FIRST = 2_000


def one_by_one(matrix: odk.ODMatrix, k: int) -> tuple[np.ndarray, float]:
    """Cluster of every pair by literal greedy merging, and seconds."""
    start = time.perf_counter()
    low = in_metres(points(matrix))
    high, volume = low.copy(), matrix.trips.copy()
    root = np.arange(len(low))
    far = np.abs(low[:, None, :] - low[None, :, :]).sum(axis=2)
    np.fill_diagonal(far, np.inf)
    for i in np.flatnonzero(volume >= k):
        far[i, :] = far[:, i] = np.inf
    while np.isfinite(least := far.min()):
        a, b = np.argwhere(far == least)[0]  # row by row: the least pair of numbers, a < b
        low[a], high[a] = np.minimum(low[a], low[b]), np.maximum(high[a], high[b])
        volume[a] += volume[b]
        root[root == b] = a
        gone = ~np.isfinite(far[a])
        far[b, :] = far[:, b] = np.inf
        far[a] = np.maximum(high[a] - low, high - low[a]).sum(axis=1)
        far[a, gone] = np.inf
        far[a, [a, b]] = np.inf
        if volume[a] >= k:
            far[a] = np.inf
        far[:, a] = far[a]
    return root, time.perf_counter() - start


def same(matrix: odk.ODMatrix) -> tuple[bool, float, float]:
    """Whether both ways find the same clusters, and the seconds of each."""
    root, slow = one_by_one(matrix, 10)
    start = time.perf_counter()
    release = odk.anonymise(matrix, GUARD, "glove", budget=0.0)
    fast = time.perf_counter() - start
    # without a budget only the last, unfinished cluster may differ: it joins its nearest
    ours = {frozenset(np.flatnonzero(release.of_pair == c).tolist()) for c in range(release.n_cells)}
    theirs = {frozenset(np.flatnonzero(root == r).tolist()) for r in np.unique(root)}
    return len(theirs - ours) <= 2, slow, fast


def run() -> pd.DataFrame:
    """Run everything."""
    whole = odk.ODMatrix.from_trips(odk.demo_survey())
    centre = whole.within(odk.CENTRE)
    small = centre.subset(np.arange(centre.n_pairs) < FIRST)
    equal, slow, fast = same(small)
    rows = [
        {"data": f"{FIRST:,} pairs of the centre", "algorithm": "one by one", "seconds": slow, "same clusters": equal},
        {"data": f"{FIRST:,} pairs of the centre", "algorithm": "glove", "seconds": fast, "same clusters": equal},
    ]
    for data, matrix in (("demo centre", centre), ("demo survey", whole)):
        for name, options in (("mondrian", {}), ("glove", {}), ("glove", {"neighbours": 100})):
            start = time.perf_counter()
            release = odk.anonymise(matrix, GUARD, name, 0.10, options=options)
            seconds = time.perf_counter() - start
            found = odk.measure(release)
            title = "glove, graph of 100" if options else name
            rows.append(
                {
                    "data": data,
                    "algorithm": title,
                    "seconds": seconds,
                    "cells": release.n_cells,
                    "G": found.g,
                    "E": found.e,
                    "S": found.s,
                }
            )
    return pd.DataFrame(rows)
