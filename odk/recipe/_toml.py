"""TOML as recipes use it: Python reads it (tomllib) but does not write it, and a library for a page of text is too much."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from odk.errors import InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(document: Mapping[str, Any], comment: str = "") -> str:
    """A document of values and tables of values (tables may nest), in the order given; None is left out."""
    lines = [f"# {line}" for line in comment.splitlines()]
    lines += _values(document)
    for name, table in document.items():
        if isinstance(table, Mapping):
            lines += _table([name], table)
    return "\n".join(lines).strip("\n") + "\n"


def _table(path: list[str], table: Mapping[str, Any]) -> list[str]:
    own = _values(table)
    lines = ["", f"[{'.'.join(map(_key, path))}]", *own] if own or not table else []
    for name, inner in table.items():
        if isinstance(inner, Mapping):
            lines += _table([*path, name], inner)
    return lines


def _values(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(k)} = {_value(v)}" for k, v in table.items() if v is not None and not isinstance(v, Mapping)]


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # the one escape that JSON does not need


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"setting ({value!r}) must be a finite number to be written")
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    raise InputError(f"setting ({type(value).__name__}) must be text, a number, true or false, or a list of them")
