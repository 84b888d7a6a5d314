"""Rules beside each other: what each protects, what it leaves below the thresholds of the others, and what it costs in G.

Cross k for releases of the same data under several protections (the paper's table 3, 000, and persons beside it).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from odk.metrics import generalisation
from odk.protection import MEASURES, Protection
from odk.release import BoxRelease, Release


def guard_table(releases: Mapping[str, Release], wanted: Protection) -> pd.DataFrame:
    """One row a release: its zones, the least and the number of cells below `wanted` by measure, suppression, G.

    Columns: rule, origins, destinations (zones; missing for boxes), cells, then for each measure of `wanted`
    least_MEASURE (natural units), below_MEASURE (cells) and guards_MEASURE, then suppressed (share of its lead
    measure), g_participants, g_population, and cost_participants, cost_population: G over the first release's, less 1.
    """
    rows = [{"rule": name} | _row(release, wanted) for name, release in releases.items()]
    table = pd.DataFrame(rows)
    for view in ("participants", "population"):
        g = table[f"g_{view}"].to_numpy(dtype=np.float64)
        table[f"cost_{view}"] = g / g[0] - 1 if len(g) else g
    return table


def _row(release: Release, wanted: Protection) -> dict[str, object]:
    zoned = not isinstance(release, BoxRelease)
    row: dict[str, object] = {
        "origins": len(release.origin_zones) if zoned else None,  # type: ignore[attr-defined]
        "destinations": len(release.destination_zones) if zoned else None,  # type: ignore[attr-defined]
        "cells": release.n_cells,
    }
    least = release.minimum
    exact = {"trips": release.trips, "persons": release.persons, "population": release.population}
    for measure in MEASURES:
        if measure not in wanted.guards:
            continue
        values = exact[measure]
        row[f"least_{measure}"] = least[measure]
        row[f"below_{measure}"] = None if values is None else int((values < wanted.threshold(measure)).sum())
        row[f"guards_{measure}"] = measure in release.protection.guards
    row["suppressed"] = release.suppressed[release.protection.lead]
    row["g_participants"] = generalisation(release, "participants")
    row["g_population"] = generalisation(release, "population")
    return row
