"""Any CSV or Parquet file as a raw table of texts and numbers, with the rows that do not fit its columns set apart."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from odk.errors import InputError
from odk.readers.content import HEAD_BYTES, Content, Source, read_content

SEPARATORS = (",", ";", "\t", "|")
BLOCK_BYTES = 1 << 23
MOST_BLOCK_BYTES = (1 << 31) - 1
SHOWN = 5


@dataclass(frozen=True)
class RawTable:
    """A file as read."""

    name: str
    table: pd.DataFrame
    row: npt.NDArray[np.int64]
    """Number of each row in the file: 1 is the first below the header; blank lines are not counted."""
    broken: int = 0
    """Rows with more or fewer fields than the header, which are not in ``table``."""
    broken_rows: pd.DataFrame = field(default_factory=lambda: pd.DataFrame({"row": [], "text": []}))
    """The first few of them: ``row, text``."""


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


def read_table(source: Source, numeric: Callable[[list[str]], Collection[str]]) -> RawTable:
    """Read a file whole. ``numeric`` is told the column names, may refuse them, and says which hold numbers.

    The numeric columns of a CSV become float64 where every value is a number; all its other columns stay text, so that
    person "007" is not "7" and long ids keep their digits. A Parquet file keeps its types.
    """
    content = _utf8(read_content(source))
    return _read_parquet(content, numeric) if content.parquet else _read_csv(content, numeric)


def read_head(source: Source, n: int) -> RawTable:
    """The first n rows of a file, as text; quick on large ones."""
    content = _utf8(read_content(source, head=True))
    if content.parquet:
        with _open_parquet(content) as file:
            batch = next(file.iter_batches(batch_size=n), None)
            table = file.schema_arrow.empty_table() if batch is None else pa.Table.from_batches([batch])
        return _raw(content.name, _to_pandas(table.slice(0, n)))
    dialect = sniff(content)
    text = _decode(content.data[dialect.skip :], dialect.encoding)
    rows = [row for row in _fields(text, dialect.separator, dialect.quotes, 10 * n + 10) if row][1:]
    fitting = [row for row in rows if len(row) == len(dialect.names)][:n]
    data = {i: [row[i] for row in fitting] for i in range(len(dialect.names))}
    table = pd.DataFrame(data, dtype="str").set_axis(list(dialect.names), axis=1)
    return _raw(content.name, table)


def _raw(name: str, table: pd.DataFrame) -> RawTable:
    return RawTable(name=name, table=table, row=np.arange(1, len(table) + 1, dtype=np.int64))


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


def _utf8(content: Content) -> Content:
    """The same content in UTF-8 where it came in UTF-16, as Excel's "Unicode text" does."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if content.data.startswith(mark):
            return replace(content, data=_decode(content.data[len(mark) :], encoding).encode())
    return content


def _encoding(content: Content) -> tuple[str, int]:
    """Encoding and length of the byte order mark: UTF-8 where valid, else Latin-1."""
    data = content.data
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8", len(codecs.BOM_UTF8)
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), 1 << 24):
            decoder.decode(view[start : start + (1 << 24)])
        decoder.decode(b"", final=content.whole)
    except UnicodeDecodeError:
        return "latin-1", 0
    return "utf-8", 0


def _decode(data: bytes, encoding: str) -> str:
    return data.decode(encoding, errors="ignore")  # only a character cut at the end can fail: the rest was checked


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


def _read_csv(content: Content, numeric: Callable[[list[str]], Collection[str]]) -> RawTable:
    dialect = sniff(content)
    wanted = set(numeric(list(dialect.names)))
    if dialect.empty:
        return _raw(content.name, pd.DataFrame(columns=list(dialect.names), dtype="str"))
    floats = [i for i, name in enumerate(dialect.names) if name in wanted]
    data = pa.py_buffer(content.data).slice(dialect.skip)
    broken: list[tuple[int | None, str]] = []
    try:
        table = _arrow_csv(data, dialect, floats, broken, content.name)
    except pa.ArrowInvalid:  # a value that is no number: keep the columns as texts, and let the checks count it
        floats = []
        table = _arrow_csv(data, dialect, floats, broken, content.name)
    if broken:  # once more in one thread, which alone knows the number of each row
        table = _arrow_csv(data, dialect, floats, broken, content.name, threads=False)
    frame = _to_pandas(table).set_axis(list(dialect.names), axis=1)
    numbers = np.array([number - 1 for number, _ in broken if number is not None], dtype=np.int64)
    row = np.setdiff1d(np.arange(1, len(frame) + len(numbers) + 1, dtype=np.int64), numbers, assume_unique=True)
    first = pd.DataFrame({"row": numbers[:SHOWN], "text": [text for _, text in broken[:SHOWN]]})
    return RawTable(content.name, frame, row, len(broken), first)


def _arrow_csv(
    data: pa.Buffer,
    dialect: Dialect,
    floats: Collection[int],
    broken: list[tuple[int | None, str]],
    name: str,
    threads: bool = True,
) -> pa.Table:
    """One pass of the Arrow reader; rows with a wrong number of fields are put into ``broken`` and left out."""

    def on_broken(row: pa.csv.InvalidRow) -> str:
        broken.append((row.number, row.text))
        return "skip"

    # Columns go by number here: names may be doubled.
    types = {str(i): pa.float64() if i in floats else pa.string() for i in range(len(dialect.names))}
    parse = pa.csv.ParseOptions(
        delimiter=dialect.separator,
        quote_char=False if dialect.quotes == "odd" else '"',
        newlines_in_values=dialect.quotes == "paired",
        invalid_row_handler=on_broken,
    )
    convert = pa.csv.ConvertOptions(column_types=types, decimal_point=dialect.decimal)
    for block in (BLOCK_BYTES, min(len(data) + 1, MOST_BLOCK_BYTES)):  # the whole at once where one row exceeds a block
        broken.clear()
        read = pa.csv.ReadOptions(
            use_threads=threads,
            block_size=block,
            encoding=dialect.encoding,
            column_names=list(types),
            skip_rows_after_names=1,
        )
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


def _open_parquet(content: Content) -> pa.parquet.ParquetFile:
    try:
        return pa.parquet.ParquetFile(pa.BufferReader(content.data))
    except (pa.ArrowException, OSError) as problem:
        raise InputError(
            f"{content.name} must be a complete Parquet file; it is cut off or damaged ({problem})"
        ) from None


def _read_parquet(content: Content, numeric: Callable[[list[str]], Collection[str]]) -> RawTable:
    with _open_parquet(content) as file:
        names = list(file.schema_arrow.names)
        numeric(names)
        try:
            table = file.read(columns=_flat(file.schema_arrow))
        except (pa.ArrowException, OSError) as problem:
            raise InputError(f"{content.name} must be a complete Parquet file; it is damaged ({problem})") from None
    return _raw(content.name, _to_pandas(table))


def _flat(schema: pa.Schema) -> list[str]:
    """Columns of one value a row; lists and structures are left aside."""
    return [column.name for column in schema if not pa.types.is_nested(column.type)]


def _to_pandas(table: pa.Table) -> pd.DataFrame:
    """Arrow to pandas without loss: whole numbers with gaps stay whole, bytes become text."""
    for i, column in enumerate(table.schema):
        if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            table = table.set_column(i, column.name, table.column(i).cast(pa.large_string()))
    whole = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True, types_mapper=whole.get)
    return frame.set_axis([str(name).strip() for name in table.column_names], axis=1)
