"""JSON in one form: written the same way every time, read without trust."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from odk.errors import InputError

MOST_DIGITS = 40  # longer numbers are no figure of ours, and slow to read


def dumps(value: Any) -> str:
    """Readable JSON that is the same for the same value."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def loads(text: str, name: str) -> Any:
    """Read JSON from a stranger: keys once, finite numbers, no nesting that exhausts the stack."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise InputError(f"{name} must not have a key twice")
        return found

    def constant(word: str) -> NoReturn:
        raise InputError(f"{name} must hold finite numbers only, not {word}")

    def whole(digits: str) -> int:
        if len(digits) > MOST_DIGITS:
            raise InputError(f"{name} must not hold a number of {len(digits):,} digits")
        return int(digits)

    def fraction(digits: str) -> float:
        value = float(digits[:MOST_DIGITS]) if len(digits) > MOST_DIGITS else float(digits)
        if len(digits) > MOST_DIGITS or value in (float("inf"), float("-inf")):
            raise InputError(f"{name} must not hold a number of {len(digits):,} digits, or one too large")
        return value

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=constant, parse_int=whole, parse_float=fraction)
    except json.JSONDecodeError as problem:
        raise InputError(f"{name} must be JSON: {problem.msg} in line {problem.lineno}") from None
    except RecursionError:
        raise InputError(f"{name} must not be nested so deeply") from None
