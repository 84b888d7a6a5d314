"""The walk of ODkAnon as a film: all frames in one message, which the browser plays without asking again.

A zone is there from some frame to some other, so it is sent once, with its share of safe volume at each of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from odk.cells import Ints
from odk.hierarchy import Hierarchy
from odk.matrix import MICRO
from odk.protection import Protection
from odk.replay import merged_since, safe_share
from odk.viz import replay
from odk.viz.names import zone_names
from odk.viz.theme import MEASURE_LABEL, count, counted, percent
from odk.viz.zones import node_places
from odk.walk import AXES, Walk, WalkStep

Film = dict[str, Any]
MOST = 10_000  # zones drawn on each map
OUTLINED = 400  # of those that merged; more would hide the map
NOUNS = {"trips": "trip", "persons": "person", "population": "weighted trip"}


def film(
    walk: Walk, protection: Protection, steps: Sequence[int], stop: int, curves: pd.DataFrame, *, most: int = MOST
) -> Film:
    """Frames at these steps (ascending) as plain values that JSON can hold.

    `stop`: the step at which the algorithm stops. `curves`: as `odk.replay.curve` makes them, of the whole walk. What is
    marked as merged has merged since the frame before; in a film of one frame, by the last step.
    """
    states = [walk.at(step, protection) for step in steps]
    shares = [safe_share(walk, protection, step) for step in steps]
    befores = [max(0, steps[0] - 1), *steps[:-1]]
    fresh = [merged_since(walk, before, step) for before, step in zip(befores, steps, strict=True)]
    reels = {}
    for a, (axis, tree) in enumerate(zip(AXES, walk.trees, strict=True)):
        tables, merged = [found[a] for found in shares], [found[axis] for found in fresh]
        rings = [_place(tree, state.merged) if state.axis == axis else None for state in states]
        reels[axis] = _reel(tree, tables, merged, protection.lead, most) | {"rings": rings}
    made = {
        "steps": list(steps),
        "stop": steps.index(stop) if stop in steps else None,
        "words": [step_words(walk, state, protection, stop) for state in states],
        "spots": replay.spots(curves, pd.DataFrame([_row(state, protection) for state in states]), protection),
        "unit": MEASURE_LABEL[protection.lead],
        "limits": list(replay.LIMITS),
        "reels": reels,
    }
    return made | {"key": hashlib.sha256(json.dumps(made).encode()).hexdigest()[:16]}


def step_words(walk: Walk, at: WalkStep, protection: Protection, stop: int) -> str:
    """HTML of a step in figures, and the merge in words."""
    if at.merged is None or at.axis is None:
        last = "No merge yet: every zone is a leaf, the finest cell there is."
    else:
        last = replay.merge_words(walk.trees[AXES.index(at.axis)], at.merged, at.group, at.axis)
    least = ", ".join(counted(round(at.minimum[m] or 0), NOUNS[m]) for m in protection.guards)
    state = "stopped here" if at.step == stop else "already stopped" if at.step > stop else "goes on"
    return (
        f"<b>Step {count(at.step)}</b> of {count(walk.n_steps)} ({state}) · <b>{count(len(at.o_cut))} × "
        f"{count(len(at.d_cut))}</b> zones · least cell <b>{escape(least)}</b> · "
        f"<b>{percent(at.suppressed[protection.lead])}</b> would be suppressed ({count(at.failing)} cells)"
        f"<br><i>{escape(last)}</i>"
    )


def _row(at: WalkStep, protection: Protection) -> dict[str, float | None]:
    """A step as a row of `odk.replay.curve`."""
    zones = len(at.o_cut) + len(at.d_cut)
    return {**at.minimum, "zones": zones, "suppressed": at.suppressed[protection.lead]}


def _place(tree: Hierarchy, node: int | None) -> list[float] | None:
    return None if node is None else [round(float(tree.lon[node]), 5), round(float(tree.lat[node]), 5)]


def _reel(tree: Hierarchy, tables: list[pd.DataFrame], merged: list[Ints], lead: str, most: int) -> dict[str, Any]:
    """The zones of one axis: each from the first frame in which it is one of the largest until it merges."""
    first = np.full(tree.n_nodes, -1, dtype=np.int64)
    volume = np.zeros(tree.n_nodes, dtype=np.int64)
    for frame, table in enumerate(tables):
        node, size = table["node"].to_numpy(np.int64), table["volume"].to_numpy(np.int64)
        volume[node] = size
        largest = node[np.lexsort((node, -size))[:most]]
        first[largest[first[largest] < 0]] = frame
    node = np.concatenate([table["node"].to_numpy(np.int64) for table in tables])
    at = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    share = np.concatenate([table["safe"].to_numpy(np.float64) for table in tables])
    seen = (first[node] >= 0) & (at >= first[node])
    node, at, share = node[seen], at[seen], share[seen]
    nodes = np.unique(node)
    places = node_places(tree, nodes)
    rank = np.empty(tree.n_nodes, dtype=np.int64)
    order = np.argsort(places["level"].to_numpy(), kind="stable")  # coarse first: finer ones lie above
    nodes, places = nodes[order], places.iloc[order].reset_index(drop=True)
    rank[nodes] = np.arange(len(nodes))
    by_zone = np.lexsort((at, rank[node]))
    lasts = np.bincount(rank[node], minlength=len(nodes))
    # Leaves are too many to be named, and their names would weigh more than all the rest.
    named = (tree.size[nodes] > 1) | (len(nodes) <= replay.NAMED)
    names = np.full(len(nodes), "", dtype=object)
    few = places[named]
    names[named] = zone_names(few["lat"], few["lon"], few["level"])
    whole = [len(table) for table in tables]
    drawn = [int(((first[nodes] <= f) & (f < first[nodes] + lasts)).sum()) for f in range(len(tables))]
    found: dict[str, Any] = {
        "zone": places["zone"].tolist(),
        "level": places["level"].tolist(),
        "name": names.tolist(),
        "leaves": places["leaves"].tolist(),
        "volume": [round(v) for v in (volume[nodes] / (MICRO if lead == "population" else 1)).tolist()],
        "from": first[nodes].tolist(),
        "frames": lasts.tolist(),
        "share": np.round(100 * share[by_zone]).astype(np.int64).tolist(),
        "notes": [
            counted(n, "zone") + (f", the {count(d)} largest drawn" if d < n else "")
            for n, d in zip(whole, drawn, strict=True)
        ],
        "fresh": [rank[new[first[new] >= 0]].tolist() if len(new) <= OUTLINED else [] for new in merged],
    }
    if (places["level"] < 0).any():
        found["at"] = places[["lon", "lat"]].to_numpy().round(5).tolist()
    return found
