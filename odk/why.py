"""Why is this zone so coarse? The cell that keeps a zone from being split, and the smallest change that would free it.

For homogeneous releases. The zone is split into its children while every other zone stays as it is, and the cells are counted
anew: what falls below a threshold would have to be suppressed. If that is more than the budget allows, the split is not
possible, and the largest of the cells that fail is the one that binds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odk.cells import Ints
from odk.errors import InputError
from odk.matrix import MICRO, Groups
from odk.protection import UNITS, Protection
from odk.release import TreeRelease

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Why:
    """What stands between a zone and its children."""

    zone: str
    axis: str
    """origins or destinations."""
    children: tuple[str, ...]
    """Empty where the zone is a leaf: there is nothing finer."""
    fits: bool
    """Whether the split would be within the budget: then nothing but the algorithm's own choice keeps the zone whole."""
    origin: str = ""
    destination: str = ""
    """The cell that binds."""
    measure: str = ""
    value: float = 0.0
    threshold: float = 0.0
    suppressed: float = 0.0
    """Share of the volume that would be suppressed after the split."""
    allowed: float = 0.0
    """Share that the budget allows."""
    k: float | None = None
    """Largest share of every threshold (1 = as it is) at which the split would fit; None where none does."""
    without: tuple[str, ...] = ()
    """Guards of which leaving out one alone would let the split fit."""

    @property
    def shortfall(self) -> float:
        """What the binding cell lacks to its threshold."""
        return self.threshold - self.value

    def sentence(self, protection: Protection) -> str:
        """The answer in words."""
        if not self.children:
            return "This zone is a leaf: the data has nothing finer here."
        if self.fits:
            return (
                f"Splitting this zone into its {len(self.children)} parts would be within the budget "
                f"({self.suppressed:.1%} of {self.allowed:.1%}); the algorithm kept it because that would not lower the loss."
            )
        unit = UNITS[self.measure]
        words = [
            f"Split into its {len(self.children)} parts, the flow {self.origin} → {self.destination} would have "
            f"{_round(self.value)} {unit}, {_round(self.shortfall)} short of {_round(self.threshold)}, "
            f"and {self.suppressed:.1%} would be suppressed where {self.allowed:.1%} is allowed.",
            f"A budget of {np.ceil(self.suppressed * 1000) / 10:.1f}% would free it.",
        ]
        if self.k is not None:
            lower = [f"{int(t * self.k):,} {UNITS[m]}" for m, t in protection.guards.items()]
            words.append(f"So would thresholds of {' and '.join(lower)}.")
        if self.without:
            words.append(f"So would leaving out the guard on {' or on '.join(UNITS[m] for m in self.without)}.")
        return " ".join(words)


def _round(value: float) -> str:
    """A volume for people: whole, but for what is less than 10 and not whole."""
    return f"{value:,.0f}" if value >= 10 or value == round(value) else f"{value:.2f}"


def why_coarse(release: TreeRelease, axis: str, zone: str) -> Why:
    """Why a zone of a homogeneous release was not split."""
    if not isinstance(release, TreeRelease) or release.o_cut is None or release.d_cut is None:
        raise InputError(f"release ({release.algorithm}) must be homogeneous to say why a zone is coarse")
    if axis not in ("origins", "destinations"):
        raise InputError(f"axis ({axis!r}) must be origins or destinations")
    matrix = release.matrix
    tree, cut = (matrix.origins, release.o_cut) if axis == "origins" else (matrix.destinations, release.d_cut)
    found = [n for n in cut.tolist() if tree.label(n) == zone]
    if not found:
        raise InputError(f"zone ({zone!r}) must be one of the {axis} of the release")
    node = found[0]
    kids = tree.children(node)
    while len(kids) == 1:  # a single child is the same place
        node, kids = int(kids[0]), tree.children(int(kids[0]))
    names = tuple(tree.names(kids))
    if not names:
        return Why(zone, axis, (), fits=False)
    groups, mine = _split(release, axis, found[0], kids)
    return _answer(release, axis, zone, names, groups, mine)


def _split(release: TreeRelease, axis: str, node: int, kids: Ints) -> tuple[Groups, Bools]:
    """Cells with one zone split, and which of them belong to its parts."""
    matrix = release.matrix
    assert release.o_cut is not None
    assert release.d_cut is not None
    cuts = {"origins": release.o_cut, "destinations": release.d_cut}
    tree = matrix.origins if axis == "origins" else matrix.destinations
    zones = {}
    kept = release.of_pair >= 0
    for name, t, leaf in (("origins", matrix.origins, matrix.o), ("destinations", matrix.destinations, matrix.d)):
        # a filtered release (odkanon) has no zone above leaves that lost all their pairs
        zone = np.full(t.n_leaves, -1, dtype=np.int64)
        for z in cuts[name].tolist():
            zone[t.first[z] : t.first[z] + t.size[z]] = z
        if name == axis:
            for kid in kids.tolist():
                zone[t.first[kid] : t.first[kid] + t.size[kid]] = kid
        zones[name] = zone
        kept &= zone[leaf] >= 0
    inside = (zones["origins"][matrix.o] >= 0) & (zones["destinations"][matrix.d] >= 0)
    filtered = release.algorithm == "odkanon"
    groups = matrix.group(
        np.maximum(zones["origins"], 0),
        np.maximum(zones["destinations"], 0),
        keep=kept if filtered else inside,
        persons=release.protection.needs_persons,
    )
    own = groups.o_node if axis == "origins" else groups.d_node
    return groups, np.isin(own, kids) & (tree.size[own] <= tree.size[node])


