"""CSV files, however they are written: separator, decimal mark, quotes and encoding are found out from their first lines."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv

from odk.errors import InputError
from odk.tables.content import HEAD_BYTES, Content
from odk.tables.raw import SHOWN, Planner, RawTable, join, numbered, to_pandas

SEPARATORS = (",", ";", "\t", "|")
BLOCK_BYTES = 1 << 23
MOST_BLOCK_BYTES = (1 << 31) - 1
Broken = list[tuple[int | None, str]]
MISFIT = "wrong number of columns"


@dataclass(frozen=True)
class Dialect:
    """How a CSV is written."""

    separator: str
    names: tuple[str, ...]
    decimal: str
    encoding: str
    skip: int
    """Bytes before the header: a byte order mark, or Excel's ``sep=;`` line."""
    quotes: str
    """Of quote marks there are ``none``, they come in pairs (``paired``), or not (``odd``: then they mean nothing)."""
    empty: bool
    """There is nothing below the column names."""


def sniff(content: Content) -> Dialect:
    """Separator, decimal mark, encoding and column names of a CSV, from its first lines."""
    encoding, skip = _encoding(content)
    text = _decode(content.data[skip : skip + HEAD_BYTES], encoding)
    if len(content.data) - skip > HEAD_BYTES or not content.whole:  # the last line may be cut
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    before = re.match(r'[\r\n]*(?:"?sep=(.)"?[\r\n]+)?', text)
    stated = before[1] if before else None
    if before:
        skip += len(before[0].encode(encoding))
        text = text[before.end() :]
    marks = content.data.count(b'"')
    quotes = "none" if marks == 0 else "odd" if marks % 2 and content.whole else "paired"
    separator = stated or max(SEPARATORS, key=lambda s: _fit(text, s, quotes))
    rows = [row for row in _fields(text, separator, quotes, 200) if row]
    names = tuple(name.strip() for name in rows[0]) if rows else ()
    if names and all(re.fullmatch(r"[-+]?[\d.,:/ ]*\d[\d.,:/ ]*", name) for name in names):
        raise InputError(f"{content.name} must have column names in its first line; found {', '.join(names[:6])}")
    values = [value.strip() for row in rows[1:] for value in row]
    comma = sum(bool(re.fullmatch(r"[-+]?\d+,\d+", value)) for value in values)
    point = sum(bool(re.fullmatch(r"[-+]?\d+\.\d+", value)) for value in values)
    return Dialect(separator, names, "," if comma > point else ".", encoding, skip, quotes, len(rows) < 2)


