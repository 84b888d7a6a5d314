"""Tables of what moves: every published flow with names that people can say, and those of one zone, in and out."""

import pandas as pd

from odk.matrix import MICRO
from odk.release import NoisyRelease, Release
from odk.viz.names import zone_names
from odk.viz.relate import same_place
from odk.viz.zones import Axis, places

ENDS = (("origins", "origin", "from"), ("destinations", "destination", "to"))


def flow_table(release: Release) -> pd.DataFrame:
    """One row a published flow, largest first (by the lead measure).

    Columns: origin, destination (zones), from, to (their names), trips, persons (where known), population (weighted
    trips), volume (the lead measure), from_lat, from_lon, to_lat, to_lon. Noise has only the measure it published.
    """
    columns: dict[str, object] = {}
    for axis, end, word in ENDS:
        table, of_cell = places(release, axis)  # type: ignore[arg-type]
        table["name"] = zone_names(table["lat"], table["lon"], table["level"])
        at = table.iloc[of_cell].reset_index(drop=True)
        columns |= {end: at["zone"], word: at["name"], f"{word}_lat": at["lat"], f"{word}_lon": at["lon"]}
    found = pd.DataFrame(columns)
    lead = release.noised if isinstance(release, NoisyRelease) else release.protection.lead
    if not isinstance(release, NoisyRelease) or lead == "trips":
        found["trips"] = release.trips
    if release.persons is not None:
        found["persons"] = release.persons
    if not isinstance(release, NoisyRelease) or lead == "population":
        found["population"] = release.population / MICRO
    found["volume"] = found[lead]
    return found.sort_values(["volume", "origin", "destination"], ascending=[False, True, True], ignore_index=True)


def flows_of(flows: pd.DataFrame, zone: str, axis: Axis) -> pd.DataFrame:
    """The flows of `flow_table` that leave a zone of an axis and those that arrive in it, largest first.

    Origins and destinations may be zoned differently: on the other axis the zones at the same place count (itself,
    else the one around it, else those within it). Adds `incoming`, and `within`: from and to the same zone; such a flow
    is outgoing only.
    """
    near = {}
    for side, end, _ in ENDS:
        near[end] = (zone,) if side == axis else same_place(zone, flows[end].unique().tolist())
    out, into = flows["origin"].isin(near["origin"]), flows["destination"].isin(near["destination"])
    found = flows[out | into].copy()
    found["incoming"] = into & ~out
    found["within"] = found["origin"] == found["destination"]
    return found.reset_index(drop=True)
