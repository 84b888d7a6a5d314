"""flows.csv: one row a published cell, the guarded measures only, in one form and one order."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from odk.cells import Floats, Ints
from odk.errors import InputError
from odk.export._names import check_name, csv_cell, neutralise, original
from odk.matrix import MICRO
from odk.protection import MEASURES
from odk.release import BOX_COLUMNS

ENDS = ("origin", "destination")
MOST_CELLS = 1_000_000
_WHOLE = re.compile(r"\d{1,15}")
_AMOUNT = re.compile(r"\d{1,12}(\.\d{1,6})?")
_DEGREES = re.compile(r"-?\d{1,3}(\.\d{1,9})?")


@dataclass(frozen=True, eq=False)
class Flows:
    """Published cells as the file has them, sorted."""

    places: tuple[tuple[str, ...], ...]
    """Per cell: origin and destination, or the eight sides of its boxes as text."""
    measures: dict[str, Ints]
    """Guarded measures in exact units."""
    boxes: bool = False

    def __len__(self) -> int:
        return len(self.places)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the file."""
        return (*(BOX_COLUMNS if self.boxes else ENDS), *self.measures)

    @property
    def sides(self) -> Floats:
        """Sides of the boxes in degrees, [cells, 8]."""
        return np.array(self.places, dtype=np.float64).reshape(len(self), 8)

    def total(self, measure: str) -> int:
        """Sum over all cells, in exact units."""
        return sum(self.measures[measure].tolist())  # Python's integers: a stranger's numbers may pass 2^63

    @property
    def table(self) -> pd.DataFrame:
        """As a DataFrame in natural units."""
        names = BOX_COLUMNS if self.boxes else ENDS
        columns = list(zip(*self.places, strict=True)) or [()] * len(names)
        kind = np.float64 if self.boxes else "str"
        found = {name: pd.Series(column, dtype=kind) for name, column in zip(names, columns, strict=True)}
        values = {m: v / MICRO if m == "population" else v for m, v in self.measures.items()}
        return pd.DataFrame(found | values)

    def to_csv(self) -> str:
        """The file's text."""
        texts = [_texts(m, values) for m, values in self.measures.items()]
        lines = [",".join(self.columns)]
        for i, place in enumerate(self.places):
            named = place if self.boxes else (csv_cell(neutralise(name)) for name in place)
            lines.append(",".join((*named, *(column[i] for column in texts))))
        return "\n".join(lines) + "\n"


def sort_flows(places: Sequence[tuple[str, ...]], measures: dict[str, Ints], boxes: bool) -> Flows:
    """Cells in the order of their names (boxes: of their sides), so that the order tells nothing."""
    if boxes:
        order = sorted(range(len(places)), key=lambda i: tuple(map(float, places[i])))
    else:
        order = sorted(range(len(places)), key=lambda i: places[i])
    index = np.array(order, dtype=np.int64)
    return Flows(tuple(places[i] for i in order), {m: values[index] for m, values in measures.items()}, boxes)


def _texts(measure: str, values: Ints) -> list[str]:
    if measure != "population":
        return [str(v) for v in values.tolist()]
    return [amount(v) for v in values.tolist()]


def amount(micro: int) -> str:
    """Weighted trips with the decimals they have."""
    whole, rest = divmod(micro, MICRO)
    return f"{whole}.{rest:06d}".rstrip("0") if rest else str(whole)


def parse_flows(text: str) -> tuple[Flows, tuple[str, ...]]:
    """Read the file; returns the cells and the columns as they stand in line 1. Anything odd is an InputError."""
    rows = csv.reader(io.StringIO(text), strict=True)
    try:
        head = tuple(next(rows, ()))
        boxes = head[: len(BOX_COLUMNS)] == BOX_COLUMNS
        names = BOX_COLUMNS if boxes else ENDS
        measures = head[len(names) :]
        if head[: len(names)] != names or not measures or any(m not in MEASURES for m in measures):
            raise InputError(
                f"flows.csv must begin with origin,destination (or the sides of boxes) and then trips, persons or "
                f"population; its columns are {', '.join(head)[:200]!r}"
            )
        if len(set(head)) < len(head):
            raise InputError("flows.csv must not have a column twice")
        places: list[tuple[str, ...]] = []
        values: list[list[int]] = [[] for _ in measures]
        for number, row in enumerate(rows, 2):
            if len(row) != len(head):
                raise InputError(f"flows.csv must have {len(head)} values in every row; row {number:,} has {len(row)}")
            if number > MOST_CELLS:
                raise InputError(f"flows.csv must have at most {MOST_CELLS:,} rows")
            places.append(_place(row[: len(names)], boxes, number))
            for column, measure, cell in zip(values, measures, row[len(names) :], strict=True):
                column.append(_exact(measure, cell, number))
    except csv.Error as problem:
        raise InputError(f"flows.csv must be a table of comma-separated values: {problem}") from None
    if not places:
        raise InputError("flows.csv must have at least one row")
    arrays = {m: np.array(column, dtype=np.int64) for m, column in zip(measures, values, strict=True)}
    return Flows(tuple(places), arrays, boxes), head


def _place(cells: list[str], boxes: bool, row: int) -> tuple[str, ...]:
    if boxes:
        wrong = [cell for cell in cells if not _DEGREES.fullmatch(cell)]
        if wrong:
            raise InputError(f"flows.csv must give boxes in degrees; row {row:,} has {wrong[0][:40]!r}")
        return tuple(cells)
    names = tuple(map(original, cells))
    for name in names:
        check_name(name)
    return names


def _exact(measure: str, cell: str, row: int) -> int:
    pattern = _AMOUNT if measure == "population" else _WHOLE
    if not pattern.fullmatch(cell):
        raise InputError(f"flows.csv must give {measure} as a number; row {row:,} has {cell[:40]!r}")
    if measure != "population":
        return int(cell)
    whole, _, rest = cell.partition(".")
    return int(whole) * MICRO + int(rest.ljust(6, "0") or 0)