def _answer(release: TreeRelease, axis: str, zone: str, names: tuple[str, ...], groups: Groups, mine: Bools) -> Why:
    matrix, protection = release.matrix, release.protection
    lead = protection.lead
    good = protection.publishable(groups)
    gone, allowed = _gone(release, groups, good), _allowed(release)
    total = matrix.total(lead)
    share, most = gone[lead] / total, allowed[lead] / total
    fits = all(gone[m] <= allowed[m] for m in allowed)
    if fits:
        return Why(zone, axis, names, fits=True, suppressed=share, allowed=most)
    bad = np.flatnonzero(mine & ~good)
    if not len(bad):
        return Why(zone, axis, names, fits=True, suppressed=share, allowed=most)
    volume = groups.population if lead == "population" else groups.trips
    worst = int(bad[np.argmax(volume[bad])])
    measure, value = _failing(protection, groups, worst)
    return Why(
        zone,
        axis,
        names,
        fits=False,
        origin=matrix.origins.label(int(groups.o_node[worst])),
        destination=matrix.destinations.label(int(groups.d_node[worst])),
        measure=measure,
        value=value,
        threshold=protection.guards[measure],
        suppressed=share,
        allowed=most,
        k=_scale(release, groups, allowed),
        without=tuple(m for m in protection.guards if _without(release, groups, allowed, m)),
    )


def _allowed(release: TreeRelease) -> dict[str, int]:
    """What may be dropped; for a filtered release nothing more than its filter dropped."""
    if release.algorithm == "odkanon":
        return dict.fromkeys(release.protection.budget_measures, 0)
    if release.budget.within == "pairs":
        share = release.budget.of(release.matrix.n_pairs) / release.matrix.n_pairs
        return {m: int(share * release.matrix.total(m)) for m in release.protection.budget_measures}
    return {str(m): most for m, most in release.budget.allowed(release.matrix, release.protection).items()}


def _gone(release: TreeRelease, groups: Groups, good: Bools) -> dict[str, int]:
    return {
        m: int((groups.population if m == "population" else groups.trips)[~good].sum())
        for m in release.protection.budget_measures
    }


def _failing(protection: Protection, groups: Groups, cell: int) -> tuple[str, float]:
    """The guard that a cell misses by the most, as a share of its threshold."""
    values: dict[str, float] = {"trips": int(groups.trips[cell]), "population": int(groups.population[cell]) / MICRO}
    if groups.persons is not None:
        values["persons"] = int(groups.persons[cell])
    measure = min(protection.guards, key=lambda m: values[m] / protection.guards[m])
    return measure, values[measure]


def _ratio(protection: Protection, groups: Groups) -> npt.NDArray[np.float64]:
    """Of every cell, the least share of a threshold that it reaches."""
    parts = []
    for m in protection.guards:
        values = {"trips": groups.trips, "population": groups.population, "persons": groups.persons}[m]
        assert values is not None
        parts.append(values / protection.threshold(m))
    return np.asarray(np.min(parts, axis=0), dtype=np.float64)


def _scale(release: TreeRelease, groups: Groups, allowed: dict[str, int]) -> float | None:
    """Largest factor on all thresholds at which what fails fits the budget."""
    ratio = _ratio(release.protection, groups)
    order = np.argsort(ratio, kind="stable")
    fits = np.ones(len(order), dtype=bool)
    for m, most in allowed.items():
        volume = (groups.population if m == "population" else groups.trips)[order]
        fits &= np.cumsum(volume) <= most
    n = int(fits.sum())  # cells that may fail; the next one must not
    scale = float(ratio[order[n]]) if n < len(order) else 1.0
    least = (
        min(2 / t for m, t in release.protection.guards.items() if m != "population")
        if any(m != "population" for m in release.protection.guards)
        else 0.0
    )
    return scale if scale >= least else None


def _without(release: TreeRelease, groups: Groups, allowed: dict[str, int], measure: str) -> bool:
    left = {m: t for m, t in release.protection.guards.items() if m != measure}
    if not left:
        return False
    good = Protection(**left).publishable(groups)  # type: ignore[arg-type]
    gone = _gone(release, groups, good)
    return all(gone[m] <= allowed[m] for m in allowed)
