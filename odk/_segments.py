"""What describes a trip beside its ends: segment columns and start times. Nothing here refuses a row."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from odk import _rows
from odk.columns import TARGETS, listing, normalise
from odk.errors import InputError

MOST_SEGMENTS = 16
MOST_TEXTS = 40
MOST_NUMBERS = 16
DAY_PARTS = ("00-06 h", "06-10 h", "10-16 h", "16-20 h", "20-24 h")

# Tried on texts that are no ISO 8601; the first that reads most rows wins, so month/day goes before day/month on a tie.
_DATES = ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m/%d/%y", "%d/%m/%y", "%Y/%m/%d")
_CLOCKS = (" %H:%M:%S", " %H:%M", " %I:%M:%S %p", " %I:%M %p", "")
_OFFSET = (
    r"(:[0-9]{2}(?:\.[0-9]+)?)\s*(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2})$"  # only behind a time: 01-02-2024 ends in a year
)


def choose(raw: pd.DataFrame, used: Mapping[str, str], segments: Sequence[str] | None) -> dict[str, str]:
    """Segment columns: name in the trips -> column of the file.

    Given: exactly those. Otherwise the first 16 left-over columns that are texts or yes/no with 2 to 40 distinct
    values, or whole numbers with 2 to 16 whose name does not say "id"; never one whose every row differs. Targets in
    the mapping that are no ``TARGETS`` are segments in any case.
    """
    named = {target: column for target, column in used.items() if target not in TARGETS}
    names = list(raw.columns)
    if segments is not None:
        for name in segments:
            if name not in names and name not in named:
                raise InputError(f"segments ({name}) must be a column of the file; it has {listing(names)}")
            if name in TARGETS:
                raise InputError(f"segments ({name}) must not have a name that stands for something else; rename it")
            if names.count(name) > 1:
                raise InputError(f"segments ({name}) must be one column; the file has {names.count(name)} of that name")
        return {**named, **{name: name for name in segments if name not in named}}
    for name in names:
        free = name not in used.values() and name not in TARGETS and name not in named and names.count(name) == 1
        if free and len(named) < MOST_SEGMENTS and _looks_like_segment(raw[name]):
            named[name] = name
    return named


def _looks_like_segment(values: pd.Series) -> bool:
    if pd.api.types.is_datetime64_any_dtype(values):
        return False
    head = values.iloc[:1000]
    if head.nunique() > MOST_TEXTS:  # cheap way out for ids, times and coordinates of large files
        return False
    words = [str(word) for word in _rows.text(pd.Series(values.unique())).dropna().unique()]
    if not 2 <= len(words) <= MOST_TEXTS or len(words) >= len(values):
        return False
    numbers = pd.to_numeric(pd.Series(words, dtype="object"), errors="coerce")
    if numbers.isna().any():
        return True
    whole = bool((numbers == np.floor(numbers)).all())
    return whole and len(words) <= MOST_NUMBERS and "id" not in normalise(str(values.name)).split()


def as_categories(values: pd.Series) -> pd.Series:
    """A segment column as categories of text in sorted order; missing stays missing."""
    texts = _rows.text(values)
    return texts.astype(pd.CategoricalDtype(sorted(texts.dropna().unique())))


def time_bands(times: pd.Series) -> dict[str, pd.Series]:
    """Segments that follow from start times, by the clock as written: part of the day, and weekday or weekend.

    Only those that tell some trips apart: dates without a time say nothing of the day's part, one day nothing of the week.
    """
    hour = times.dt.hour
    part = pd.cut(hour, [0, *(int(name[:2]) for name in DAY_PARTS[1:]), 24], right=False, labels=DAY_PARTS)
    weekend = (times.dt.day_of_week >= 5).where(times.notna())
    found = {"part of day": part, "part of week": weekend.map({False: "Mon-Fri", True: "Sat, Sun"})}
    return {name: as_categories(values) for name, values in found.items() if len(values.dropna().unique()) > 1}


def read_times(values: pd.Series) -> tuple[pd.Series, int]:
    """Start times as written on the clock (any UTC offset is dropped), and how many rows have something unreadable.

    Texts: ISO 8601, else the usual date forms, the one that reads most rows. Numbers: seconds or
    milliseconds since 1970.
    """
    if pd.api.types.is_datetime64_any_dtype(values):
        times = values.dt.tz_localize(None) if getattr(values.dt, "tz", None) is not None else values
        return times.astype("datetime64[us]"), 0
    texts = _rows.text(values)
    codes, words = pd.factorize(texts)
    parsed = _parse(pd.Series(words, dtype="str"))
    times = pd.concat([parsed, pd.Series([pd.NaT], dtype="datetime64[us]")], ignore_index=True).iloc[codes]
    times.index = values.index
    return times, int((times.isna() & texts.notna()).sum())


def _parse(texts: pd.Series) -> pd.Series:
    if len(texts) == 0:
        return pd.Series(pd.NaT, index=texts.index, dtype="datetime64[us]")
    array = pa.array(texts, type=pa.large_string(), from_pandas=True)
    bare = pd.Series(pc.replace_substring_regex(array, _OFFSET, r"\1").to_pandas(), dtype="str")
    times = _all_iso(bare)
    if times is None:
        times = _unix(texts)
    return _usual_form(bare) if times is None else times


def _all_iso(texts: pd.Series) -> pd.Series | None:
    """The quick way for what is nearly always written: every text a date and time as ``2024-03-14 15:09:26``."""
    try:
        times = pc.cast(pa.array(texts, from_pandas=True), pa.timestamp("us"))
    except pa.ArrowInvalid:
        return None
    return pd.Series(times.to_numpy(zero_copy_only=False)).astype("datetime64[us]")


def _unix(texts: pd.Series) -> pd.Series | None:
    """Seconds or milliseconds since 1970, None where no text is one between 1973 and 2099."""
    seconds = pd.to_numeric(texts.astype("object"), errors="coerce").to_numpy(dtype=np.float64)
    plausible = (seconds > 1e8) & (seconds < 4.1e9)
    millis = (seconds > 1e11) & (seconds < 4.1e12)
    if not (plausible | millis).any():
        return None
    unix = np.where(millis, seconds * 1e3, np.where(plausible, seconds * 1e6, np.nan))
    whole = np.where(np.isnan(unix), np.iinfo(np.int64).min, unix).astype(np.int64)  # the least integer is "no time"
    return pd.Series(whole.astype("datetime64[us]"))


def _usual_form(texts: pd.Series) -> pd.Series:
    """The form of date and time that reads most texts; the order of the forms decides where several read as many."""
    forms = ["ISO8601", *(date + clock for date in _DATES for clock in _CLOCKS)]
    probe = texts.iloc[:200]
    reads = {form: int(_to_times(probe, form).notna().sum()) for form in forms}
    ranked = sorted(forms, key=lambda form: (-reads[form], forms.index(form)))
    best = _to_times(texts, ranked[0])
    for form in ranked[1:4]:  # a day above 12 may come late in the file: the runners-up get the whole of it too
        if best.notna().all():
            break
        other = _to_times(texts, form) if reads[form] else best
        best = other if other.notna().sum() > best.notna().sum() else best
    return best


def _to_times(texts: pd.Series, form: str) -> pd.Series:
    return pd.to_datetime(texts.astype("object"), format=form, errors="coerce").astype("datetime64[us]")
