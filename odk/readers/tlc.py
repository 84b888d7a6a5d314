"""Taxi trips of New York (Taxi and Limousine Commission): zones instead of points, so their hierarchy is a dendrogram.

Where to get it: nyc.gov/site/tlc/about/tlc-trip-record-data.page has a Parquet file a month (yellow, green, for-hire) and
the shapes of the 263 taxi zones. A table of the zones' centroids is needed beside: ``LocationID``, latitude, longitude
(and ``Zone``, the name, where at hand), to be made from the shapes with any GIS.

As in 001, section 4: leaves are taxi zones, the hierarchy is Ward's clustering of their centroids. Trips to or from a zone
without a centroid (264 and 265 stand for "unknown" and "outside") are refused. Who travelled is not in these files, so
persons cannot be guarded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from odk import _rows
from odk.columns import listing, normalise
from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.tables.content import Source, display_name
from odk.tables.files import read_table
from odk.tables.raw import Plan
from odk.trips import Trips

ENDS = {"origin": ("pulocation id", "pulocationid"), "destination": ("dolocation id", "dolocationid")}
TIMES = ("tpep pickup datetime", "lpep pickup datetime", "pickup datetime")
ZONE = ("location id", "locationid", "zone id", "id")
LAT = ("lat", "latitude", "centroid lat", "centroid latitude", "y")
LON = ("lon", "lng", "long", "longitude", "centroid lon", "centroid lng", "centroid longitude", "x")
NAME = ("zone", "zone name", "name")
NO_CENTROID = "zone without a centroid"


@dataclass(frozen=True)
class ZonedTrips:
    """Trips between zones, and what a matrix of them needs: ``ODMatrix.from_trips(it.trips, hierarchy=it.hierarchy)``."""

    trips: Trips
    hierarchy: Hierarchy
    names: Mapping[str, str]
    """Name of every zone, by its label (the LocationID); empty where the table has none."""


def read_tlc(
    trips: Source, zones: Source, *, segments: Sequence[str] | None = None, name: str | None = None
) -> ZonedTrips:
    """Read a month of trips and the table of zone centroids.

    segments: columns to keep as segments; None takes those with few distinct values.
    """
    places = read_places(zones)
    hierarchy = Hierarchy.from_ward(list(places.index), places["lat"].to_numpy(), places["lon"].to_numpy())
    found: dict[str, str] = {}

    def planner(names: list[str]) -> Plan:
        found.update({end: _find(names, usual, end, trips) for end, usual in ENDS.items()})
        when = find_any(names, TIMES)
        found.update({} if when is None else {"start_time": when})
        return Plan()

    raw = read_table(trips, planner)
    labels = {found[end]: _rows.text(raw.table[found[end]]) for end in ENDS}
    raw = replace(raw, table=raw.table.assign(**labels))
    for end in ENDS:
        here = raw.table[found[end]]
        bad = (here.notna() & ~here.isin(places.index)).to_numpy(dtype=bool)
        raw = raw.without(bad, NO_CENTROID, list(found.values()))
    columns = {**found, "person": None, "weight": None}
    read = Trips.from_raw(raw, columns, segments=segments, ends="zones", name=name)
    names = {str(label): str(word) for label, word in places["name"].dropna().items()}
    return ZonedTrips(read, hierarchy, names)


def read_places(source: Source, zone_names: Sequence[str] = ZONE) -> pd.DataFrame:
    """A table of zones and their centres: ``lat, lon, name`` by label."""
    raw = read_table(source, lambda names: Plan())
    names = list(raw.table.columns)
    zone, lat, lon = (
        _find(names, usual, what, source) for usual, what in ((zone_names, "LocationID"), (LAT, "lat"), (LON, "lon"))
    )
    label = _rows.text(raw.table[zone])
    name = find_any(names, NAME)
    table = pd.DataFrame(
        {
            "label": label,
            "lat": _rows.numbers(raw.table[lat])[0],
            "lon": _rows.numbers(raw.table[lon])[0],
            "name": None if name is None else _rows.text(raw.table[name]),
        }
    )
    good = table["label"].notna() & (table["lat"].abs() <= 90) & (table["lon"].abs() <= 180)
    table = table[good & ~((table["lat"] == 0) & (table["lon"] == 0))]
    doubled = table["label"][table["label"].duplicated()]
    if len(doubled):
        raise InputError(f"{raw.name}: {zone} ({doubled.iloc[0]}) must be there once")
    if not len(table):
        raise InputError(f"{raw.name} must hold at least one zone with a centroid in degrees ({lat}, {lon})")
    return table.set_index("label")


def find_any(names: Sequence[str], usual: Sequence[str]) -> str | None:
    """The column whose name comes first in a list of usual names."""
    by_word = {normalise(name): name for name in reversed(list(names))}
    return next((by_word[word] for word in usual if word in by_word), None)


def _find(names: Sequence[str], usual: Sequence[str], what: str, source: Source) -> str:
    found = find_any(names, usual)
    if found is None:
        raise InputError(f"{display_name(source)}: {what} ({usual[0]}) must be among its columns: {listing(names)}")
    return found
