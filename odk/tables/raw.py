"""Raw tables: rows as a file has them, with those that were refused counted by reason."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from odk.columns import listing
from odk.errors import InputError
from odk.tables.content import Source, display_name

SHOWN = 5


@dataclass(frozen=True)
class RawTable:
    """A file as read."""

    name: str
    table: pd.DataFrame
    row: npt.NDArray[np.int64]
    """Number of each row in the file: 1 is the first below the header; blank lines are not counted."""
    refused: Mapping[str, int] = field(default_factory=dict)
    """Rows of the file that are not in ``table``, by reason."""
    refused_rows: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """The first few of each reason, with their ``row``."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """What else was met and counted, without a row being refused for it."""

    @property
    def rows(self) -> int:
        """Rows of the file, refused ones included."""
        return len(self.table) + sum(self.refused.values())

    def without(self, bad: npt.NDArray[np.bool_], reason: str, show: Sequence[str]) -> "RawTable":
        """The same without the rows marked bad, which are counted under a reason; ``show`` names the columns to show."""
        if not bad.any():
            return self
        first = np.flatnonzero(bad)[:SHOWN]
        shown = self.table[list(show)].iloc[first].reset_index(drop=True)
        shown.insert(0, "row", self.row[first])
        if reason in self.refused_rows:
            shown = pd.concat([self.refused_rows[reason], shown]).sort_values("row", kind="stable").head(SHOWN)
        return replace(
            self,
            table=self.table[~bad].reset_index(drop=True),
            row=self.row[~bad],
            refused={**self.refused, reason: self.refused.get(reason, 0) + int(bad.sum())},
            refused_rows={**self.refused_rows, reason: shown.reset_index(drop=True)},
        )


@dataclass(frozen=True)
class Plan:
    """How to read a file, once its column names are known."""

    numeric: Collection[str] = ()
    """Columns that hold numbers."""
    adapt: Callable[[RawTable], RawTable] | None = None
    """Done to every block of a CSV, so that long texts need not be held together."""


Planner = Callable[[list[str]], Plan]


def needing(columns: Sequence[str], source: Source, numeric: Sequence[str] = ()) -> Planner:
    """A planner for a file that must have certain columns, whatever else it has."""

    def planner(names: list[str]) -> Plan:
        lacking = [column for column in columns if column not in names]
        if lacking:
            raise InputError(
                f"{display_name(source)}: column ({', '.join(lacking)}) must be in this file; it has {listing(names)}"
            )
        return Plan(numeric=numeric)

    return planner


def numbered(name: str, table: pd.DataFrame) -> RawTable:
    """A table whose rows are all that a file has."""
    return RawTable(name=name, table=table, row=np.arange(1, len(table) + 1, dtype=np.int64))


def join(parts: Sequence[RawTable]) -> RawTable:
    """Several parts of one file as one table: counts added, the first few refused rows of each reason kept."""
    reasons = dict.fromkeys(reason for part in parts for reason in part.refused)
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    return RawTable(
        parts[0].name,
        pd.concat([part.table for part in parts], ignore_index=True),
        np.concatenate([part.row for part in parts]),
        {reason: sum(part.refused.get(reason, 0) for part in parts) for reason in reasons},
        {
            reason: pd.concat([part.refused_rows[reason] for part in parts if reason in part.refused_rows]).head(SHOWN)
            for reason in reasons
        },
        {note: sum(part.notes.get(note, 0) for part in parts) for note in notes},
    )


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Arrow to pandas without loss: whole numbers with gaps stay whole, bytes become text."""
    for i, column in enumerate(table.schema):
        if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            table = table.set_column(i, column.name, table.column(i).cast(pa.large_string()))
    whole = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    frame: pd.DataFrame = table.replace_schema_metadata(None).to_pandas(ignore_metadata=True, types_mapper=whole.get)
    return frame.set_axis([str(name).strip() for name in table.column_names], axis=1)
