"""Cross k: every measure against every threshold, whether it was guarded or not; and persons behind the trips.

The paper's table 3 (000): protecting participants left cells below the population's threshold, and the reverse.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from odk.auditing._evidence import UNIT, Evidence
from odk.auditing._options import AuditOptions
from odk.auditing._result import Check
from odk.auditing._table import failing_cells
from odk.auditing._words import count, number
from odk.protection import Protection

MEASURES = ("trips", "persons", "population")
WORDS = {"trips": "trips", "persons": "distinct persons", "population": "weighted trips (population)"}
NOBODY = "The trips do not say who made them: persons cannot be counted."


def guarded_k(protection: Protection, evidence: Evidence) -> int:
    """The k behind a protection: of trips, else of persons, else the population's threshold in trips of mean weight."""
    if protection.trips is not None:
        return protection.trips
    if protection.persons is not None:
        return protection.persons
    trips, micro = evidence.total
    assert protection.population is not None
    return max(2, round(protection.population * UNIT * trips / micro))


def thresholds(protection: Protection, options: AuditOptions, evidence: Evidence) -> dict[str, float]:
    """Threshold of every measure: guarded, else asked for, else that of the same k."""
    k = guarded_k(protection, evidence)
    trips, micro = evidence.total
    same_k = {"trips": k, "persons": k, "population": -(-k * micro // trips) / UNIT}
    asked = {} if options.cross is None else options.cross.guards
    return {measure: float((same_k | asked | protection.guards)[measure]) for measure in MEASURES}


def cross_k(evidence: Evidence, protection: Protection, wanted: dict[str, float]) -> list[Check]:
    """One check a measure."""
    return [_one(evidence, measure, wanted[measure], measure in protection.guards) for measure in MEASURES]


def _one(evidence: Evidence, measure: str, threshold: float, guarded: bool) -> Check:
    cells = evidence.cells
    shown: float | int = threshold if measure == "population" else int(threshold)
    about = Check(
        name=f"cross {measure}",
        title=f"At least {number(shown)} {WORDS[measure]}",
        sentence=NOBODY,
        passed=None,
        guarded=guarded,
        threshold=shown,
    )
    if measure == "persons" and not evidence.has_persons:
        return about
    exact = cells["micro" if measure == "population" else measure].to_numpy()
    unit = UNIT if measure == "population" else 1
    bad = exact < round(threshold * unit)
    least = exact.min() / unit if measure == "population" else int(exact.min())
    n = int(bad.sum())
    if not n:
        sentence = f"Every published cell has at least {number(shown)} {WORDS[measure]}; the least has {number(least)}."
    else:
        sentence = (
            f"{count(n, 'cell')} of {len(cells):,} {'has' if n == 1 else 'have'} fewer than {number(shown)} "
            f"{WORDS[measure]}; the least has {number(least)}."
        )
        if not guarded:
            sentence += " The release did not promise this."
    failing = failing_cells(cells, bad, measure, exact / unit, threshold)
    return replace(about, sentence=sentence, passed=not n, value=least, failing=failing)


def people_behind(evidence: Evidence, protection: Protection, wanted: dict[str, float]) -> Check:
    """Cells that reach k trips with fewer than k people: one commuter's ten trips are not ten people."""
    k = int(wanted["trips"])
    about = Check(
        name="persons",
        title="People behind the trips",
        sentence=NOBODY,
        passed=None,
        guarded=protection.persons is not None and protection.persons >= k,
        threshold=k,
    )
    if not evidence.has_persons:
        return about
    cells = evidence.cells
    reach = (cells["trips"] >= k).to_numpy()
    persons = cells["persons"].to_numpy()
    bad = np.asarray(reach & (persons < k))
    n, of = int(bad.sum()), int(reach.sum())
    if n:
        sentence = (
            f"{count(n, 'cell')} of the {of:,} with at least {k:,} trips {'is' if n == 1 else 'are'} made by fewer "
            f"than {k:,} people; the least by {count(int(persons[bad].min()), 'person', 'people')}."
        )
    else:
        sentence = f"Every cell with at least {k:,} trips is made by at least {k:,} people."
    failing = failing_cells(cells, bad, "persons", persons, k)
    least = int(persons[reach].min()) if of else None
    return replace(about, sentence=sentence, passed=not n, value=least, failing=failing)
