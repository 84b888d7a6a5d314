"""Car-sharing trips of Turin: one row a rental with both ends in one object, and the car's plate.

Where to get it: collected in 2017 by the SmartData group of the Politecnico di Torino, on request there; the export has the
columns ``init_time, final_time, plate, vin, coordinates`` (times in Unix seconds, coordinates as [[lon, lat], [lon, lat]]).

As in 003, section 5.1: points at (0, 0) or far off (some lie in Ethiopia) are left out, and the car is what is protected.
"""

from collections.abc import Collection

from odk.region import Region
from odk.tables.lines import split_lines
from odk.tables.raw import RawTable

COLUMNS = ("init_time", "final_time", "plate", "vin", "coordinates")
MAPPING = {"person": "plate", "start_time": "init_time"}
SEGMENTS: tuple[str, ...] = ()
REGION = Region(name="the surroundings of Turin", west=6.6, south=44.5, east=8.6, north=45.8)


def _object(names: Collection[str]) -> str:
    return "coordinates" if "coordinates" in names else "origin_destination"


def matches(names: Collection[str]) -> bool:
    """Whether a file has the columns of this data set."""
    return {"init_time", "plate", _object(names)} <= set(names)


def adapt(raw: RawTable) -> RawTable:
    """Both ends of every rental as columns; rows without them are refused by reason."""
    return split_lines(raw, _object(list(raw.table.columns)))
