"""Trips between named zones, and the table of those zones: a parent each, or a centre each.

With parents the table is the hierarchy (districts, cities, ...). With centres alone, the hierarchy is Ward's clustering of
them, as 001 does it for the taxi zones of New York. Trips to or from a zone that the table has no leaf for are refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from odk import _rows
from odk.columns import CELLS, guess_columns, listing
from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.readers import tlc
from odk.tables.content import Source
from odk.tables.files import read_head, read_table
from odk.tables.raw import Plan
from odk.trips import Trips

ZONE = (*tlc.ZONE, "zone", "zone code", "code", "name", "label")
PARENT = ("parent", "parent id", "parent zone", "parent code", "zone parent", "parent zone id")
NO_ZONE = "zone not in the zone table"


@dataclass(frozen=True)
class ZoneTable:
    """Zones of a table: their tree, and their names where the table has any."""

    hierarchy: Hierarchy
    names: Mapping[str, str]


def is_zone_table(names: Sequence[str]) -> bool:
    """Whether columns are those of a zone table: a zone, and its parent or its latitude and longitude."""
    parent, *centre = (tlc.find_any(names, usual) for usual in (PARENT, tlc.LAT, tlc.LON))
    return tlc.find_any(names, ZONE) is not None and (parent is not None or None not in centre)


def read_zones(source: Source) -> ZoneTable:
    """Read a table of zones: ``zone`` and ``parent`` (and ``lat, lon``, for maps), or ``zone``, ``lat`` and ``lon``."""
    head = read_head(source, 1)
    columns = [str(name) for name in head.table.columns]
    if not is_zone_table(columns):
        raise InputError(
            f"{head.name} must have a column zone, and parent or lat and lon; its columns are {listing(columns)}"
        )
    parent = tlc.find_any(columns, PARENT)
    if parent is None:
        places = tlc.read_places(source, ZONE)
        tree = Hierarchy.from_ward(list(places.index), places["lat"].to_numpy(), places["lon"].to_numpy())
        return ZoneTable(tree, {str(label): str(word) for label, word in places["name"].dropna().items()})
    table = read_table(source, lambda names: Plan()).table
    zone, lat, lon = (tlc.find_any(columns, usual) for usual in (ZONE, tlc.LAT, tlc.LON))
    at = [None if lat is None or lon is None else _rows.numbers(table[name])[0] for name in (lat, lon)]
    own, above = (list(_rows.text(table[str(name)]).fillna("")) for name in (zone, parent))
    return ZoneTable(Hierarchy.from_table(own, above, *at), {})


def read_zoned(
    trips: Source,
    zones: Source,
    columns: Mapping[str, str | None] | None = None,
    *,
    segments: Sequence[str] | None = None,
    name: str | None = None,
) -> tlc.ZonedTrips:
    """Read trips between named zones, and the table of the zones.

    columns: target -> column of the trips, as for ``read_trips``; ``origin`` and ``destination`` are the zones.
    segments: columns to keep as segments; None takes those with few distinct values.
    """
    table = read_zones(zones)
    given = {target: column for target, column in (columns or {}).items() if target not in CELLS or column is not None}

    def planner(names: list[str]) -> Plan:
        for target, usual in tlc.ENDS.items():
            found = tlc.find_any(names, usual)
            if target not in given and found is not None:
                given[target] = found
        given.update({end: column for end, column in guess_columns(names).items() if end in CELLS and end not in given})
        lacking = [end for end in CELLS if end not in given]
        if lacking:
            raise InputError(f"columns: {', '.join(lacking)} must be mapped to zones; the file has {listing(names)}")
        return Plan(numeric=[column for target, column in given.items() if target == "weight" and column is not None])

    raw = read_table(trips, planner)
    leaves = {table.hierarchy.label(i) for i in range(table.hierarchy.n_leaves)}
    used = [str(given[end]) for end in CELLS]
    raw = replace(raw, table=raw.table.assign(**{column: _rows.text(raw.table[column]) for column in used}))
    for column in used:
        here = raw.table[column]
        raw = raw.without((here.notna() & ~here.isin(leaves)).to_numpy(dtype=bool), NO_ZONE, used)
    read = Trips.from_raw(raw, given, segments=segments, ends="zones", name=name)
    return tlc.ZonedTrips(read, table.hierarchy, table.names)
