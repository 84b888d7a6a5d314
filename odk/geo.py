"""Lengths on the Earth, and weighted statistics of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from odk.cells import Floats, Ints

EQUATOR_M = 6_378_137.0
FLATTENING = 1 / 298.257223563
"""The WGS84 ellipsoid, on which 003 measures its distances."""


def geodesic_m(lat1: npt.ArrayLike, lon1: npt.ArrayLike, lat2: npt.ArrayLike, lon2: npt.ArrayLike) -> Floats:
    """Geodesic distance in metres on WGS84, by Lambert's formula: right to about one part in 100,000.

    The great circle between reduced latitudes, corrected to first order of the flattening. The correction has no
    limit at the antipodes; beyond 179 degrees of arc it is left out (the error is then below 0.6%). NaN stays NaN.
    """
    f1, l1, f2, l2 = (np.radians(np.asarray(x, dtype=np.float64)) for x in (lat1, lon1, lat2, lon2))
    b1, b2 = (np.arctan2((1 - FLATTENING) * np.sin(f), np.cos(f)) for f in (f1, f2))
    half = np.sin((b2 - b1) / 2) ** 2 + np.cos(b1) * np.cos(b2) * np.sin((l2 - l1) / 2) ** 2  # sin^2(arc / 2)
    half = np.minimum(half, 1.0)
    arc = 2 * np.arcsin(np.sqrt(half))
    middle, apart = (b1 + b2) / 2, (b2 - b1) / 2
    usable = (half > 0) & (arc < np.radians(179))
    below, above = np.where(usable, half, 1.0), np.where(usable, 1 - half, 1.0)
    sine = np.sin(arc)
    x = (arc - sine) * (np.sin(middle) * np.cos(apart)) ** 2 / above
    y = (arc + sine) * (np.cos(middle) * np.sin(apart)) ** 2 / below
    return np.asarray(EQUATOR_M * (arc - np.where(usable, FLATTENING / 2 * (x + y), 0.0)), dtype=np.float64)


def weighted_mean_std(values: Floats, weights: Ints) -> tuple[float, float]:
    """Mean and standard deviation (of the whole, not of a sample) of values that each count `weights` times."""
    # Sums of products, not `@`: BLAS starts threads for long vectors, which wait for each other where cores are busy, and
    # sum in an order that depends on how many there are.
    share = weights / int(weights.sum())
    mean = float((share * values).sum())
    return mean, float(np.sqrt((share * (values - mean) ** 2).sum()))


def weighted_median(values: Floats, weights: Ints, order: Ints) -> float:
    """Median of values that each count `weights` times, as of the list written out in full: `order` sorts the values.

    Where half of the weight ends exactly at a value, it is the mean of that value and the next one that counts.
    """
    order = order[weights[order] > 0]
    reached = np.cumsum(weights[order])
    total = int(reached[-1])
    low = values[order[np.searchsorted(2 * reached, total, side="left")]]
    high = values[order[np.searchsorted(2 * reached, total, side="right")]]
    return float((low + high) / 2)


def wasserstein(u: Floats, u_weights: Ints, v: Floats, v_weights: Ints, order: Ints) -> float:
    """Wasserstein distance (in the unit of the values) of two weighted samples; `order` sorts u followed by v.

    The area between the two cumulative distributions. scipy has it, but sorts five times; here the order is given,
    and serves both views.
    """
    values = np.concatenate([u, v])[order]
    is_u = order < len(u)
    weights = np.concatenate([u_weights, v_weights])[order]
    below_u = np.cumsum(np.where(is_u, weights, 0))[:-1] / int(u_weights.sum())
    below_v = np.cumsum(np.where(is_u, 0, weights))[:-1] / int(v_weights.sum())
    return float((np.abs(below_u - below_v) * np.diff(values)).sum())
