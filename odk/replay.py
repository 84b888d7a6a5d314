"""The walk of ODkAnon to be looked at: which steps are worth a picture, what each leaves unsafe, and what merged."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from odk.cells import Ints
from odk.matrix import exact_sums
from odk.protection import Protection
from odk.walk import AXES, Walk

FRAMES = 60


def zone_counts(walk: Walk) -> Ints:
    """Zones of both axes together after every number of merges, 0 to n_steps."""
    shrink = np.empty(walk.n_steps, dtype=np.int64)
    for axis, (tree, order) in enumerate(zip(walk.trees, walk.orders, strict=True)):
        shrink[walk.axes == axis] = tree.n_children[order] - 1
    total = walk.trees[0].n_leaves + walk.trees[1].n_leaves
    return np.concatenate([[total], total - np.cumsum(shrink)]).astype(np.int64)


def frames(walk: Walk, number: int = FRAMES, also: Iterable[int] = ()) -> list[int]:
    """Steps to be shown, from the start to the end: each has about the same share of zones fewer than the one before.

    Steps that only move a zone with a single part up a level change nothing that can be seen, and take no frame. `also`
    are steps to be shown in any case.
    """
    left = -zone_counts(walk)  # ascending
    wanted = -np.geomspace(-left[0], max(2, -left[-1]), number)
    steps = np.searchsorted(left, wanted, side="left").clip(0, walk.n_steps)
    return sorted({0, walk.n_steps, *steps.tolist(), *also})


def real_merges(walk: Walk) -> Ints:
    """Steps (as numbers of merges made) at which several zones became one, ascending."""
    return np.flatnonzero(np.diff(zone_counts(walk)) < 0) + 1


def curve(walk: Walk, protection: Protection, steps: Iterable[int]) -> pd.DataFrame:
    """One row a step: step, zones, origins, destinations, trips, persons, population (least over all cells), failing
    (cells below a threshold), suppressed (share of the lead measure in them).
    """
    counts = zone_counts(walk)
    rows = []
    for step in steps:
        at = walk.at(step, protection)
        known = {m: np.nan if v is None else v for m, v in at.minimum.items()}
        zones = {"step": step, "zones": int(counts[step]), "origins": len(at.o_cut), "destinations": len(at.d_cut)}
        rows.append(zones | known | {"failing": at.failing, "suppressed": at.suppressed[protection.lead]})
    return pd.DataFrame(rows)


def safe_share(walk: Walk, protection: Protection, step: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The zones of each axis after `step` merges: node, volume (lead measure, exact units), and the share of it that is
    in cells which reach every threshold.
    """
    groups = walk.groups(step, persons=protection.needs_persons)
    good = protection.publishable(groups)
    volume = groups.population if protection.lead == "population" else groups.trips
    found = []
    for tree, node in zip(walk.trees, (groups.o_node, groups.d_node), strict=True):
        every = exact_sums(node, volume, tree.n_nodes)
        safe = exact_sums(node[good], volume[good], tree.n_nodes)
        nodes = np.flatnonzero(every)
        found.append(pd.DataFrame({"node": nodes, "volume": every[nodes], "safe": safe[nodes] / every[nodes]}))
    return found[0], found[1]


def merged_since(walk: Walk, before: int, step: int) -> dict[str, Ints]:
    """By axis, the zones after `step` merges that hold more leaves than any zone had after `before`."""
    found = {}
    cuts = zip(AXES, walk.trees, walk.cuts(before), walk.cuts(step), strict=True)
    for axis, tree, old, new in cuts:
        was = tree.size[tree.zone_of_leaf(old)]  # of the zone of every leaf
        found[axis] = new[tree.size[new] > was[tree.first[new]]]
    return found
