"""The comparison of 001 (section 4.4, appendix C) on any data: tables 3, 4, 6 and what figure 12 shows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from odk.algorithms import anonymise
from odk.comparison import published
from odk.errors import Cancelled, InputError, OdkError
from odk.hierarchy import Hierarchy
from odk.matrix import DEFAULT_RESOLUTION, ODMatrix
from odk.metrics import View, measure
from odk.protection import Protection
from odk.trips import Trips

SOLVERS = (
    *("atg-dual", "atg-soft", "oigh", "glove-sk", "glove", "mondrian", "suppression", "laplace"),
    *("atg-joint", "twincut", "odkanon", "odkanon-late"),
)
"""Those of the paper in its order, then ours and ODkAnon."""
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "oigh": {"suppress": True},
    "mondrian": {"on_failure": "stop"},
    "glove-sk": {"max_pairs": 30_000},
}
"""As 001 runs them; glove-sk is left out where it would take minutes."""
RATIOS = ("g", "e", "d", "seconds")
REFERENCE = "atg-dual"
QUICK = tuple(name for name in SOLVERS if name != "glove-sk")
"""Without the one that takes three quarters of the time."""
DAYS, QUICK_DAYS = 7, 2
NOT_DRAWN = ("suppression", "laplace")
"""Not in figure 12: they generalise nothing."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Every solver on every matrix, and the paper's tables of it."""

    runs: pd.DataFrame = field(repr=False)
    """One row a run: dataset, matrix, solver, seconds, g, e, d, s, error (why there is none)."""
    big: tuple[str, ...]
    """Data sets of table 4."""
    view: str

    @property
    def table_3(self) -> pd.DataFrame:
        """Mean performance over the matrices of the data sets that are not big; seconds are summed."""
        return self._table(~self.runs["dataset"].isin(self.big), published.ATG_SMALL)

    @property
    def table_4(self) -> pd.DataFrame:
        """The same over the big data sets."""
        return self._table(self.runs["dataset"].isin(self.big), published.ATG_BIG)

    @property
    def table_6(self) -> pd.DataFrame:
        """By data set and solver: ours, then the published ones, which are of other data."""
        ours = self._means(self.runs, ["dataset", "solver"]).assign(source="odk")
        theirs = pd.DataFrame(
            published.ATG_DETAIL, columns=["dataset", "solver", "time (s)", "G", "E", "E (normalized)", "S"]
        )
        return pd.concat([ours, theirs.assign(source="published")], ignore_index=True)

    @property
    def ratios(self) -> pd.DataFrame:
        """Figure 12: each metric of each run over that of ATG-Dual on the same matrix; above 1 is worse."""
        key = ["dataset", "matrix"]
        runs = self.runs[~self.runs["solver"].isin(NOT_DRAWN)]
        tidy = runs.melt([*key, "solver"], RATIOS, "metric", "value").dropna(subset="value")
        base = tidy[tidy["solver"] == REFERENCE].set_index([*key, "metric"])["value"].rename("base")
        tidy = tidy[tidy["solver"] != REFERENCE].join(base, on=[*key, "metric"]).dropna(subset="base")
        tidy = tidy[(tidy["base"] > 0) & (tidy["value"] > 0)]
        return tidy.assign(ratio=tidy["value"] / tidy["base"]).reset_index(drop=True)

    def _table(self, which: pd.Series, theirs: Sequence[tuple[Any, ...]]) -> pd.DataFrame:
        names = ["G", "E", "D", "time (s)", "S"]
        ours = self._means(self.runs[which], ["solver"])
        known = pd.DataFrame(theirs, columns=["theirs", *(f"{n}, published" for n in names)])
        ours["theirs"] = ours["solver"].map(published.PUBLISHED_NAME)
        return ours[["solver", *names, "theirs"]].merge(known, on="theirs", how="left").drop(columns="theirs")

    def _means(self, runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
        """Means over matrices that the solver finished; G is of generalisations only, as in the paper."""
        runs = runs.assign(g=runs["g"].where(runs["solver"] != "suppression"))
        groups = runs.groupby(by, sort=False)
        out = groups[["g", "e", "d", "s"]].mean()
        out["time (s)"] = groups["seconds"].sum(min_count=1)
        out = out.rename(columns={"g": "G", "e": "E", "d": "D", "s": "S"}).reset_index()
        return out[[*by, "time (s)", "G", "E", "D", "S"]]


def daily_matrices(
    trips: Trips, *, resolution: int = DEFAULT_RESOLUTION, hierarchy: Hierarchy | None = None, most: int = DAYS
) -> dict[str, ODMatrix]:
    """One matrix a day, as 001 has one an hour; without start times one a value of the first segment column.

    The `most` fullest are taken; a matrix of everything where there is nothing to divide by.
    """
    table = trips.table
    if _dated(trips):
        label = table["start_time"].dt.strftime("%Y-%m-%d")
    elif trips.segments:
        label = table[trips.segments[0]].astype("str")
    else:
        return {"all": ODMatrix.from_trips(trips, resolution, hierarchy=hierarchy)}
    fullest = sorted(label.dropna().value_counts().head(most).index)
    parts = {str(day): replace(trips, table=table[label == day].reset_index(drop=True)) for day in fullest}
    return {day: ODMatrix.from_trips(part, resolution, hierarchy=hierarchy) for day, part in parts.items()}


def _dated(trips: Trips) -> bool:
    return "start_time" in trips.table.columns and bool(trips.table["start_time"].notna().any())


def solver_comparison(
    datasets: Mapping[str, Mapping[str, ODMatrix]],
    *,
    big: Sequence[str] = (),
    protection: Protection | None = None,
    budget: float = 0.10,
    solvers: Sequence[str] = SOLVERS,
    options: Mapping[str, Mapping[str, Any]] = OPTIONS,
    progress: Callable[[float, str], None] = lambda share, message: None,
) -> Comparison:
    """Run every solver on every matrix of every data set (name -> label -> matrix).

    k is 10 trips and the budget 10% of them unless said otherwise, as in the paper. A solver that refuses a matrix is
    reported with its reason, not left out.
    """
    guard = Protection(trips=10) if protection is None else protection
    unknown = [name for name in big if name not in datasets]
    if unknown:
        raise InputError(f"big ({unknown[0]}) must be one of the data sets: {', '.join(datasets)}")
    view: View = "population" if guard.lead == "population" else "participants"
    work = [(d, label, m, s) for d, many in datasets.items() for label, m in many.items() for s in solvers]
    rows = []
    for i, (dataset, label, matrix, solver) in enumerate(work):
        progress(i / len(work), f"{solver} on {dataset}, {label}")
        row: dict[str, Any] = {"dataset": dataset, "matrix": label, "solver": solver}
        start = time.perf_counter()
        try:
            release = anonymise(matrix, guard, solver, budget, options=dict(options.get(solver, {})))
        except Cancelled:
            raise
        except OdkError as error:
            nothing = {"e": 1.0, "s": 1.0} if solver == "suppression" else {}  # all pairs are too small: all is lost
            rows.append(row | nothing | {"error": str(error)})
            continue
        row["seconds"] = time.perf_counter() - start
        found = measure(release, view)
        rows.append(row | {"g": found.g, "e": found.e, "d": found.d, "s": found.s, "error": None})
    columns = ["dataset", "matrix", "solver", "seconds", "g", "e", "d", "s", "error"]
    runs = pd.DataFrame(rows, columns=columns)
    numbers = ["seconds", "g", "e", "d", "s"]
    return Comparison(runs.astype(dict.fromkeys(numbers, "float64")), tuple(big), view)


def survey_comparison(
    trips: Trips,
    *,
    resolution: int = DEFAULT_RESOLUTION,
    quick: bool = False,
    progress: Callable[[float, str], None] = lambda share, message: None,
) -> Comparison:
    """The comparison on one survey: its days are the small matrices, and all its trips together the big one.

    `quick` takes fewer days and leaves glove-sk out.
    """
    progress(0.0, "counting")
    days = daily_matrices(trips, resolution=resolution, most=QUICK_DAYS if quick else DAYS)
    solvers = QUICK if quick else SOLVERS
    if len(days) == 1:  # the same as all trips
        return solver_comparison({"all trips": days}, solvers=solvers, progress=progress)
    every = {"all": ODMatrix.from_trips(trips, resolution)}
    name = "days" if _dated(trips) else trips.segments[0]
    return solver_comparison({name: days, "all trips": every}, big=("all trips",), solvers=solvers, progress=progress)
