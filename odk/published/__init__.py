"""The figures that the papers print, as data: what Reproduce sets beside ours. Numbers only; N/A stays N/A."""

from odk.published.difference import Difference, differences
from odk.published.figure import Figure, as_printed
from odk.published.table import PAPERS, PublishedRow, PublishedTable, table, tables

__all__ = [
    "PAPERS",
    "Difference",
    "Figure",
    "PublishedRow",
    "PublishedTable",
    "as_printed",
    "differences",
    "table",
    "tables",
]
