"""Mondrian by recursion on lists of pairs (001, appendix B; 003, 2.5.1; 004, 3.3), one part at a time."""

import math
from collections.abc import Callable
from dataclasses import dataclass

Point = tuple[float, float, float, float]


@dataclass(frozen=True)
class Pair:
    """One pair: its number, its place in degrees, its volume in the lead measure."""

    number: int
    at: Point
    volume: int


def mondrian(
    pairs: list[Pair],
    good: Callable[[list[Pair]], bool],
    metres: Point,
    *,
    strict: bool = False,
    distinct: bool = False,
    stop: bool = False,
) -> list[list[Pair]]:
    """The parts that cannot be cut further."""

    def extent(dim: int) -> float:
        values = [p.at[dim] for p in pairs]
        return (max(values) - min(values)) * metres[dim]

    def rank(dim: int) -> float:
        return len({p.at[dim] for p in pairs}) if distinct else extent(dim)

    dims = sorted(range(4), key=lambda dim: (-rank(dim), dim))
    for dim in dims[:1] if stop else dims:
        if extent(dim) == 0:
            continue
        line = sorted(pairs, key=lambda p: (p.at[dim], p.number))
        total = sum(p.volume for p in pairs)
        i = 0  # the lower median: the first at which half of the volume is reached
        while 2 * sum(p.volume for p in line[: i + 1]) < total:
            i += 1
        if strict:
            median = line[i].at[dim]
            cuts = [sum(p.at[dim] <= median for p in pairs), sum(p.at[dim] < median for p in pairs)]
        else:
            cuts = [i + 1, i]
        for cut in cuts:
            left, right = line[:cut], line[cut:]
            if left and right and good(left) and good(right):
                rules = {"strict": strict, "distinct": distinct, "stop": stop}
                return mondrian(left, good, metres, **rules) + mondrian(right, good, metres, **rules)
    return [pairs]


def metres_of(points: list[Point]) -> Point:
    """Local equirectangular: metres per degree of longitude and latitude at the middle latitude."""
    lats = [p[i] for p in points for i in (1, 3)]
    degree = math.pi / 180 * 6_371_007.180918475
    x = degree * math.cos(math.radians((min(lats) + max(lats)) / 2))
    return x, degree, x, degree
