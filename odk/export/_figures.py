"""Figures that a bundle may state: metrics, shares and thresholds, no finer than a group of k trips.

Metrics that depend on where trips lie within their zones (G, E, D, GDM) are means over all published trips. Moving as many
trips as the threshold guards changes such a mean by about threshold / published volume of itself; so it is stated to as many
digits as this leaves, three at most, and not at all where none is left. What was suppressed is stated only where it would be
publishable itself: a small remainder, and none at all, both read "below threshold", or else an unpublished cell could
be told to be empty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from odk.export._flows import Flows
from odk.footprints import footprint
from odk.matrix import MICRO
from odk.metrics import KEYS, MEASURE_OF, View, measure
from odk.protection import Protection
from odk.release import Release, TreeRelease

BELOW = "below threshold"
DIGITS = 3
PLACED = ("g", "e", "d", "gdm_mean", "gdm_median", "gdm_std")
"""Metrics that depend on where in their zones the trips lie."""
OF_SUPPRESSION = ("c_dm", "s")
"""Metrics from which the suppressed volume follows."""


def to_digits(value: float, digits: int = DIGITS) -> float:
    """A number to some significant digits."""
    return float(f"{value:.{digits}g}")


def rounded_down(value: float, digits: int) -> float:
    """The largest number of that many significant digits that is not above the value."""
    if value <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return to_digits(math.floor(value / step + 1e-9) * step, digits)


def digits_of(volume: float, threshold: float) -> int:
    """How many digits of a mean over `volume` are coarser than a group of `threshold`: 0 to 3."""
    if volume < threshold:
        return 0
    return min(DIGITS, math.floor(math.log10(volume / threshold) + 1e-9))


def guarded_views(protection: Protection) -> tuple[View, ...]:
    """Views whose measure is guarded; distinct persons guard trips too, as every person made at least one."""
    views: list[View] = []
    if protection.trips is not None or protection.persons is not None:
        views.append("participants")
    if protection.population is not None:
        views.append("population")
    return tuple(views)


def suppressed_publishable(release: Release) -> bool:
    """Whether all that was suppressed, taken together, reaches every threshold."""
    gone = release.of_pair < 0
    if not gone.any():
        return False
    rest = release.matrix.regroup(np.where(gone, 0, -1), 1, persons=release.protection.needs_persons)
    return bool(release.protection.publishable(rest)[0])


@dataclass(frozen=True)
class Figures:
    """What the manifest states of a release beside its cells."""

    suppressed: dict[str, float | str]
    metrics: dict[str, dict[str, float | None]]
    withheld: dict[str, dict[str, str]]
    """Per view: why a metric is not stated."""


def stated_thresholds(release: Release, follows: bool, elsewhere: bool) -> dict[str, float]:
    """Thresholds as the manifest states them.

    A population threshold that follows from the data, k times the mean weight, tells the exact total to who knows the
    number of trips. So it is stated coarser (rounded down: still true of every cell) where what was suppressed is below the
    threshold, and where it comes from data of which this release shows only a part (`elsewhere`).
    """
    found = dict(release.protection.guards)
    if follows and (elsewhere or not suppressed_publishable(release)):
        threshold = found["population"]
        volume = int(release.population.sum()) / MICRO
        found["population"] = rounded_down(threshold, max(1, digits_of(volume, threshold)))
    return found


def figures(release: Release, flows: Flows, stated: dict[str, float]) -> Figures:
    """Suppressed share and metrics of the guarded views, as a bundle may state them beside the stated thresholds."""
    open_ = suppressed_publishable(release)
    views = guarded_views(release.protection)
    shares = {MEASURE_OF[view]: release.suppressed[MEASURE_OF[view]] for view in views}
    metrics: dict[str, dict[str, float | None]] = {}
    withheld: dict[str, dict[str, str]] = {}
    for view in views:
        metrics[view], withheld[view] = _view(release, flows, view, open_, stated)
    return Figures({m: to_digits(s) if open_ else BELOW for m, s in shares.items()}, metrics, withheld)


def _view(
    release: Release, flows: Flows, view: View, open_: bool, stated: dict[str, float]
) -> tuple[dict[str, float | None], dict[str, str]]:
    found = measure(release, view)
    name = MEASURE_OF[view]
    unit = MICRO if name == "population" else 1
    exact = release.population if name == "population" else release.trips
    volume = int(exact.sum()) / unit
    k = stated[name] if name in stated else stated["persons"]
    digits = digits_of(volume, k)
    values: dict[str, float | None] = dict.fromkeys(KEYS)
    why = dict(found.reasons)
    shown = flows.measures.get(name, exact)  # what is published, where it is: rounded values must not be undone
    values["c_avg"] = to_digits(sum(shown.tolist()) / unit / len(flows) / k)
    if open_:
        total, gone = release.matrix.total(name) / unit, release.suppressed_volume[name] / unit
        values["c_dm"] = to_digits(float(sum((v / unit) ** 2 for v in shown.tolist())) + total * gone)
        values["s"] = to_digits(found.s)
    else:
        why |= dict.fromkeys(OF_SUPPRESSION, "the suppressed volume is below the threshold")
    for key in PLACED:
        value = getattr(found, key)
        if value is None:
            continue
        if not digits:
            why[key] = "the release is too small: it holds fewer than 10 times the threshold"
        elif key == "g" and tells_leaves(release, exact / exact.sum(), value, digits):
            why[key] = "it would tell that every leaf of a zone was observed"
        else:
            values[key] = to_digits(value, digits)
    return values, {key: why[key] for key in KEYS if values[key] is None and key in why}


def tells_leaves(release: Release, share: np.ndarray[Any, np.dtype[np.float64]], g: float, digits: int) -> bool:
    """Whether G, as stated, leaves no room for an unobserved leaf in the zone with the most flow.

    G counts observed leaves. Were a leaf of zone z unobserved, G would be at most the G of all descendants less z's share
    of the flow; a stated G above that says that all leaves of z were observed. Zones that are leaves themselves are public.
    """
    if not isinstance(release, TreeRelease) or release.matrix.origins.kind != "h3":
        return False
    full = footprint(release, "descendants")
    assert full.o_size is not None
    assert full.d_size is not None
    most = 0.0
    for nodes, tree in ((release.o_node, release.matrix.origins), (release.d_node, release.matrix.destinations)):
        inner = nodes >= tree.n_leaves
        if inner.any():
            most = max(most, float(np.bincount(nodes[inner], weights=share[inner]).max()))
    if not most:
        return False
    whole = float(share @ (full.o_size + full.d_size).astype(np.float64))
    slack = 0.5 * 10.0 ** (math.floor(math.log10(g)) - digits + 1)
    return g + slack > whole - most
