"""Hierarchies: a rooted tree over the observed leaves of one axis, kept in arrays.

Order of nodes: the leaves come first, in depth-first order, so that every node covers one run of leaves
[first, first + size); then the inner nodes by (height, first); the root is last. So children come before parents,
and whatever is summed or pruned bottom-up goes through `levels` once, vectorised.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk import cells
from odk.cells import Floats, Ids, Ints
from odk.errors import InputError

VIRTUAL_ROOT = "root"
MAX_WARD = 15_000
"""Most zones that are clustered: Ward linkage keeps the distances of all of them, 0.9 GB here."""
_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree in arrays; build it with `from_cells`, `from_table` or `from_ward`."""

    ids: Ids
    """Identity of each node: the H3 cell (0 for a virtual root); for other kinds the node's number in the full tree."""
    parent: Ints
    """Node number of the parent; -1 for the root."""
    size: Ints
    """Number of observed leaves below each node (1 for a leaf)."""
    depth: Ints
    """Edges from the root."""
    height: Ints
    """Edges to the farthest leaf below."""
    first: Ints
    """First leaf that each node covers."""
    lat: Floats
    lon: Floats
    """Centre of each node in degrees: of the cell, or the mean of the leaves below."""
    kind: str
    """h3, table or ward."""
    labels: tuple[str, ...] | None = field(default=None, repr=False)
    """Names of the nodes where they are not H3 cells."""

    # --- shape -------------------------------------------------------------------------------------------------
    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.parent)

    @cached_property
    def n_leaves(self) -> int:
        """Number of observed leaves."""
        return int((self.height == 0).sum())

    @property
    def root(self) -> int:
        """Node number of the root."""
        return self.n_nodes - 1

    @cached_property
    def levels(self) -> tuple[slice, ...]:
        """Runs of nodes of equal height, leaves first."""
        bounds = np.searchsorted(self.height, np.arange(int(self.height[-1]) + 2))
        return tuple(slice(int(a), int(b)) for a, b in itertools.pairwise(bounds))

    @cached_property
    def n_children(self) -> Ints:
        """Number of children of each node."""
        return np.bincount(self.parent[:-1], minlength=self.n_nodes).astype(np.int64)

    @cached_property
    def order(self) -> Ints:
        """Rank of every node by its id: the tie rule wherever one is needed."""
        rank = np.empty(self.n_nodes, dtype=np.int64)
        rank[np.argsort(self.ids, kind="stable")] = np.arange(self.n_nodes)
        return rank

    @cached_property
    def child_list(self) -> Ints:
        """All nodes but the root, by parent: the children of n are child_list[child_start[n]:child_start[n + 1]]."""
        return np.argsort(self.parent[:-1], kind="stable")

    @cached_property
    def child_start(self) -> Ints:
        """Where the children of each node start in `child_list`; one more entry than nodes."""
        return np.concatenate([[0], np.cumsum(self.n_children)]).astype(np.int64)

    def children(self, node: int) -> Ints:
        """Children of one node, ascending."""
        return np.asarray(self.child_list[self.child_start[node] : self.child_start[node + 1]])

    def label(self, node: int) -> str:
        """Name of one node: hex for a cell."""
        if self.labels is not None:
            return self.labels[node]
        return f"{int(self.ids[node]):x}" if self.ids[node] else VIRTUAL_ROOT

    def names(self, nodes: npt.ArrayLike) -> list[str]:
        """Names of several nodes."""
        return [self.label(n) for n in np.asarray(nodes).tolist()]

    def descendant_size(self) -> Ints:
        """Number of H3 cells of the leaves' resolution below each node, observed or not (the other size of SPEC 1)."""
        if self.kind != "h3":
            raise InputError(f"hierarchy ({self.kind}) must be of H3 cells to count unobserved descendants")
        res = int(cells.resolution(self.ids[:1])[0])
        real = self.ids != 0
        out = np.zeros(self.n_nodes, dtype=np.int64)
        out[real] = cells.descendants(self.ids[real], res)
        if not real[-1]:
            out[-1] = out[self.parent == self.root].sum()
        return out

    # --- going up and down ---------------------------------------------------------------------------------------
    def sum_up(self, at_leaves: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
        """Sums over the leaves below every node; exact for integers. Runs of leaves make it one cumulative sum."""
        total = np.zeros(self.n_leaves + 1, dtype=at_leaves.dtype)
        np.cumsum(at_leaves, out=total[1:])
        return np.asarray(total[self.first + self.size] - total[self.first])

    def zone_of_leaf(self, cut: npt.ArrayLike) -> Ints:
        """For a cut (nodes, one above each leaf), the node above each leaf."""
        nodes = np.asarray(cut, dtype=np.int64)
        nodes = nodes[np.argsort(self.first[nodes], kind="stable")]
        sizes = self.size[nodes]
        starts = np.cumsum(sizes) - sizes
        if int(sizes.sum()) != self.n_leaves or not np.array_equal(starts, self.first[nodes]):
            raise InputError("cut must hold exactly one zone above every leaf")
        return np.repeat(nodes, sizes)

    def complete(self, zones: npt.ArrayLike) -> Ints:
        """The cut made of the given zones, none above another, and the fewest further nodes for what they leave out."""
        nodes = np.asarray(zones, dtype=np.int64)
        edges = np.zeros(self.n_leaves + 1, dtype=np.int64)
        np.add.at(edges, self.first[nodes], 1)
        np.add.at(edges, self.first[nodes] + self.size[nodes], -1)
        covered = self.sum_up(np.cumsum(edges)[:-1])
        above = np.append(covered, 1)[self.parent]  # nothing stands above the root
        return np.sort(np.concatenate([nodes, np.flatnonzero((covered == 0) & (above > 0))]))

    def cut_of_marks(self, stop: npt.NDArray[np.bool_]) -> Ints:
        """The cut made by stopping, on the way down from the root, at the first marked node (leaves always stop)."""
        zone = np.empty(self.n_nodes, dtype=np.int64)
        zone[self.root] = self.root if stop[self.root] or self.n_nodes == 1 else -1
        for level in reversed(self.levels):
            nodes = np.arange(level.start, level.stop)
            if level.stop == self.n_nodes:
                nodes = nodes[:-1]
            above = zone[self.parent[nodes]]
            here = stop[nodes] | (self.height[nodes] == 0)
            zone[nodes] = np.where(above >= 0, above, np.where(here, nodes, -1))
        return np.unique(zone[: self.n_leaves])

    @cached_property
    def paths(self) -> Ints:
        """paths[l, leaf]: the l-th ancestor of each leaf; once at the root it stays there."""
        up = np.where(self.parent < 0, np.arange(self.n_nodes), self.parent)
        rows = [np.arange(self.n_leaves, dtype=np.int64)]
        while (rows[-1] != self.root).any():
            rows.append(up[rows[-1]])
        return np.stack(rows)

    @cached_property
    def depth_cuts(self) -> Ints:
        """depth_cuts[t, leaf]: the ancestor of depth t of each leaf, or the leaf itself where it is shallower.

        Each row is a cut of the tree, and every node stands in the row of its own depth with all its leaves.
        """
        rows = [np.arange(self.n_leaves, dtype=np.int64)]
        for t in range(int(self.depth.max()), 0, -1):
            rows.append(np.where(self.depth[rows[-1]] == t, self.parent[rows[-1]], rows[-1]))
        return np.stack(rows[::-1])

    def ancestors_at(self, level: int) -> Ints:
        """The level-th ancestor of each leaf (the root where the way is shorter)."""
        at = np.arange(self.n_leaves, dtype=np.int64)
        for _ in range(min(level, int(self.height[-1]))):
            at = np.where(self.parent[at] < 0, at, self.parent[at])
        return at

    def at_depth(self, depth: int) -> Ints:
        """The ancestor of each leaf (or the leaf itself) at a depth; -1 where the leaf lies less deep.

        Unlike the l-th ancestors of an uneven tree, all leaves below a node have it at the same depth.
        """
        steps = self.depth[: self.n_leaves] - depth
        return np.where(steps >= 0, self.paths[np.maximum(steps, 0), np.arange(self.n_leaves)], -1)

    # --- makers --------------------------------------------------------------------------------------------------
    @classmethod
    def from_cells(cls, leaves: Iterable[Any] | npt.NDArray[Any]) -> Hierarchy:
        """H3 tree over the given cells, all of one resolution; the root is the finest cell that covers all.

        Where even resolution 0 has several cells, a virtual root (id 0) joins them.
        """
        ids = np.unique(cells.to_ids(leaves))
        if not len(ids):
            raise InputError("leaves (none) must hold at least one cell")
        found = np.unique(cells.resolution(ids))
        if len(found) > 1:
            raise InputError(f"cells' resolutions ({', '.join(map(str, found))}) must be one and the same")
        by_level = [ids]
        for res in range(int(found[0]) - 1, -1, -1):
            if len(by_level[-1]) == 1:
                break
            by_level.append(np.unique(cells.parent(by_level[-1], res)))
        if len(by_level[-1]) > 1:
            by_level.append(np.zeros(1, dtype=np.uint64))
        offsets = np.cumsum([0] + [len(level) for level in by_level])
        parent = np.full(offsets[-1], -1, dtype=np.int64)
        for i, (low, high) in enumerate(itertools.pairwise(by_level)):
            up = np.zeros(len(low), np.int64)
            if high[0]:  # ids sort like paths through the tree, so the parents are found by bisection
                up = np.searchsorted(high, cells.parent(low, int(cells.resolution(high[:1])[0]))).astype(np.int64)
            parent[offsets[i] : offsets[i + 1]] = offsets[i + 1] + up
        all_ids = np.concatenate(by_level)
        real = all_ids != 0
        lat, lon = np.full(len(all_ids), np.nan), np.full(len(all_ids), np.nan)  # a virtual root: mean of the leaves
        lat[real], lon[real] = cells.centres(all_ids[real])
        return _arrange(all_ids, parent, lat, lon, "h3", None)

    @classmethod
    def from_table(
        cls,
        zone: Sequence[str],
        parent: Sequence[str | None],
        lat: npt.ArrayLike | None = None,
        lon: npt.ArrayLike | None = None,
    ) -> Hierarchy:
        """Tree from a table of zones and their parents; a zone without a parent (None, "" or itself) is a root.

        Several roots are joined by a virtual one. Parents that are no row themselves are added. Centres may be
        given per row; those of inner zones are the mean of the leaves below them.
        """
        names, ups = [zone_name(z) for z in zone], [zone_name(p) for p in parent]
        if not names:
            raise InputError("zone table (no rows) must hold at least one zone")
        if len(names) != len(ups):
            raise InputError(f"parents ({len(ups):,}) must be as many as zones ({len(names):,})")
        ups = ["" if u == n else u for n, u in zip(names, ups, strict=True)]
        seen: set[str] = set()
        for row, n in enumerate(names, 1):
            if not n or n in seen:
                raise InputError(f"zone ({n!r}, row {row:,}) must have a name, and stand once in the table")
            seen.add(n)
        every = names + sorted({u for u in ups if u} - set(names))
        number = {n: i for i, n in enumerate(every)}
        up = np.array([number[u] if u else -1 for u in ups] + [-1] * (len(every) - len(names)), dtype=np.int64)
        if (up < 0).sum() > 1:
            every.append(VIRTUAL_ROOT if VIRTUAL_ROOT not in number else VIRTUAL_ROOT + "*")
            up = np.append(np.where(up < 0, len(every) - 1, up), -1)
        if not (up < 0).any():
            raise InputError(f"zone table must not go round in a circle: zone ({names[0]!r}) has no root above it")
        la, lo = np.full(len(every), np.nan), np.full(len(every), np.nan)
        if lat is not None and lon is not None:
            la[: len(names)] = np.asarray(lat, dtype=np.float64)
            lo[: len(names)] = np.asarray(lon, dtype=np.float64)
        return _arrange(np.arange(len(every), dtype=np.uint64), up, la, lo, "table", every)

    @classmethod
    def from_ward(cls, names: Sequence[str], lat: npt.ArrayLike, lon: npt.ArrayLike) -> Hierarchy:
        """Dendrogram of the zones' centroids: Ward linkage on L2 distance of local metres (001, appendix A)."""
        la, lo = np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)
        labels = [str(n) for n in names]
        if not labels or len(set(labels)) < len(labels) or len(labels) != len(la):
            raise InputError("zones of a clustering must have distinct names and one centroid each")
        if not (np.isfinite(la).all() and np.isfinite(lo).all()):
            raise InputError("centroids of a clustering must be finite numbers")
        n = len(labels)
        if n > MAX_WARD:
            raise InputError(
                f"zones of a clustering ({n:,}) must be at most {MAX_WARD:,}: it needs all their distances"
            )
        up = np.full(2 * n - 1, -1, dtype=np.int64)
        if n > 1:
            metre = np.pi / 180 * cells.EARTH_RADIUS_M
            east = np.mod(lo - lo[0] + 180.0, 360.0)  # counted from one of them, for zones across the antimeridian
            points = np.column_stack([la * metre, east * metre * np.cos(np.radians(la.mean()))])
            from scipy.cluster.hierarchy import linkage  # here: few need it, and it would slow every start

            tree = linkage(points, method="ward")
            for i in range(2):
                up[tree[:, i].astype(np.int64)] = np.arange(n, 2 * n - 1)
        every = labels + [f"cluster {i + 1}" for i in range(n - 1)]
        nan = np.full(n - 1, np.nan)
        ids = np.arange(2 * n - 1, dtype=np.uint64)
        return _arrange(ids, up, np.append(la, nan), np.append(lo, nan), "ward", every)

    def subtree(self, seen: npt.NDArray[np.bool_]) -> tuple[Hierarchy, Ints]:
        """The tree over some of the leaves, and the number in this tree of each of its nodes.

        Nodes without a leaf are left out, and so is what stands above the finest node that covers all; single
        children stay (as the trees of 000, algorithm 2).
        """
        if not seen.any():
            raise InputError("leaves (none) must hold at least one leaf")
        count = self.sum_up(seen.astype(np.int64))
        keep = np.flatnonzero(count > 0)
        top = keep[count[keep] == count[self.root]].min()  # children come before parents
        keep = keep[keep <= top] if top == self.root else keep[self._below(int(top))[keep]]
        renumber = np.full(self.n_nodes + 1, -1, dtype=np.int64)
        renumber[keep] = np.arange(len(keep))
        labels = None if self.labels is None else [self.labels[i] for i in keep]
        up = renumber[self.parent[keep]]
        up[-1] = -1
        small = _arrange(self.ids[keep], up, self.lat[keep], self.lon[keep], self.kind, labels)
        order = np.argsort(self.ids[keep], kind="stable")
        return small, keep[order[np.searchsorted(self.ids[keep][order], small.ids)]]

    def _below(self, node: int) -> npt.NDArray[np.bool_]:
        """Which nodes lie below a node, itself included."""
        start, stop = self.first[node], self.first[node] + self.size[node]
        inside = (self.first >= start) & (self.first + self.size <= stop)
        return np.asarray(inside & (self.height <= self.height[node]))

    def restrict(self, leaves: Iterable[str]) -> Hierarchy:
        """The tree over the named leaves only: what was never observed is left out, single children stay."""
        wanted = set(leaves)
        number = {self.label(i): i for i in range(self.n_leaves)}
        missing = sorted(wanted - set(number))
        if missing:
            raise InputError(f"zone ({missing[0]!r}) must be a leaf of the hierarchy; {len(missing)} are not")
        seen = np.zeros(self.n_leaves, dtype=bool)
        seen[[number[n] for n in wanted]] = True
        return self.subtree(seen)[0]


