"""Every algorithm on the demo survey, its centre and a Porto-like taxi year, for participants and population (k=10, budget 10%).

Each run is in a process of its own: processor seconds of `anonymise` with the matrix in hand, so that other work on the machine
changes nothing, and the process's peak memory, data included.
G is in the lead measure's view; the limit is the tightest that holds for the release's kind. Synthetic data.
"""

import multiprocessing
import resource
import time
from functools import lru_cache
from pathlib import Path

import pandas as pd

import odk
from benchmarks.plot import Series, log_plot
from benchmarks.porto_like import porto_like

HERE = Path(__file__).resolve().parent
SMALL_ONLY = {"glove-sk", "ipf-dp"}
"""Not run on the year: scikit-learn refuses so many pairs, ipf-dp's table has no segments there."""
TARGETS = ("participants", "population")


@lru_cache(maxsize=1)
def matrix(data: str) -> odk.ODMatrix:
    """The matrix of a data set by its name."""
    if data == "taxi year":
        return odk.ODMatrix.from_trips(odk.Trips.from_table(porto_like(), synthetic=True))
    whole = odk.ODMatrix.from_trips(odk.demo_survey())
    return whole.within(odk.CENTRE) if data == "demo centre" else whole


def one(data: str, algorithm: str, target: str) -> dict[str, object]:
    """One row of the table."""
    m = matrix(data)
    guard = odk.Protection(trips=10) if target == "participants" else odk.Protection.population_of(m, 10)
    row: dict[str, object] = {"data": data, "algorithm": algorithm, "target": target}
    start = time.process_time()
    try:
        release = odk.anonymise(m, guard, algorithm, 0.10)
    except odk.OdkError as error:
        return row | {"seconds": time.process_time() - start, "note": str(error)[:90]}
    row["seconds"] = time.process_time() - start
    row["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if isinstance(release, odk.TreeRelease):
        row["zones"] = f"{len(release.origin_zones)}x{len(release.destination_zones)}"
    else:
        row["zones"] = f"{release.n_cells:,} cells"
    metrics = odk.measure(release, "population" if guard.lead == "population" else "participants")
    row |= {"S": metrics.s, "G": metrics.g, "E": metrics.e}
    if isinstance(release, odk.TreeRelease):
        row["G / limit"] = odk.above_limit(release).ratio
    return row


def run() -> pd.DataFrame:
    """Run everything; also draws results/algorithms.svg."""
    rows = []
    fork = multiprocessing.get_context("fork")  # the matrix is shared, the peak memory is the run's own
    for data in ("demo centre", "demo survey", "taxi year"):
        matrix(data)
        for algorithm in odk.algorithms.names():
            if data == "taxi year" and algorithm in SMALL_ONLY:
                continue
            for target in TARGETS:
                with fork.Pool(1) as pool:
                    rows.append(pool.apply(one, (data, algorithm, target)))
                print("  ", rows[-1], flush=True)
    columns = ["data", "algorithm", "target", "seconds", "peak MB", "zones", "S", "G", "E", "G / limit", "note"]
    table = pd.DataFrame(rows).reindex(columns=columns)
    table["note"] = table["note"].fillna("")
    draw(table)
    return table


def draw(table: pd.DataFrame) -> None:
    """Time against loss, one colour a data set."""
    shown = table[(table["target"] == "participants") & table["G"].notna() & (table["algorithm"] != "suppression")]
    series = [
        Series(str(data), tuple((r.seconds, r.G, r.algorithm) for r in part.itertuples()))
        for data, part in shown.groupby("data", sort=False)
    ]
    title = "Loss and time of every algorithm (k=10, budget 10%, participants, synthetic data)"
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / "algorithms.svg").write_text(
        log_plot(title, "seconds", "G: leaves a published trip is spread over", series)
    )
