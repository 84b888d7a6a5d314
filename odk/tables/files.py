"""Any file as a raw table, whole or its first rows."""

from odk.tables.content import Source, read_content
from odk.tables.csv import head_of_csv, read_csv, utf8
from odk.tables.parquet import head_of_parquet, read_parquet
from odk.tables.raw import Planner, RawTable


def read_table(source: Source, planner: Planner) -> RawTable:
    """Read a file whole. The planner is told the column names; it may refuse them.

    The numeric columns of a CSV become float64 where every value is a number; all its other columns stay text, so that
    person "007" is not "7" and long ids keep their digits. A Parquet file keeps its types.
    """
    content = utf8(read_content(source))
    return read_parquet(content, planner) if content.parquet else read_csv(content, planner)


def read_head(source: Source, n: int) -> RawTable:
    """The first n rows of a file; quick on large ones."""
    content = utf8(read_content(source, head=True))
    return head_of_parquet(content, n) if content.parquet else head_of_csv(content, n)
