"""What several releases give away together: the subtractions as a table with names, on a map, and in a sentence."""

from typing import Literal

import numpy as np
import pandas as pd

from odk.disclosure import SegmentSet
from odk.viz.names import zone_names
from odk.viz.theme import count, counted
from odk.viz.zones import Axis, places, zone_table

Level = Literal["leak", "safe"]
COLUMNS = ["from", "to", "about", "all", "segments", "left", "threshold", "origin", "destination"]


def leak_table(made: SegmentSet, *, every: bool = False) -> pd.DataFrame:
    """What is given away, least first: from, to, about (whose trips), all − segments = left, threshold, zones' ids.

    every: all differences of cells of `all` and everything published inside them, safe or not.
    """
    if every:
        found = made.remainders().assign(about=" or ".join(made.rest) or "nobody", outer="all")
    else:
        found = made.found.leaks.rename(columns={"value": "left"})
        found["outer"] = [way.split(" − ")[0] for way in found["way"]]
        flows = {table.label: table.flows.set_index(["origin", "destination"]) for table in made.tables}
        keys = zip(found["outer"], found["measure"], found["origin"], found["destination"], strict=True)
        total = [float(flows[t][m].get((o, d), np.nan)) if t in flows else np.nan for t, m, o, d in keys]
        found = found.assign(all=total, segments=np.array(total) - found["left"].to_numpy(dtype=np.float64))
        found = found.sort_values(["left", "origin", "destination"], ignore_index=True)
    for axis, end, word in (("origins", "origin", "from"), ("destinations", "destination", "to")):
        names: dict[str, str] = {}
        for release in made.releases.values():
            zones, _ = places(release, axis)  # type: ignore[arg-type]
            names |= dict(zip(zones["zone"], zone_names(zones["lat"], zones["lon"], zones["level"]), strict=True))
        found[word] = [names.get(zone, zone) for zone in found[end]]
    return found[COLUMNS]


def leak_zones(made: SegmentSet, axis: Axis) -> tuple[str, pd.DataFrame]:
    """Zones as `zone_table`, of the release that most is subtracted from, and its label.

    `failing` counts the flows at each zone that are given away.
    """
    leaks = made.found.leaks
    outer = pd.Series([way.split(" − ")[0] for way in leaks["way"]], dtype="str", index=leaks.index)
    known = outer[outer.isin(list(made.releases))]
    label = str(known.mode().iloc[0]) if len(known) else "all"
    table = zone_table(made.releases[label], axis)
    end = "origin" if axis == "origins" else "destination"
    here = leaks[outer == label].drop_duplicates(["origin", "destination"])[end].value_counts()
    table["failing"] = table["zone"].map(here).fillna(0).astype(np.int64)
    return label, table


def words(made: SegmentSet, apart: SegmentSet) -> tuple[str, Level]:
    """The verdict in a sentence or two; `apart` is the same set zoned separately."""
    segments = [label for label in made.releases if label != "all"]
    same = all(table.scope == made.tables[0].scope for table in made.tables)
    way = " and ".join(["all", *segments]) if same else " − ".join(["all", *segments])
    if not made.found.checked:
        return f"**{way}**: no published flow lies inside another, so nothing can be subtracted.", "safe"
    leaks = made.found.leaks
    if len(leaks):
        whose = "" if same else f" of **{', '.join(made.rest) or 'nobody else'}**"
        first = int(leaks["value"].to_numpy(dtype=np.float64).argmin())
        least = _amount(float(leaks["value"].iloc[first]), str(leaks["measure"].iloc[first]))
        return (
            f"**{way}** give{'' if same else 's'} away {counted(_flows(leaks), 'flow')}{whose} below the threshold, the "
            f"least of {least}, although each release is safe on its own.",
            "leak",
        )
    kept = f"**{way}**: each of {counted(made.found.checked, 'difference')} is zero or reaches the threshold."
    if made is apart:
        return kept, "safe"
    gone, held = _flows(apart.found.leaks), sum(made.withheld.values())
    also = f" None of the {counted(gone, 'flow')} that separate zones give away is left." if gone else ""
    who = ", ".join(segments)
    cost = f" For this, {counted(held, 'flow')} of {who} {'is' if held == 1 else 'are'} withheld." if held else ""
    return kept + also + cost, "safe"


def _amount(value: float, measure: str) -> str:
    unit = {"population": "weighted trip", "persons": "person"}.get(measure, "trip")
    return f"{count(value)} {unit}{'' if value == 1 else 's'}"


def _flows(leaks: pd.DataFrame) -> int:
    return len(leaks.drop_duplicates(["origin", "destination", "way"]))
