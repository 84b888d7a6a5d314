"""Taxi trips of Porto (ECML/PKDD 2015 challenge): one row a trip, its way as POLYLINE, a point every 15 seconds.

Where to get it: UCI Machine Learning Repository, "Taxi Service Trajectory - Prediction Challenge, ECML PKDD 2015"
(data set 339), or Kaggle, "ECML/PKDD 15: Taxi Trajectory Prediction (I)": ``train.csv`` (1,710,670 rows), as it is or zipped.

As in 003, section 5.1: the first point is the origin, the last one the destination, lines of no or one point are left out
(36,510 rows there), and the taxi is what is protected. Points in the Atlantic or outside the north of Portugal are refused
too; ``region=None`` keeps them, as the thesis did.
"""

from collections.abc import Collection

from odk.region import Region
from odk.tables.lines import split_lines
from odk.tables.raw import RawTable

COLUMNS = (
    "TRIP_ID",
    "CALL_TYPE",
    "ORIGIN_CALL",
    "ORIGIN_STAND",
    "TAXI_ID",
    "TIMESTAMP",
    "DAY_TYPE",
    "MISSING_DATA",
    "POLYLINE",
)
MAPPING = {"person": "TAXI_ID", "start_time": "TIMESTAMP"}
SEGMENTS = ("CALL_TYPE", "DAY_TYPE")
REGION = Region(
    name="the north of Portugal",
    west=-9.3,
    south=39.9,
    east=-6.1,
    north=42.2,
    west_coast=(
        (39.9, -9.05),
        (40.2, -8.98),
        (40.65, -8.82),
        (41.0, -8.71),
        (41.15, -8.74),
        (41.35, -8.81),
        (42.2, -9.0),
    ),
)


def matches(names: Collection[str]) -> bool:
    """Whether a file has the columns of this data set."""
    return {"TAXI_ID", "TIMESTAMP", "POLYLINE"} <= set(names)


def adapt(raw: RawTable) -> RawTable:
    """First and last point of every POLYLINE as columns; rows without two points are refused by reason."""
    return split_lines(raw, "POLYLINE")
