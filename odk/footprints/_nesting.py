"""Whether the two sides of a cell overlap: zones of two trees over the same places."""

from __future__ import annotations

import numpy as np

from odk import cells
from odk.cells import Ints
from odk.footprints._base import Bools, twins
from odk.hierarchy import Hierarchy


def nested_nodes(o: Hierarchy, d: Hierarchy, o_node: Ints, d_node: Ints) -> Bools:
    """Which nodes of the origins' tree are the same zone as the node of the destinations' tree in the same row, or lie in
    it, or hold it (-1: in no tree).
    """
    to_d, to_o = np.append(twins(o, d), -1), np.append(twins(d, o), -1)  # node -1 has no twin
    nested = _nested(d, to_d[o_node], d_node) | _nested(o, to_o[d_node], o_node)
    # a tree ends at the finest zone that covers its leaves: a zone above it is only known to the other tree
    o_above, d_above = _above(o, int(to_o[d.root])), _above(d, int(to_d[o.root]))
    known = (o_node >= 0) & (d_node >= 0)
    return np.asarray(nested | (known & (o_above[o_node] | d_above[d_node])))


def _nested(tree: Hierarchy, x: Ints, y: Ints) -> Bools:
    """Which nodes x lie above or below the node y in the same row (-1: nowhere)."""
    start = np.maximum(tree.first[x], tree.first[y])
    stop = np.minimum((tree.first + tree.size)[x], (tree.first + tree.size)[y])
    return np.asarray((x >= 0) & (y >= 0) & (start < stop))


def _above(tree: Hierarchy, node: int) -> Bools:
    """Which nodes are the given one or stand above it (-1: none)."""
    out = np.zeros(tree.n_nodes, dtype=bool)
    while node >= 0:
        out[node] = True
        node = int(tree.parent[node])
    return out


def nested_cells(a: cells.Ids, b: cells.Ids) -> Bools:
    """Which H3 cells are the same as the cell in the same row, or lie in it, or hold it (0: the whole Earth)."""
    res_a, res_b = cells.resolution(a), cells.resolution(b)
    out = (a == 0) | (b == 0)
    coarser = np.minimum(res_a, res_b)
    for res in np.unique(coarser[~out]).tolist():
        rows = np.flatnonzero((coarser == res) & ~out)
        out[rows] = cells.parent(a[rows], res) == cells.parent(b[rows], res)
    return np.asarray(out)
