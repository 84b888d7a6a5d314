"""Checks of single rows, vectorised: every row gets the first reason that refuses it, in a stated order, or none."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk import cells
from odk.errors import InputError
from odk.region import Region

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

MISSING = ("", "na", "n/a", "nan", "null", "none", "nil", "-", "\\n")  # \n as written by databases for NULL
MICRO = 1_000_000
SHOWN = 5

# The order in which a row is tried; it is counted under the first reason that holds.
REASONS = (
    "wrong number of columns",
    "coordinate missing",
    "coordinate not a number",
    "coordinate out of range",
    "coordinate is (0, 0)",
    "outside the region",
    "in the sea",
    "cell missing",
    "not an H3 cell",
    "zone missing",
    "weight missing",
    "weight not a number",
    "weight infinite",
    "weight not positive",
    "person missing",
)


@dataclass
class Verdict:
    """Reasons collected over the rows of one table. ``reason`` is -1 where a row is fine so far."""

    n: int
    names: list[str] = field(default_factory=list)
    reason: npt.NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.reason = np.full(self.n, -1, dtype=np.int64)

    def refuse(self, bad: Mask, name: str) -> None:
        """Refuse the rows marked bad, unless they were refused before."""
        new = bad & (self.reason < 0)
        if new.any():
            if name not in self.names:
                self.names.append(name)
            self.reason[new] = self.names.index(name)

    @property
    def kept(self) -> Mask:
        return self.reason < 0

    def counts(self) -> dict[str, int]:
        """Rejected rows by reason, in the order of the checks."""
        return {name: int((self.reason == i).sum()) for i, name in enumerate(self.names)}

    def first(self, name: str) -> npt.NDArray[np.int64]:
        """Positions of the first few rows refused for a reason."""
        return np.flatnonzero(self.reason == self.names.index(name))[:SHOWN]


def is_text(values: pd.Series) -> bool:
    """True for columns that may hold strings (pandas calls them str, object or category)."""
    return not (pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_any_dtype(values))


def text(values: pd.Series) -> pd.Series:
    """Any column as trimmed text, missing where nothing was written: null, NaN, empty, or a usual word for it.

    Whole numbers have no decimal point, so that 1.0 and 1 are one label.
    """
    plain = isinstance(values.dtype, pd.StringDtype) or pd.api.types.infer_dtype(values, skipna=True) == "string"
    if plain:
        texts = values.astype("str")
    else:
        codes, words = pd.factorize(values.astype("object"))
        labels = pd.array([label(word) for word in words] + [None], dtype="str")
        texts = pd.Series(labels.take(np.where(codes < 0, len(words), codes)), index=values.index, name=values.name)
    texts = texts.str.strip()
    return texts.mask(texts.str.lower().isin(MISSING))


def label(word: object) -> str:
    """A value as text; whole numbers have no decimal point."""
    if isinstance(word, float | np.floating) and float(word).is_integer():
        return str(int(word))
    return str(word)


def missing(values: pd.Series) -> Mask:
    """True where nothing was written."""
    return (text(values) if is_text(values) else values).isna().to_numpy(dtype=bool)


def numbers(values: pd.Series) -> tuple[Floats, Mask, Mask]:
    """Numbers of a column, where it is missing, and where something is written that is no number.

    A comma is the decimal mark where no value of the column has a point; elsewhere it may part thousands: no number.
    """
    if not is_text(values):
        if pd.api.types.is_complex_dtype(values):
            raise InputError(f"column {values.name} (complex) must hold plain numbers")
        if pd.api.types.is_datetime64_any_dtype(values):
            return np.full(len(values), np.nan), missing(values), ~missing(values)
        plain = values.to_numpy(dtype=np.float64, na_value=np.nan)
        return plain, np.isnan(plain), np.zeros(len(plain), dtype=bool)
    texts = text(values)
    absent = texts.isna().to_numpy(dtype=bool)
    if not texts.str.contains(".", regex=False).any():
        texts = texts.str.replace(",", ".", n=1, regex=False)
    # Hexadecimal and digit_grouping are Python's, not a table's: to_numeric takes neither.
    plain = pd.to_numeric(texts.astype("object"), errors="coerce").to_numpy(dtype=np.float64)
    return plain, absent, np.isnan(plain) & ~absent


def check_points(verdict: Verdict, lat_lon: dict[str, pd.Series], region: Region | None) -> dict[str, Floats]:
    """Coordinates in degrees, WGS84; the keys are the targets of the four columns."""
    read = {target: numbers(values) for target, values in lat_lon.items()}
    for _, absent, _ in read.values():
        verdict.refuse(absent, "coordinate missing")
    for _, _, wrong in read.values():
        verdict.refuse(wrong, "coordinate not a number")
    for target, (degrees, _, _) in read.items():
        most = 90.0 if target.endswith("lat") else 180.0
        with np.errstate(invalid="ignore"):
            verdict.refuse(np.abs(degrees) > most, "coordinate out of range")
    for end in ("origin", "destination"):
        null_island = (read[f"{end}_lat"][0] == 0) & (read[f"{end}_lon"][0] == 0)
        verdict.refuse(null_island, "coordinate is (0, 0)")
    if region is not None:
        points = [(read[f"{end}_lat"][0], read[f"{end}_lon"][0]) for end in ("origin", "destination")]
        for lat, lon in points:
            verdict.refuse(region.outside(lat, lon), "outside the region")
        for lat, lon in points:
            verdict.refuse(region.at_sea(lat, lon), "in the sea")
    return {target: degrees for target, (degrees, _, _) in read.items()}


def check_cells(verdict: Verdict, ends: dict[str, pd.Series]) -> dict[str, npt.NDArray[np.object_]]:
    """H3 cells as hex strings in their usual spelling (lower case), None where refused."""
    for values in ends.values():
        verdict.refuse(missing(values), "cell missing")
    read = {}
    for end, values in ends.items():
        codes, words = pd.factorize(text(values))
        # A loop over distinct cells only, as h3 has no validity test over arrays.
        spelt = np.array([_cell(word) for word in words] + [None], dtype=object)
        read[end] = spelt[codes]
        verdict.refuse(np.array([cell is None for cell in spelt])[codes], "not an H3 cell")
    return read


def _cell(word: object) -> str | None:
    """The usual spelling of an H3 cell given as hex string or integer, else None."""
    digits = str(word).strip()
    # Hex has 16 digits at most: a longer row of decimals is an integer that was written out.
    number = cells.parse(int(digits) if len(digits) > 16 and digits.isdecimal() else word)
    return None if number is None else f"{number:x}"


def check_zones(verdict: Verdict, ends: dict[str, pd.Series]) -> dict[str, npt.NDArray[np.object_]]:
    """Zone labels as strings; any label is good."""
    for values in ends.values():
        verdict.refuse(missing(values), "zone missing")
    return {end: text(values).to_numpy(dtype=object) for end, values in ends.items()}


def check_weight(verdict: Verdict, values: pd.Series) -> Floats:
    """Weights rounded to millionths, so that their sums are exact as integers."""
    weight, absent, wrong = numbers(values)
    verdict.refuse(absent, "weight missing")
    verdict.refuse(wrong, "weight not a number")
    verdict.refuse(np.isinf(weight), "weight infinite")
    with np.errstate(invalid="ignore"):
        weight = np.round(weight, 6)
        verdict.refuse(~(weight > 0), "weight not positive")
    total = float(weight[verdict.kept].sum())
    if total * MICRO >= 2**62:
        raise InputError(
            f"weight (total {total:.3g}) must add up to less than {2**62 / MICRO:.3g}, so that sums stay exact; the "
            f"largest is {weight[verdict.kept].max():.3g}"
        )
    return weight


def identities(values: pd.Series) -> pd.Series:
    """Person ids: whole numbers stay int64, everything else becomes text without blanks around it.

    Texts that are all plain whole numbers become int64 too, so that a CSV and a Parquet file of the same trips agree;
    "007" keeps the whole column as text, as it may be another person than "7".
    """
    if pd.api.types.is_integer_dtype(values) and not values.isna().any():
        return values.astype("uint64" if str(values.dtype).lower() == "uint64" else "int64")
    texts = text(values)
    codes, words = pd.factorize(texts)
    if pd.Series(words).str.fullmatch(r"0|-?[1-9][0-9]{0,17}").all():
        return pd.Series(np.array([int(word) for word in words], dtype=np.int64)[codes], index=values.index)
    return texts
