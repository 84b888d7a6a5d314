"""The papers' tables: which there are, and what they print.

One file a paper, numbers as printed. Where the report's table 13, 14 or 15 cannot be read in our copy (the E of age 10-20,
four places) the figure is that of the thesis, which prints the same tables again. What looks like a slip of the pen is kept:
G 8,160.6 for age 10-20 in table 13, C_AVG 939.0 in table 12, C_DM of 1.1 × 10¹² in table 15, C_DM of Mondrian in 12 and 16.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from odk.errors import InputError
from odk.published.figure import Figure

Kind = Literal["metrics", "cross", "shapes", "data"]
PAPERS = {
    "report": "the ODkAnon report (arXiv 2509.12950)",
    "abstract": "its two-page abstract (NetMob 2025)",
    "thesis": "the thesis on ODkAnon",
}
_CITY = {"paris": "Paris", "turin": "Turin", "porto": "Porto"}
_PART = {"whole": "all trips", "sex": "by sex", "age": "by age band", "profession": "by profession"}


@dataclass(frozen=True)
class PublishedRow:
    """One line of a table."""

    segment: str
    """whole, or a value of the table's column; the city, in a table about data sets."""
    figures: Mapping[str, Figure]
    algorithm: str
    target: str


@dataclass(frozen=True)
class PublishedTable:
    """One table of a paper."""

    paper: str
    number: str
    kind: Kind
    city: str
    """paris, turin, porto; nothing where a table is about all of them."""
    column: str
    """Segment column of the rows: whole, sex, age, profession."""
    target: str
    """What was protected; nothing where rows differ in it."""
    view: str
    """What the metrics count: participants (trips) or population (weighted trips)."""
    rows: tuple[PublishedRow, ...]

    @property
    def key(self) -> str:
        """Its name among all: report-4, thesis-5.2."""
        return f"{self.paper}-{self.number}"

    @property
    def metrics(self) -> tuple[str, ...]:
        """Columns that hold figures, in the order printed."""
        return tuple(self.rows[0].figures)

    @property
    def title(self) -> str:
        """What it shows, in our words."""
        match self.kind:
            case "cross":
                return "Least cell under each rule, whichever of the two was protected (ODkAnon)"
            case "shapes":
                return "ODkAnon: size of the matrix and loss, all trips and by sex"
            case "data":
                return "The three data sets"
        where = "" if self.paper == "report" else f"{_CITY[self.city]}, "
        what = f"{where}{_PART[self.column]}: {self.target} protected, loss counted in {self.view}"
        return what[0].upper() + what[1:]


def _read(name: str) -> list[dict[str, str]]:
    text = (files("odk.published") / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _rows(kind: str, paper: str, number: str, target: str) -> tuple[PublishedRow, ...]:
    source = {"metrics": paper, "cross": "cross", "shapes": "abstract", "data": "datasets"}[kind]
    mine = [row for row in _read(source) if row.pop("table") == number and row.pop("paper", paper) == paper]
    used = {column for row in mine for column, text in row.items() if text}  # no column that this table leaves out
    found = []
    for row in mine:
        segment = row.pop("city", "") or row.pop("segment", "whole")
        algorithm, aim = row.pop("algorithm", "odkanon"), row.pop("target", target)
        figures = {metric: Figure(text) for metric, text in row.items() if metric in used}
        found.append(PublishedRow(segment, figures, algorithm, aim))
    return tuple(found)


@cache
def tables() -> tuple[PublishedTable, ...]:
    """Every table, paper by paper, in its order."""
    return tuple(
        PublishedTable(**row, rows=_rows(row["kind"], row["paper"], row["number"], row["target"]))  # type: ignore[arg-type]
        for row in _read("tables")
    )


def table(key: str) -> PublishedTable:
    """The table of a key: report-4, abstract-2, thesis-5.2."""
    found = {each.key: each for each in tables()}
    if key not in found:
        raise InputError(f"table ({key}) must be one of {', '.join(found)}")
    return found[key]
