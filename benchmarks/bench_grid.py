"""The papers' whole grid on the demo survey: 4 algorithms x 2 targets x 18 segments, all metrics in both views, limits too.

To reach: under 60 s on two cores, no N/A. Two workers, each with matrices of its own. Wall-clock seconds count everything from
the trips in memory to the table, starting the workers included; processor seconds are those of the workers and, halved, say
what two idle cores would need. `reproduce` is the same grid on all trips and on the centre.
"""

import resource
import time
from collections.abc import Callable

import pandas as pd

import odk
from odk.experiment import Result, paper_grid, run_grid
from odk.reproduce import reproduce

WORKERS = 2


def spent() -> float:
    """Processor seconds of this process and of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, kinds))


def measured(name: str, work: Callable[[], Result]) -> dict[str, object]:
    """One row: runs, those without a release, metrics that are missing, and the time."""
    before, start = spent(), time.perf_counter()
    result = work()
    wall, used = time.perf_counter() - start, spent() - before
    # E and G of every release in both views; the papers have N/A for half of the population runs.
    missing = int(result.table[["c_dm", "c_avg", "g", "e", "d", "s", "gdm_mean"]].isna().sum().sum())
    return {
        "work": name,
        "runs": result.runs,
        "failed": result.failed,
        "figures missing (N/A)": missing,
        "wall clock (s)": wall,
        "processor (s)": used,
        "processor / 2 (s)": used / WORKERS,
        "longest run (s)": float(result.table["seconds"].max()),
    }


def run() -> pd.DataFrame:
    """Measure the grid, and what the command `reproduce --demo` does."""
    trips = odk.demo_survey()
    return pd.DataFrame(
        [
            measured("the papers' grid", lambda: run_grid(trips, paper_grid(trips), workers=WORKERS)),
            measured("reproduce --demo", lambda: reproduce(trips, workers=WORKERS).result),
        ]
    )
