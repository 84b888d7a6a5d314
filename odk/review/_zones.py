"""What a bundle says: its zones as a table that can be drawn, its files, and what it leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk import cells
from odk.export import Bundle
from odk.matrix import MICRO
from odk.viz.names import zone_names
from odk.viz.theme import counted, percent
from odk.viz.zones import BOX, Axis, area_km2

WORDS = {"trips": "trips", "persons": "persons", "population": "weighted trips"}


def bundle_zones(bundle: Bundle, axis: Axis, bad: npt.NDArray[np.bool_] | None = None) -> pd.DataFrame:
    """Zones of one axis as `odk.viz.zones.zone_table` has them, with the published measures only.

    Columns: zone, name, level, lat, lon (boxes: also their sides), flows, trips and population where published, density
    (of the first of them, per km²), failing (cells of `bad`). Persons do not add up over flows and are left out.
    """
    end = 0 if axis == "origins" else 1
    names = [",".join(p[4 * end : 4 * end + 4]) if bundle.published.boxes else p[end] for p in bundle.published.places]
    code, zones = pd.factorize(np.array(names, dtype=object), sort=True)
    table = _places(bundle, [str(z) for z in zones])
    n = len(table)
    table.insert(1, "name", zone_names(table["lat"].fillna(0.0), table["lon"].fillna(0.0), table["level"]))
    if bundle.manifest["hierarchy"] != "h3" and not bundle.published.boxes:
        table["name"] = table["zone"]
    table["flows"] = np.bincount(code, minlength=n)
    for measure, values in bundle.published.measures.items():
        if measure != "persons":
            sums = np.zeros(n, dtype=np.int64)
            np.add.at(sums, code, values)
            table[measure] = sums / MICRO if measure == "population" else sums
    table["failing"] = 0 if bad is None else np.bincount(code[bad], minlength=n)
    volume = next((m for m in ("trips", "population") if m in table), "flows")
    table["density"] = table[volume] / area_km2(table)
    return table.sort_values([volume, "zone"], ascending=[False, True], ignore_index=True)


def _places(bundle: Bundle, zones: list[str]) -> pd.DataFrame:
    if bundle.published.boxes:
        table = pd.DataFrame([list(map(float, z.split(","))) for z in zones], columns=BOX)
        lat, lon = (table["south"] + table["north"]) / 2, (table["west"] + table["east"]) / 2
        found = pd.DataFrame({"zone": [f"box {i + 1}" for i in range(len(zones))], "level": -1, "lat": lat, "lon": lon})
        return pd.concat([found, table], axis=1)
    known = {f["properties"]["zone"]: f for f in bundle.zones["features"]}
    level = [known[z]["properties"].get("level") for z in zones]
    at = [_centre(known[z]) for z in zones]
    return pd.DataFrame(
        {
            "zone": zones,
            "level": [-1 if value is None else value for value in level],
            "lat": [y for y, _ in at],
            "lon": [x for _, x in at],
        }
    )


def _centre(feature: dict[str, Any]) -> tuple[float, float]:
    geometry = feature["geometry"]
    if geometry is None:
        return (float("nan"), float("nan"))
    if geometry["type"] == "Point":
        return (geometry["coordinates"][1], geometry["coordinates"][0])
    lat, lon = cells.centres(cells.to_ids([feature["properties"]["zone"]]))
    return (float(lat[0]), float(lon[0]))


def said(bundle: Bundle) -> list[tuple[str, str]]:
    """Each file of the bundle, and what it says."""
    manifest = bundle.manifest
    zones, measures = manifest["zones"], ", ".join(WORDS[m] for m in bundle.published.measures)
    ends = "sides of both boxes" if bundle.published.boxes else "origin, destination"
    return [
        ("flows.csv", f"{counted(manifest['cells'], 'flow')}: {ends}, {measures}"),
        (
            "zones.geojson",
            f"{counted(len(bundle.zones['features']), 'zone')} with a published flow "
            f"({counted(zones['origins'], 'origin')}, {counted(zones['destinations'], 'destination')})",
        ),
        ("manifest.json", "promise, thresholds, least values, share suppressed, metrics of the guarded view, recipe"),
        ("report.html", "one page to print, with maps"),
    ]


def unsaid(bundle: Bundle) -> list[tuple[str, str]]:
    """What is kept back, and why."""
    rows = [
        (WORDS[m].capitalize(), "not guarded, so not published") for m in WORDS if m not in bundle.published.measures
    ]
    for measure, share in bundle.manifest["suppressed"].items():
        amount = f"A few {WORDS[measure]}" if isinstance(share, str) else f"{percent(float(share))} of {WORDS[measure]}"
        how = " (how many is below the threshold)" if isinstance(share, str) else ""
        rows.append((amount, f"suppressed: looks like an empty flow{how}"))
    rows.append(("Places finer than a zone", "no leaf is named unless it is itself a published zone"))
    rows.append(("Trips and persons", "no row of the input"))
    return rows
