"""What an audit says: checks, each with a verdict, its failing cells and a sentence; and the verdict over all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

FAILING = ("cell", "origin", "destination", "measure", "value", "threshold", "shortfall")
"""Columns of a table of failing cells. `cell` is the row in `release.flows`; shortfall is how far the value is off."""


def no_cells() -> pd.DataFrame:
    """An empty table of failing cells."""
    kinds = {"cell": "int64", "origin": "str", "destination": "str", "measure": "str"}
    return pd.DataFrame({name: pd.Series(dtype=kinds.get(name, "float64")) for name in FAILING})


@dataclass(frozen=True, kw_only=True, eq=False)
class Check:
    """One check and its verdict."""

    name: str
    """Short and stable: `cross persons`, `recount`."""
    title: str
    sentence: str
    """The verdict in words that a reviewer understands."""
    passed: bool | None
    """None where the check does not apply or cannot be made; the sentence says why."""
    guarded: bool
    """Whether the release promised this; what is not guarded is advice."""
    value: float | int | None = None
    """The worst value found (natural units)."""
    threshold: float | int | None = None
    failing: pd.DataFrame = field(default_factory=no_cells, repr=False)
    """Columns `FAILING`, worst first."""

    @property
    def verdict(self) -> str:
        """pass, FAIL (a promise is broken), advice (something not promised falls short), or not checked."""
        if self.passed is None:
            return "not checked"
        return "pass" if self.passed else "FAIL" if self.guarded else "advice"

    @property
    def n_failing(self) -> int:
        """How many cells (or zones) fail; one may fail in several measures."""
        return len(self.failing[["cell", "origin", "destination"]].drop_duplicates())

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the failing cells as a count."""
        return {
            "name": self.name,
            "title": self.title,
            "verdict": self.verdict,
            "passed": self.passed,
            "guarded": self.guarded,
            "value": self.value,
            "threshold": self.threshold,
            "failing": self.n_failing,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """Verdict on a release, recounted from the trips."""

    passed: bool
    """Whether every guarded check holds. Checks that are not guarded give advice and do not count."""
    minimum: dict[str, float | int | None]
    """Least trips, persons and population (weighted trips) of a published cell, recounted; None where unknown."""
    failing: pd.DataFrame = field(repr=False)
    """Cells whose sums are wrong or that miss a threshold of cross k: columns `FAILING`, then `guarded` and `check`."""
    checks: tuple[Check, ...]
    of_release: str = field(default="", repr=False)
    """Digest of the release that was audited (`release_digest`)."""

    def __getitem__(self, name: str) -> Check:
        """The check of a name."""
        found = [check for check in self.checks if check.name == name]
        if not found:
            raise KeyError(name)
        return found[0]

    @property
    def advice(self) -> tuple[Check, ...]:
        """Checks that fall short although nothing was promised of them."""
        return tuple(check for check in self.checks if check.passed is False and not check.guarded)

    @property
    def findings(self) -> pd.DataFrame:
        """Failing cells and zones of every check, advice included: columns `FAILING`, then `guarded` and `check`."""
        return _joined(self.checks)

    @property
    def table(self) -> pd.DataFrame:
        """One row a check: title, verdict, worst value, threshold, number of failing cells, sentence."""
        rows = [
            {
                "check": check.title,
                "verdict": check.verdict,
                "guarded": check.guarded,
                "worst": check.value,
                "threshold": check.threshold,
                "failing": check.n_failing,
                "sentence": check.sentence,
            }
            for check in self.checks
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: verdict, minimum, checks, failing cells."""
        return {
            "passed": self.passed,
            "minimum": dict(self.minimum),
            "checks": [check.to_dict() for check in self.checks],
            "failing": self.failing.to_dict(orient="records"),
        }


def gather(
    checks: tuple[Check, ...], listed: tuple[str, ...], minimum: dict[str, float | int | None], of_release: str = ""
) -> Audit:
    """The audit of some checks; failing cells of the checks in `listed` are gathered in one table."""
    return Audit(
        passed=all(check.passed is True for check in checks if check.guarded),
        minimum=minimum,
        failing=_joined(tuple(check for check in checks if check.name in listed)),
        checks=checks,
        of_release=of_release,
    )


def _joined(checks: tuple[Check, ...]) -> pd.DataFrame:
    """Failing cells of several checks: what was promised first, then as each check has them."""
    tables = [c.failing.assign(guarded=c.guarded, check=c.name) for c in checks if len(c.failing)]
    if not tables:
        return no_cells().assign(guarded=pd.Series(dtype="bool"), check=pd.Series(dtype="str"))
    joined = pd.concat(tables, ignore_index=True)
    return joined.sort_values("guarded", ascending=False, kind="stable").reset_index(drop=True)
