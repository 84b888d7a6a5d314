"""The origin-destination matrix: observed pairs of leaves with their trips, population and persons."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk import cells
from odk.cells import Ids, Ints
from odk.errors import InputError
from odk.hierarchy import Hierarchy, zone_name
from odk.trips import Trips

MICRO = 1_000_000
"""Population is kept as integers in units of 10^-6, so that sums are exact whatever their order."""
DEFAULT_RESOLUTION = 10
_EXACT = 2**53  # beyond this a float64 sum of integers is no longer exact
_LARGEST = 2**62  # sums stay well within int64


@dataclass(frozen=True, eq=False)
class Groups:
    """Pairs summed into cells, sorted by (o_node, d_node)."""

    o_node: Ints
    d_node: Ints
    trips: Ints
    population: Ints
    """In units of 10^-6 weighted trips."""
    persons: Ints | None
    """Distinct persons; None where unknown or not asked for."""
    of_pair: Ints
    """Cell number of every pair of the matrix; -1 where it was left out."""

    def __len__(self) -> int:
        return len(self.o_node)


@dataclass(frozen=True)
class Profile:
    """What the papers' data set tables say of a matrix."""

    trips: int
    persons: int | None
    population: float
    mean_weight: float
    trips_per_person: float | None
    pairs: int
    origins: int
    destinations: int
    leaves: int
    density: float
    """Pairs over origins x destinations."""
    k: int
    pairs_at_k: float
    """Share of pairs with at least k trips."""
    volume_at_k: float
    """Share of trips in such pairs."""


