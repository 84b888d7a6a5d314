"""ODkAnon as published (000, algorithms 1-3), and the same walk with suppression at its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odk.algorithms._base import Algorithm, Problem, over_budget, register
from odk.cells import Ints
from odk.errors import BudgetError, InputError
from odk.hierarchy import Hierarchy
from odk.matrix import Groups
from odk.release import Release, cut_release, tree_release
from odk.walk import DRIFT, Walk, check_drift


@dataclass(frozen=True, kw_only=True)
class OdkanonOptions:
    """Options of `odkanon`."""

    levels: int = 3
    """L: a pair is kept if its group at some level up to L is publishable (0: at the leaves only)."""
    drift: float = DRIFT
    """How far origins/destinations may drift from its first value before the dominant axis must merge."""

    def __post_init__(self) -> None:
        if isinstance(self.levels, bool) or not isinstance(self.levels, int) or self.levels < 0:
            raise InputError(f"levels ({self.levels!r}) must be a whole number of at least 0")
        check_drift(self.drift)


@dataclass(frozen=True, kw_only=True)
class LateOptions:
    """Options of `odkanon-late`."""

    drift: float = DRIFT
    """How far origins/destinations may drift from its first value before the dominant axis must merge."""

    def __post_init__(self) -> None:
        check_drift(self.drift)


def _valid(problem: Problem, levels: int) -> npt.NDArray[np.bool_]:
    """Algorithm 1, lines 7-12: pairs whose group of l-th ancestors is publishable at some level l <= L."""
    matrix, protection = problem.matrix, problem.protection
    persons = protection.needs_persons
    each = np.arange(matrix.n_pairs)
    valid = protection.publishable(
        matrix.regroup(each, matrix.n_pairs, persons=persons)
    )  # level 0: the pairs themselves
    of_pair = each
    for level in range(1, levels + 1):
        problem.tick(0.05 + 0.2 * level / (levels + 1), f"filter: level {level}")
        o, d = matrix.origins.ancestors_at(level), matrix.destinations.ancestors_at(level)
        groups = matrix.group(o, d, persons=persons)
        of_pair = groups.of_pair[of_pair]
        valid |= protection.publishable(groups)[of_pair]
        matrix = matrix.coarsen(groups, persons=persons)  # equal ancestors have equal ancestors: sum on from here
    return valid


def _dropped(problem: Problem, valid: npt.NDArray[np.bool_]) -> Ints:
    """Algorithm 1, lines 12-17: invalid pairs by (lead measure, origin, destination) until one breaks the budget."""
    matrix, protection = problem.matrix, problem.protection
    invalid = np.flatnonzero(~valid)
    o_rank, d_rank = matrix.origins.order[matrix.o[invalid]], matrix.destinations.order[matrix.d[invalid]]
    invalid = invalid[np.lexsort((d_rank, o_rank, matrix.volume(protection.lead)[invalid]))]
    if problem.budget.within == "pairs":
        return invalid[: problem.budget.of(matrix.n_pairs)]
    fits = np.ones(len(invalid), dtype=bool)
    for measure, allowed in problem.allowed.items():
        fits &= np.cumsum(matrix.volume(measure)[invalid]) <= allowed
    return invalid[: int(fits.sum())]  # running sums only grow: those that fit come first


def run_odkanon(problem: Problem) -> Release:
    """Filter (algorithm 1), rebuild the trees (2), merge until every cell is publishable (3)."""
    matrix, protection = problem.matrix, problem.protection
    keep = np.ones(matrix.n_pairs, dtype=bool)
    keep[_dropped(problem, _valid(problem, problem.options.levels))] = False
    small = matrix if keep.all() else matrix.subset(keep) if keep.any() else None
    walk = None if small is None else Walk(small, lead=protection.lead, drift=problem.options.drift)

    def good(groups: Groups) -> bool:
        problem.tick(0.6, "looking for the step at which to stop")
        return bool(protection.publishable(groups).all())

    step = None if walk is None else walk.search(good, persons=protection.needs_persons)
    if step is None or walk is None or small is None:
        left = 0 if small is None else small.total(protection.lead)
        share = left / matrix.total(protection.lead)
        raise BudgetError(
            f"odkanon can publish nothing: the {share:.1%} of {protection.lead} that its filter left do not reach "
            "the thresholds even in one cell; lower k or the budget",
            measure=protection.lead,
            needed=1.0,
            allowed=problem.budget.share,
        )
    o_cut, d_cut = walk.cuts(step)
    return tree_release(
        matrix,
        protection,
        problem.budget,
        algorithm="odkanon",
        options=problem.options,
        o_node=_zones_of_pairs(matrix.origins, matrix.o, keep, small.origins, o_cut),
        d_node=_zones_of_pairs(matrix.destinations, matrix.d, keep, small.destinations, d_cut),
        keep=keep,
        o_cut=matrix.origins.complete(_same_nodes(matrix.origins, small.origins, o_cut)),
        d_cut=matrix.destinations.complete(_same_nodes(matrix.destinations, small.destinations, d_cut)),
        steps=step,
    )


def _same_nodes(tree: Hierarchy, small: Hierarchy, nodes: Ints) -> Ints:
    """Numbers in the full tree of nodes of the tree that the filter left."""
    by_id = np.argsort(tree.ids, kind="stable")
    return np.sort(by_id[np.searchsorted(tree.ids[by_id], small.ids[nodes])])


def _zones_of_pairs(tree: Hierarchy, leaf: Ints, keep: npt.NDArray[np.bool_], small: Hierarchy, cut: Ints) -> Ints:
    """Zone of each pair as a node of the full tree; pairs that were dropped get their leaf."""
    out = leaf.copy()
    seen = np.zeros(tree.n_leaves, dtype=bool)
    seen[leaf[keep]] = True
    by_id = np.argsort(tree.ids, kind="stable")
    zone = by_id[np.searchsorted(tree.ids[by_id], small.ids[small.zone_of_leaf(cut)])]
    out[keep] = zone[(np.cumsum(seen) - 1)[leaf[keep]]]
    return out


def run_late(problem: Problem) -> Release:
    """The same walk without the filter: stop where the unpublishable volume fits the budget; suppress that."""
    matrix, protection = problem.matrix, problem.protection
    walk = Walk(matrix, lead=protection.lead, drift=problem.options.drift)

    def good(groups: Groups) -> bool:
        problem.tick(0.5, "looking for the step at which to stop")
        bad = ~protection.publishable(groups)
        return all(
            int((groups.population if m == "population" else groups.trips)[bad].sum()) <= most
            for m, most in problem.allowed.items()
        )

    def few_pairs(step: int) -> bool:
        problem.tick(0.5, "looking for the step at which to stop")
        groups = walk.groups(step, persons=protection.needs_persons)
        return int((~protection.publishable(groups))[groups.of_pair].sum()) <= problem.budget.of(matrix.n_pairs)

    by_pairs = problem.budget.within == "pairs"
    step = walk.first_step(few_pairs) if by_pairs else walk.search(good, persons=protection.needs_persons)
    if step is None:  # the one cell of the last step is publishable (Protection.check), so this cannot be
        raise over_budget(
            "odkanon-late", protection.lead, matrix.total(protection.lead), 0, matrix.total(protection.lead)
        )
    o_cut, d_cut = walk.cuts(step)
    return cut_release(
        matrix,
        protection,
        problem.budget,
        algorithm="odkanon-late",
        options=problem.options,
        o_cut=o_cut,
        d_cut=d_cut,
        steps=step,
    )


register(
    Algorithm(
        name="odkanon",
        title="ODkAnon",
        kind="homogeneous",
        source="000, algorithms 1-3",
        summary="Drops pairs beyond rescue, then merges the emptiest zones until every cell is publishable.",
        when="Use it to compare with the published method; a few stubborn cells can force very coarse zones.",
        options=OdkanonOptions,
        run=run_odkanon,
        budget_in="pairs",
    )
)
register(
    Algorithm(
        name="odkanon-late",
        title="ODkAnon, late suppression",
        kind="homogeneous",
        source="ours: the walk of 000, suppression at its end",
        summary="Merges in ODkAnon's order and stops as soon as what is still too small fits the suppression budget.",
        when="Use it for one fast, homogeneous map with many zones; TwinCut is finer.",
        options=LateOptions,
        run=run_late,
    )
)
