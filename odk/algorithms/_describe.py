"""The options of every algorithm as one table: taken from the options themselves, so that no page can fall behind."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from dataclasses import MISSING, dataclass, fields
from functools import cache

from odk.algorithms._base import get, names

START, END = "<!-- options: written by scripts/readme -->", "<!-- end of options -->"
"""Where the table of options stands in the README."""
LIST_START, LIST_END = "<!-- algorithms: written by scripts/readme -->", "<!-- end of algorithms -->"
"""Where the list of algorithms stands in the README."""
KINDS = {
    "homogeneous": "one set of zones for all flows",
    "tree": "zones differ by flow",
    "boxes": "boxes, no zones",
    "noise": "noise, not k-anonymous",
}


@dataclass(frozen=True)
class Option:
    """One row: an option of an algorithm."""

    name: str
    """The algorithm."""
    option: str
    default: str
    """As it is written in Python."""
    meaning: str


def describe(algorithm: str | None = None) -> tuple[Option, ...]:
    """Options of one algorithm, or of all in the order of `names()`. An algorithm without options has no row."""
    return tuple(row for name in ([algorithm] if algorithm else names()) for row in _rows(name))


def markdown() -> str:
    """The table for the README, between its markers."""
    lines = ["| algorithm | option | default | meaning |", "|---|---|---|---|"]
    for name in names():
        rows = [(f"`{row.option}`", f"`{row.default}`", row.meaning) for row in _rows(name)] or [("none", "", "")]
        for i, (option, default, meaning) in enumerate(rows):
            first = f"`{name}`" if i == 0 else ""
            lines.append(f"| {first} | {option} | {default} | {meaning.replace('|', chr(92) + '|')} |")
    return "\n".join([START, *lines, END])


def listing() -> str:
    """The list of algorithms for the README, between its markers."""
    lines = ["| name | publishes | what it does | when |", "|---|---|---|---|"]
    for entry in map(get, names()):
        lines.append(f"| `{entry.name}` | {KINDS[entry.kind]} | {entry.summary} | {entry.when} |")
    return "\n".join([LIST_START, *lines, LIST_END])


def replace_table(readme: str) -> str:
    """A README with the tables between their markers renewed."""
    for text, start, end in ((listing(), LIST_START, LIST_END), (markdown(), START, END)):
        if start in readme:
            before, _, rest = readme.partition(start)
            readme = before + text + rest.partition(end)[2]
    return readme


def _rows(name: str) -> list[Option]:
    options = get(name).options
    meanings: dict[str, str] = {}
    for cls in reversed(options.__mro__[:-1]):
        meanings |= field_docs(cls)
    rows = []
    for field in fields(options):
        default = field.default if field.default_factory is MISSING else field.default_factory()
        rows.append(Option(name, field.name, repr(default), meanings.get(field.name, "")))
    return rows


@cache
def field_docs(cls: type) -> dict[str, str]:
    """The docstring below each field of a class. Python keeps none of them at run time, so the source is read."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for pair in itertools.pairwise(body.body):
        match pair:
            case (ast.AnnAssign(target=ast.Name(id=field)), ast.Expr(value=ast.Constant(value=str(text)))):
                found[field] = " ".join(text.split())
    return found
