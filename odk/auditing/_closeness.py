"""What the flows of one zone give away: t-closeness (Li et al.; 001, section 5) and homogeneity, both ways.

For an origin zone o let p(d) be the share of its published flow that goes to zone d, and q(d) the share of *all* published
flow that ends in d. The distance is ½ Σ|p - q|, Earth Mover's with equal ground distance, in [0, 1]. Where destination zones
depend on the origin, q is taken over that origin's own zones, and what ends outside them counts as one more place.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from odk.auditing._evidence import Evidence
from odk.auditing._places import ENDS, volume_under
from odk.auditing._result import Check
from odk.auditing._table import failing_zones
from odk.auditing._words import count
from odk.protection import Protection
from odk.release import TreeRelease

OTHER = {"origin": "destination", "destination": "origin"}
VERB = {"origin": "goes to", "destination": "comes from"}
BOXES = "Boxes have no zones that several flows share: this check does not apply."


def closeness_and_homogeneity(evidence: Evidence, protection: Protection, t: float, most: float) -> list[Check]:
    """t-closeness of origins and of destinations, then homogeneity of both."""
    if not isinstance(evidence.release, TreeRelease):
        return [_closeness(end, None, evidence, t) for end in ENDS] + [
            _one_place(end, None, evidence, most) for end in ENDS
        ]
    shares = {end: _shares(evidence, evidence.release, protection, end) for end in ENDS}
    return [_closeness(end, shares[end], evidence, t) for end in ENDS] + [
        _one_place(end, shares[end], evidence, most) for end in ENDS
    ]


def _shares(evidence: Evidence, release: TreeRelease, protection: Protection, end: str) -> pd.DataFrame:
    """Per published cell: its zone on the axis `end`, p and q of its zone on the other axis."""
    cells, other = evidence.cells, OTHER[end]
    measure = "micro" if protection.lead == "population" else "trips"
    rows = evidence.inside
    amount = rows["micro" if measure == "micro" else "count"]
    leaf = amount.groupby(rows[other]).sum().reindex(range(len(evidence.leaves[other])), fill_value=0)
    under = volume_under(release, other, evidence.leaves[other], leaf.to_numpy(dtype=np.int64))
    flow = cells[measure].to_numpy(dtype=np.float64)
    zone = cells[f"{end} zone"].to_numpy()
    of_zone = np.bincount(zone, weights=flow)
    total = max(flow.sum(), 1.0)
    return pd.DataFrame(
        {
            "zone": zone,
            "p": flow / np.maximum(of_zone[zone], 1.0),
            "q": np.array([under[str(name)] for name in cells[other]], dtype=np.float64) / total,
        }
    )


def _closeness(end: str, shares: pd.DataFrame | None, evidence: Evidence, t: float) -> Check:
    other = OTHER[end]
    about = Check(
        name=f"t-closeness {end}s",
        title=f"t-closeness: the {other}s of each {end} zone within {t:g} of all",
        sentence=BOXES,
        passed=None,
        guarded=False,
        threshold=t,
    )
    if shares is None:
        return about
    sums = shares.assign(gap=(shares["p"] - shares["q"]).abs()).groupby("zone")[["gap", "q"]].sum()
    far = (sums["gap"] + (1 - sums["q"])).to_numpy() / 2
    bad = far > t + 1e-9
    n, worst = int(bad.sum()), float(far.max())
    if n:
        sentence = (
            f"{count(n, f'{end} zone')} of {len(far):,} {'has' if n == 1 else 'have'} {other}s very unlike those of "
            f"everyone (distance above {t:g}; the most {worst:.2f}): the {end} tells much about the {other}."
        )
    else:
        sentence = f"No {end} zone has {other}s farther than {t:g} from those of everyone; the farthest is {worst:.2f}."
    failing = failing_zones(evidence.cells, end, sums.index.to_numpy()[bad], f"distance of {other}s", far[bad], t)
    return replace(about, sentence=sentence, passed=not n, value=worst, failing=failing)


def _one_place(end: str, shares: pd.DataFrame | None, evidence: Evidence, most: float) -> Check:
    """A zone whose published flow has nearly one other end, unless everyone's flow has that end too."""
    other = OTHER[end]
    about = Check(
        name=f"homogeneity {end}s",
        title=f"Homogeneity: at most {most:.0%} of the flow of each {end} zone {VERB[end]} one zone",
        sentence=BOXES,
        passed=None,
        guarded=False,
        threshold=most,
    )
    if shares is None:
        return about
    top = shares.sort_values(["zone", "p"], kind="stable").groupby("zone").last()
    share = top["p"].to_numpy()
    telling = (top["q"] <= most).to_numpy()  # the zone that nearly everyone's flow has gives nothing away
    bad = telling & (share > most + 1e-9)
    n, worst = int(bad.sum()), float(share[telling].max()) if telling.any() else None
    if worst is None:
        sentence = f"Nearly all published flow {VERB[end]} one zone, so this tells nothing of a single {end}."
    elif n:
        sentence = (
            f"Of {count(n, f'{end} zone')} of {len(share):,}, more than {most:.0%} of the published flow {VERB[end]} "
            f"one zone: who knows the {end} knows the {other}."
        )
    else:
        sentence = f"No {end} zone's published flow {VERB[end]} one zone alone; the largest share is {worst:.0%}."
    zones = top.index.to_numpy()[bad]
    failing = failing_zones(evidence.cells, end, zones, f"share of one {other}", share[bad], most)
    return replace(about, sentence=sentence, passed=not n, value=worst, failing=failing)
