"""What several releases give away together: the subtractions as a table with names, on a map, and in a sentence."""

from typing import Literal

import numpy as np
import pandas as pd

from odk.disclosure import SegmentSet
from odk.viz.names import zone_names
from odk.viz.theme import count, counted
from odk.viz.zones import Axis, places, zone_table

Level = Literal["leak", "safe", "unknown"]
COLUMNS = ["from", "to", "about", "all", "segments", "left", "threshold", "origin", "destination"]


def leak_table(made: SegmentSet, *, every: bool = False) -> pd.DataFrame:
    """What is given away, least first: from, to, about (whose trips), all − segments = left, threshold, zones' ids.

    every: all differences of cells of `all` and everything published inside them, safe or not.
    """
    if every:
        found = made.remainders().assign(about=" or ".join(made.rest) or "nobody")
    else:
        found = made.found.leaks.rename(columns={"value": "left"})
        flows = made.tables[0].flows.set_index(["origin", "destination"])
        keys = list(zip(found["origin"], found["destination"], strict=True))
        total = [
            float(flows[m].get(key, np.nan)) if m in flows else np.nan
            for key, m in zip(keys, found["measure"], strict=True)
        ]
        found = found.assign(all=total, segments=np.array(total) - found["left"].to_numpy(dtype=np.float64))
        found = found.sort_values(["left", "origin", "destination"], ignore_index=True)
    for axis, end, word in (("origins", "origin", "from"), ("destinations", "destination", "to")):
        zones, _ = places(made.whole, axis)  # type: ignore[arg-type]
        names = dict(zip(zones["zone"], zone_names(zones["lat"], zones["lon"], zones["level"]), strict=True))
        found[word] = [names.get(zone, zone) for zone in found[end]]
    return found[COLUMNS]


def leak_zones(made: SegmentSet, axis: Axis) -> pd.DataFrame:
    """Zones of `all` as `zone_table`; `failing` counts the flows at each that are given away."""
    table = zone_table(made.whole, axis)
    end = "origin" if axis == "origins" else "destination"
    leaks = made.found.leaks.drop_duplicates(["origin", "destination"])[end].value_counts()
    table["failing"] = table["zone"].map(leaks).fillna(0).astype(np.int64)
    return table


def words(made: SegmentSet, apart: SegmentSet) -> tuple[str, Level]:
    """The verdict in a sentence or two; `apart` is the same set zoned separately."""
    segments = [label for label in made.releases if label != "all"]
    way = " − ".join(["all", *segments])
    guard = made.whole.protection
    if not made.found.checked:
        if set(guard.guards) == {"persons"}:
            return (
                "Only persons are published, and persons do not subtract: that differences are safe is not shown.",
                "unknown",
            )
        return (
            f"**{way}**: no flow of {' or '.join(segments)} lies inside one of all; nothing can be subtracted.",
            "safe",
        )
    doubt = " For persons this is not shown: they do not subtract." if guard.persons is not None else ""
    leaks = made.found.leaks
    if len(leaks):
        whose = ", ".join(sorted(set(leaks["about"])))
        first = int(leaks["value"].to_numpy(dtype=np.float64).argmin())
        value, measure = float(leaks["value"].iloc[first]), leaks["measure"].iloc[first]
        unit = "weighted trips" if measure == "population" else "trip" if value == 1 else "trips"
        return (
            f"**{way}** gives away {counted(_flows(leaks), 'flow')} of **{whose}** below the threshold, the least of "
            f"{count(value)} {unit}, although each release is safe on its own.",
            "leak",
        )
    kept = f"**{way}**: each of {counted(made.found.checked, 'difference')} is zero or reaches the threshold."
    if made is apart:
        return kept + doubt, "safe"
    gone, held = _flows(apart.found.leaks), sum(made.withheld.values())
    also = f" None of the {counted(gone, 'flow')} that separate zones give away is left." if gone else ""
    cost = (
        f" For this, {counted(held, 'flow')} of {', '.join(segments)} {'is' if held == 1 else 'are'} withheld."
        if held
        else ""
    )
    return kept + also + cost + doubt, "safe"


def _flows(leaks: pd.DataFrame) -> int:
    return len(leaks.drop_duplicates(["origin", "destination", "about"]))
