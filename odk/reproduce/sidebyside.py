"""One of the papers' tables with our figures beside the published ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pandas as pd

from odk import algorithms
from odk.experiment.grid import EVERYWHERE, WHOLE
from odk.published import Difference, Figure, PublishedRow, PublishedTable, as_printed
from odk.published.difference import explaining

HEADS = {
    "c_dm": "C_DM",
    "c_avg": "C_AVG",
    "g": "G",
    "e": "E",
    "gdm_mean": "GDM (m)",
    "seconds": "time (s)",
    "least_trips": "least trips",
    "least_population": "least weighted trips",
    "below": "cells below the other rule",
    "origins": "origins",
    "destinations": "destinations",
    "trips": "trips",
    "pairs": "pairs",
}
"""How a figure's column is headed."""
PUBLISHED = "published"
COLUMN_HEADS = {"sex": "sex", "age": "age", "profession": "category"}


@dataclass(frozen=True)
class Entry:
    """One figure: what is printed, and what we computed in each area."""

    metric: str
    published: Figure
    ours: dict[str, float | None]

    def text(self, source: str) -> str:
        """The figure of "published" or of an area, in the papers' form."""
        if source == PUBLISHED:
            return self.published.text
        return as_printed(self.metric, self.ours.get(source))

    def ratio(self, area: str) -> float | None:
        """Ours over the published one; None where either is missing."""
        ours, printed = self.ours.get(area), self.published.value
        return None if ours is None or not printed or not self.published.in_time else ours / printed


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    of: PublishedRow
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class SideBySide:
    """A published table with ours beside it."""

    of: PublishedTable
    areas: tuple[str, ...]
    """Where ours were computed: everywhere (all loaded trips), centre."""
    lines: tuple[Line, ...]
    absent: str = ""
    """Why ours are missing altogether; nothing where they are there."""
    why: tuple[Difference, ...] = field(default=())
    """What may explain a difference, besides the data."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Columns of each figure: published, then each area."""
        return (PUBLISHED, *self.areas) if not self.absent else (PUBLISHED,)

    @property
    def row_heads(self) -> tuple[str, ...]:
        """Heads of the columns that name a row."""
        match self.of.kind:
            case "cross":
                return ("protected",)
            case "shapes":
                return ("protected", "trips of")
            case "data":
                return ("data",)
        return ("algorithm",) if self.of.column == WHOLE else ("algorithm", COLUMN_HEADS[self.of.column])

    def names(self, line: Line) -> tuple[str, ...]:
        """What names a row, one text for each of `row_heads`."""
        row = line.of
        match self.of.kind:
            case "cross":
                return (row.target,)
            case "shapes":
                return (row.target, {"M": "men", "F": "women"}.get(row.segment, "all"))
            case "data":
                return (row.segment.capitalize(),)
        title = algorithms.get(row.algorithm).title
        return (title,) if self.of.column == WHOLE else (title, row.segment)

    def frame(self, sources: Sequence[str] | None = None) -> pd.DataFrame:
        """The table as texts in the papers' layout; one column a figure and source."""
        chosen = self.sources if sources is None else [s for s in sources if s in self.sources]
        rows = []
        for line in self.lines:
            row = dict(zip(self.row_heads, self.names(line), strict=True))
            row |= {f"{HEADS[e.metric]} {head(s)}": e.text(s) for e in line.entries for s in chosen}
            rows.append(row)
        return pd.DataFrame(rows)

    def grouped(self, sources: Sequence[str] | None = None) -> pd.DataFrame:
        """The same with two lines of headings: the figure, and below it where it is from."""
        flat = self.frame(sources)
        chosen = self.sources if sources is None else [s for s in sources if s in self.sources]
        names = [(" ", name) for name in self.row_heads]
        names += [(HEADS[metric], head(s)) for metric in self.of.metrics for s in chosen]
        return flat.set_axis(pd.MultiIndex.from_tuples(names), axis=1)

    def records(self) -> Iterator[dict[str, object]]:
        """One record a figure, numbers as numbers: for files and programs."""
        for line in self.lines:
            row = line.of
            for entry in line.entries:
                yield {
                    "table": self.of.key,
                    "algorithm": "" if self.of.kind == "data" else row.algorithm,
                    "segment": row.segment,
                    "target": "" if self.of.kind == "data" else row.target,
                    "view": self.of.view,
                    "metric": entry.metric,
                    "published": entry.published.value,
                    "printed": entry.published.printed,
                    **{area: entry.ours.get(area) for area in self.areas},
                }


def head(source: str) -> str:
    """The heading of a source: published, ours, or centre (ours too)."""
    return {PUBLISHED: "published", EVERYWHERE: "ours"}.get(source, source)


def side_by_side(of: PublishedTable, runs: pd.DataFrame, city: str | None, areas: Sequence[str]) -> SideBySide:
    """A published table with the figures of a grid's tidy table; `city` is where the loaded trips lie."""
    absent = _absent(of, runs, city)
    lines = tuple(
        Line(row, tuple(Entry(m, f, {} if absent else _ours(of, row, m, runs, city, areas)) for m, f in row.figures.items()))
        for row in of.rows
    )  # fmt: skip
    why = () if of.kind == "data" else explaining({row.algorithm for row in of.rows}, of.metrics)
    return SideBySide(of, tuple(areas), lines, absent, why)


def only_published(of: PublishedTable) -> SideBySide:
    """A published table before anything was computed."""
    lines = tuple(Line(row, tuple(Entry(m, f, {}) for m, f in row.figures.items())) for row in of.rows)
    return SideBySide(of, (), lines, absent="Not computed yet.")


def _absent(of: PublishedTable, runs: pd.DataFrame, city: str | None) -> str:
    if of.kind == "data":
        return ""
    if of.city in ("turin", "porto") and of.city != city:
        return f"The loaded trips do not lie in {of.city.capitalize()}: load that data to fill this table."
    if of.paper == "thesis" and of.city == "paris" and city in ("turin", "porto"):
        return f"The loaded trips lie in {city.capitalize()}: see its own table."
    if of.column != WHOLE and of.column not in set(runs["column"]):
        return f"The loaded trips have no column {of.column}."
    return ""


def _ours(
    of: PublishedTable, row: PublishedRow, metric: str, runs: pd.DataFrame, city: str | None, areas: Sequence[str]
) -> dict[str, float | None]:
    return {area: _figure(of, row, metric, runs[runs["area"] == area], city) for area in areas}


def _figure(of: PublishedTable, row: PublishedRow, metric: str, runs: pd.DataFrame, city: str | None) -> float | None:
    if of.kind == "data":
        if row.segment != (city or "paris"):
            return None
        here = runs[(runs["column"] == WHOLE) & (runs["error"] == "")]
        column = {"origins": "origin_leaves", "destinations": "destination_leaves"}.get(metric, metric)
    else:
        here = runs[
            (runs["segment"] == row.segment)
            & (runs["algorithm"] == row.algorithm)
            & (runs["target"] == row.target)
            & (runs["view"] == (of.view or "participants"))
            & (runs["error"] == "")
        ]
        other = "population" if row.target == "participants" else "trips"
        names = {"least_trips": "minimum_trips", "least_population": "minimum_population", "below": f"below_{other}"}
        column = names.get(metric, metric)
    if not len(here) or column not in here or pd.isna(here[column].iloc[0]):
        return None
    return float(here[column].iloc[0])
