"""What a planner asks of a published matrix: margins, trip lengths, trips within a zone, large corridors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from odk.cells import Floats, Ints
from odk.footprints import Footprint
from odk.geo import wasserstein

CORRIDORS = 100
"""How many of the largest corridors a planner looks at."""
NOTHING = "nothing is published"
NO_CENTRE = "zones have no centre"
_TIE = 1e-9  # estimates that differ by less, relatively, are equal: they are sums of floats


@dataclass(frozen=True, kw_only=True)
class Planning:
    """Planning metrics of a release in one view; None where one does not apply (`Metrics.reasons` says why)."""

    row_error: float | None = None
    """Error of the row margins: Σ over origin leaves |estimated - true| / |D|; the estimate spreads each published
    cell evenly over the leaves of its origin zone. From 0 to 2 where no trips are added."""
    column_error: float | None = None
    """The same of the column margins, over destination leaves."""
    length_shift: float | None = None
    """Wasserstein distance, in metres, between the trip lengths of the input (from leaf centre to leaf centre) and
    those of the release (from zone centre to zone centre)."""
    intrazonal: float | None = None
    """Share of the published volume in cells whose origin and destination zones overlap: the same zone, one within
    the other, or rectangles that share some area. Such trips cannot be told from trips that never left the zone."""
    intrazonal_input: float | None = None
    """Share of the input that starts and ends in the same leaf: the share above if nothing were merged."""
    corridors: float | None = None
    """Share of the 100 largest corridors of the input that are among the 100 largest when every published cell is spread
    evenly over the leaves of its two sides. A corridor is a pair of districts (`district_level`). Ties: all corridors
    as large as the hundredth of the input count, and as many places are given; equal estimates share the last places."""
    district_level: str = ""
    """What the districts are: H3 cells three resolutions above the leaves, or leaves where these are not H3 cells;
    coarser where there would be more than two million pairs of them."""


def planning(place: Footprint, volume: Ints, flow: Ints) -> tuple[Planning, dict[str, str]]:
    """Planning metrics, and reasons for those that do not apply.

    `volume` of all pairs of the input and `flow` of all published cells, in the exact units of one view.
    """
    reasons: dict[str, str] = {}
    published = int(flow.sum())
    rows = columns = shift = intrazonal = None
    if place.o_size is None or place.d_size is None:
        reasons |= dict.fromkeys(("row_error", "column_error"), place.why_no_size)
    else:
        rows = _margin_error(place, volume, flow / place.o_size, published, axis=0)
        columns = _margin_error(place, volume, flow / place.d_size, published, axis=1)
    if not published:
        reasons |= dict.fromkeys(("length_shift", "intrazonal"), NOTHING)
    else:
        intrazonal = int(flow[place.intrazonal].sum()) / published
        if place.has_centres:
            before, after, order = place.lengths
            shift = wasserstein(before, volume, after, flow, order)
        else:
            reasons["length_shift"] = NO_CENTRE
    found = Planning(
        row_error=rows,
        column_error=columns,
        length_shift=shift,
        intrazonal=intrazonal,
        intrazonal_input=int(volume[place.same_leaf].sum()) / int(volume.sum()),
        corridors=_corridors_kept(place, volume, flow),
        district_level=place.districts.level,
    )
    return found, reasons


def _margin_error(place: Footprint, volume: Ints, per_leaf: Floats, published: int, axis: int) -> float:
    tree, leaf = (place.matrix.destinations, place.matrix.d) if axis else (place.matrix.origins, place.matrix.o)
    true = np.bincount(leaf, weights=volume, minlength=tree.n_leaves)
    estimate = place.at_leaves(per_leaf, axis)
    # what was spread over leaves that the input does not have (sizes that count them) is all error
    elsewhere = max(0.0, published - float(estimate.sum()))
    return float((np.abs(estimate - true).sum() + elsewhere) / int(volume.sum()))


def _corridors_kept(place: Footprint, volume: Ints, flow: Ints) -> float:
    """Estimates of all corridors at once: shares of the origin sides x flows x shares of the destination sides."""
    at = place.districts
    true = np.bincount(at.of_pair, weights=volume, minlength=len(at.pairs))
    n = min(CORRIDORS, len(true))
    largest = true >= np.partition(true, -n)[-n]
    places = int(largest.sum())
    (o_side, o_share), (d_side, d_share) = at.sides
    flows = csr_array((flow.astype(np.float64), (o_side, d_side)), shape=(o_share.shape[0], d_share.shape[0]))
    estimate = (o_share.T @ (flows @ d_share)).tocsr()
    values = estimate.data[estimate.data > 0]
    of_largest = np.asarray(estimate[at.pairs[largest] // d_share.shape[1], at.pairs[largest] % d_share.shape[1]])
    if len(values) <= places:
        return float((of_largest > 0).mean())
    last = np.partition(values, -places)[-places]
    above, below = last * (1 + _TIE), last * (1 - _TIE)
    more, level = int((values > above).sum()), int(((values >= below) & (values <= above)).sum())
    kept = np.where(of_largest > above, 1.0, np.where(of_largest >= below, (places - more) / level, 0.0))
    return float(kept.mean())
