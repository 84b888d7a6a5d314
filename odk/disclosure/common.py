"""One common zoning for a set of releases, so that neither they nor their differences give anything away.

All releases (the whole, and segments of it that do not overlap) use the same zones, so a difference is always one of whole
cells. In a cell the whole and the segments that reach the thresholds could be published; what is left over, the whole less the
published segments, must itself be publishable, or empty. Where it is not, the smallest published segment is withheld too,
and so on: in the end the left-over is the whole cell. So whatever is added or subtracted is publishable or zero.

The zones come from ODkAnon's walk over the whole: the first step found at which every release is within the budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from odk.cells import Ints
from odk.errors import InputError
from odk.matrix import Groups, ODMatrix
from odk.protection import Budget, Protection
from odk.release import TreeRelease
from odk.trips import Trips
from odk.walk import Walk

Bools = npt.NDArray[np.bool_]
ALL = "all"


@dataclass(frozen=True, eq=False)
class CommonZoning:
    """Releases on one zoning."""

    releases: Mapping[str, TreeRelease]
    """By label: `all`, then the segments. Sizes of zones are those of the whole survey."""
    step: int
    """Step of the walk that the zones come from."""
    withheld: Mapping[str, int]
    """Per segment: cells that reach the thresholds and are withheld because of what they would give away."""


def common_zoning(
    trips: Trips,
    segments: Mapping[str, Mapping[str, str]],
    protection: Protection,
    budget: float = 0.10,
    *,
    resolution: int = 10,
) -> CommonZoning:
    """Releases of the whole and of segments that do not overlap, on one zoning, safe also in their differences.

    segments: label -> the values that select it, as for `Trips.where`. The budget holds for every release.
    """
    whole = ODMatrix.from_trips(trips, resolution)
    protection.check(whole)
    parts = {label: _part(whole, trips, where, resolution) for label, where in segments.items()}
    if not parts or ALL in parts:
        raise InputError(
            f"segments ({', '.join(parts) or 'none'}) must hold at least one, and none may be called {ALL}"
        )
    _check_disjoint(trips, segments)
    for part in parts.values():
        protection.check(part)
    walk = Walk(whole, lead=protection.lead)
    rest = _rest(whole, trips, segments, resolution)
    share = Budget(budget)

    def outcome(step: int) -> dict[str, tuple[Groups, Bools, Bools]]:
        return _published(walk, step, whole, parts, rest, protection)

    def good(step: int) -> bool:
        return all(
            _within(matrix, groups, keep, protection, share)
            for (groups, keep, _), matrix in zip(outcome(step).values(), [whole, *parts.values()], strict=True)
        )

    step = walk.first_step(good)
    if step is None:
        raise InputError("budget must be larger: even one single zone would suppress more of a segment than it allows")
    found = outcome(step)
    o_cut, d_cut = walk.cuts(step)
    releases = {
        label: _release(matrix, groups, keep, protection, share, o_cut, d_cut)
        for (label, (groups, keep, _)), matrix in zip(found.items(), [whole, *parts.values()], strict=True)
    }
    withheld = {label: int((could & ~keep).sum()) for label, (_, keep, could) in found.items() if label != ALL}
    return CommonZoning(releases, step, withheld)


def _part(whole: ODMatrix, trips: Trips, where: Mapping[str, str], resolution: int) -> ODMatrix:
    """The matrix of a segment on the trees of the whole."""
    return _on(whole, ODMatrix.from_trips(trips.where(**where), resolution))


def _on(whole: ODMatrix, part: ODMatrix) -> ODMatrix:
    """A matrix of some of the trips, its leaves numbered as in the whole."""
    o, d = (
        np.searchsorted(big.ids[: big.n_leaves], small.ids[leaf])
        for big, small, leaf in (
            (whole.origins, part.origins, part.o),
            (whole.destinations, part.destinations, part.d),
        )
    )
    return replace(part, origins=whole.origins, destinations=whole.destinations, o=o, d=d)


def _rest(whole: ODMatrix, trips: Trips, segments: Mapping[str, Mapping[str, str]], resolution: int) -> ODMatrix | None:
    """The matrix of the trips that are in no segment; None where there is none."""
    outside = np.ones(len(trips), dtype=bool)
    for where in segments.values():
        outside &= ~_mask(trips, where)
    if not outside.any():
        return None
    table = trips.table[outside]
    return _on(whole, ODMatrix.from_trips(replace(trips, table=table), resolution))


def _mask(trips: Trips, where: Mapping[str, str]) -> Bools:
    return trips.selects(**where)


def _check_disjoint(trips: Trips, segments: Mapping[str, Mapping[str, str]]) -> None:
    count = sum((_mask(trips, where).astype(np.int64) for where in segments.values()), np.zeros(len(trips), np.int64))
    if (count > 1).any():
        raise InputError("segments of a common zoning must not overlap: some trips are in two of them")


def _published(
    walk: Walk,
    step: int,
    whole: ODMatrix,
    parts: Mapping[str, ODMatrix],
    rest: ODMatrix | None,
    protection: Protection,
) -> dict[str, tuple[Groups, Bools, Bools]]:
    """For the whole and every segment: its cells at a step, which are published, and which reach the thresholds."""
    o_cut, d_cut = walk.cuts(step)
    zones = whole.origins.zone_of_leaf(o_cut), whole.destinations.zone_of_leaf(d_cut)
    span = whole.destinations.n_nodes
    total = whole.group(*zones, persons=protection.needs_persons)
    at = {key: i for i, key in enumerate((total.o_node * span + total.d_node).tolist())}
    good = protection.publishable(total)
    out: dict[str, tuple[Groups, Bools, Bools]] = {ALL: (total, good, good)}
    members = dict(parts) if rest is None else {**parts, "": rest}
    groups = {label: m.group(*zones, persons=protection.needs_persons) for label, m in members.items()}
    place = {
        label: np.array([at[k] for k in (g.o_node * span + g.d_node).tolist()], dtype=np.int64)
        for label, g in groups.items()
    }
    could = {label: protection.publishable(groups[label]) & good[place[label]] for label in parts}
    keep = {label: flags.copy() for label, flags in could.items()}
    _withhold(total, groups, place, keep, protection, good)
    for label in parts:
        out[label] = (groups[label], keep[label], could[label])
    return out


def _withhold(
    total: Groups,
    groups: Mapping[str, Groups],
    place: Mapping[str, Ints],
    keep: dict[str, Bools],
    protection: Protection,
    good: Bools,
) -> None:
    """Withhold segments, smallest first, in cells whose left-over is neither empty nor publishable (changes `keep`)."""
    for _ in range(len(keep) + 1):
        trips, population = total.trips.copy(), total.population.copy()
        persons = None if total.persons is None else np.zeros(len(total), dtype=np.int64)
        for label, cells in groups.items():
            shown = keep.get(label, np.zeros(len(cells), dtype=bool))
            np.subtract.at(trips, place[label][shown], cells.trips[shown])
            np.subtract.at(population, place[label][shown], cells.population[shown])
            if persons is not None and cells.persons is not None:
                # persons of the parts that stay hidden; one person in two parts counts twice, so take the largest part
                np.maximum.at(persons, place[label][~shown], cells.persons[~shown])
        bad = good & (trips > 0) & ~protection.reached(trips, population, persons)
        if not bad.any():
            return
        smallest = np.full(len(total), np.iinfo(np.int64).max)
        for label, flags in keep.items():
            np.minimum.at(smallest, place[label][flags], groups[label].trips[flags])
        done = np.zeros(len(total), dtype=bool)
        for label in sorted(keep):
            mine = keep[label] & bad[place[label]] & (groups[label].trips == smallest[place[label]])
            mine &= ~done[place[label]]
            done[place[label][mine]] = True
            keep[label] = keep[label] & ~mine


def _within(matrix: ODMatrix, groups: Groups, keep: Bools, protection: Protection, budget: Budget) -> bool:
    for measure, most in budget.allowed(matrix, protection).items():
        volume = groups.population if measure == "population" else groups.trips
        if int(volume[~keep].sum()) > most:
            return False
    return True


def _release(
    matrix: ODMatrix, groups: Groups, keep: Bools, protection: Protection, budget: Budget, o_cut: Ints, d_cut: Ints
) -> TreeRelease:
    number = np.where(keep, np.cumsum(keep) - 1, -1)
    persons = matrix.regroup(number[groups.of_pair], int(keep.sum())).persons
    return TreeRelease(
        matrix=matrix,
        protection=protection,
        budget=budget,
        algorithm="common-zoning",
        of_pair=number[groups.of_pair],
        trips=groups.trips[keep],
        population=groups.population[keep],
        persons=persons,
        o_node=groups.o_node[keep],
        d_node=groups.d_node[keep],
        o_cut=np.sort(o_cut),
        d_cut=np.sort(d_cut),
        notes=("One zoning for all releases of this set; sizes of zones are those of the whole survey.",),
    )
