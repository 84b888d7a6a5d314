"""Segments beside each other: is a coarse one hard data or a poor algorithm, how unequal are they, what would one common
zoning cost each of them?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from odk.disclosure import common_zoning
from odk.disclosure.common import ALL
from odk.experiment.grid import WHOLE
from odk.glossary import TERMS
from odk.metrics import View, measure
from odk.outcomes import VIEWS, Outcome, table
from odk.protection import Protection
from odk.release import TreeRelease
from odk.trips import Trips

Progress = Callable[[float, str], None]
BY_DATA, BY_ALGORITHM = 1.5, 3.0
"""Below the first, G over its bound says that the data is hard; above the second, the algorithm may be at fault."""
FIGURES = ("gdm_mean", "zones", "s", "above_limit", "g")
"""What parity is told of. More is worse, but for `zones`. Metres come first: G counts a segment's own leaves, of which a
small segment has few."""


def cause(above: float | None) -> str:
    """Whether the data or the algorithm makes G what it is, from G over its lower bound.

    No release of this kind can have a G below the bound, so the algorithm can be blamed for 1 - 1/above of it at most;
    the bound itself is the data's doing.
    """
    if above is None or not np.isfinite(above):
        return ""
    return "data" if above <= BY_DATA else "both" if above <= BY_ALGORITHM else "algorithm"


def segment_table(outcomes: Mapping[str, Outcome], view: View) -> pd.DataFrame:
    """One row a segment: what `odk.outcomes.table` tells, and its trips, persons, zones, limit, cause and distance from
    the whole.

    `outcomes` by segment, the whole under WHOLE. `harder` is the segment's lower bound over the whole's (the data's part),
    `worse` its G over the bound against the whole's (the algorithm's part): their product is its G over the whole's. G
    counts leaves observed in the segment itself, as published; metres (gdm) do not depend on that.
    """
    found = table(outcomes.values(), view)
    found.insert(0, "segment", list(outcomes))
    limit = pd.to_numeric(found["g"]) / pd.to_numeric(found["above_limit"])
    base = found["segment"] == WHOLE
    g_whole, limit_whole = (
        float(v[base].iloc[0]) if base.any() else np.nan for v in (pd.to_numeric(found["g"]), limit)
    )
    extra = pd.DataFrame([_size(outcome) for outcome in outcomes.values()])
    return found.assign(
        **extra,
        limit=limit,
        harder=limit / limit_whole,
        worse=(pd.to_numeric(found["g"]) / limit) / (g_whole / limit_whole),
        cause=[cause(a) for a in pd.to_numeric(found["above_limit"])],
    )


def _size(outcome: Outcome) -> dict[str, Any]:
    release = outcome.release
    tree = isinstance(release, TreeRelease)
    return {
        "trips": None if release is None else release.matrix.total_trips,
        "persons": release.matrix.n_persons if release is not None and release.matrix.has_persons else None,
        "zones": len(release.origin_zones) + len(release.destination_zones) if tree else None,  # type: ignore[union-attr]
    }


@dataclass(frozen=True)
class Parity:
    """The best and the worst served segment in one figure."""

    figure: str
    best: str
    best_value: float
    worst: str
    worst_value: float

    @property
    def ratio(self) -> float | None:
        """How many times worse the worst is than the best, at least 1; None where the best is 0."""
        low, high = sorted((self.best_value, self.worst_value))
        return high / low if low > 0 else 1.0 if high == 0 else None


def parity(found: pd.DataFrame, figures: Sequence[str] = FIGURES) -> list[Parity]:
    """How unequally the segments of a `segment_table` are served, the whole left out; ties go to the first segment."""
    parts = found[found["segment"] != WHOLE].set_index("segment")
    out = []
    for name in figures:
        values = pd.to_numeric(parts[name]).dropna()
        if len(values) < 2:
            continue
        more_is_better = name == "zones" or (name in TERMS and TERMS[name].better == "higher")
        low, high = str(values.idxmin()), str(values.idxmax())
        best, worst = (high, low) if more_is_better else (low, high)
        out.append(Parity(name, best, float(values[best]), worst, float(values[worst])))
    return out


@dataclass(frozen=True, eq=False)
class Common:
    """One zoning for the whole and all segments, and what each of them has of it."""

    release: TreeRelease
    """Of the whole."""
    figures: pd.DataFrame
    """segment, view, zones, cells, s, gdm_mean, withheld (cells hidden only because of what they would give away)."""


def common(
    trips: Trips,
    column: str,
    values: Sequence[str],
    protection: Protection,
    budget: float = 0.10,
    *,
    resolution: int = 10,
    progress: Progress | None = None,
) -> Common:
    """One zoning for the whole and every given value of a column, safe also in the differences between releases."""
    tell = progress or (lambda share, message: None)
    tell(0.05, "looking for a zoning that serves all")
    made = common_zoning(trips, {value: {column: value} for value in values}, protection, budget, resolution=resolution)
    rows = []
    for number, (label, release) in enumerate(made.releases.items()):
        tell(0.5 + 0.5 * number / len(made.releases), f"measuring {label}")
        for view in VIEWS:
            metrics = measure(release, view=view)
            zones = len(release.origin_zones) + len(release.destination_zones)
            rows.append(
                {
                    "segment": WHOLE if label == ALL else label,
                    "view": view,
                    "zones": zones,
                    "cells": release.n_cells,
                    "s": metrics.s,
                    "gdm_mean": metrics.gdm_mean,
                    "withheld": made.withheld.get(label, 0),
                }
            )
    return Common(made.releases[ALL], pd.DataFrame(rows))


def cost_of_common(found: pd.DataFrame, together: Common, view: View) -> pd.DataFrame:
    """One zoning each (a `segment_table`) beside the common one: zones, S and metres of both, and the price in metres.

    `price` is the mean distance under the common zoning over that under the segment's own. Metres, because G counts the
    leaves of different inputs.
    """
    figures = together.figures[together.figures["view"] == view].set_index("segment")
    own = found.set_index("segment")[["zones", "s", "gdm_mean", "cells"]]
    shared = figures[["zones", "s", "gdm_mean", "cells", "withheld"]]
    names = {"zones": "zones_common", "s": "s_common", "gdm_mean": "gdm_mean_common", "cells": "cells_common"}
    both = own.join(shared.rename(columns=names), how="inner")
    price = pd.to_numeric(both["gdm_mean_common"]) / pd.to_numeric(both["gdm_mean"])
    return both.assign(price=price).reset_index()
