"""Glove as described in 001 (appendix B), one merge at a time: a heap of nothing, a look at every pair of clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Box = tuple[list[float], list[float]]


def bounds(members: Sequence[int], points: Sequence[Sequence[float]]) -> Box:
    """Least and greatest coordinate of some points in every dimension."""
    rows = [points[i] for i in members]
    return [min(c) for c in zip(*rows, strict=True)], [max(c) for c in zip(*rows, strict=True)]


def farthest(a: Box, b: Box) -> float:
    """Largest L1 distance of a point in one hypercube and a point in the other."""
    return sum(max(ah - bl, bh - al) for al, ah, bl, bh in zip(a[0], a[1], b[0], b[1], strict=True))


def clusters(points: Sequence[Sequence[float]], done: Callable[[list[int]], bool]) -> tuple[list[list[int]], list[int]]:
    """Finished clusters, and the one that is left over (or none)."""
    finished = [[i] for i in range(len(points)) if done([i])]
    looking = [[i] for i in range(len(points)) if not done([i])]
    while len(looking) > 1:
        best = None
        for x in range(len(looking)):
            for y in range(x + 1, len(looking)):
                one, two = sorted((looking[x], looking[y]), key=min)
                key = (farthest(bounds(one, points), bounds(two, points)), min(one), min(two))
                if best is None or key < best[0]:
                    best = (key, x, y)
        assert best is not None
        _, x, y = best
        merged = looking[x] + looking[y]
        looking = [c for i, c in enumerate(looking) if i not in (x, y)]
        (finished if done(merged) else looking).append(merged)
    return finished, looking[0] if looking else []


def glove(
    points: Sequence[Sequence[float]],
    done: Callable[[list[int]], bool],
    fits: Callable[[list[int]], bool],
    size: Callable[[list[int]], int],
) -> list[list[int]]:
    """Cells that are published, each the sorted list of its pairs, by their least pair.

    `fits(pairs)`: whether so much may be dropped; `size(pairs)`: leaves in the two rectangles around the pairs.
    """
    cells, left = clusters(points, done)
    dropped: list[int] = []
    if left:
        if fits(left):
            dropped = list(left)
        else:
            home = min(cells, key=lambda c: (farthest(bounds(left, points), bounds(c, points)), min(c)))
            home.extend(left)
    for cell in sorted(cells, key=lambda c: (-size(c), min(c))):
        if size(cell) > 2 and fits(dropped + cell):
            dropped += cell
    return sorted(sorted(c) for c in cells if not set(c) <= set(dropped))
