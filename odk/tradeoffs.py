"""Privacy, loss and suppression against each other: sweeps of k and budget, what is worth choosing, and where to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk import algorithms
from odk.errors import InputError, OdkError
from odk.experiment.grid import target_protection
from odk.matrix import Groups, ODMatrix
from odk.metrics import View, generalisation
from odk.protection import Budget, Protection
from odk.release import TreeRelease
from odk.walk import Walk

Progress = Callable[[float, str], None]
Row = dict[str, Any]
WALKED = "odkanon-late"
"""The algorithm whose walk does not depend on k or budget: one walk serves a whole sweep."""
NONE: Mapping[str, Any] = {}
KS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 100)
BUDGETS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.10, 0.15, 0.20, 0.30)


def sweep(
    matrix: ODMatrix,
    *,
    ks: Sequence[int] = KS,
    budgets: Sequence[float] = BUDGETS,
    names: Sequence[str] = (WALKED,),
    targets: Sequence[str] = ("participants",),
    whole: ODMatrix | None = None,
    options: Mapping[str, Mapping[str, Any]] = NONE,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Every combination of k, budget, algorithm and target: what it costs.

    Columns: algorithm, target, k, budget, g and s (both in the view of the lead measure), origins, destinations, cells,
    error. `whole` is the survey whose mean weight sets the population's threshold (default: the matrix itself), `options`
    are those of each algorithm by its name. `progress` may raise odk.Cancelled.
    """
    if not (ks and budgets and names and targets):
        raise InputError("ks, budgets, names and targets must each hold at least one value")
    tell = progress or (lambda share, message: None)
    survey = matrix if whole is None else whole
    rows: list[Row] = []
    total = len(names) * len(targets) * len(ks) * len(budgets)
    for name in names:
        algorithms.get(name)
        for target in targets:
            rules = {k: target_protection(target, k, survey) for k in sorted(set(ks))}
            shares = sorted(set(budgets))
            given = dict(options.get(name, NONE))
            made = _walked if name == WALKED else _one_by_one
            found = made(matrix, rules, shares, name, given)
            for row in found:
                rows.append({"algorithm": name, "target": target} | row)
                tell(len(rows) / total, f"{name}, {target}: k = {row['k']}, budget {row['budget']:.0%}")
    return pd.DataFrame(rows)


def _row(k: int, budget: float, error: str = "", **found: Any) -> Row:
    empty: Row = {"g": np.nan, "s": np.nan, "origins": 0, "destinations": 0, "cells": 0}
    return {"k": k, "budget": budget} | empty | found | {"error": error}


def _one_by_one(
    matrix: ODMatrix, rules: dict[int, Protection], budgets: Sequence[float], name: str, options: dict[str, Any]
) -> Iterator[Row]:
    """A run for every k and budget."""
    for k, rule in rules.items():
        for budget in budgets:
            try:
                release = algorithms.anonymise(matrix, rule, name, budget, options=options)
            except OdkError as error:
                yield _row(k, budget, str(error))
                continue
            view: View = "population" if rule.lead == "population" else "participants"
            zones: Row = {}
            if isinstance(release, TreeRelease):
                zones = {"origins": len(release.origin_zones), "destinations": len(release.destination_zones)}
            g = generalisation(release, view)
            s = release.suppressed[rule.lead]
            yield _row(k, budget, g=np.nan if g is None else g, s=s, cells=release.n_cells, **zones)


def _walked(
    matrix: ODMatrix, rules: dict[int, Protection], budgets: Sequence[float], name: str, options: dict[str, Any]
) -> Iterator[Row]:
    """Many k and budgets from one walk of `odkanon-late`.

    The walk depends on the lead measure alone, so a step that one setting has looked at is known to all others. And
    the step at which to stop only grows with k, and only falls with the budget: each search starts where it can.
    """
    first = next(iter(rules.values()))
    walk = Walk(matrix, lead=first.lead, **options)  # its options are the algorithm's
    nothing = np.empty(0, dtype=np.int64)

    @cache
    def cells(step: int) -> Groups:
        return replace(walk.groups(step, persons=first.needs_persons), of_pair=nothing)

    @cache
    def gone(step: int, k: int) -> dict[str, int]:
        """Volume of the cells that are not publishable, by measure that has a budget."""
        groups = cells(step)
        bad = ~rules[k].publishable(groups)
        return {m: int(_volume(groups, m)[bad].sum()) for m in rules[k].budget_measures}

    reached = dict.fromkeys(budgets, 0)  # the step of the next smaller k, by budget
    for k, rule in rules.items():
        try:
            rule.check(matrix)
        except OdkError as error:
            yield from (_row(k, budget, str(error)) for budget in budgets)
            continue
        step = 0
        for budget in reversed(budgets):
            most = Budget(budget).allowed(matrix, rule)

            def good(step: int, k: int = k, most: dict[Any, int] = most) -> bool:
                return all(gone(step, k)[m] <= most[m] for m in most)

            found = walk.first_step(good, start=max(step, reached[budget]))
            assert found is not None  # at the last step all is one cell, which the check found publishable
            reached[budget] = step = found
        for budget in budgets:
            yield _row(k, budget, **_figures(walk, cells(reached[budget]), rule))


