"""Any CSV or Parquet file of trips: known formats as they are, others by their column names or the user's mapping."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from odk.columns import CELLS, POINTS, guess_columns, resolve_columns
from odk.errors import InputError
from odk.readers.formats import Format, known
from odk.region import Region
from odk.tables.content import Source
from odk.tables.files import read_head, read_table
from odk.tables.raw import Plan
from odk.trips import Ends, Trips


def read_trips(
    source: Source,
    columns: Mapping[str, str | None] | None = None,
    *,
    segments: Sequence[str] | None = None,
    ends: Ends | None = None,
    region: Region | Literal["known"] | None = "known",
    name: str | None = None,
    synthetic: bool = False,
) -> Trips:
    """Read trips from a CSV (plain or compressed) or Parquet file: a path, bytes or an open file.

    columns: target -> column of the file, for instance ``{"person": "bike_id", "origin_lat": "start_lat"}``; targets
        are ``odk.columns.TARGETS``. What is not given is guessed from usual names; None forbids the guess.
    segments: the segment columns; None takes those with few distinct values (rule in ``odk._segments``).
    ends: ``points``, ``h3`` or ``zones``; None takes points where found, else H3 cells.
    region: where points can lie; ``known`` takes that of a format known by its columns (``odk.readers.formats``), and
        any point of the Earth but (0, 0) for other files; None takes any point in every case.
    name: what to call the data; None takes the file's name.

    Raises InputError where no trip can be read; single bad rows are counted in ``rejected`` instead.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError(f"columns ({type(columns).__name__}) must be a mapping from target to column of the file")
    given = dict(columns or {})
    mapped = any(given.get(target) is not None for target in (*POINTS, *CELLS))
    form: Format | None = None

    def planner(names: list[str]) -> Plan:
        nonlocal form
        form = None if mapped else known(names)
        if form is not None:
            return Plan(adapt=form.adapt)
        used = resolve_columns(names, given)
        return Plan(numeric=[used[target] for target in (*POINTS, "weight") if target in used])

    raw = read_table(source, planner)
    where = None if region == "known" else region
    if form is not None:
        given = {**form.mapping, **given, **dict.fromkeys(CELLS), **{target: target for target in POINTS}}
        segments = [column for column in form.segments if column in raw.table] if segments is None else segments
        where = form.region if region == "known" else region
    return Trips.from_raw(raw, given, segments=segments, ends=ends, region=where, synthetic=synthetic, name=name)


@dataclass(frozen=True)
class Preview:
    """What a file looks like before it is read: for a panel where the user maps its columns."""

    source: str
    names: tuple[str, ...]
    guessed: Mapping[str, str]
    """Targets found by name; ends also where only some of them are, for the user to complete."""
    rows: pd.DataFrame
    format: str | None = None
    """Title of a format known by its columns: its ends are then found without a mapping."""


def preview_columns(source: Source, n: int = 5) -> Preview:
    """Column names, the guessed mapping and the first n rows of a file; quick on large ones."""
    raw = read_head(source, n)
    names = tuple(str(column) for column in raw.table.columns)
    form = known(names)
    guessed = guess_columns(names, partial=True) if form is None else dict(form.mapping)
    return Preview(raw.name, names, guessed, raw.table, None if form is None else form.title)
