"""How much a cell rests on one person (dominance), or on a few heavy weights (effective sample size)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from odk.auditing._evidence import UNIT, Evidence
from odk.auditing._result import Check
from odk.auditing._table import failing_cells
from odk.auditing._words import count, number


def dominance(evidence: Evidence, most: float) -> Check:
    """The largest person's share of a cell's trips and of its weighted trips."""
    about = Check(
        name="dominance",
        title=f"Dominance: no person has more than {most:.0%} of a cell",
        sentence="The trips do not say who made them: no person's share can be told.",
        passed=None,
        guarded=False,
        threshold=most,
    )
    if not evidence.has_persons:
        return about
    each = evidence.inside.groupby(["cell", "person"])[["count", "micro"]].sum().groupby(level="cell").max()
    bad = np.zeros(len(evidence.cells), dtype=bool)
    tables, worst = [], []
    for column, total, words in (("count", "trips", "trips"), ("micro", "micro", "weighted trips")):
        whole = np.maximum(evidence.cells[total].to_numpy(), 1)
        share = each[column].reindex(range(len(bad)), fill_value=0).to_numpy() / whole
        high = share > most + 1e-12
        bad |= high
        tables.append(failing_cells(evidence.cells, high, f"largest person's share of {words}", share, most))
        worst.append(float(share.max()))
    n, top = int(bad.sum()), max(worst)
    if n:
        sentence = (
            f"In {count(n, 'cell')} of {len(bad):,} one person makes more than {most:.0%} of the trips or of the weighted "
            f"trips ({top:.0%} at the most): the cell tells about that person."
        )
    else:
        sentence = f"No person makes more than {most:.0%} of a cell; the largest share is {top:.0%}."
    failing = pd.concat(tables, ignore_index=True)
    return replace(about, sentence=sentence, passed=not n, value=top, failing=failing)


def effective_size(evidence: Evidence, least: float) -> Check:
    """Kish's effective sample size (Σw)²/Σw² of each cell's weights."""
    about = Check(
        name="effective sample",
        title=f"Effective sample size of at least {number(least)}",
        sentence="The input is of counted pairs: the weights of single trips are not known.",
        passed=None,
        guarded=False,
        threshold=least,
    )
    rows = evidence.inside
    if (rows["count"] > 1).any():
        return about
    weight = rows["micro"].to_numpy(dtype=np.float64) / UNIT
    cell, n_cells = rows["cell"].to_numpy(), len(evidence.cells)
    total, squares = (np.bincount(cell, weights=w, minlength=n_cells) for w in (weight, weight**2))
    size = np.divide(total**2, squares, out=np.zeros(n_cells), where=squares > 0)
    bad = size < least - 1e-9
    n, worst = int(bad.sum()), float(size.min())
    if n:
        sentence = (
            f"The weights of {count(n, 'cell')} of {n_cells:,} are so uneven that their trips say as much as fewer than "
            f"{number(least)} of equal weight ({worst:.1f} at the least)."
        )
    else:
        sentence = f"Every cell says at least as much as {worst:.1f} trips of equal weight."
    failing = failing_cells(evidence.cells, bad, "effective sample size", size, least)
    return replace(about, sentence=sentence, passed=not n, value=worst, failing=failing)
