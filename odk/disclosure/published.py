"""What an adversary holds: published tables, which trips each is about, and how the zones of one lie in another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk import cells
from odk.errors import InputError
from odk.matrix import MICRO
from odk.protection import Protection
from odk.release import Release, TreeRelease
from odk.trips import Trips

Bools = npt.NDArray[np.bool_]
ROOT = "root"
"""Name of a virtual root: the zone that holds every place."""


@dataclass(frozen=True, eq=False)
class Published:
    """One published table of flows between tree zones."""

    label: str
    scope: frozenset[str]
    """Parts of the data (atoms) whose trips it counts; tables of the same data have the same scope."""
    flows: pd.DataFrame
    """origin, destination (zone names) and the guarded measures, one row a published cell."""
    protection: Protection
    whole_cells: bool = True
    """Whether a published cell holds all trips between its zones (False where pairs were dropped beforehand)."""
    parents: Mapping[str, str] | None = None
    """Zone -> parent, where zones are not H3 cells; the same tree for all tables that are compared."""

    @property
    def measures(self) -> list[str]:
        """The published measures that add up."""
        return [m for m in ("trips", "population") if m in self.flows.columns]

    @classmethod
    def of_release(cls, label: str, release: Release, scope: frozenset[str]) -> Published:
        """What a bundle of this release would say: its guarded measures only."""
        if not isinstance(release, TreeRelease):
            raise InputError(f"release ({release.algorithm}) must be of tree zones to be compared by subtraction")
        guarded = [m for m in release.protection.guards if m in release.flows.columns]
        flows = release.flows[["origin", "destination", *guarded]]
        parents = _parents(release)
        return cls(label, scope, flows, release.protection, whole_cells=_whole_cells(release), parents=parents)


def _parents(release: TreeRelease) -> dict[str, str] | None:
    """Zone -> parent of both trees; None for H3, where names say it."""
    trees = (release.matrix.origins, release.matrix.destinations)
    if trees[0].kind == "h3":
        return None
    return {t.label(i): t.label(int(t.parent[i])) for t in trees for i in range(t.n_nodes - 1)}


def _whole_cells(release: TreeRelease) -> bool:
    """Whether no suppressed pair lies inside a published cell."""
    gone = np.flatnonzero(release.of_pair < 0)
    if not len(gone):
        return True
    matrix, used = release.matrix, set(zip(release.o_node.tolist(), release.d_node.tolist(), strict=True))
    o_above = _ancestors(matrix.origins.parent, np.unique(release.o_node), matrix.origins.n_leaves)
    d_above = _ancestors(matrix.destinations.parent, np.unique(release.d_node), matrix.destinations.n_leaves)
    for o, d in zip(matrix.o[gone].tolist(), matrix.d[gone].tolist(), strict=True):
        if any((a, b) in used for a in o_above[o] for b in d_above[d]):
            return False
    return True


def _ancestors(parent: npt.NDArray[np.int64], zones: npt.NDArray[np.int64], n_leaves: int) -> list[list[int]]:
    """For every leaf, the zones above it (itself included)."""
    known = set(zones.tolist())
    up = parent.tolist()
    out: list[list[int]] = []
    for leaf in range(n_leaves):
        here, found = leaf, []
        while here >= 0:
            if here in known:
                found.append(here)
            here = up[here]
        out.append(found)
    return out


def scopes(trips: Trips, filters: Mapping[str, Mapping[str, str] | None]) -> dict[str, frozenset[str]]:
    """Scope of every label, from the segment filter that made its data (None: all trips).

    Atoms are the combinations of values of the columns in use; a filter's scope is the combinations that it keeps.
    """
    columns = sorted({c for f in filters.values() if f for c in f})
    missing = [c for c in columns if c not in trips.table.columns]
    if missing:
        raise InputError(f"segment column ({missing[0]!r}) must be one of {', '.join(trips.segments) or 'none'}")
    if not columns:
        return {label: frozenset({"all"}) for label in filters}
    rows = trips.table[columns].astype(str).drop_duplicates().sort_values(columns)
    atoms = {" & ".join(row): dict(zip(columns, row, strict=True)) for row in rows.itertuples(index=False, name=None)}
    return {
        label: frozenset(a for a, values in atoms.items() if all(values[c] == str(v) for c, v in (f or {}).items()))
        for label, f in filters.items()
    }


def containers(
    inner: Sequence[str], outer: Sequence[str], parents: Mapping[str, str] | None = None
) -> dict[str, list[str]]:
    """For every inner zone, the outer zones that hold it (itself included), finest first."""
    wanted = set(outer)
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(inner):
        ups = _h3_path(name) if parents is None else _path(name, parents)
        found[name] = [up for up in ups if up in wanted]
    return found


def _path(name: str, parents: Mapping[str, str]) -> list[str]:
    path = [name]
    while path[-1] in parents:
        path.append(parents[path[-1]])
    return path


def _h3_path(name: str) -> list[str]:
    if name == ROOT:
        return [ROOT]
    one = np.array([_cell(name)], dtype=np.uint64)
    own = int(cells.resolution(one)[0])
    return [f"{int(cells.parent(one, res)[0]):x}" for res in range(own, -1, -1)] + [ROOT]


def _cell(name: str) -> int:
    number = cells.parse(name)
    if number is None:
        raise InputError(f"zone ({name!r}) must be an H3 cell to be compared with other releases")
    return number


def nested_in(inner: Published, outer: Published) -> npt.NDArray[np.int64]:
    """For every cell of `inner`, the row of the cell of `outer` that holds it; -1 where none does."""
    rows = {key: i for i, key in enumerate(zip(outer.flows["origin"], outer.flows["destination"], strict=True))}
    o_up, d_up = (
        containers(inner.flows[end].tolist(), outer.flows[end].tolist(), inner.parents)
        for end in ("origin", "destination")
    )
    out = np.full(len(inner.flows), -1, dtype=np.int64)
    for i, (o, d) in enumerate(zip(inner.flows["origin"], inner.flows["destination"], strict=True)):
        out[i] = next((rows[key] for key in ((a, b) for a in o_up[o] for b in d_up[d]) if key in rows), -1)
    return out


def exact(flows: pd.DataFrame, measure: str) -> npt.NDArray[np.int64]:
    """A published measure in exact units."""
    values = flows[measure].to_numpy(dtype=np.float64)
    return np.asarray(np.rint(values * MICRO if measure == "population" else values), dtype=np.int64)
