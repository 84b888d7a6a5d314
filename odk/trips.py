"""Trips: one row a trip, checked once at the door. Refused rows are counted by reason, the first few kept."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk import _rows, _segments
from odk import cells as grid
from odk.columns import CELLS, POINTS, TARGETS, listing, resolve_columns
from odk.errors import InputError
from odk.region import Region
from odk.tables.raw import RawTable

Ends = Literal["points", "h3", "zones"]
ALL_ENDS = ("points", "h3", "zones")
HINTS = {  # what to do where no row at all is valid, by the commonest reason
    "not an H3 cell": "if these are zone labels, read with ends='zones'",
    "coordinate out of range": "coordinates must be degrees (WGS 84), not metres of a map projection or parts of a degree",
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Trips:
    """Trips that passed all checks, and what was refused.

    ``Trips.from_table`` and ``odk.read_trips`` make them; the constructor itself checks nothing.
    """

    table: pd.DataFrame
    """``person``; ``origin_lat, origin_lon, destination_lat, destination_lon`` in degrees, or ``origin, destination``
    as H3 cells (hex) or zone labels; ``weight`` (people per trip, in millionths); ``start_time``; then the segments."""
    rejected: Mapping[str, int] = field(default_factory=dict)
    """Rows refused, by reason. A row is counted once, under the first reason in the order of ``odk._rows.REASONS``."""
    rejected_rows: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """The first few refused rows of every reason as they stand in the file; ``row`` 1 is the first below the header."""
    warnings: Mapping[str, int] = field(default_factory=dict)
    """Rows that were kept although something optional is unreadable: start time or a segment's value."""
    rows: int = 0
    """Rows read: those kept (before any ``where`` or ``within``) and those rejected."""
    source: str = "table"
    """Name to show; never a path of this machine."""
    synthetic: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    """The mapping used: target -> column of the file."""
    ends: Ends = "points"
    """What the ends are: ``points`` in degrees, ``h3`` cells, or ``zones`` with any label."""
    filters: tuple[str, ...] = ()
    """What ``where`` and ``within`` kept, in words."""

    @classmethod
    def from_table(
        cls,
        table: pd.DataFrame,
        columns: Mapping[str, str | None] | None = None,
        *,
        segments: Sequence[str] | None = None,
        ends: Ends | None = None,
        region: Region | None = None,
        source: str = "table",
        synthetic: bool = False,
    ) -> "Trips":
        """Check a table in memory.

        columns: target -> column of the table; the rest is guessed from usual names (``odk.columns``).
        segments: the segment columns; None takes those with few distinct values (rule in ``odk._segments``).
        ends: ``points``, ``h3`` or ``zones``; None takes points where found, else H3 cells.
        region: where points can lie; None takes any point of the Earth but (0, 0).
        """
        names = [str(name) for name in table.columns]
        raw = RawTable(source, table.set_axis(names, axis=1).reset_index(drop=True), np.arange(1, len(table) + 1))
        return cls.from_raw(raw, columns, segments=segments, ends=ends, region=region, synthetic=synthetic)

    @classmethod
    def from_raw(
        cls,
        raw: RawTable,
        columns: Mapping[str, str | None] | None = None,
        *,
        segments: Sequence[str] | None = None,
        ends: Ends | None = None,
        region: Region | None = None,
        name: str | None = None,
        synthetic: bool = False,
    ) -> "Trips":
        """Check a table as a reader hands it over, with the rows that it has refused already; else as ``from_table``."""
        return _check(raw, columns, segments=segments, ends=ends, region=region, synthetic=synthetic, name=name)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        known = "" if self.has_person else ", persons unknown"
        kept = "".join(f", {words}" for words in self.filters)
        return f"Trips({self.source}: {len(self):,} trips, {sum(self.rejected.values()):,} rejected{known}{kept})"

    @property
    def has_person(self) -> bool:
        """Whether trips of one person can be told apart; without it, persons cannot be guarded."""
        return "person" in self.table.columns

    @property
    def has_cells(self) -> bool:
        """Whether the ends are cells or zones instead of points."""
        return self.ends != "points"

    @property
    def segments(self) -> list[str]:
        """Names of the segment columns."""
        return [str(name) for name in self.table.columns if name not in TARGETS]

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the trips, in their order: equal trips have equal fingerprints, in any session."""
        digest = hashlib.sha256(repr([str(name) for name in self.table.columns]).encode())
        for name in self.table.columns:
            column = self.table[name]
            plain = column.astype("object") if isinstance(column.dtype, pd.CategoricalDtype) else column
            digest.update(pd.util.hash_pandas_object(plain, index=False).to_numpy().tobytes())
        return digest.hexdigest()

    def where(self, **segment: Any) -> "Trips":
        """The trips of a segment: ``where(sex="F", age=["20-30", "30-40"])``. Values are compared as text."""
        filters = [f"{name} = {', '.join(sorted(_asked(wanted)))}" for name, wanted in segment.items()]
        return self._keep(self.selects(**segment), *filters)

    def by_time(self) -> "Trips":
        """These trips with the segments "part of day" and "part of week" from their start times, where known and new."""
        if "start_time" not in self.table.columns:
            return self
        bands = _segments.time_bands(self.table["start_time"])
        return replace(self, table=self.table.assign(**{n: b for n, b in bands.items() if n not in self.segments}))

    def selects(self, **segment: Any) -> npt.NDArray[np.bool_]:
        """Which trips `where` would keep."""
        keep = np.ones(len(self), dtype=bool)
        for name, wanted in segment.items():
            if name not in self.segments:
                raise InputError(
                    f"segment ({name}) must be a segment column; these trips have {listing(self.segments)}"
                )
            values = _asked(wanted)
            here = self.table[name]
            exist = sorted(here.dropna().unique())
            for value in values:
                if value not in exist:
                    raise InputError(f"segment {name} ({value}) must be a value that occurs: {listing(exist)}")
            keep &= here.isin(values).to_numpy(dtype=bool)
        return keep

    def within(self, cells: Sequence[str], resolution: int = 10) -> "Trips":
        """The trips with both ends under the given H3 cells, of any resolutions not finer than the trips' own.

        resolution: that of the leaves. A point counts where its leaf's ancestor lies, as in ``ODMatrix.within``: H3 cells
        do not nest exactly, so a point near a border may lie in one cell and its leaf under the neighbour.
        """
        if self.ends == "zones":
            raise InputError(
                f"within ({listing(cells, 5)}) must be asked of points or H3 cells; these trips have zone labels"
            )
        area = grid.to_ids(list(cells))
        keep = np.ones(len(self), dtype=bool)
        for end in CELLS:
            keep &= self._under(end, area, resolution)
        return self._keep(keep, f"within {listing(cells, 5)}")

    def _under(self, end: str, area: npt.NDArray[np.uint64], leaf: int) -> npt.NDArray[np.bool_]:
        inside = np.zeros(len(self), dtype=bool)
        resolutions = grid.resolution(area)
        codes, words = pd.factorize(self.table[end]) if self.has_cells else (None, None)
        for res in np.unique(resolutions):
            at_res = area[resolutions == res]
            if codes is not None and words is not None:
                ids = grid.to_ids(list(words))
                finest = int(grid.resolution(ids[:1])[0]) if len(ids) else 15
                if res > finest:
                    raise InputError(
                        f"within (resolution {res}) must not be finer than the trips' cells (resolution {finest})"
                    )
                inside |= np.isin(grid.parent(ids, int(res)), at_res)[codes]
            else:
                lat, lon = (self.table[f"{end}_{c}"].to_numpy(dtype=np.float64) for c in ("lat", "lon"))
                leaves = grid.from_points(lat, lon, max(int(res), leaf))
                inside |= np.isin(grid.parent(leaves, int(res)), at_res)
        return inside

    def _keep(self, keep: npt.NDArray[np.bool_], *filters: str) -> "Trips":
        if not keep.any():
            raise InputError(f"filter ({'; '.join(filters)}) must keep at least one trip of {len(self):,}")
        table = self.table[keep].reset_index(drop=True)
        for name in self.segments:
            if isinstance(table[name].dtype, pd.CategoricalDtype):
                table[name] = table[name].cat.remove_unused_categories()
        return replace(self, table=table, filters=(*self.filters, *filters))


def _asked(wanted: Any) -> list[str]:
    """Values of a segment as text: one, or several in a list."""
    several = isinstance(wanted, list | tuple | set | frozenset)
    return [_rows.label(value) for value in (wanted if several else [wanted])]


def _check(
    whole: RawTable,
    columns: Mapping[str, str | None] | None,
    *,
    segments: Sequence[str] | None,
    ends: Ends | None,
    region: Region | None,
    synthetic: bool,
    name: str | None = None,
) -> Trips:
    """Turn a raw table into Trips; all checks of rows in the order of ``odk._rows.REASONS``."""
    source, raw = name or whole.name, whole.table
    if ends is not None and ends not in ALL_ENDS:
        raise InputError(f"ends ({ends}) must be one of {', '.join(ALL_ENDS)}")
    names = list(raw.columns)
    used = resolve_columns(names, columns)
    if whole.rows == 0:
        raise InputError(
            f"{source} must hold at least one trip; it has no rows below its column names ({listing(names)})"
        )
    kind: Ends = "points" if POINTS[0] in used else (ends or "h3")
    if ends is not None and (ends == "points") != (kind == "points"):
        wanted = POINTS if ends == "points" else CELLS
        raise InputError(f"ends ({ends}) must have the columns {', '.join(wanted)} mapped; found {listing(used)}")

    verdict = _rows.Verdict(len(raw))
    out = _read_ends(verdict, raw, used, kind, region)
    weight = _rows.check_weight(verdict, raw[used["weight"]]) if "weight" in used else np.ones(len(raw))
    if "person" in used:
        verdict.refuse(_rows.missing(raw[used["person"]]), "person missing")
    kept = verdict.kept
    counts = verdict.counts()
    rejected = {**whole.refused, **counts}
    rejected_rows = {**whole.refused_rows, **{why: _shown(whole, verdict.first(why), used) for why in counts}}
    _check_any(source, kept, rejected, rejected_rows)
    if kind == "h3":
        _check_one_resolution(source, whole.row, used, out, kept)

    data: dict[str, Any] = {}
    if "person" in used:
        data["person"] = _rows.identities(raw[used["person"]][kept])
    for target, values in out.items():
        data[target] = values[kept] if kind == "points" else pd.array(values[kept], dtype="str")
    data["weight"] = weight[kept]
    warnings = dict(whole.notes)
    if "start_time" in used:
        data["start_time"], unreadable = _segments.read_times(raw[used["start_time"]][kept])
        if unreadable:
            warnings["start_time unreadable"] = unreadable
    for name, column in _segments.choose(raw, used, segments).items():
        data[name] = _segments.as_categories(raw[column][kept])
        lost = int(data[name].isna().sum())
        if lost:
            warnings[f"{name} missing"] = lost
    table = pd.DataFrame({name: pd.Series(values).reset_index(drop=True) for name, values in data.items()})
    order = [t for t in TARGETS if t in table.columns]
    table = table[order + [name for name in table.columns if name not in order]]
    return Trips(
        table=table,
        rejected=rejected,
        rejected_rows=rejected_rows,
        warnings=warnings,
        rows=whole.rows,
        source=source,
        synthetic=synthetic,
        columns=used,
        ends=kind,
    )


def _read_ends(
    verdict: _rows.Verdict, raw: pd.DataFrame, used: Mapping[str, str], kind: Ends, region: Region | None
) -> dict[str, Any]:
    if kind == "points":
        return dict(_rows.check_points(verdict, {target: raw[used[target]] for target in POINTS}, region))
    check = _rows.check_cells if kind == "h3" else _rows.check_zones
    return dict(check(verdict, {target: raw[used[target]] for target in CELLS}))


def _shown(whole: RawTable, rows: npt.NDArray[np.int64], used: Mapping[str, str]) -> pd.DataFrame:
    columns = {
        column: whole.table[column].iloc[rows].to_numpy() for column in dict.fromkeys(used.values()) if column != "row"
    }
    return pd.DataFrame({"row": whole.row[rows], **columns})


def _check_any(
    source: str, kept: npt.NDArray[np.bool_], rejected: Mapping[str, int], rejected_rows: Mapping[str, pd.DataFrame]
) -> None:
    """No valid row at all: say every reason, and what the first row of the commonest looks like."""
    if kept.any():
        return
    reasons = "; ".join(f"{reason}: {n:,}" for reason, n in rejected.items())
    worst = max(rejected, key=lambda reason: rejected[reason])
    example = rejected_rows[worst].iloc[0]
    values = ", ".join(f"{name}={example[name]}" for name in rejected_rows[worst].columns[1:])
    hint = f"; {HINTS[worst]}" if worst in HINTS else ""
    raise InputError(
        f"{source} must hold at least one valid trip; none of {sum(rejected.values()):,} rows is one ({reasons}); "
        f"row {example['row']}: {values}{hint}"
    )


def _check_one_resolution(
    source: str,
    row: npt.NDArray[np.int64],
    used: Mapping[str, str],
    out: Mapping[str, Any],
    kept: npt.NDArray[np.bool_],
) -> None:
    """All cells of a file lie at one resolution: a finer cell inside a coarser one would be counted apart from it."""
    found: dict[int, tuple[int, str]] = {}
    for end in CELLS:
        codes, words = pd.factorize(out[end][kept])
        resolutions = np.array([(int(word, 16) >> 52) & 15 for word in words])
        for res in np.unique(resolutions):
            first = int(row[kept][np.flatnonzero(resolutions[codes] == res)[0]])
            found.setdefault(int(res), (first, used[end]))
    if len(found) > 1:
        where = ", ".join(f"{res} (row {first}, column {column})" for res, (first, column) in sorted(found.items()))
        raise InputError(f"{source}: H3 cells must have one resolution; found {where}")
