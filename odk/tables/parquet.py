"""Parquet files: types are kept; lines of points may be nested, other lists and structures are left aside."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet

from odk.errors import InputError
from odk.tables.content import Content
from odk.tables.raw import Planner, RawTable, numbered, to_pandas

LINES = ("POLYLINE", "coordinates", "origin_destination")  # nested columns that are read, as JSON (tables.lines)


@contextmanager
def _opened(content: Content) -> Iterator[pa.parquet.ParquetFile]:
    """A Parquet file; whatever Arrow finds wrong with it becomes one message."""
    try:
        with pa.parquet.ParquetFile(pa.BufferReader(content.data)) as file:
            yield file
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as problem:
        message = f"{content.name} must be a complete Parquet file; it is cut off or damaged ({problem})"
        raise InputError(message) from None


def read_parquet(content: Content, planner: Planner) -> RawTable:
    """Read a Parquet file whole."""
    with _opened(content) as file:
        plan = planner(list(file.schema_arrow.names))
        table = file.read(columns=_flat(file.schema_arrow))
        for i, column in enumerate(table.schema):
            if pa.types.is_nested(column.type):
                texts = [None if value is None else json.dumps(value) for value in table.column(i).to_pylist()]
                table = table.set_column(i, column.name, pa.array(texts, type=pa.large_string()))
        raw = numbered(content.name, to_pandas(table))
    return raw if plan.adapt is None else plan.adapt(raw)


def head_of_parquet(content: Content, n: int) -> RawTable:
    """The first n rows, in their types."""
    with _opened(content) as file:
        batch = next(file.iter_batches(batch_size=max(n, 1)), None)
        table = file.schema_arrow.empty_table() if batch is None else pa.Table.from_batches([batch])
        return numbered(content.name, to_pandas(table.slice(0, n)))


def _flat(schema: pa.Schema) -> list[str]:
    """Columns of one value a row, and lines of points; other lists and structures are left aside."""
    return [column.name for column in schema if not pa.types.is_nested(column.type) or column.name in LINES]
