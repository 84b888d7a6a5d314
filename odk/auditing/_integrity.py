"""Whether the release says what the trips say: the same input, cells that trips support, the same sums."""

from __future__ import annotations

import numpy as np
import pandas as pd

from odk.auditing._evidence import UNIT, UNKNOWN, Evidence
from odk.auditing._result import Check
from odk.auditing._table import failing_cells
from odk.auditing._words import count
from odk.release import Release


def same_input(evidence: Evidence, release: Release) -> Check:
    """Whether the trips given are those that the release was made from."""
    rows = evidence.rows
    unknown = int(rows.loc[rows["cell"] == UNKNOWN, "count"].sum())
    given, (had, weight) = evidence.total, (release.matrix.total_trips, release.matrix.total_population)
    same = given == (had, weight)
    if same and not unknown:
        sentence = f"The release was made from the {count(given[0], 'trip')} given."
    else:
        sentence = (
            f"The release was made from other trips: its input had {count(had, 'trip')}, {count(given[0], 'trip')} are "
            f"given, and {unknown:,} of them lie in pairs that the release does not know (another area or segment?)."
        )
    return Check(
        name="input",
        title="Same input",
        sentence=sentence,
        passed=same and not unknown,
        guarded=False,
        value=given[0],
        threshold=had,
    )


def supported(evidence: Evidence) -> Check:
    """Every published cell has a trip, and the zones of every cell cover the trips that are counted there."""
    cells = evidence.cells
    empty = (cells["trips"] == 0).to_numpy()
    moved = evidence.misplaced > 0
    parts = []
    if empty.any():
        parts.append(f"{count(int(empty.sum()), 'published cell')} that no trip supports")
    if moved.any():
        parts.append(
            f"{count(int(evidence.misplaced.sum()), 'trip')} counted in a cell whose zones do not cover both ends"
        )
    tables = [
        failing_cells(cells, empty, "trips in the zones", 0, 1),
        failing_cells(cells, moved, "trips outside the zones", evidence.misplaced, 0),
    ]
    found = [table for table in tables if len(table)]
    return Check(
        name="support",
        title="Cells that trips support",
        sentence=f"The release has {' and '.join(parts)}." if parts else "Trips support every published cell.",
        passed=not parts,
        guarded=True,
        value=int(empty.sum() + moved.sum()),
        threshold=0,
        **({"failing": pd.concat(found, ignore_index=True)} if found else {}),
    )


def same_sums(evidence: Evidence) -> Check:
    """Published trips, persons and population against the recount."""
    cells, published = evidence.cells, evidence.published
    recounted = {"trips": cells["trips"].to_numpy(), "population": cells["micro"].to_numpy() / UNIT}
    if evidence.has_persons:
        recounted["persons"] = cells["persons"].to_numpy()
    wrong = np.zeros(len(cells), dtype=bool)
    tables = []
    for measure in ("trips", "persons", "population"):
        if measure not in recounted or measure not in published.columns:
            continue
        says = published[measure].to_numpy()
        bad = np.asarray(says != recounted[measure])
        wrong |= bad
        if bad.any():
            tables.append(failing_cells(cells, bad, f"published {measure}", says, recounted[measure]))
    n = int(wrong.sum())
    return Check(
        name="recount",
        title="Sums recounted from the trips",
        sentence=(
            f"{count(n, 'cell')} of {len(cells):,} publish{'es' if n == 1 else ''} a sum that differs from the trips."
            if n
            else f"All {count(len(cells), 'published cell')} have the sums that the trips give."
        ),
        passed=not n,
        guarded=True,
        value=n,
        threshold=0,
        **({"failing": pd.concat(tables, ignore_index=True)} if tables else {}),
    )