@dataclass(frozen=True, eq=False)
class ODMatrix:
    """Pairs (origin leaf, destination leaf) with at least one trip, sorted by (o, d)."""

    origins: Hierarchy = field(repr=False)
    destinations: Hierarchy = field(repr=False)
    o: Ints = field(repr=False)
    d: Ints = field(repr=False)
    trips: Ints = field(repr=False)
    population: Ints = field(repr=False)
    person_pair: Ints | None = field(default=None, repr=False)
    """Pair of every distinct (pair, person) row; None where persons are unknown."""
    person: Ints | None = field(default=None, repr=False)
    """Person number of these rows."""
    source: str = ""
    synthetic: bool = False

    # --- size ----------------------------------------------------------------------------------------------------
    @property
    def n_pairs(self) -> int:
        """Number of observed pairs."""
        return len(self.o)

    @cached_property
    def total_trips(self) -> int:
        """Number of trips."""
        return int(self.trips.sum())

    @cached_property
    def total_population(self) -> int:
        """Sum of weights in units of 10^-6."""
        return int(self.population.sum())

    def total(self, measure: str) -> int:
        """Total volume of trips or population, in exact units (persons: their trips)."""
        return self.total_population if measure == "population" else self.total_trips

    def volume(self, measure: str) -> Ints:
        """Volume of every pair in exact units: population, or trips (also for persons)."""
        return self.population if measure == "population" else self.trips

    @property
    def mean_weight(self) -> float:
        """Mean weight of a trip."""
        return self.total_population / MICRO / self.total_trips

    @property
    def has_persons(self) -> bool:
        """Whether persons are known, and so can be guarded."""
        return self.person is not None

    @cached_property
    def n_persons(self) -> int:
        """Number of distinct persons (0 where unknown)."""
        return 0 if self.person is None else len(np.unique(self.person))

    @cached_property
    def hash(self) -> str:
        """Content hash: equal matrices, equal hash; the key of every cache."""
        digest = hashlib.sha256()
        for tree in (self.origins, self.destinations):
            digest.update(tree.kind.encode())
            digest.update(np.ascontiguousarray(tree.ids).tobytes() + tree.parent.tobytes())
            digest.update("\0".join(tree.labels or ()).encode())
            if tree.kind != "h3":  # a cell's centre follows from its id; another zone's does not
                digest.update(tree.lat.tobytes() + tree.lon.tobytes())
        digest.update(f"{self.n_pairs}, {0 if self.person is None else len(self.person)}".encode())
        for array in (self.o, self.d, self.trips, self.population, self.person_pair, self.person):
            digest.update(b"-" if array is None else array.tobytes())
        return digest.hexdigest()

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The matrix as a table: origin, destination, trips, persons (where known), population."""
        o_names = np.array(self.origins.names(np.arange(self.origins.n_leaves)), dtype=object)
        d_names = np.array(self.destinations.names(np.arange(self.destinations.n_leaves)), dtype=object)
        table = {"origin": o_names[self.o], "destination": d_names[self.d], "trips": self.trips}
        if self.person_pair is not None:
            table["persons"] = np.bincount(self.person_pair, minlength=self.n_pairs)
        return pd.DataFrame(table | {"population": self.population / MICRO})

    def profile(self, k: int = 10) -> Profile:
        """Size, density and how much is already k-anonymous."""
        origins, destinations = self.origins.n_leaves, self.destinations.n_leaves
        known = self.person is not None
        at_k = self.trips >= k
        names = set(self.origins.ids[:origins].tolist()) | set(self.destinations.ids[:destinations].tolist())
        if self.origins.labels is not None and self.destinations.labels is not None:
            names = set(self.origins.labels[:origins]) | set(self.destinations.labels[:destinations])
        return Profile(
            trips=self.total_trips,
            persons=self.n_persons if known else None,
            population=self.total_population / MICRO,
            mean_weight=self.mean_weight,
            trips_per_person=self.total_trips / self.n_persons if known else None,
            pairs=self.n_pairs,
            origins=origins,
            destinations=destinations,
            leaves=len(names),
            density=self.n_pairs / (origins * destinations),
            k=k,
            pairs_at_k=float(at_k.mean()),
            volume_at_k=float(self.trips[at_k].sum() / self.total_trips),
        )

    # --- summing pairs into cells --------------------------------------------------------------------------------
    def group(
        self, zone_o: Ints, zone_d: Ints, *, keep: npt.NDArray[np.bool_] | None = None, persons: bool = True
    ) -> Groups:
        """Sum the pairs by the zones of their leaves (`zone_o[leaf]`, `zone_d[leaf]` are nodes of the trees)."""
        return self.group_nodes(zone_o[self.o], zone_d[self.d], keep=keep, persons=persons)

    def group_nodes(
        self, o_node: Ints, d_node: Ints, *, keep: npt.NDArray[np.bool_] | None = None, persons: bool = True
    ) -> Groups:
        """Sum the pairs by a pair of nodes that each of them is given."""
        o_used, o_code = compress(o_node, self.origins.n_nodes)
        d_used, d_code = compress(d_node, self.destinations.n_nodes)
        key = o_code * len(d_used) + d_code
        if keep is not None:
            key = np.where(keep, key, -1)
        number, of_pair = number_keys(key, len(o_used) * len(d_used))
        return self._sums(o_used[number // len(d_used)], d_used[number % len(d_used)], of_pair, len(number), persons)

    def regroup(self, of_pair: Ints, n_cells: int, *, persons: bool = True) -> Groups:
        """Sum the pairs by a given cell number (-1: left out); nodes are not known and set to -1."""
        nowhere = np.full(n_cells, -1, dtype=np.int64)
        return self._sums(nowhere, nowhere, of_pair, n_cells, persons)

    def _sums(self, o_node: Ints, d_node: Ints, of_pair: Ints, n: int, persons: bool) -> Groups:
        people = self._persons(of_pair, n) if persons and self.person is not None else None
        slot, size = (of_pair, n) if not (of_pair < 0).any() else (np.where(of_pair < 0, n, of_pair), n + 1)
        trips, population = exact_sums(slot, self.trips, size)[:n], exact_sums(slot, self.population, size)[:n]
        return Groups(o_node, d_node, trips, population, people, of_pair)

    def _persons(self, of_pair: Ints, n: int) -> Ints:
        assert self.person is not None
        assert self.person_pair is not None
        cell = of_pair[self.person_pair]
        span = int(self.person.max()) + 1
        key = (cell * span + self.person)[cell >= 0]
        return np.bincount(pd.unique(key) // span, minlength=n).astype(np.int64)

    def coarsen(self, groups: Groups, *, persons: bool = True) -> ODMatrix:
        """One pair a cell, standing on the leaves of one of the cell's pairs: summed to coarser zones, the same sums.

        Only for summing on, with fewer pairs each time: the leaves no longer say where trips were.
        """
        member = np.empty(len(groups), dtype=np.int64)
        member[groups.of_pair] = np.arange(self.n_pairs)
        pair, person = None, None
        if persons and self.person is not None and self.person_pair is not None:
            span = int(self.person.max()) + 1
            rows = pd.unique(groups.of_pair[self.person_pair] * span + self.person)
            pair, person = rows // span, rows % span
        return ODMatrix(
            self.origins,
            self.destinations,
            self.o[member],
            self.d[member],
            groups.trips,
            groups.population,
            pair,
            person,
            self.source,
            self.synthetic,
        )

    # --- parts -----------------------------------------------------------------------------------------------------
    def subset(self, keep: npt.NDArray[np.bool_]) -> ODMatrix:
        """The matrix of some of the pairs, with trees over what is left of the leaves."""
        if not keep.any():
            raise InputError("pairs (none) must be left after filtering")
        sides = []
        for tree, leaf in ((self.origins, self.o), (self.destinations, self.d)):
            seen = np.zeros(tree.n_leaves, dtype=bool)
            seen[leaf[keep]] = True
            small, _ = tree.subtree(seen)
            number = np.cumsum(seen) - 1  # leaves stay in depth-first order
            sides.append((small, number[leaf[keep]]))
        pair, person = self.person_pair, self.person
        if pair is not None and person is not None:
            stay = keep[pair]
            pair, person = (np.cumsum(keep) - 1)[pair[stay]], person[stay]
        (origins, o), (destinations, d) = sides
        return ODMatrix(
            origins,
            destinations,
            o,
            d,
            self.trips[keep],
            self.population[keep],
            pair,
            person,
            self.source,
            self.synthetic,
        )

    def within(self, area: Iterable[str]) -> ODMatrix:
        """The matrix of the pairs with both ends under the given H3 cells."""
        wanted = cells.to_ids(area)
        if self.origins.kind != "h3":
            raise InputError(f"hierarchy ({self.origins.kind}) must be of H3 cells to filter by area")
        keep = np.ones(self.n_pairs, dtype=bool)
        for tree, leaf in ((self.origins, self.o), (self.destinations, self.d)):
            keep &= under(tree.ids[: tree.n_leaves], wanted)[leaf]
        if not keep.any():
            raise InputError("area must hold at least one trip with both ends inside")
        small = self.subset(keep)
        if small.person is None:
            return small
        # Numbered as in a matrix of the selected trips, so that both have one hash.
        return replace(small, person=np.unique(small.person, return_inverse=True)[1].astype(np.int64))

    # --- makers ----------------------------------------------------------------------------------------------------
    @classmethod
    def from_trips(
        cls, trips: Trips, resolution: int = DEFAULT_RESOLUTION, *, hierarchy: Hierarchy | None = None
    ) -> ODMatrix:
        """Count trips by pair of leaves: H3 cells of `resolution`, or the leaves of a given hierarchy."""
        if not isinstance(trips, Trips):
            raise InputError(
                f"trips ({type(trips).__name__}) must be odk.Trips: read_trips and Trips.from_table make them"
            )
        table = trips.table
        if not len(table):
            raise InputError("trips (none) must hold at least one row")
        weight = np.rint(table["weight"].to_numpy(dtype=np.float64) * MICRO).astype(np.int64)
        person = None
        if "person" in table.columns:
            person = pd.factorize(table["person"], sort=True)[0].astype(np.int64)
        if hierarchy is None:
            if trips.ends == "zones":
                raise InputError("hierarchy (none) must be given for trips between named zones")
            ends = [trip_cells(trips, end, resolution) for end in ("origin", "destination")]
            sides = [_h3_side(ids) for ids in ends]
        else:
            sides = [_named_side(table, end, hierarchy) for end in ("origin", "destination")]
        return _count(sides, np.ones(len(table), np.int64), weight, person, trips.source, trips.synthetic)

    @classmethod
    def from_pairs(cls, table: pd.DataFrame, *, hierarchy: Hierarchy | None = None, source: str = "pairs") -> ODMatrix:
        """Matrix from pairs already counted: start_h3, end_h3, count, total_weight (default: count).

        Also takes the columns of `pairs` (origin, destination, trips, population). Persons are then unknown.
        """
        names = {"start_h3": "origin", "end_h3": "destination", "count": "trips", "total_weight": "population"}
        table = table.rename(columns={a: b for a, b in names.items() if b not in table.columns})
        missing = [c for c in ("origin", "destination", "trips") if c not in table.columns]
        if missing:
            back = {b: a for a, b in names.items()}
            raise InputError(
                f"column ({back[missing[0]]}) must be in the table of pairs (it has {list(table.columns)})"
            )
        if not len(table):
            raise InputError("pairs (none) must hold at least one row")
        count = pd.to_numeric(table["trips"], errors="coerce").to_numpy(dtype=np.float64)
        good = np.isfinite(count) & (count >= 1) & (count == np.floor(count))
        _check_every(good, table["trips"], "count of every pair", "a whole number of at least 1")
        weight = count
        if "population" in table.columns:
            weight = pd.to_numeric(table["population"], errors="coerce").to_numpy(dtype=np.float64)
            good = np.isfinite(weight) & (np.rint(weight * MICRO) >= 1)
            _check_every(
                good, table["population"], "total_weight of every pair", "a number above 0, and at least 10^-6"
            )
        for name, sums, most in (("count", count, _LARGEST), ("total_weight", weight, _LARGEST / MICRO)):
            if float(sums.sum()) >= most:
                raise InputError(f"{name} ({sums.sum():.3g} in all) must stay below {most:.3g}: sums are exact")
        if hierarchy is None:
            ends = [cells.to_ids(table[end].to_numpy()) for end in ("origin", "destination")]
            found = np.unique(cells.resolution(np.concatenate(ends)))
            if len(found) > 1:
                raise InputError(f"cells' resolutions ({', '.join(map(str, found))}) must be one and the same")
            sides = [_h3_side(ids) for ids in ends]
        else:
            sides = [_named_side(table, end, hierarchy) for end in ("origin", "destination")]
        return _count(sides, count.astype(np.int64), np.rint(weight * MICRO).astype(np.int64), None, source, False)


def _check_every(good: npt.NDArray[np.bool_], given: pd.Series, name: str, rule: str) -> None:
    if not good.all():
        first = int(np.argmin(good))
        raise InputError(f"{name} must be {rule}; row {first + 1} has {given.iloc[first]}")


def trip_cells(trips: Trips, end: str, resolution: int) -> Ids:
    """H3 cell of one end (origin or destination) of every trip."""
    cells.check_resolution(resolution)
    table = trips.table
    if end in table.columns:
        ids = cells.to_ids(table[end].to_numpy())
        own = int(cells.resolution(ids).min())
        if resolution > own:
            raise InputError(f"resolution ({resolution}) must not be finer than the cells of the file ({own})")
        return cells.parent(ids, resolution)
    return cells.from_points(table[f"{end}_lat"].to_numpy(), table[f"{end}_lon"].to_numpy(), resolution)


def under(ids: Ids, area: Ids) -> npt.NDArray[np.bool_]:
    """Which cells lie under one of the cells of an area (which may mix resolutions)."""
    inside = np.zeros(len(ids), dtype=bool)
    resolutions = cells.resolution(area)
    own = cells.resolution(ids)
    for res in np.unique(resolutions).tolist():
        fits = own >= res
        inside[fits] |= np.isin(cells.parent(ids[fits], res), area[resolutions == res])
    return inside


def exact_sums(slot: Ints, values: Ints, n: int) -> Ints:
    """Exact sums of non-negative integers by slot. bincount adds in float64: values are split where it could round."""
    if int(values.sum()) < _EXACT:
        return np.bincount(slot, weights=values, minlength=n).astype(np.int64)
    low = np.bincount(slot, weights=values & 0xFFFFF, minlength=n).astype(np.int64)
    return low + (np.bincount(slot, weights=values >> 20, minlength=n).astype(np.int64) << 20)


def compress(nodes: Ints, n: int) -> tuple[Ints, Ints]:
    """Nodes in use (ascending), and each entry's place among them."""
    seen = np.zeros(n, dtype=bool)
    seen[nodes] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[nodes]


