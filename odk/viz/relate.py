"""How the zones of two maps lie to each other: the same, finer here, coarser here. Only H3 cells can be compared."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from odk import cells

Levels = dict[int, tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]]


def by_level(zones: Sequence[str]) -> Levels:
    """The H3 cells among some zones and their positions, by level."""
    numbers = [cells.parse(zone) for zone in zones]
    rows = np.array([i for i, number in enumerate(numbers) if number is not None], dtype=np.int64)
    ids = np.array([number for number in numbers if number is not None], dtype=np.uint64)
    level = cells.resolution(ids)
    return {int(one): (ids[level == one], rows[level == one]) for one in np.unique(level)}


def differences(here: Sequence[str], there: Sequence[str]) -> npt.NDArray[np.int64]:
    """Per zone of `here` 1 where it lies within a larger zone of `there`, -1 where it holds smaller ones, else 0.

    Where both hold (zones of a non-homogeneous release overlap), and where the same zone is in both maps: 0.
    """
    mark = np.zeros(len(here), dtype=np.int64)
    ours, theirs = by_level(here), by_level(there)
    for level, (ids, rows) in ours.items():
        within, holds = np.zeros(len(ids), dtype=bool), np.zeros(len(ids), dtype=bool)
        for at, (others, _) in theirs.items():
            if at < level:
                within |= np.isin(cells.parent(ids, at), others)
            elif at > level:
                holds |= np.isin(ids, cells.parent(others, level))
        shared = np.isin(ids, theirs[level][0]) if level in theirs else np.zeros(len(ids), dtype=bool)
        mark[rows] = np.where(shared, 0, within.astype(np.int64) - holds.astype(np.int64))
    return mark


def same_place(zone: str, zones: Sequence[str]) -> tuple[str, ...]:
    """The zones at the place of a zone: itself, else the smallest one around it, else those within it; perhaps none."""
    if zone in zones:
        return (zone,)
    number = cells.parse(zone)
    if number is None:
        return ()
    mine = np.array([number], dtype=np.uint64)
    level = int(cells.resolution(mine)[0])
    found = by_level(zones)
    for at in sorted((at for at in found if at < level), reverse=True):
        hit = found[at][0] == cells.parent(mine, at)[0]
        if hit.any():
            return (zones[int(found[at][1][hit][0])],)
    finer = [(at, ids, rows) for at, (ids, rows) in found.items() if at > level]
    return tuple(zones[int(row)] for _, ids, rows in finer for row in rows[cells.parent(ids, level) == mine[0]])
