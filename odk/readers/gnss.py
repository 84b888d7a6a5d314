"""Raw GNSS traces cut into trips: a trip ends where no record follows for some minutes (000, section 2.B: 3 minutes)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from odk import _rows, _segments

GAP_SECONDS = 180.0


@dataclass(frozen=True)
class CutTrips:
    """Trips of one trace, and the records that could not be used, by reason."""

    table: pd.DataFrame
    """``origin_lat, origin_lon, destination_lat, destination_lon`` (degrees), ``start_time, records``."""
    rejected: dict[str, int]


def cut_trace(
    time: pd.Series, lat: pd.Series, lon: pd.Series, clock: pd.Series | None = None, gap_seconds: float = GAP_SECONDS
) -> CutTrips:
    """Cut the records of one person where more than ``gap_seconds`` pass between two of them.

    The first record of a trip is its origin, the last one its destination; a trip of one record starts where it ends.
    Records without a readable time or with coordinates that no place on Earth has are left out before the cut, and
    counted. ``clock`` gives the start times to report (local time) where the cut uses another time (UTC).
    """
    verdict = _rows.Verdict(len(time))
    times, _ = _segments.read_times(time.reset_index(drop=True))
    verdict.refuse(times.isna().to_numpy(dtype=bool), "record without a readable time")
    ends = {
        f"{end}_{name}": values for end in ("origin", "destination") for name, values in (("lat", lat), ("lon", lon))
    }
    points = _rows.check_points(verdict, {name: values.reset_index(drop=True) for name, values in ends.items()}, None)
    kept = np.flatnonzero(verdict.kept)
    seconds = times.to_numpy(dtype="datetime64[us]").astype(np.int64)[kept]
    order = np.argsort(seconds, kind="stable")  # records of one instant stay in the order of the file
    kept, seconds = kept[order], seconds[order]
    cuts = np.flatnonzero(np.diff(seconds) > gap_seconds * 1e6) + 1
    start = np.concatenate([[0], cuts])[: len(kept)].astype(np.int64)  # no record, no trip
    stop = np.append(cuts, len(kept))[: len(kept)].astype(np.int64) - 1
    first, last = kept[start], kept[stop]
    shown, _ = _segments.read_times((time if clock is None else clock).iloc[first])
    rejected = {f"record: {reason.removeprefix('record ')}": n for reason, n in verdict.counts().items()}
    table = pd.DataFrame(
        {
            "origin_lat": points["origin_lat"][first],
            "origin_lon": points["origin_lon"][first],
            "destination_lat": points["origin_lat"][last],
            "destination_lon": points["origin_lon"][last],
            "start_time": shown.to_numpy(dtype="datetime64[us]"),
            "records": stop - start + 1,
        }
    )
    return CutTrips(table, rejected)