def utf8(content: Content) -> Content:
    """The same content in UTF-8 where it came in UTF-16, as Excel's "Unicode text" does."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if content.data.startswith(mark):
            return replace(content, data=_decode(content.data[len(mark) :], encoding).encode())
    return content


def _encoding(content: Content) -> tuple[str, int]:
    """Encoding and length of the byte order mark: UTF-8 where valid, else Latin-1."""
    data = content.data
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), 1 << 24):
            decoder.decode(view[start : start + (1 << 24)])
        decoder.decode(b"", final=content.whole)
    except UnicodeDecodeError:
        return "latin-1", mark
    return "utf-8", mark


def _decode(data: bytes | bytearray, encoding: str) -> str:
    return data.decode(encoding, errors="ignore")  # only a character cut at the end can fail: the rest was checked


def head_of_csv(content: Content, n: int) -> RawTable:
    """The first n rows, as text."""
    dialect = sniff(content)
    text = _decode(content.data[dialect.skip :], dialect.encoding)
    rows = [row for row in _fields(text, dialect.separator, dialect.quotes, 10 * n + 10) if row][1:]
    fitting = [row for row in rows if len(row) == len(dialect.names)][:n]
    data = {i: [row[i] for row in fitting] for i in range(len(dialect.names))}
    return numbered(content.name, pd.DataFrame(data, dtype="str").set_axis(list(dialect.names), axis=1))


def _fields(text: str, separator: str, quotes: str, most: int) -> list[list[str]]:
    lines = io.StringIO(text, newline="")
    try:
        if quotes == "odd":
            return list(islice(csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE), most))
        return list(islice(csv.reader(lines, delimiter=separator), most))
    except csv.Error as problem:
        raise InputError(f"file must be a CSV: {problem}") from None


def _fit(text: str, separator: str, quotes: str) -> tuple[float, int]:
    """How well a separator cuts the first rows into as many fields as the header has."""
    rows = [row for row in _fields(text, separator, quotes, 50) if row]
    if not rows or len(rows[0]) < 2:
        return (0.0, 0)
    return (sum(len(row) == len(rows[0]) for row in rows) / len(rows), len(rows[0]))


def read_csv(content: Content, planner: Planner) -> RawTable:
    """Read a CSV whole; in blocks where the plan adapts them."""
    dialect = sniff(content)
    plan = planner(list(dialect.names))
    if dialect.empty:
        empty = numbered(content.name, pd.DataFrame(columns=list(dialect.names), dtype="str"))
        return empty if plan.adapt is None else plan.adapt(empty)
    floats = [i for i, name in enumerate(dialect.names) if name in plan.numeric]
    data = pa.py_buffer(content.data).slice(dialect.skip)
    if plan.adapt is not None:
        return _read_blocks(content.name, data, dialect, floats, plan.adapt)
    broken: Broken = []
    try:
        table = _arrow_csv(data, dialect, floats, broken, content.name)
    except pa.ArrowInvalid:  # a value that is no number: keep the columns as texts, and let the checks count it
        floats = []
        table = _arrow_csv(data, dialect, floats, broken, content.name)
    if broken:  # once more in one thread, which alone knows the number of each row
        table = _arrow_csv(data, dialect, floats, broken, content.name, threads=False)
    frame = to_pandas(table).set_axis(list(dialect.names), axis=1)
    return _with_broken(numbered(content.name, frame), broken)


def _with_broken(raw: RawTable, broken: Broken) -> RawTable:
    """The rows that did not fit are counted, and those of the table get their true numbers in the file."""
    if not broken:
        return raw
    numbers = np.array([number - 1 for number, _ in broken if number is not None], dtype=np.int64)
    fitting = np.setdiff1d(np.arange(1, raw.rows + len(numbers) + 1, dtype=np.int64), numbers, assume_unique=True)
    shown = {
        reason: rows.assign(row=fitting[rows["row"].to_numpy(dtype=np.int64) - 1])
        for reason, rows in raw.refused_rows.items()
    }
    first = pd.DataFrame({"row": numbers[:SHOWN], "text": [text for _, text in broken[:SHOWN]]})
    return replace(
        raw,
        row=fitting[raw.row - 1],
        refused={MISFIT: len(broken), **raw.refused},
        refused_rows={MISFIT: first, **shown},
    )


def _read_blocks(
    name: str, data: pa.Buffer, dialect: Dialect, floats: Collection[int], adapt: Callable[[RawTable], RawTable]
) -> RawTable:
    """Read a CSV block by block, adapting each; one thread, which knows the number of each row that does not fit."""
    broken: Broken = []
    read, parse, convert = _options(dialect, floats, broken, threads=False, block=BLOCK_BYTES)
    parts: list[RawTable] = []
    before = 0
    try:
        with pa.csv.open_csv(
            pa.BufferReader(data), read_options=read, parse_options=parse, convert_options=convert
        ) as file:
            for batch in file:
                frame = to_pandas(pa.Table.from_batches([batch])).set_axis(list(dialect.names), axis=1)
                row = np.arange(before + 1, before + len(frame) + 1, dtype=np.int64)
                before += len(frame)
                parts.append(adapt(RawTable(name, frame, row)))
    except pa.ArrowInvalid as problem:
        raise InputError(f"{name} must be a CSV: {problem}") from None
    empty = RawTable(name, pd.DataFrame(columns=list(dialect.names), dtype="str"), np.arange(1, 1))
    return _with_broken(join(parts or [adapt(empty)]), broken)


def _options(
    dialect: Dialect, floats: Collection[int], broken: Broken, *, threads: bool, block: int
) -> tuple[pa.csv.ReadOptions, pa.csv.ParseOptions, pa.csv.ConvertOptions]:
    """How Arrow shall read a CSV; rows with a wrong number of fields are put into ``broken`` and left out."""

    def on_broken(row: pa.csv.InvalidRow) -> str:
        broken.append((row.number, row.text))
        return "skip"

    # Columns go by number here: names may be doubled.
    types = {str(i): pa.float64() if i in floats else pa.string() for i in range(len(dialect.names))}
    read = pa.csv.ReadOptions(
        use_threads=threads,
        block_size=block,
        encoding=dialect.encoding,
        column_names=list(types),
        skip_rows_after_names=1,
    )
    parse = pa.csv.ParseOptions(
        delimiter=dialect.separator,
        quote_char=False if dialect.quotes == "odd" else '"',
        newlines_in_values=dialect.quotes == "paired",
        invalid_row_handler=on_broken,
    )
    return read, parse, pa.csv.ConvertOptions(column_types=types, decimal_point=dialect.decimal)


def _arrow_csv(
    data: pa.Buffer, dialect: Dialect, floats: Collection[int], broken: Broken, name: str, threads: bool = True
) -> pa.Table:
    """One pass of the Arrow reader over a whole file."""
    for block in (BLOCK_BYTES, min(len(data) + 1, MOST_BLOCK_BYTES)):  # the whole at once where one row exceeds a block
        broken.clear()
        read, parse, convert = _options(dialect, floats, broken, threads=threads, block=block)
        try:
            return pa.csv.read_csv(
                pa.BufferReader(data), read_options=read, parse_options=parse, convert_options=convert
            )
        except pa.ArrowInvalid as problem:
            if "conversion error" in str(problem):
                raise
            if "straddl" not in str(problem) or block != BLOCK_BYTES:
                raise InputError(f"{name} must be a CSV: {problem}") from None
    raise InputError(f"{name} must be a CSV with rows shorter than 2 GB")
