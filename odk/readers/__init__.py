"""Readers: one file a format, each handing its table to the same checks (``odk.trips``)."""

from odk.readers.generic import Preview, preview_columns, read_trips
from odk.readers.netmob25 import read_netmob25
from odk.readers.tlc import ZonedTrips, read_tlc
from odk.readers.zoned import ZoneTable, read_zoned, read_zones

__all__ = [
    "Preview",
    "ZoneTable",
    "ZonedTrips",
    "preview_columns",
    "read_netmob25",
    "read_tlc",
    "read_trips",
    "read_zoned",
    "read_zones",
]