def _arrange(ids: Ids, parent: Ints, lat: Floats, lon: Floats, kind: str, labels: Sequence[str] | None) -> Hierarchy:
    """Compute depth, height, sizes and runs, and put the nodes into the order of the module's docstring."""
    n = len(parent)
    roots = np.flatnonzero(parent < 0)
    up = np.where(parent < 0, np.arange(n), parent)
    depth, at = (parent >= 0).astype(np.int64), up
    for _ in range(n.bit_length()):  # every round doubles the way that has been climbed
        depth, at = depth + depth[at], at[at]
    if (at != roots[0]).any():
        round_ = int((at != roots[0]).argmax())
        raise InputError(f"zone ({round_ if labels is None else labels[round_]!r}) must not be above itself")
    by_depth = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[by_depth], np.arange(int(depth.max()) + 2))
    layers = [by_depth[a:b] for a, b in itertools.pairwise(bounds)]
    is_leaf = np.ones(n, dtype=bool)
    is_leaf[parent[parent >= 0]] = False
    size, height = is_leaf.astype(np.int64), np.zeros(n, dtype=np.int64)
    for layer in reversed(layers[1:]):
        np.add.at(size, parent[layer], size[layer])
        np.maximum.at(height, parent[layer], height[layer] + 1)
    first = np.zeros(n, dtype=np.int64)
    for layer in layers[1:]:  # siblings in order of id, one after the other from where their parent starts
        order = layer[np.lexsort((ids[layer], parent[layer]))]
        before = np.cumsum(size[order]) - size[order]
        heads = np.flatnonzero(np.r_[True, parent[order][1:] != parent[order][:-1]])
        base = np.repeat(before[heads], np.diff(np.append(heads, len(order))))
        first[order] = first[parent[order]] + before - base
    order = np.lexsort((first, height))
    number = np.empty(n + 1, dtype=np.int64)
    number[order] = np.arange(n)
    number[-1] = -1  # parent -1 of the root stays -1
    new_lat, new_lon = lat[order], lon[order]
    if np.isnan(new_lat).any():
        new_lat, new_lon = _means(new_lat, new_lon, size[order], first[order], is_leaf[order])
    return Hierarchy(
        ids=ids[order],
        parent=number[parent[order]],
        size=size[order],
        depth=depth[order],
        height=height[order],
        first=first[order],
        lat=new_lat,
        lon=new_lon,
        kind=kind,
        labels=None if labels is None else tuple(labels[i] for i in order),
    )


def zone_name(value: object) -> str:
    """A zone's name as text: empty where missing, whole numbers without a decimal point (1.0 is zone 1)."""
    if value is None or pd.isna(value):  # type: ignore[call-overload]
        return ""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def _means(lat: Floats, lon: Floats, size: Ints, first: Ints, is_leaf: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Centres that were not given: the mean of the leaves below that have one (NaN where none has).

    Longitudes are counted from one leaf's, so that zones across the antimeridian keep their middle.
    """
    known = is_leaf & ~np.isnan(lat) & ~np.isnan(lon)
    if not known.any():
        return lat, lon
    start = lon[known.argmax()]

    def mean(values: Floats) -> Floats:
        sums = np.concatenate([[0.0], np.cumsum(np.where(known, values, 0.0)[is_leaf])])
        count = np.concatenate([[0], np.cumsum(known[is_leaf])])
        n = count[first + size] - count[first]
        return np.asarray(np.where(n > 0, (sums[first + size] - sums[first]) / np.maximum(n, 1), np.nan))

    middle = np.mod(mean(np.mod(lon - start + 180.0, 360.0)) + start, 360.0) - 180.0
    return np.where(np.isnan(lat), mean(lat), lat), np.where(np.isnan(lon), middle, lon)
