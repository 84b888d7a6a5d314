"""How often TwinCut finds the optimum: random tiny problems on which every pair of cuts can be tried.

`optimal` counts problems in which TwinCut's G equals the least of all pairs of cuts within the budget (tests/oracles/cuts.py).
"""

import numpy as np
import pandas as pd

import odk
from tests.oracles.cuts import Problem

PROBLEMS = 150


def problem(rng: np.random.Generator) -> tuple[odk.ODMatrix, odk.Protection, odk.Budget]:
    """A random uneven tree of five or six leaves, and trips between them."""
    n = int(rng.integers(5, 7))
    leaves = [f"z{i}" for i in range(n)]
    tree = odk.Hierarchy.from_ward(leaves, rng.normal(48.8, 0.1, n), rng.normal(2.3, 0.1, n))
    pairs = {(a, b): int(rng.geometric(0.25)) for a in leaves for b in leaves if rng.random() < 0.5}
    pairs[leaves[0], leaves[1]] = 12
    table = pd.DataFrame([(o, d, c) for (o, d), c in pairs.items()], columns=["start_h3", "end_h3", "count"])
    return odk.ODMatrix.from_pairs(table, hierarchy=tree), odk.Protection(trips=8), odk.Budget(0.1)


def run() -> pd.DataFrame:
    """Count the optima at every effort."""
    rng = np.random.default_rng(0)
    problems = [problem(rng) for _ in range(PROBLEMS)]
    best = []
    for p in problems:
        oracle = Problem(*p)
        best.append(min(oracle.g(s) for s in oracle.homogeneous() if oracle.fits(s)))
    rows = []
    for name, options in (("odkanon-late", None), *((f"twincut, effort {e}", {"effort": e}) for e in (0, 1, 2))):
        found = [
            odk.measure(odk.anonymise(m, g, name.split(",")[0], b.share, options=options)).g for m, g, b in problems
        ]
        ratio = np.array(found) / np.array(best)
        rows.append(
            {
                "algorithm": name,
                "problems": PROBLEMS,
                "optimal": int((ratio <= 1 + 1e-9).sum()),
                "mean G / optimum": float(ratio.mean()),
                "worst": float(ratio.max()),
            }
        )
    return pd.DataFrame(rows)
