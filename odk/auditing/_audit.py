"""The door of the audit."""

from __future__ import annotations

import pandas as pd

from odk.auditing._closeness import closeness_and_homogeneity
from odk.auditing._cross import cross_k, guarded_k, people_behind, thresholds
from odk.auditing._diversity import leaves, values
from odk.auditing._evidence import Evidence, recount
from odk.auditing._identity import release_digest
from odk.auditing._integrity import same_input, same_sums, supported
from odk.auditing._km import both_ends, one_end
from odk.auditing._options import AuditOptions
from odk.auditing._result import Audit, Check, gather
from odk.auditing._weights import dominance, effective_size
from odk.errors import InputError
from odk.protection import Protection
from odk.release import Release
from odk.trips import Trips

LISTED = ("support", "recount", "cross trips", "cross persons", "cross population")
"""Checks whose failing cells stand in `Audit.failing`."""


def audit(
    release: Release, trips: Trips | pd.DataFrame, protection: Protection, options: AuditOptions | None = None
) -> Audit:
    """Check a release against the trips it was made from, independently of the code that made it.

    Every published cell is recounted from `trips` (a table of counted pairs, as `ODMatrix.from_pairs` takes it, will do
    where there are none). `passed` is about what `protection` promises and whether the release says what the trips say;
    everything else is advice. A release with noise is never k-anonymous, and does not pass.
    """
    if not isinstance(release, Release):
        raise InputError(f"release ({type(release).__name__}) must be an odk.Release")
    if not isinstance(protection, Protection):
        raise InputError(f"protection ({protection!r}) must be an odk.Protection")
    options = options or AuditOptions()
    if not release.k_anonymous:
        return _noise(release)
    if not release.n_cells:
        raise InputError("release (no cells) must publish at least one cell to be audited")
    evidence = recount(release, trips)
    if protection.persons is not None and not evidence.has_persons:
        raise InputError("persons threshold must not be guarded: the trips have no person column")
    wanted = thresholds(protection, options, evidence)
    checks = (
        same_input(evidence, release),
        supported(evidence),
        same_sums(evidence),
        *cross_k(evidence, protection, wanted),
        people_behind(evidence, protection, wanted),
        *_beyond_k(evidence, protection, options),
    )
    return gather(checks, LISTED, evidence.minimum(), release_digest(release))


def _beyond_k(evidence: Evidence, protection: Protection, options: AuditOptions) -> list[Check]:
    """What k-anonymity does not promise: advice, each with its own threshold."""
    k = guarded_k(protection, evidence)
    k_m = k if options.k_m is None else options.k_m
    return [
        one_end(evidence, k_m),
        both_ends(evidence, k_m),
        leaves(evidence, options.l_leaves),
        *values(evidence, options),
        *closeness_and_homogeneity(evidence, protection, options.t, options.homogeneity),
        dominance(evidence, options.dominance),
        effective_size(evidence, k / 2 if options.effective is None else options.effective),
    ]


def _noise(release: Release) -> Audit:
    check = Check(
        name="k-anonymity",
        title="k-anonymity",
        sentence=f"The release is not k-anonymous: {release.algorithm} adds noise instead of guarding a threshold, so "
        "no cell is known to stand for at least k trips; its protection is the ε that it states.",
        passed=False,
        guarded=True,
    )
    return gather((check,), LISTED, {"trips": None, "persons": None, "population": None})
