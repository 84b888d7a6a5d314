"""The table of options: complete, and the one in the README in step with the code."""

from dataclasses import dataclass, fields

import odk
from odk.algorithms._describe import END, START, field_docs, markdown, replace_table


@dataclass(frozen=True)
class Sample:
    """A class as options are written."""

    first: int = 1
    """Its meaning,
    over two lines."""
    second: str = "x"
    third: bool = False
    """Another | one."""


def test_docstrings_are_taken_from_below_their_fields():
    assert field_docs(Sample) == {"first": "Its meaning, over two lines.", "third": "Another | one."}


def test_every_option_of_every_algorithm_is_described():
    rows = {(row.name, row.option): row for row in odk.algorithms.describe()}
    options = {(n, f.name) for n in odk.algorithms.names() for f in fields(odk.algorithms.get(n).options)}
    assert set(rows) == options
    silent = [key for key, row in rows.items() if not row.meaning]
    assert not silent, f"options without a docstring below their field: {silent}"


def test_one_algorithm_by_hand():
    assert [(row.option, row.default) for row in odk.algorithms.describe("mondrian")] == [
        ("partition", "'relaxed'"),
        ("dimension", "'range'"),
        ("on_failure", "'next'"),
        ("persons", "None"),
    ]
    assert odk.algorithms.describe("mondrian")[3].meaning.startswith("Also ask for this many distinct persons")


def test_every_name_stands_in_the_table_and_bars_do_not_break_it():
    table = markdown().splitlines()
    assert table[0] == START
    assert table[-1] == END
    assert all(any(line.startswith(f"| `{name}` |") for line in table) for name in odk.algorithms.names())
    assert {line.replace("\\|", "").count("|") for line in table[1:-1]} == {5}


def test_the_readme_is_in_step(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert readme.count(START) == readme.count(END) == 1
    assert replace_table(readme) == readme, "run scripts/readme and commit README.md"
