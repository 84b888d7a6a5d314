"""k^m-anonymity of the published flows (003, section 2.5.2): what an adversary knows must fit at least k people.

A trip is a set of two items, its ends. An adversary who saw a person start (or arrive) somewhere knows one of them, one who
saw the whole trip both. A release links no two trips of a person, so no more items can be joined.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from odk.auditing._evidence import Evidence
from odk.auditing._places import ENDS
from odk.auditing._result import Check
from odk.auditing._table import failing_cells, failing_zones
from odk.auditing._words import count


def one_end(evidence: Evidence, k: int) -> Check:
    """Every published origin zone, and every destination zone, is shared by at least k people."""
    what = "people" if evidence.has_persons else "trips"
    rows = evidence.inside
    tables, least, n, of = [], [], 0, 0
    for end in ENDS:
        zone_of_cell = evidence.cells[f"{end} zone"].to_numpy()
        zone = zone_of_cell[rows["cell"].to_numpy()]
        if evidence.has_persons:
            known = pd.DataFrame({"zone": zone, "person": rows["person"].to_numpy()}).drop_duplicates()
            sizes = known.groupby("zone").size()
        else:
            sizes = rows.groupby(zone)["count"].sum()
        values = sizes.reindex(range(int(zone_of_cell.max()) + 1), fill_value=0).to_numpy()
        bad = values < k
        tables.append(failing_zones(evidence.cells, end, np.flatnonzero(bad), what, values[bad], k))
        least.append(int(values.min()))
        n, of = n + int(bad.sum()), of + len(values)
    if n:
        sentence = (
            f"Who knows only where a trip starts, or only where it ends, is left with fewer than {k:,} {what} in "
            f"{count(n, 'zone')} of {of:,}; with {min(least):,} at the least."
        )
    else:
        sentence = f"Who knows only one end of a trip is left with at least {min(least):,} {what}."
    return Check(
        name="k^m one end",
        title=f"kᵐ: one end known, at least {k:,} {what}",
        sentence=sentence,
        passed=not n,
        guarded=False,
        value=min(least),
        threshold=k,
        failing=pd.concat(tables, ignore_index=True),
    )


def both_ends(evidence: Evidence, k: int) -> Check:
    """Every published cell is shared by at least k people."""
    what, column = ("people", "persons") if evidence.has_persons else ("trips", "trips")
    values = evidence.cells[column].to_numpy()
    bad = np.asarray(values < k)
    n, least = int(bad.sum()), int(values.min())
    about = Check(
        name="k^m both ends",
        title=f"kᵐ: both ends known, at least {k:,} {what}",
        sentence=f"Who knows both ends of a trip is left with at least {least:,} {what}.",
        passed=not n,
        guarded=False,
        value=least,
        threshold=k,
        failing=failing_cells(evidence.cells, bad, what, values, k),
    )
    if not n:
        return about
    sentence = (
        f"Who knows both ends of a trip is left with fewer than {k:,} {what} in {count(n, 'cell')} of "
        f"{len(values):,}; with {least:,} at the least."
    )
    return replace(about, sentence=sentence)
