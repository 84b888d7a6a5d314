"""Verify: is a bundle what it says? All that can be told without the data, and with it everything.

Digests find every accident, and a changed digit anywhere. They cannot tell who wrote a bundle: whoever changes a file can
compute new digests. So all that follows from something else is computed again (zones and report from the flows, least values,
sums, C_AVG); what cannot (the size of a flow above the threshold, G, the share suppressed, the recipe) is pinned by the
digest that the publisher announced, `verify(place, digest=...)`, or by the data, `verify(place, trips)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from odk.auditing import Audit
from odk.export import _container
from odk.export._bundle import Bundle, parse
from odk.export._container import Place
from odk.export._examine import examine
from odk.export._finding import Finding, verdict
from odk.export._recount import recount
from odk.hierarchy import Hierarchy
from odk.trips import Trips


@dataclass(frozen=True, eq=False)
class Verification:
    """Verdict on a bundle."""

    passed: bool
    """Whether no check found an error."""
    checks: tuple[Finding, ...]
    """Every check that was made, with its verdict."""
    bundle: Bundle = field(repr=False)
    audit: Audit | None = field(default=None, repr=False)
    """The full audit, where the trips were given and the recipe makes this bundle of them."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to say: errors first, then warnings and notes; checks that simply hold are left out."""
        order = {"error": 0, "warning": 1, "note": 2}
        said = [check for check in self.checks if check.severity in order]
        return tuple(sorted(said, key=lambda finding: order[finding.severity]))

    @property
    def table(self) -> pd.DataFrame:
        """One row a check: check, severity, sentence."""
        return pd.DataFrame([vars(check) for check in self.checks], columns=["check", "severity", "sentence"])


def verify(
    place: Place,
    trips: Trips | pd.DataFrame | None = None,
    *,
    digest: str | None = None,
    hierarchy: Hierarchy | None = None,
) -> Verification:
    """Check a bundle (path, bytes or an open file); one that cannot be read, or is hostile, raises OdkError.

    trips: the data before area and segment, or a table of counted pairs: cells are counted again, the recipe is run again,
        and the full audit is made.
    digest: the bundle's digest as its publisher announced it: then nothing can have been changed.
    hierarchy: the tree of zones, where they are not H3 cells and trips are given.
    """
    data, name = _container.read(place)
    bundle = parse(_container.unpack(data, name), name)
    checks = [_container_finding(bundle, data), *examine(bundle)]
    if digest is not None:
        same = digest.strip().lower() == bundle.digest
        wrong = "" if same else "The bundle is not the one of the digest given."
        checks.append(verdict("announced digest", wrong, "The bundle has the digest given."))
    found = None
    if trips is not None:
        counted = recount(bundle, trips, hierarchy)
        checks += counted.findings
        found = counted.audit
    passed = all(check.severity != "error" for check in checks)
    return Verification(passed, tuple(checks), bundle, found)


def _container_finding(bundle: Bundle, data: bytes) -> Finding:
    """Whether the zip holds anything beside its four files."""
    if bundle.to_bytes() == data:
        return Finding("container", "pass", "The zip file holds the four files and nothing else.")
    hidden = _container.unaccounted(data)
    if hidden:
        return Finding("container", "error", f"The zip file holds {hidden:,} bytes that belong to none of its files.")
    return Finding("container", "warning", "The zip file was packed again by another program.")
