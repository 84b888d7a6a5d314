"""Names of zones in files: refused where they hide something, neutralised where a spreadsheet would run them."""

from __future__ import annotations

import re
import unicodedata

from odk.errors import UnsafeError

MOST_LETTERS = 200
_FORMULA = re.compile(r"'*\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_NEUTRAL = re.compile(r"''*\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_PLAIN = re.compile(r"[\w .()/&+@='-]*")


def check_name(name: str) -> None:
    """Refuse a name that is empty, endless, or holds markup or characters that cannot be seen."""
    shown = ascii(name[:40])
    if not name or len(name) > MOST_LETTERS:
        raise UnsafeError(f"zone name ({shown}) must have 1 to {MOST_LETTERS} letters")
    if any(letter in "<>" for letter in name):
        raise UnsafeError(f"zone name ({shown}) must not hold < or >, which a browser could take for a script")
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for letter in name):
        raise UnsafeError(f"zone name ({shown}) must not hold control characters or others that cannot be seen")


def neutralise(name: str) -> str:
    """A name as a CSV cell that no spreadsheet runs as a formula: an apostrophe goes before what looks like one."""
    return f"'{name}" if _FORMULA.match(name) else name


def original(cell: str) -> str:
    """The name of a neutralised cell."""
    return cell[1:] if _NEUTRAL.match(cell) else cell


def csv_cell(cell: str) -> str:
    """A CSV cell, quoted where it is not plain: also where another separator than the comma would part it."""
    return cell if _PLAIN.fullmatch(cell) else '"' + cell.replace('"', '""') + '"'
