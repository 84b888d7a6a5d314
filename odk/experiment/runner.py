"""Run a grid over the cores: shared matrices, progress, cancel, resume; one failing run does not stop the rest.

Results are appended to a store, one JSON line a run, as soon as they are there. A run that is in the store is not run again;
a line torn by a kill is ignored and its run repeated. So a grid that was killed at any point ends with the same table.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from odk import algorithms
from odk._version import __version__
from odk.errors import InputError, OdkError
from odk.experiment.grid import WHOLE, Grid, Run, Segment
from odk.limits import above_limit
from odk.matrix import MICRO, ODMatrix
from odk.metrics import measure
from odk.protection import population_threshold
from odk.release import Release, TreeRelease
from odk.trips import Trips

Progress = Callable[[float, str], None]
VIEWS = ("participants", "population")
Row = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What a grid gave."""

    table: pd.DataFrame
    """One row a run and view, every setting in it."""
    runs: int
    failed: int
    reused: int
    """Runs that a store had already."""
    seconds: float


def run_grid(
    trips: Trips,
    grid: Grid,
    *,
    whole: ODMatrix | None = None,
    store: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Run every run of the grid on the trips.

    `whole` is the matrix whose mean weight the population's thresholds come from (default: that of the trips).
    `store` is a file to resume from and append to; `workers` processes (default: one a core; 1: in this process).
    `progress` is called with the share done and a message, and may raise odk.Cancelled.
    """
    start = time.perf_counter()
    runs = list(grid.runs())
    weight = "" if whole is None else f"-{whole.total_population}/{whole.total_trips}"
    fingerprint = f"{trips.fingerprint}-{grid.resolution}-{__version__}-{int(grid.limits)}{weight}"
    done = _read_store(store, fingerprint)
    todo = [run for run in runs if run.key not in done]
    reused = len(runs) - len(todo)
    tell = progress if progress is not None else _silent
    tell(reused / max(len(runs), 1), f"{reused} of {len(runs)} runs done")
    with _Store(store, fingerprint) as out:
        for n, (run, rows) in enumerate(_results((trips, grid, whole), todo, workers), start=reused + 1):
            done[run.key] = rows
            out.add(run.key, rows)
            tell(n / len(runs), f"{n} of {len(runs)} runs: {run.segment}, {run.algorithm}, {run.target}")
    rows = [row for run in runs for row in done[run.key]]
    failed = sum(1 for run in runs if done[run.key][0]["error"])
    return Result(pd.DataFrame(rows), len(runs), failed, reused, time.perf_counter() - start)


def _silent(share: float, message: str) -> None:
    """Progress that nobody asked for."""


Data = tuple[Trips, Grid, ODMatrix | None]
"""What a worker needs once: the arguments of Bench."""


def _results(data: Data, todo: Sequence[Run], workers: int | None) -> Iterator[tuple[Run, list[Row]]]:
    count = min(workers if workers is not None else (os.cpu_count() or 1), len(todo))
    if count < 1 and todo:
        raise InputError(f"workers ({workers}) must be at least 1")
    if count <= 1:
        bench = Bench(*data)
        for run in todo:
            yield run, bench.rows(run)
        return
    yield from _spread(data, todo, count)


def _spread(data: Data, todo: Sequence[Run], count: int) -> Iterator[tuple[Run, list[Row]]]:
    """Over processes. Runs of one segment and target stay with one of them, which keeps their matrix and bounds; one that
    has nothing left takes over from the one that has most.
    """
    context = multiprocessing.get_context("spawn")  # fork is not safe under Streamlit's threads
    pools = [ProcessPoolExecutor(1, mp_context=context, initializer=_start_worker, initargs=data) for _ in range(count)]
    groups, mine = deque(_groups(todo)), [deque[Run]() for _ in range(count)]
    waiting: dict[Future[list[Row]], tuple[int, Run]] = {}

    def feed(worker: int) -> None:
        own = mine[worker]
        if not own and groups:
            own.extend(groups.popleft())
        longest = max(mine, key=len)
        if not own and longest:
            own.append(longest.pop())
        if own:
            run = own.popleft()
            waiting[pools[worker].submit(_work, run)] = (worker, run)

    try:
        for worker in range(count):
            feed(worker)
        while waiting:
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            done = sorted(((*waiting.pop(future), future.result()) for future in finished), key=lambda item: item[0])
            for worker, _, _ in done:
                feed(worker)
            yield from ((run, rows) for _, run, rows in done)
    finally:  # also when the caller stops early: what is queued is dropped, what runs is ended
        for pool in pools:
            for process in list((pool._processes or {}).values()):
                process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)


def _groups(todo: Sequence[Run]) -> list[list[Run]]:
    """Runs by area, segment and target; whole data before segments, so that no long run is left for the end."""
    found: dict[tuple[Segment, str], list[Run]] = {}
    for run in todo:
        found.setdefault((run.segment, run.target), []).append(run)
    order = sorted(found, key=lambda key: (key[0].column != WHOLE, key[0].area, key))
    return [found[key] for key in order]


_bench: Bench | None = None


def _start_worker(*data: *Data) -> None:
    global _bench  # one a worker process, set once
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _bench = Bench(*data)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(run: Run) -> list[Row]:
    assert _bench is not None
    return _bench.rows(run)


class Bench:
    """Runs of one grid on one data set; matrices are built once."""

    def __init__(self, trips: Trips, grid: Grid, whole: ODMatrix | None = None) -> None:
        self.trips = trips
        self.grid = grid
        self.all = ODMatrix.from_trips(trips, grid.resolution)
        self.whole = self.all if whole is None else whole
        """Where thresholds come from."""
        self.matrix = lru_cache(maxsize=32)(self._matrix)
        self.within = lru_cache(maxsize=2)(self._within)

    def _matrix(self, segment: Segment) -> ODMatrix:
        if segment == Segment():
            return self.all
        part = replace(segment, area=()).of(self.within(segment.area))
        return ODMatrix.from_trips(part, self.grid.resolution)

    def _within(self, area: tuple[str, ...]) -> Trips:
        """The trips of an area, found once for all its segments."""
        return Segment(area=area).of(self.trips, self.grid.resolution)

    def release(self, run: Run) -> Release:
        """The release of one run."""
        matrix = self.matrix(run.segment)
        return algorithms.anonymise(
            matrix,
            run.protection(self.whole),
            run.algorithm,
            run.budget,
            budget_in=run.budget_in,  # type: ignore[arg-type]
            options=dict(run.options) if run.options else None,
        )

    def rows(self, run: Run) -> list[Row]:
        """One row a view; where the run fails with an OdkError, rows that say so."""
        base = self._settings(run)
        start = time.perf_counter()
        try:
            release = self.release(run)
            seconds = time.perf_counter() - start
            outcome = _outcome(release) | self._cross(release, run.k)
            found = [base | outcome | self._measures(release, view) for view in VIEWS]
        except OdkError as error:
            seconds = time.perf_counter() - start
            found = [base | {"view": view, "error": str(error)} for view in VIEWS]
        return [row | {"seconds": seconds} for row in found]

    def _settings(self, run: Run) -> Row:
        guards = {f"threshold_{m}": t for m, t in run.protection(self.whole).guards.items()}
        entry = algorithms.get(run.algorithm)
        return {
            "column": run.segment.column,
            "segment": str(run.segment),
            "area": run.segment.area_name,
            "algorithm": run.algorithm,
            "kind": entry.kind,
            "target": run.target,
            "k": run.k,
            "budget": run.budget,
            "budget_in": run.budget_in or entry.budget_in,
            "options": json.dumps(dict(run.options), sort_keys=True),
            "resolution": self.grid.resolution,
            "version": __version__,
            "source": self.trips.source,
            "synthetic": self.trips.synthetic,
            "error": "",
        } | guards

    def _cross(self, release: Release, k: int) -> Row:
        """How many published cells lie below each measure's threshold at k, whatever was guarded (000, table 3)."""
        return {
            "below_trips": int((release.trips < k).sum()),
            "below_persons": None if release.persons is None else int((release.persons < k).sum()),
            "below_population": int((release.population < round(population_threshold(self.whole, k) * MICRO)).sum()),
        }

    def _measures(self, release: Release, view: str) -> Row:
        metrics = measure(release, view=view, mean_weight=self.whole.mean_weight)  # type: ignore[arg-type]
        row: Row = {"view": view} | metrics.as_dict(planning=True)
        if self.grid.limits and view == _lead_view(release):
            above = above_limit(release)
            row |= {"limit": above.limit, "above_limit": above.ratio}
        return row


def _lead_view(release: Release) -> str:
    return "population" if release.protection.lead == "population" else "participants"


def _outcome(release: Release) -> Row:
    matrix = release.matrix
    tree = isinstance(release, TreeRelease)
    return {
        "trips": matrix.total_trips,
        "pairs": matrix.n_pairs,
        "origin_leaves": matrix.origins.n_leaves,
        "destination_leaves": matrix.destinations.n_leaves,
        "origins": len(release.origin_zones) if isinstance(release, TreeRelease) else None,
        "destinations": len(release.destination_zones) if isinstance(release, TreeRelease) else None,
        "homogeneous": release.homogeneous if tree else False,
        "cells": release.n_cells,
        "suppressed_trips": release.suppressed["trips"],
        "suppressed_population": release.suppressed["population"],
        **{f"minimum_{m}": value for m, value in release.minimum.items()},
        "notes": " ".join(release.notes),
    }


def _read_store(store: str | os.PathLike[str] | None, fingerprint: str) -> dict[str, list[Row]]:
    """Results of this data and version that a store holds; torn or foreign lines are passed over."""
    if store is None or not Path(store).exists():
        return {}
    done: dict[str, list[Row]] = {}
    for line in Path(store).read_text(encoding="utf-8").splitlines():
        try:
            item = json.loads(line)
        except ValueError:  # the line that a kill cut off
            continue
        if isinstance(item, dict) and item.get("data") == fingerprint:
            done[item["key"]] = item["rows"]
    return done


class _Store:
    """Appends results; each line is on the disk before the next run is reported."""

    def __init__(self, path: str | os.PathLike[str] | None, fingerprint: str) -> None:
        self.path = None if path is None else Path(path)
        self.fingerprint = fingerprint

    def __enter__(self) -> _Store:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            torn = self.path.exists() and not self.path.read_bytes().endswith(b"\n") and self.path.stat().st_size > 0
            self.file = self.path.open("a", encoding="utf-8")
            if torn:
                self.file.write("\n")
        return self

    def add(self, key: str, rows: list[Row]) -> None:
        """Keep the rows of one run."""
        if self.path is None:
            return
        self.file.write(json.dumps({"data": self.fingerprint, "key": key, "rows": rows}) + "\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def __exit__(self, *_: object) -> None:
        if self.path is not None:
            self.file.close()
