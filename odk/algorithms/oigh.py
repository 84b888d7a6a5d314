"""OIGH: one level of generalisation per axis, found on the staircase of the lattice (003, 2.5.2; 001, appendix B)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from odk.algorithms._arrays import weighted_sum
from odk.algorithms._base import Algorithm, Problem, register
from odk.cells import Ints
from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.matrix import Groups
from odk.release import Release, cut_release


@dataclass(frozen=True, kw_only=True)
class OighOptions:
    """Options of `oigh`."""

    suppress: bool = False
    """Suppress what is too small, within the budget (as 001); else every cell must be publishable (as 000 and 003)."""

    def __post_init__(self) -> None:
        if not isinstance(self.suppress, bool):
            raise InputError(f"suppress ({self.suppress!r}) must be True or False")


def levels(tree: Hierarchy) -> Ints:
    """Level at which each node becomes a zone; the zones of level l are the highest nodes of level at most l.

    Where all leaves are equally deep this is the height. Else (001, appendix B) going up one level merges only the
    zones whose parent covers the fewest leaves of all zones' parents. Such a parent has only zones as children, since
    a child that is none would cover fewer leaves and hold a zone whose parent covers fewer still.
    """
    if len(np.unique(tree.depth[: tree.n_leaves])) == 1:
        return tree.height
    level = np.zeros(tree.n_nodes, dtype=np.int64)
    zones, step = np.arange(tree.n_leaves), 0
    while len(zones) > 1 or zones[0] != tree.root:
        step += 1
        parents = tree.parent[zones]
        cardinal = np.where(parents < 0, tree.n_leaves + 1, tree.size[parents])
        merged = cardinal == cardinal.min()
        new = np.unique(parents[merged])
        level[new] = step
        zones = np.concatenate([zones[~merged], new])
    return level


def run(problem: Problem) -> Release:
    """The lowest level_o + level_d that is good; ties by G, then by the finer origins.

    Being good (all cells publishable, or the rest within the budget) is monotone in both levels, so the border of the
    good ones is a staircase: from (0, top) step down in destinations where good, else up in origins.
    """
    matrix, protection = problem.matrix, problem.protection
    level_of = {"o": levels(matrix.origins), "d": levels(matrix.destinations)}
    o_cuts: dict[int, Ints] = {}
    d_cuts: dict[int, Ints] = {}

    def groups(o_level: int, d_level: int) -> Groups:
        if o_level not in o_cuts:
            o_cuts[o_level] = matrix.origins.cut_of_marks(level_of["o"] <= o_level)
        if d_level not in d_cuts:
            d_cuts[d_level] = matrix.destinations.cut_of_marks(level_of["d"] <= d_level)
        return matrix.group(
            matrix.origins.zone_of_leaf(o_cuts[o_level]),
            matrix.destinations.zone_of_leaf(d_cuts[d_level]),
            persons=protection.needs_persons,
        )

    top_o, top_d = int(level_of["o"].max()), int(level_of["d"].max())
    o_level, d_level = 0, top_d
    best: tuple[int, Fraction, int, int] | None = None
    while o_level <= top_o and d_level >= 0:
        problem.tick(0.1 + 0.8 * (o_level + top_d - d_level) / (top_o + top_d + 1), "walking the staircase")
        if best is not None and o_level + d_level > best[0]:  # good or not, it cannot win: finer destinations
            d_level -= 1
            continue
        cells = groups(o_level, d_level)
        if _good(problem, cells):
            found = (o_level + d_level, _mean_size(problem, cells), o_level, d_level)
            best = found if best is None else min(best, found)
            d_level -= 1
        else:
            o_level += 1
    assert best is not None, "one cell for all is publishable (Protection.check)"
    return cut_release(
        matrix,
        protection,
        problem.budget,
        algorithm="oigh",
        options=problem.options,
        o_cut=o_cuts[best[2]],
        d_cut=d_cuts[best[3]],
        details={"origin_level": best[2], "destination_level": best[3]},
    )


def _good(problem: Problem, cells: Groups) -> bool:
    bad = ~problem.protection.publishable(cells)
    if not problem.options.suppress or not bad.any():
        return not bad.any()
    if problem.budget.within == "pairs":
        return int(bad[cells.of_pair].sum()) <= problem.budget.of(problem.matrix.n_pairs)
    volumes = {"trips": cells.trips, "population": cells.population}
    return all(int(volumes[m][bad].sum()) <= most for m, most in problem.allowed.items())


def _mean_size(problem: Problem, cells: Groups) -> Fraction:
    """G of the published cells in the lead measure, exactly."""
    matrix = problem.matrix
    good = problem.protection.publishable(cells)
    volume = (cells.population if problem.protection.lead == "population" else cells.trips)[good]
    size = (matrix.origins.size[cells.o_node] + matrix.destinations.size[cells.d_node])[good]
    return Fraction(weighted_sum(size, volume), max(int(volume.sum()), 1))


register(
    Algorithm(
        name="oigh",
        title="OIGH",
        kind="homogeneous",
        source="003, 2.5.2; 001, appendix B",
        summary="Cuts each tree at one level: the lowest pair of levels at which every cell is publishable.",
        when="Use it where all zones must be of one level; sparse corners make it coarse everywhere.",
        options=OighOptions,
        run=run,
    )
)
