"""How much of the data a release keeps: the metrics of SPEC section 3, in closed form.

Every metric is of one view: participants (a trip counts 1) or population (it counts its weight), whatever the release
protects. D is the full input, D+ what is published; sums run over all published cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

import numpy as np

from odk.cells import Ints
from odk.errors import InputError
from odk.footprints import Footprint, Sizes, footprint
from odk.geo import weighted_mean_std, weighted_median
from odk.matrix import MICRO
from odk.planning import NO_CENTRE, NOTHING, Planning, planning
from odk.protection import Protection, Volume
from odk.release import Release

View = Literal["participants", "population"]
MEASURE_OF: dict[str, Volume] = {"participants": "trips", "population": "population"}
"""The measure that each view counts."""
NO_CLASSES = "noise was added to counts: no trips were grouped or generalised"
NOT_THIS_VIEW = "the release publishes nothing of this view's measure"
KEYS = ("c_dm", "c_avg", "g", "e", "d", "s", "gdm_mean", "gdm_median", "gdm_std")
"""The metrics of a run, in the order of the papers' tables."""


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Metrics of a release in one view. None where a metric does not apply: `reasons` says why."""

    view: str
    sizes: str
    """How zones were sized: by the leaves observed in the full input, or by all their H3 descendants."""
    k: float
    """Threshold that C_AVG is relative to, in units of the view."""
    c_dm: float | None
    """Discernibility: Σ|E|² over published cells, and |D| for each unit suppressed."""
    c_avg: float | None
    """Mean volume of a published cell, over k."""
    g: float | None
    """Mean generalisation error: leaves of the origin zone plus leaves of the destination zone, per published trip."""
    e: float | None
    """Reconstruction loss: Σ|ṽ-v|/|D| over all pairs of leaves, cells spread evenly; at most 2."""
    d: float | None
    """Distance of the distributions: Σ|ṽ/|D+| - v/|D||; at most 2."""
    s: float
    """Share suppressed; below 0 where noise added more than was lost."""
    gdm_mean: float | None
    gdm_median: float | None
    gdm_std: float | None
    """Geodesic metres from the centre of a trip's leaf to the centre of the zone or box, both ends of all published
    trips in one list. The leaf's centre stands for the end: the matrix does not keep the points themselves."""
    planning: Planning
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why a metric is None, by its name."""

    @property
    def gdm(self) -> float | None:
        """The mean generalisation distance (metres)."""
        return self.gdm_mean

    def as_dict(self, *, planning: bool = False) -> dict[str, float | None]:
        """The metrics by name; with the planning metrics, if asked."""
        found: dict[str, float | None] = {key: getattr(self, key) for key in KEYS}
        return found | (asdict(self.planning) if planning else {})


def measure(
    release: Release, view: View = "participants", *, sizes: Sizes = "observed", mean_weight: float | None = None
) -> Metrics:
    """All metrics of a release in one view.

    Where the view's measure is not guarded, k is another threshold converted by the mean weight of a trip: of the
    release's input, unless `mean_weight` is given (for a segment, that of the whole survey).

    Notes:
        No loop over pairs of leaves: with ṽ = |E|/(|o||d|), E = [Σ_p |Σ_{cells∋p} ṽ - v_p| + Σ_cells ṽ·(pairs of the
        cell that are empty in the input)] / |D|, p over the non-empty pairs of the input. It holds for overlapping
        boxes too, the estimates of which add up. The size of a side of a box is the number of observed leaves whose
        centre it covers (outlines included), at least 1. Of noise only S, E, D and planning apply, in the view that was
        noised: its cells are no groups of trips, and E may pass 2.

    """
    if view not in MEASURE_OF:
        raise InputError(f"view ({view!r}) must be participants or population")
    weight = release.matrix.mean_weight if mean_weight is None else mean_weight
    if not weight > 0:
        raise InputError(f"mean_weight ({mean_weight!r}) must be above 0")
    k = reference_k(release.protection, view, weight)
    place = footprint(release, sizes)
    volume, flow = release.matrix.volume(MEASURE_OF[view]), _flow(release, view)
    plans, reasons = planning(place, volume, flow) if flow.any() or release.k_anonymous else _no_plans()
    parts = [_losses(place, volume, flow)]
    if release.k_anonymous:
        parts += [_classes(release, view, k), _distances(place, volume)]
    else:
        none = ["c_dm", "c_avg", "g", "gdm_mean", "gdm_median", "gdm_std"]
        parts.append((dict.fromkeys(none), dict.fromkeys(none, NO_CLASSES)))
        if not flow.any():
            parts.append((dict.fromkeys(("e", "d")), dict.fromkeys(("e", "d"), NOT_THIS_VIEW)))
    found: dict[str, float | None] = {}
    for values, whys in parts:
        found |= values
        reasons |= whys
    s = release.suppressed[MEASURE_OF[view]]
    return Metrics(view=view, sizes=sizes, k=k, s=s, planning=plans, reasons=reasons, **found)


def generalisation(release: Release, view: View = "participants", *, sizes: Sizes = "observed") -> float | None:
    """G alone, the same as `measure(...).g`: for a page that shows it while a slider moves."""
    if view not in MEASURE_OF:
        raise InputError(f"view ({view!r}) must be participants or population")
    if not release.k_anonymous:
        return None
    return _mean_size(footprint(release, sizes), _flow(release, view))


def _mean_size(place: Footprint, flow: Ints) -> float | None:
    """G: mean of |o| + |d| over the published volume; None where sizes are unknown or nothing is published."""
    if place.o_size is None or place.d_size is None or not flow.any():
        return None
    return float(flow @ (place.o_size + place.d_size).astype(np.float64) / int(flow.sum()))


def reference_k(protection: Protection, view: View, mean_weight: float) -> float:
    """Threshold that C_AVG is relative to: the guard on the view's measure, else the other one converted by the mean
    weight of a trip, else the persons threshold (converted for the population).
    """
    trips, population, persons = protection.trips, protection.population, protection.persons
    if view == "participants":
        found = trips if trips is not None else None if population is None else population / mean_weight
        return float(found if found is not None else _known(persons))
    found = population if population is not None else None if trips is None else trips * mean_weight
    return float(found if found is not None else _known(persons) * mean_weight)


def _known(persons: int | None) -> int:
    assert persons is not None  # a protection guards at least one measure
    return persons


def _flow(release: Release, view: View) -> Ints:
    return release.population if view == "population" else release.trips


def _no_plans() -> tuple[Planning, dict[str, str]]:
    return Planning(), {"planning": NOT_THIS_VIEW}


_Part = tuple[dict[str, float | None], dict[str, str]]
"""Some metrics by name, and reasons for those that are None."""


def _classes(release: Release, view: View, k: float) -> _Part:
    """C_DM and C_AVG: of classes of trips."""
    flow, total = _flow(release, view), release.matrix.total(MEASURE_OF[view])
    gone = release.suppressed_volume[MEASURE_OF[view]]
    if view == "participants":
        unit, c_dm = 1, float(sum(n * n for n in flow.tolist()) + total * gone)  # exact: squares may pass 2^63
    else:
        unit = MICRO
        c_dm = float((flow / unit) @ (flow / unit) + (total / unit) * (gone / unit))
    if not release.n_cells:
        return {"c_dm": c_dm, "c_avg": None}, {"c_avg": NOTHING}
    return {"c_dm": c_dm, "c_avg": int(flow.sum()) / unit / release.n_cells / k}, {}


def _losses(place: Footprint, volume: Ints, flow: Ints) -> _Part:
    """G, E and D: of sizes and amounts."""
    if place.o_size is None or place.d_size is None:
        return dict.fromkeys(("g", "e", "d")), dict.fromkeys(("g", "e", "d"), place.why_no_size)
    total, published = int(volume.sum()), int(flow.sum())
    area = place.o_size * place.d_size
    each, empty = flow / area, area - place.pairs_in  # ṽ, and the pairs of a cell that are empty in the input
    e = float((np.abs(place.at_pairs(each) - volume).sum() + each @ empty) / total)
    if not published:
        return {"g": None, "e": e, "d": None}, dict.fromkeys(("g", "d"), NOTHING)
    share = each / published
    d = float(np.abs(place.at_pairs(share) - volume / total).sum() + share @ empty)
    return {"g": _mean_size(place, flow), "e": e, "d": d}, {}


def _distances(place: Footprint, volume: Ints) -> _Part:
    """GDM: mean, median and standard deviation, both ends in one list."""
    names = ("gdm_mean", "gdm_median", "gdm_std")
    if not len(place.published):
        return dict.fromkeys(names), dict.fromkeys(names, NOTHING)
    if not place.has_centres:
        return dict.fromkeys(names), dict.fromkeys(names, NO_CENTRE)
    metres, order = place.shifts
    weights = np.tile(volume[place.published], 2)
    mean, std = weighted_mean_std(metres, weights)
    return {"gdm_mean": mean, "gdm_median": weighted_median(metres, weights, order), "gdm_std": std}, {}
