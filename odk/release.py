"""A release: which cell every pair was published in, or that it was suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.cells import Floats, Ints
from odk.errors import InputError
from odk.matrix import MICRO, ODMatrix
from odk.protection import Budget, Protection, Volume
from odk.zoning import Zoning

BOX_COLUMNS = tuple(f"{end}_{side}" for end in ("origin", "destination") for side in ("west", "south", "east", "north"))
"""Outline of a box release in degrees, in the order of `BoxRelease.boxes`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """What all releases share. A cell's measures are sums over the pairs published in it."""

    matrix: ODMatrix = field(repr=False)
    """The full input."""
    protection: Protection
    budget: Budget
    algorithm: str
    options: object = None
    of_pair: Ints = field(repr=False)
    """Cell of every pair of the matrix; -1 where it was suppressed."""
    trips: Ints = field(repr=False)
    population: Ints = field(repr=False)
    """Per cell, in units of 10^-6 weighted trips."""
    persons: Ints | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    """Plain sentences that a reader of the release should know."""
    details: Mapping[str, int | float | str | bool] = field(default_factory=dict)
    """Figures of the run: lambda, v_target, bound, ..."""
    steps: int | None = None
    """Merges made, for algorithms that merge."""

    @property
    def n_cells(self) -> int:
        """Number of published cells."""
        return len(self.trips)

    @property
    def homogeneous(self) -> bool:
        """Whether one set of zones serves all origins and one all destinations."""
        return False

    @property
    def k_anonymous(self) -> bool:
        """Whether every published cell reaches the thresholds (False for noise)."""
        return True

    @cached_property
    def suppressed_pairs(self) -> int:
        """Number of pairs that are not published."""
        return int((self.of_pair < 0).sum())

    @cached_property
    def suppressed_volume(self) -> dict[str, int]:
        """Volume not published, in exact units."""
        gone = self.of_pair < 0
        return {"trips": int(self.matrix.trips[gone].sum()), "population": int(self.matrix.population[gone].sum())}

    @property
    def suppressed(self) -> dict[str, float]:
        """Share not published, by measure."""
        return {m: v / self.matrix.total(m) for m, v in self.suppressed_volume.items()}

    @property
    def minimum(self) -> dict[str, float | int | None]:
        """Least value of each measure over the published cells (natural units; None where unknown)."""
        if not self.n_cells:
            return {"trips": None, "persons": None, "population": None}
        return {
            "trips": int(self.trips.min()),
            "persons": None if self.persons is None else int(self.persons.min()),
            "population": int(self.population.min()) / MICRO,
        }

    def _measures(self) -> dict[str, Any]:
        known = {} if self.persons is None else {"persons": self.persons}
        return {"trips": self.trips} | known | {"population": self.population / MICRO}


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeRelease(Release):
    """Cells are pairs of nodes of the two hierarchies."""

    o_node: Ints = field(repr=False)
    d_node: Ints = field(repr=False)
    o_cut: Ints | None = field(default=None, repr=False)
    d_cut: Ints | None = field(default=None, repr=False)
    """The whole cuts of a homogeneous release, zones without a published flow included."""
    order: str = "origin"
    """For non-homogeneous releases, the axis whose zones were cut once: origin, or destination."""

    @property
    def homogeneous(self) -> bool:
        """Whether one cut of each tree serves all cells."""
        return self.o_cut is not None and self.d_cut is not None

    @cached_property
    def origin_zones(self) -> list[str]:
        """Names of the origin zones that have a published flow, sorted."""
        return sorted(self.matrix.origins.names(np.unique(self.o_node)))

    @cached_property
    def destination_zones(self) -> list[str]:
        """Names of the destination zones that have a published flow, sorted."""
        return sorted(self.matrix.destinations.names(np.unique(self.d_node)))

    def destination_zones_of(self, origin: str) -> list[str]:
        """Names of the destination zones that an origin zone has a published flow to, sorted."""
        nodes = [n for n in np.unique(self.o_node).tolist() if self.matrix.origins.label(n) == origin]
        if not nodes:
            raise InputError(f"origin ({origin!r}) must be a published origin zone")
        return sorted(self.matrix.destinations.names(self.d_node[self.o_node == nodes[0]]))

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Published cells: origin, destination, trips, persons (where known), population."""
        names = {
            "origin": self.matrix.origins.names(self.o_node),
            "destination": self.matrix.destinations.names(self.d_node),
        }
        return pd.DataFrame(names | self._measures())


@dataclass(frozen=True, kw_only=True, eq=False)
class BoxRelease(Release):
    """Cells are boxes in four dimensions: a rectangle of origins and one of destinations."""

    boxes: Floats = field(repr=False)
    """One row a cell, columns as in BOX_COLUMNS, degrees."""
    tight: bool = False
    """Whether boxes are bounds of observed points (then they cannot be published), not cut lines."""

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Published cells: the outline of both rectangles, trips, persons (where known), population."""
        outline = {name: self.boxes[:, i] for i, name in enumerate(BOX_COLUMNS)}
        return pd.DataFrame(outline | self._measures())


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyRelease(Release):
    """Counts with noise between the zones of a zoning: differentially private perhaps, k-anonymous never.

    No pair is published as it is, so `of_pair` is -1 throughout; `trips` or `population` holds the noisy values of the
    cells that are above 0, and the measure that was not asked for is 0 everywhere: none of it is published.
    """

    origins: Zoning = field(repr=False)
    destinations: Zoning = field(repr=False)
    o_zone: Ints = field(repr=False)
    d_zone: Ints = field(repr=False)
    """Zone numbers of each cell, sorted by (origin, destination)."""
    noised: Volume = "trips"
    """The measure that was counted and noised; the only one that is published."""
    epsilon: float | None
    """Privacy loss; None where no noise was added."""
    unit: str = "trip"
    """Whom ε protects: a trip, or a person with at most `contributions` trips."""
    contributions: int = 1
    """Trips of one unit that were counted at most."""
    records: pd.DataFrame | None = field(default=None, repr=False)
    """Synthetic records, where the method makes them: origin, destination and segment columns."""

    @property
    def k_anonymous(self) -> bool:
        """Never: noise guards no threshold."""
        return False

    @property
    def homogeneous(self) -> bool:
        """Always: one zoning serves all origins and one all destinations."""
        return True

    @property
    def values(self) -> Ints:
        """Noisy values of the cells, in exact units of the measure."""
        return self.population if self.noised == "population" else self.trips

    @cached_property
    def suppressed_pairs(self) -> int:
        """Number of observed pairs between whose zones no flow is published."""
        span = len(self.destinations)
        o, d = self.origins.of_leaf[self.matrix.o], self.destinations.of_leaf[self.matrix.d]
        shown = np.isin(o * span + d, self.o_zone * span + self.d_zone) & (o >= 0) & (d >= 0)
        return int((~shown).sum())

    @cached_property
    def suppressed_volume(self) -> dict[str, int]:
        """Volume of the input less volume published; below 0 where noise added more than was lost."""
        published = {"trips": int(self.trips.sum()), "population": int(self.population.sum())}
        return {m: self.matrix.total(m) - v for m, v in published.items()}

    @property
    def minimum(self) -> dict[str, float | int | None]:
        """Least published value of the noisy measure; the others are not published."""
        none: dict[str, float | int | None] = {"trips": None, "persons": None, "population": None}
        if not self.n_cells:
            return none
        least = int(self.values.min())
        return none | {self.noised: least / MICRO if self.noised == "population" else least}

    @cached_property
    def origin_zones(self) -> list[str]:
        """Names of the origin zones that have a published flow, sorted."""
        return sorted(self.origins.names(np.unique(self.o_zone)))

    @cached_property
    def destination_zones(self) -> list[str]:
        """Names of the destination zones that have a published flow, sorted."""
        return sorted(self.destinations.names(np.unique(self.d_zone)))

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Published cells: origin, destination, and the noisy measure."""
        names = {
            "origin": self.origins.names(self.o_zone),
            "destination": self.destinations.names(self.d_zone),
        }
        unit = MICRO if self.noised == "population" else 1
        return pd.DataFrame(names | {self.noised: self.values // unit})


def tree_release(
    matrix: ODMatrix,
    protection: Protection,
    budget: Budget,
    *,
    algorithm: str,
    options: object,
    o_node: Ints,
    d_node: Ints,
    keep: npt.NDArray[np.bool_] | None = None,
    **more: Any,
) -> TreeRelease:
    """Release that publishes each pair under the nodes it is given, where their cell is publishable.

    `o_node` and `d_node` give, per pair of the matrix, a node of each tree; pairs not in `keep` are suppressed first,
    and cells that are not publishable are suppressed. `more` are further fields of TreeRelease.
    """
    groups = matrix.group_nodes(o_node, d_node, keep=keep)
    good = protection.publishable(groups)
    number = np.append(np.where(good, np.cumsum(good) - 1, -1), -1)
    return TreeRelease(
        matrix=matrix,
        protection=protection,
        budget=budget,
        algorithm=algorithm,
        options=options,
        of_pair=number[groups.of_pair],
        trips=groups.trips[good],
        population=groups.population[good],
        persons=None if groups.persons is None else groups.persons[good],
        o_node=groups.o_node[good],
        d_node=groups.d_node[good],
        **more,
    )


def cut_release(
    matrix: ODMatrix,
    protection: Protection,
    budget: Budget,
    *,
    algorithm: str,
    options: object,
    o_cut: Ints,
    d_cut: Ints,
    **more: Any,
) -> TreeRelease:
    """Homogeneous release of one cut of each tree."""
    return tree_release(
        matrix,
        protection,
        budget,
        algorithm=algorithm,
        options=options,
        o_node=matrix.origins.zone_of_leaf(o_cut)[matrix.o],
        d_node=matrix.destinations.zone_of_leaf(d_cut)[matrix.d],
        o_cut=np.sort(o_cut),
        d_cut=np.sort(d_cut),
        **more,
    )
