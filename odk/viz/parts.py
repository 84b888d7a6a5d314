"""Part of a release: the cells of one zone, to draw where its flows go."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from odk.cells import Ints
from odk.errors import InputError
from odk.release import BoxRelease, NoisyRelease, Release, TreeRelease
from odk.viz.zones import Axis, places, zone_table

OTHER: dict[Axis, Axis] = {"origins": "destinations", "destinations": "origins"}


def leading_axis(release: Release) -> Axis:
    """The axis that was cut once; on the other one the zones may depend on it."""
    return "destinations" if isinstance(release, TreeRelease) and release.order == "destination" else "origins"


def cells_of(release: Release, axis: Axis, zone: str) -> Ints:
    """Numbers of the published cells at a zone (as `zone_table` names it) of an axis."""
    table, of_cell = places(release, axis)
    found = np.flatnonzero(table["zone"].to_numpy() == zone)
    if not len(found):
        raise InputError(f"zone ({zone!r}) must be one of the {len(table):,} zones of the {axis}")
    return np.flatnonzero(of_cell == found[0])


def only_cells(release: Release, cells: Ints) -> Release:
    """The release as if it published only these cells (sorted numbers)."""
    number = np.full(release.n_cells + 1, -1, dtype=np.int64)  # the last is for pairs that are suppressed
    number[cells] = np.arange(len(cells))
    common: dict[str, Any] = {
        "of_pair": number[release.of_pair],
        "trips": release.trips[cells],
        "population": release.population[cells],
        "persons": None if release.persons is None else release.persons[cells],
    }
    if isinstance(release, TreeRelease):
        return replace(release, **common, o_node=release.o_node[cells], d_node=release.d_node[cells])
    if isinstance(release, BoxRelease):
        return replace(release, **common, boxes=release.boxes[cells])
    if isinstance(release, NoisyRelease):
        return replace(release, **common, o_zone=release.o_zone[cells], d_zone=release.d_zone[cells])
    raise InputError(f"release ({type(release).__name__}) must have zones or boxes to be drawn")


def partners(release: Release, axis: Axis, zone: str) -> pd.DataFrame:
    """Zones of the other axis that a zone has a published flow with, as `zone_table`; volumes are those of its flows."""
    return zone_table(only_cells(release, cells_of(release, axis, zone)), OTHER[axis])
