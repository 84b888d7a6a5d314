"""l-diversity: a cell must not stand for one place (001, section 5), nor for one value of a sensitive column."""

from __future__ import annotations

import numpy as np
import pandas as pd

from odk.auditing._evidence import Evidence
from odk.auditing._options import AuditOptions
from odk.auditing._places import ENDS
from odk.auditing._result import Check
from odk.auditing._table import failing_cells
from odk.auditing._words import count
from odk.errors import InputError


def _distinct(evidence: Evidence, column: str) -> pd.Series:
    """Number of distinct values per published cell; what is missing is no value."""
    known = evidence.inside[["cell", column]].dropna().drop_duplicates()
    return known.groupby("cell").size().reindex(range(len(evidence.cells)), fill_value=0)


def leaves(evidence: Evidence, least: int) -> Check:
    """Distinct origin leaves and destination leaves among the trips of each cell."""
    bad = np.zeros(len(evidence.cells), dtype=bool)
    tables, found = [], []
    for end in ENDS:
        values = _distinct(evidence, end).to_numpy()
        low = np.asarray(values < least)
        bad |= low
        tables.append(failing_cells(evidence.cells, low, f"{end} leaves", values, least))
        found.append(int(values.min()))
    n = int(bad.sum())
    places, few = count(least, "leaf", "distinct leaves"), "one leaf" if least == 2 else f"fewer than {least:,} leaves"
    if n:
        sentence = (
            f"In {count(n, 'cell')} of {len(bad):,} all trips start or end in {few}: "
            "who knows the zone knows the place."
        )
    else:
        sentence = f"The trips of every cell start in at least {places} and end in at least as many."
    return Check(
        name="l-diversity leaves",
        title=f"l-diversity: at least {places} at each end",
        sentence=sentence,
        passed=not n,
        guarded=False,
        value=min(found),
        threshold=least,
        failing=pd.concat(tables, ignore_index=True),
    )


def values(evidence: Evidence, options: AuditOptions) -> list[Check]:
    """One check a sensitive column."""
    known = {name: int(evidence.rows[name].nunique()) for name in evidence.segments}
    if options.sensitive is None:  # a column with one value in the whole input has nothing left to give away
        columns = [name for name in evidence.segments if known[name] >= options.l_values]
    else:
        columns = list(options.sensitive)
        for name in columns:
            if name not in known:
                have = ", ".join(known) or "none"
                raise InputError(f"sensitive ({name}) must be a segment column of the trips: {have}")
    return [_values(evidence, name, options.l_values) for name in columns]


def _values(evidence: Evidence, column: str, least: int) -> Check:
    found = _distinct(evidence, column).to_numpy()
    bad = np.asarray(found < least)
    n = int(bad.sum())
    few = f"one {column}" if least == 2 else f"fewer than {count(least, 'value')} of {column}"
    if n:
        sentence = (
            f"In {count(n, 'cell')} of {len(bad):,} the trips have {few}: "
            "who knows that someone is in the cell learns it."
        )
    else:
        sentence = f"Every cell has at least {count(least, 'value')} of {column}."
    return Check(
        name=f"l-diversity {column}",
        title=f"l-diversity: at least {count(least, 'value')} of {column}",
        sentence=sentence,
        passed=not n,
        guarded=False,
        value=int(found.min()),
        threshold=least,
        failing=failing_cells(evidence.cells, bad, f"values of {column}", found, least),
    )