def number_keys(key: Ints, span: int) -> tuple[Ints, Ints]:
    """Number equal keys in ascending order (negative keys: -1): the distinct keys, and the number of each entry."""
    if span <= 4 * len(key) + 1_000_000:  # small enough to mark: no sorting
        seen = np.zeros(span + 1, dtype=bool)
        seen[key] = True
        seen[span] = False
        used = np.flatnonzero(seen)
        number = np.full(span + 1, -1, dtype=np.int64)
        number[used] = np.arange(len(used))
        return used, number[key]
    codes, unique = pd.factorize(key, sort=True)
    if len(unique) and unique[0] < 0:
        return np.asarray(unique[1:], dtype=np.int64), codes.astype(np.int64) - 1
    return np.asarray(unique, dtype=np.int64), codes.astype(np.int64)


def _h3_side(ids: Ids) -> tuple[Hierarchy, Ints]:
    tree = Hierarchy.from_cells(np.unique(ids))
    return tree, np.searchsorted(tree.ids[: tree.n_leaves], ids).astype(np.int64)


def _named_side(table: pd.DataFrame, end: str, hierarchy: Hierarchy) -> tuple[Hierarchy, Ints]:
    if end not in table.columns:
        raise InputError(f"column ({end}) must hold zone names where a hierarchy is given")
    codes, words = pd.factorize(table[end], use_na_sentinel=False)
    names = [zone_name(word) for word in words]
    tree = hierarchy.restrict(names)
    number = {tree.label(i): i for i in range(tree.n_leaves)}
    return tree, np.array([number[n] for n in names], dtype=np.int64)[codes]


def _count(
    sides: list[tuple[Hierarchy, Ints]], count: Ints, weight: Ints, person: Ints | None, source: str, synthetic: bool
) -> ODMatrix:
    (origins, o), (destinations, d) = sides
    span = destinations.n_leaves
    keys, pair = number_keys(o * span + d, origins.n_leaves * span)
    rows = None
    if person is not None:
        people = int(person.max()) + 1
        rows = np.sort(pd.unique(pair * people + person))
    return ODMatrix(
        origins=origins,
        destinations=destinations,
        o=keys // span,
        d=keys % span,
        trips=exact_sums(pair, count, len(keys)),
        population=exact_sums(pair, weight, len(keys)),
        person_pair=None if rows is None else rows // people,
        person=None if rows is None else rows % people,
        source=source,
        synthetic=synthetic,
    )
