"""Lines of points written as text, ``[[lon, lat], [lon, lat], ...]``: their first and last point, vectorised.

Porto's POLYLINE and Turin's coordinates are such lines; GeoJSON objects with a ``coordinates`` member are met too.
"""

import json
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from odk import _rows
from odk.tables.raw import RawTable

_NUMBER = r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?"
_POINT = rf"\[\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\]"
_LINE = rf"^\[\s*(?:{_POINT}\s*(?:,\s*{_POINT}\s*)*)?\]$"
_EMPTY = r"^\[\s*\]$"
_SINGLE = rf"^\[\s*{_POINT}\s*\]$"
_FIRST = rf"^\[\s*\[\s*(?P<lon>{_NUMBER})\s*,\s*(?P<lat>{_NUMBER})\s*\]"
_LAST = rf"\[\s*(?P<lon>{_NUMBER})\s*,\s*(?P<lat>{_NUMBER})\s*\]\s*\]$"
_ENOUGH = 200  # characters at either end of a line that surely hold its first and its last point


def split_lines(raw: RawTable, column: str) -> RawTable:
    """Replace a column of lines by ``origin_lat, origin_lon, destination_lat, destination_lon`` (degrees).

    Rows whose line is missing, no list of points, empty or of one point are refused, each under its reason.
    """
    texts = _rows.text(raw.table[column])
    lines = _tidy(texts)
    head, tail = (_part(lines, *where) for where in ((0, _ENOUGH), (-_ENOUGH, None)))
    short = pc.less_equal(pc.binary_length(lines), _ENOUGH)
    reasons = {
        f"{column} missing": texts.isna().to_numpy(dtype=bool),
        f"{column} is not JSON": _mask(pc.is_null(lines)),
        f"{column} is empty": _mask(pc.and_(short, pc.match_substring_regex(head, _EMPTY))),
        f"{column} is of one point": _mask(pc.and_(short, pc.match_substring_regex(head, _SINGLE))),
    }
    ends = {**_point(head, _FIRST, "origin"), **_point(tail, _LAST, "destination")}
    shown = texts.str.slice(0, 80)  # a line may be long; what is wrong with it shows at its start
    out = replace(raw, table=raw.table.assign(**{column: shown}, **ends))
    left = np.ones(len(texts), dtype=bool)
    for reason, bad in reasons.items():
        out = out.without((bad & left)[left], reason, list(raw.table.columns))
        left &= ~bad
    return replace(out, table=out.table.drop(columns=column))


def _tidy(texts: pd.Series) -> pa.Array:
    """The lines in plain form, null where a text is no list of points.

    Nearly all match one regular expression; only what does not is read as JSON, one by one.
    """
    lines = pa.array(texts, type=pa.large_string(), from_pandas=True)
    plain = _mask(pc.match_substring_regex(lines, _LINE))
    odd = ~plain & texts.notna().to_numpy(dtype=bool)
    if not odd.any():
        return lines
    read = pa.array([_read_json(str(text)) for text in texts[odd]], type=pa.large_string())
    return pc.replace_with_mask(lines, pa.array(odd), read)


def _mask(values: pa.Array) -> npt.NDArray[np.bool_]:
    return np.asarray(pc.fill_null(values, False).to_numpy(zero_copy_only=False), dtype=bool)


def _part(lines: pa.Array, start: int, stop: int | None) -> pa.Array:
    """Characters from start to stop; lines are ASCII here, so that bytes will do, which is much faster."""
    return pc.cast(pc.binary_slice(pc.cast(lines, pa.large_binary()), start, stop), pa.large_string())


def _point(part: pa.Array, pattern: str, end: str) -> dict[str, npt.NDArray[np.float64]]:
    point = pc.extract_regex(part, pattern)
    return {
        f"{end}_{name}": pc.cast(pc.struct_field(point, name), pa.float64()).to_numpy(zero_copy_only=False)
        for name in ("lat", "lon")
    }


def _read_json(text: str) -> str | None:
    """A line that is written in another way: an object with coordinates, or with quotes of Python."""
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = json.loads(text.replace("'", '"'))
        except ValueError:
            return None
    if isinstance(value, dict):
        value = value.get("coordinates")
    if not isinstance(value, list) or not all(_is_point(point) for point in value):
        return None
    return json.dumps([[float(x) for x in point[:2]] for point in value])


def _is_point(value: object) -> bool:
    numbers = isinstance(value, list) and len(value) >= 2 and all(isinstance(x, int | float) for x in value[:2])
    return numbers and all(np.isfinite(x) for x in value[:2])  # type: ignore[index]