def _volume(groups: Groups, measure: str) -> npt.NDArray[np.int64]:
    return groups.population if measure == "population" else groups.trips


def _figures(walk: Walk, groups: Groups, rule: Protection) -> Row:
    """G, S and the shape of the published matrix at a step."""
    good = rule.publishable(groups)
    flow = _volume(groups, rule.lead)[good]
    o, d = groups.o_node[good], groups.d_node[good]
    size = (walk.trees[0].size[o] + walk.trees[1].size[d]).astype(np.float64)
    published, total = int(flow.sum()), walk.matrix.total(rule.lead)
    return {
        "g": float(flow @ size / published),
        "s": (total - published) / total,
        "origins": len(np.unique(o)),
        "destinations": len(np.unique(d)),
        "cells": int(good.sum()),
    }


# --- what is worth choosing -------------------------------------------------------------------------------------------
def frontier(table: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Which rows of a sweep no other row beats: none has at least its k, at most its G and S, and one of them better.

    Rows of one target are compared with each other, over all algorithms. Of equal rows the first is kept, which in a
    sweep has the smallest budget.
    """
    best = np.zeros(len(table), dtype=bool)
    for _, part in table.reset_index(drop=True).groupby("target", sort=False):
        known = part[part["g"].notna()]
        k, g, s = (known[c].to_numpy(np.float64) for c in ("k", "g", "s"))
        as_good = (k[:, None] >= k) & (g[:, None] <= g) & (s[:, None] <= s)  # [i, j]: i is at least as good as j
        equal = as_good & as_good.T
        earlier = np.arange(len(known))[:, None] < np.arange(len(known))
        beaten: npt.NDArray[np.bool_] = np.any(as_good & (~equal | earlier), axis=0)
        best[known.index.to_numpy()[~beaten]] = True
    return best


@dataclass(frozen=True)
class Knee:
    """The budget beyond which more suppression buys little, for one k."""

    k: int
    budget: float
    g: float
    s: float
    reason: str
    """Why, in a sentence."""


def knee(table: pd.DataFrame, k: int) -> Knee | None:
    """The knee of G (on a log scale) over the suppressed share, at one k of a sweep of one algorithm and target.

    It is the point farthest below the straight line from the smallest to the largest share, both axes scaled to 1; of
    equal ones the smallest share. None where there are fewer than three different points.
    """
    rows = table[(table["k"] == k) & table["g"].notna()].sort_values(["s", "g"], kind="stable")
    rows = rows[rows["g"] < rows["g"].cummin().shift(fill_value=np.inf)]  # only where more suppression buys something
    if len(rows) < 3:
        return None
    s, g = rows["s"].to_numpy(np.float64), rows["g"].to_numpy(np.float64)
    across, down = (s - s[0]) / (s[-1] - s[0]), np.log(g / g[0]) / np.log(g[-1] / g[0])
    at = int(np.argmax(np.round(down - across, 12)))
    if at in (0, len(rows) - 1):
        return None
    before, after = (1 - (g[b] / g[a]) ** (0.01 / (s[b] - s[a])) for a, b in ((0, at), (at, len(rows) - 1)))
    reason = (
        f"Up to {_percent(s[at])} suppressed, each percentage point lowers G by {_percent(before)}; "
        f"each one beyond it, only by {_percent(after)}."
    )
    row = rows.iloc[at]
    return Knee(k, float(row["budget"]), float(row["g"]), float(row["s"]), reason)


def _percent(share: float) -> str:
    """A share as people say it: 9.1%, 32%."""
    return f"{share:.0%}" if share >= 0.0995 else f"{share:.1%}"


def headroom(table: pd.DataFrame, k: int, budget: float, *, most: float = 0.10) -> str:
    """What the next larger k would cost at the same budget, in words; "" where the sweep has none.

    The largest k whose G is at most a share `most` higher is named, where there is one.
    """
    rows = table[(table["budget"] == budget) & table["g"].notna()].sort_values("k").set_index("k")
    if k not in rows.index or rows.index.max() <= k:
        return ""
    more = rows["g"][rows.index > k] / rows["g"][k] - 1
    cheap = more[more <= most]
    if len(cheap):
        dear = more[more > most]
        end = f", k = {dear.index[0]} by {_percent(dear.iloc[0])}" if len(dear) else ""
        return f"k = {cheap.index[-1]} would raise G by {_percent(max(cheap.iloc[-1], 0.0))} only{end}."
    return f"k = {more.index[0]} would raise G by {_percent(more.iloc[0])}."
