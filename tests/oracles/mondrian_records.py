"""Mondrian over records (004, section 3.3.1), by recursion over plain lists."""

from __future__ import annotations

from collections.abc import Sequence


def parts(rows: Sequence[Sequence[int]], members: list[int], k: int, strict: bool) -> list[list[int]]:
    """Members of every part; cut the attribute with the most distinct values first, at the lower median."""
    width = len(rows[0])
    by_distinct = sorted(range(width), key=lambda j: (-len({rows[i][j] for i in members}), j))
    for j in by_distinct:
        ordered = sorted(members, key=lambda i: (rows[i][j], i))
        if rows[ordered[0]][j] == rows[ordered[-1]][j]:
            continue
        if strict:
            m = rows[ordered[(len(ordered) - 1) // 2]][j]
            tries = [[i for i in members if rows[i][j] <= m], [i for i in members if rows[i][j] < m]]
        else:
            tries = [ordered[: (len(ordered) + 1) // 2]]
        for left in tries:
            right = [i for i in members if i not in left]
            if len(left) >= k and len(right) >= k:
                return parts(rows, sorted(left), k, strict) + parts(rows, right, k, strict)
    return [members]
