"""NetMob25: a week of GNSS traces of 3,337 residents of the Île-de-France, with a table of who they are.

Where to get it: the NetMob 2025 data challenge (netmob.org/www25/datachallenge) gives access on request; the data set is
described in arXiv 2506.05903. It holds ``individuals_dataset.csv`` (one row a participant), ``trips_dataset.csv`` (declared
trips between communes, without coordinates) and ``gps_dataset/ID.csv`` (one trace a participant).

As in 000, section 2.B: participants with complete GNSS records (``GPS_RECORD``), trips cut from the traces after 3 minutes
without a record, the weight ``WEIGHT_INDIV`` of the participant on every trip, and the segments sex (F, M), age in bands
of ten years, profession (Cat. 1 to 8). The cut takes a minute or two on the whole data set: save its result with
``trips.table.to_parquet``, or give trips that were cut before.
"""

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from odk import _rows
from odk.columns import POINTS, guess_columns, listing
from odk.errors import InputError
from odk.readers.gnss import GAP_SECONDS, cut_trace
from odk.region import Region
from odk.tables.content import Source, display_name
from odk.tables.files import read_table
from odk.tables.raw import Plan, RawTable, join, needing
from odk.trips import Trips

INDIVIDUALS = ("ID", "SEX", "AGE", "PRO_CAT", "WEIGHT_INDIV", "GPS_RECORD")
TRACE = ("UTC DATETIME", "LOCAL DATETIME", "VALID", "LATITUDE", "LONGITUDE", "SPEED")
REGION = Region(name="the Île-de-France and around", west=0.9, south=47.6, east=4.1, north=49.8)
PLACE = ("LATITUDE", "LONGITUDE")
SEGMENTS = ("sex", "age", "profession")

UNKNOWN = "person without a row among the individuals"
SHORT = "trace of one record"
INCOMPLETE = "person without complete GNSS records"
_SEX = {
    "woman": "F",
    "women": "F",
    "female": "F",
    "femme": "F",
    "f": "F",
    "man": "M",
    "male": "M",
    "homme": "M",
    "m": "M",
}


def read_netmob25(
    individuals: Source,
    *,
    gps: str | PathLike[str] | Sequence[str | PathLike[str]] | None = None,
    trips: Source | None = None,
    gap_seconds: float = GAP_SECONDS,
    region: Region | None = REGION,
    name: str = "NetMob25",
) -> Trips:
    """Trips of NetMob25, with weight, sex, age band and profession of who made them.

    individuals: ``individuals_dataset.csv``.
    gps: the folder of traces, a zip of it, or a list of traces, each called after its participant; or
    trips: trips cut before, with a person (``person_id`` or ``ID``) and both ends in degrees.
    region: where trips can lie; None keeps those that lead anywhere.
    """
    if (gps is None) == (trips is None):
        raise InputError("read_netmob25 must be given either gps (raw traces) or trips (cut before)")
    people = _read_individuals(individuals)
    raw = _from_traces(gps, gap_seconds) if gps is not None else _from_trips(trips)  # type: ignore[arg-type]
    joined = _join(raw, people)
    columns = {target: target for target in ("person", *POINTS, "weight", "start_time") if target in joined.table}
    return Trips.from_raw(joined, columns, segments=SEGMENTS, ends="points", region=region, name=name)


def age_band(age: pd.Series) -> pd.Series:
    """Bands of the papers: 10-20 is 10 to 19 years, ..., 60-70 is 60 to 69, >70 is 70 and more; missing below 10."""
    years, _, _ = _rows.numbers(age)
    labels = [f"{low}-{low + 10}" for low in range(10, 70, 10)] + [">70"]
    bands = pd.cut(years, [10, 20, 30, 40, 50, 60, 70, np.inf], right=False, labels=labels)
    return pd.Series(bands.astype("object"), index=age.index)


def _read_individuals(source: Source) -> pd.DataFrame:
    """One row a participant: ``person, weight, complete, sex, age, profession``."""
    raw = read_table(source, needing(INDIVIDUALS, source))
    table = raw.table
    person = _rows.text(table["ID"])
    doubled = person[person.duplicated() & person.notna()]
    if len(doubled):
        raise InputError(f"{raw.name}: ID ({doubled.iloc[0]}) must be there once; {len(doubled):,} rows repeat one")
    profession = _rows.text(table["PRO_CAT"])
    return pd.DataFrame(
        {
            "person": person,
            "weight": table["WEIGHT_INDIV"],
            "complete": _rows.text(table["GPS_RECORD"]).str.lower().isin(["true", "1", "yes"]),
            "sex": _rows.text(table["SEX"]).str.lower().map(_SEX),
            "age": age_band(table["AGE"]),
            "profession": ("Cat. " + profession).where(profession.notna()),
        }
    )[person.notna()]


