"""From a Parquet file of trips to released zones, 100,000 to 10 million trips of a Porto-like taxi year (synthetic).

Each size is in a process of its own, in processor seconds. `per trip` is the time a trip takes relative to the smallest size:
1 or less means that
time grows at most linearly. The row of 1,674,160 trips is the year that SPEC 6 asks for (under 6 s, under 2 GB).
"""

import multiprocessing
import resource
import tempfile
import time
from pathlib import Path

import pandas as pd

import odk
from benchmarks.plot import Series, log_plot
from benchmarks.porto_like import porto_like

HERE = Path(__file__).resolve().parent
SIZES = (100_000, 300_000, 1_000_000, 1_674_160, 3_000_000, 10_000_000)


def one(path: str, algorithm: str) -> dict[str, object]:
    """Read, count, release; seconds of each and the peak memory of the process."""
    start = time.process_time()
    trips = odk.read_trips(path)
    read = time.process_time()
    matrix = odk.ODMatrix.from_trips(trips)
    counted = time.process_time()
    release = odk.anonymise(matrix, odk.Protection(trips=10), algorithm, 0.10)
    done = time.process_time()
    return {
        "trips": len(trips),
        "pairs": matrix.n_pairs,
        "algorithm": algorithm,
        "read": read - start,
        "matrix": counted - read,
        "release": done - counted,
        "in all": done - start,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "zones": f"{len(release.origin_zones)}x{len(release.destination_zones)}",
    }


def make(path: str, size: int) -> None:
    """Write a year of some size, in a process of its own so that its memory is not counted."""
    porto_like(trips=size).to_parquet(path)


def run() -> pd.DataFrame:
    """Run every size; also draws results/growth.svg."""
    spawn = multiprocessing.get_context("spawn")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = str(Path(folder) / f"{size}.parquet")
            with spawn.Pool(1) as pool:
                pool.apply(make, (path, size))
            for algorithm in ("odkanon-late", "twincut"):
                with spawn.Pool(1) as pool:
                    rows.append(pool.apply(one, (path, algorithm)))
                print("  ", rows[-1], flush=True)
            Path(path).unlink()
    table = pd.DataFrame(rows)
    rate = table["in all"] / table["trips"]
    table["per trip"] = rate / rate.groupby(table["algorithm"]).transform("first")
    series = [
        Series(str(name), tuple((r.trips, r._7, "") for r in part.itertuples()), line=True)
        for name, part in table.groupby("algorithm", sort=False)
    ]
    slope = table["in all"].iloc[0]
    series.append(Series("linear", tuple((n, slope * n / SIZES[0], "") for n in (SIZES[0], SIZES[-1])), line=True))
    (HERE / "results").mkdir(exist_ok=True)
    title = "From a Parquet file of trips to released zones (synthetic taxi data)"
    (HERE / "results" / "growth.svg").write_text(log_plot(title, "trips", "seconds", series))
    return table
