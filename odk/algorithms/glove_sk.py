"""Glove-sk: scikit-learn's clustering cut at one height, the naive bound of 001 (section 4.2 and appendix B)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from odk.algorithms._base import Algorithm, Problem, register
from odk.algorithms.glove import check_count, check_size, fits, in_metres, tight_release
from odk.algorithms.mondrian import points
from odk.cells import Floats, Ints
from odk.release import Release


@dataclass(frozen=True, kw_only=True)
class GloveSkOptions:
    """Options of `glove-sk`."""

    neighbours: int = 100
    """Only pairs that are among the nearest of one another may merge."""
    max_pairs: int = 100_000
    """More pairs than this are refused: scikit-learn cannot be stopped while it works, and takes some two minutes and
    2 GB for 72,000."""

    def __post_init__(self) -> None:
        check_count("neighbours", self.neighbours)
        check_count("max_pairs", self.max_pairs)


def dendrogram(at: Floats, neighbours: int) -> Ints:
    """Merges [n-1, 2] of scikit-learn's complete linkage under L1, along a graph of nearest neighbours."""
    from sklearn.cluster import AgglomerativeClustering  # here, because it takes a second that no other part needs

    n = len(at)
    if n == 1:
        return np.empty((0, 2), dtype=np.int64)
    k = min(neighbours + 1, n)
    near = cKDTree(at).query(at, k=k, p=1)[1]
    graph = csr_array((np.ones(n * k), (np.repeat(np.arange(n), k), near.ravel())), shape=(n, n))
    with warnings.catch_warnings():  # scikit-learn joins the parts of the graph by itself, and warns that it does
        warnings.simplefilter("ignore", UserWarning)
        model = AgglomerativeClustering(
            n_clusters=1, connectivity=graph, linkage="complete", metric="manhattan", compute_full_tree=True
        ).fit(at)
    return np.asarray(model.children_, dtype=np.int64)


def labels_at(children: Ints, n: int, merges: int) -> Ints:
    """Cluster of every point after the first so many merges."""
    parent = np.arange(n + merges)
    parent[children[:merges].ravel()] = np.repeat(n + np.arange(merges), 2)
    while True:
        up = parent[parent]
        if np.array_equal(up, parent):
            return np.unique(parent[:n], return_inverse=True)[1].astype(np.int64)
        parent = up


def run_glove_sk(problem: Problem) -> Release:
    """Merge regardless of volumes; undo as many merges as the budget allows."""
    matrix, protection = problem.matrix, problem.protection
    check_size("glove-sk", matrix, problem.options.max_pairs)
    degrees = points(matrix)
    problem.tick(0.05, "clustering by scikit-learn, which cannot be stopped")
    children = dendrogram(in_metres(degrees), problem.options.neighbours)

    def cell_of_pair(merges: int) -> Ints:
        """Cells after so many merges; -1 where they are not publishable."""
        label = labels_at(children, matrix.n_pairs, merges)
        groups = matrix.regroup(label, int(label.max()) + 1, persons=protection.needs_persons)
        good = protection.publishable(groups)
        return np.where(good, np.cumsum(good) - 1, -1)[label]

    def over(merges: int) -> bool:
        problem.tick(0.9, f"cut after {merges:,} merges")
        return not fits(problem, cell_of_pair(merges) < 0)

    low, high = 0, len(children)  # what is published stays so under more merges: bisect
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if over(middle) else (low, middle)
    of_pair = cell_of_pair(low)
    return tight_release(problem, "glove-sk", of_pair, degrees, low)


register(
    Algorithm(
        name="glove-sk",
        title="Glove by scikit-learn",
        kind="boxes",
        source="001, section 4.2 and appendix B",
        summary="Clusters pairs by distance alone and cuts the tree at the lowest height that fits the budget.",
        when="Use it only as the papers' naive bound: it does not see volumes, so dense places are merged for nothing.",
        options=GloveSkOptions,
        run=run_glove_sk,
        slow=True,
    )
)