def _from_trips(source: Source) -> RawTable:
    """Trips cut before: columns named as we do."""
    found: dict[str, str] = {}

    def planner(names: list[str]) -> Plan:
        found.update(guess_columns(names))
        if "person" not in found and "ID" in names:
            found["person"] = "ID"
        if "Code_INSEE_O" in names and POINTS[0] not in found:
            raise InputError(
                f"{display_name(source)} has communes and no coordinates (declared trips); give the traces as gps instead"
            )
        lacking = [target for target in ("person", *POINTS) if target not in found]
        if lacking:
            raise InputError(
                f"{display_name(source)}: {', '.join(lacking)} must be among its columns: {listing(names)}"
            )
        return Plan(numeric=[found[target] for target in POINTS])

    raw = read_table(source, planner)
    names = {found[target]: target for target in ("person", *POINTS, "start_time") if target in found}
    return replace(raw, table=raw.table[list(names)].rename(columns=names))


def _from_traces(gps: str | PathLike[str] | Sequence[str | PathLike[str]], gap_seconds: float) -> RawTable:
    parts: list[RawTable] = []
    before = 0
    for person, source in _traces(gps):
        raw = read_table(source, needing(("UTC DATETIME", *PLACE), source, numeric=PLACE))
        table = raw.table
        clock = table.get("LOCAL DATETIME")
        cut = cut_trace(table["UTC DATETIME"], table["LATITUDE"], table["LONGITUDE"], clock, gap_seconds)
        row = np.arange(before + 1, before + len(cut.table) + 1, dtype=np.int64)
        before += len(cut.table)
        single = int((cut.table["records"] == 1).sum())
        notes = {**{f"record: {reason}": n for reason, n in raw.refused.items()}, **cut.rejected}
        if single:
            notes["trips of one record, which start where they end"] = single
        part = RawTable("gps", cut.table.assign(person=person), row, notes=notes)
        parts.append(part.without(np.full(len(row), int(cut.table["records"].sum()) < 2), SHORT, ["person", *POINTS]))
    if not parts:
        raise InputError("gps must hold at least one trace, called after its participant (for instance 10_1234.csv)")
    return join(parts)


def _traces(gps: str | PathLike[str] | Sequence[str | PathLike[str]]) -> Iterator[tuple[str, Source]]:
    """Participant and trace, in the order of the participants' names."""
    if not isinstance(gps, str | PathLike):
        for path in sorted(gps, key=lambda path: Path(path).name):
            yield _person(Path(path).name), path
        return
    folder = Path(gps)
    if folder.is_dir():
        for path in sorted(folder.iterdir(), key=lambda path: path.name):
            if ".csv" in path.name.lower() and not path.name.startswith("."):
                yield _person(path.name), path
        return
    if not zipfile.is_zipfile(folder):
        raise InputError(f"gps ({folder.name}) must be a folder of traces, a zip of it, or a list of files")
    with zipfile.ZipFile(folder) as archive:
        members = [m for m in archive.namelist() if m.lower().endswith(".csv") and "__MACOSX" not in m]
        for member in sorted(members, key=lambda member: PurePosixPath(member).name):
            trace = io.BytesIO(archive.read(member))
            trace.name = PurePosixPath(member).name
            yield _person(trace.name), trace


def _person(file_name: str) -> str:
    return file_name.split(".")[0]


def _join(raw: RawTable, people: pd.DataFrame) -> RawTable:
    """Weight and segments of the person on every trip; trips of a person who is not to be used are refused."""
    person = _rows.text(raw.table["person"])
    raw = replace(raw, table=raw.table.assign(person=person))
    known = people.set_index("person")
    raw = raw.without((person.notna() & ~person.isin(known.index)).to_numpy(dtype=bool), UNKNOWN, ["person", *POINTS])
    complete = raw.table["person"].map(known["complete"])
    raw = raw.without(complete.eq(False).to_numpy(dtype=bool), INCOMPLETE, ["person", *POINTS])
    details = {name: raw.table["person"].map(known[name]) for name in ("weight", *SEGMENTS)}
    absent = int((known["complete"] & ~known.index.isin(raw.table["person"])).sum())
    notes = {**raw.notes, **({"individuals without a trip": absent} if absent else {})}
    return replace(raw, table=raw.table.assign(**details), notes=notes)
