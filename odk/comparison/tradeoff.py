"""Privacy against utility on one scale that needs no formula: how many trips end up in the wrong place?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from odk.algorithms import anonymise
from odk.errors import Cancelled, OdkError
from odk.footprints import footprint
from odk.matrix import ODMatrix
from odk.protection import Protection
from odk.release import NoisyRelease, Release

KS = (2, 5, 10, 20, 50)
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
BY_K = ("twincut", "atg-joint")
BY_EPSILON = ("laplace", "ipf-dp")


def misplaced(release: Release) -> tuple[float, str]:
    """Share of the published trips that would have to move for districts to exchange the true shares of trips.

    Every flow is spread evenly over the leaves of its zones; districts are H3 cells three levels above the leaves (some
    5 km² for leaves of resolution 10; the second value says what they are). 0 is perfect; half of D, on districts.
    """
    place = footprint(release)
    lead = release.noised if isinstance(release, NoisyRelease) else release.protection.lead
    volume = release.matrix.volume(lead)
    flow = (release.population if lead == "population" else release.trips).astype(np.float64)
    if not flow.sum():
        return 1.0, place.districts.level
    at = place.districts
    (o_side, o_share), (d_side, d_share) = at.sides
    flows = csr_array((flow, (o_side, d_side)), shape=(o_share.shape[0], d_share.shape[0]))
    estimate = csr_array(o_share.T @ (flows @ d_share)) / flow.sum()
    true = np.bincount(at.of_pair, weights=volume, minlength=len(at.pairs)) / volume.sum()
    here = np.asarray(estimate[at.pairs // d_share.shape[1], at.pairs % d_share.shape[1]]).ravel()
    # What the estimate puts beyond the true share anywhere (or where no leaf is) is what is too little elsewhere.
    return float(np.maximum(true - here, 0.0).sum()), at.level


def privacy_utility(
    matrix: ODMatrix,
    *,
    ks: Sequence[int] = KS,
    epsilons: Sequence[float] = EPSILONS,
    by_k: Sequence[str] = BY_K,
    by_epsilon: Sequence[str] = BY_EPSILON,
    budget: float = 0.10,
    draws: int = 3,
    progress: Callable[[float, str], None] = lambda share, message: None,
) -> pd.DataFrame:
    """k-anonymous releases for several k, and noisy ones for several ε (mean of some draws), by share misplaced.

    Columns: promise ("k-anonymity" or "noise"), algorithm, setting (k or ε), misplaced, added (share of trips made up;
    0 where none), level (of the districts), error. The zones of laplace are the same for every ε: the finest that the
    strongest noise allows. ε protects one trip.
    """
    work = [("k-anonymity", a, float(k)) for a in by_k for k in ks]
    work += [("noise", a, float(e)) for a in by_epsilon for e in epsilons]
    coarse: dict[str, object] = {}
    rows = []
    for i, (promise, name, setting) in enumerate(work):
        progress(i / len(work), f"{name}, {'k' if promise == 'k-anonymity' else 'ε'} = {setting:g}")
        row = {"promise": promise, "algorithm": name, "setting": setting}
        try:
            if promise == "k-anonymity":
                releases = [anonymise(matrix, Protection(trips=int(setting)), name, budget)]
            else:
                if name == "laplace" and not coarse and matrix.origins.kind == "h3":
                    first = anonymise(matrix, Protection(trips=10), name, options={"epsilon": min(epsilons)})
                    coarse = {"resolution": int(str(first.details["zoning"]).rsplit(" ", 1)[1])}
                more = coarse if name == "laplace" else {}
                releases = [
                    anonymise(
                        matrix, Protection(trips=10), name, budget, options={"epsilon": setting, "seed": s} | more
                    )
                    for s in range(draws)
                ]
        except Cancelled:
            raise
        except OdkError as error:
            rows.append(row | {"error": str(error)})
            continue
        found = [misplaced(r) for r in releases]
        added = [max(0.0, -r.suppressed["trips"]) for r in releases]
        rows.append(
            row
            | {
                "misplaced": float(np.mean([share for share, _ in found])),
                "added": float(np.mean(added)),
                "level": found[0][1],
                "error": None,
            }
        )
    return pd.DataFrame(rows, columns=["promise", "algorithm", "setting", "misplaced", "added", "level", "error"])


def in_words(table: pd.DataFrame, k: float = 10, epsilon: float = 1.0) -> str:
    """What the table of `privacy_utility` says at one k and one ε, in a sentence for people who read no formula."""
    known = {(row["algorithm"], row["setting"]): row for row in table.dropna(subset="misplaced").to_dict("records")}
    told = []
    for name, setting, words in (
        (BY_K[0], k, f"with one map that keeps at least {k:g} in every cell"),
        (BY_EPSILON[0], epsilon, f"with noise on every flow (ε = {epsilon:g})"),
        (BY_EPSILON[1], epsilon, f"with synthetic trips (ε = {epsilon:g})"),
    ):
        row = known.get((name, setting))
        if row is not None:
            made_up = f", which makes up {100 * row['added']:.0f} trips for every 100 real ones"
            told.append(f"{100 * row['misplaced']:.0f} {words}{made_up if row['added'] >= 0.005 else ''}")
    return f"Of 100 published trips, these many lie between the wrong districts: {'; '.join(told)}." if told else ""
