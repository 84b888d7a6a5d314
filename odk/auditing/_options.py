"""Options of the audit: the thresholds that a reviewer may set."""

from __future__ import annotations

from dataclasses import dataclass

from odk.errors import InputError
from odk.protection import Protection


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Thresholds of the checks that the protection itself does not give. The defaults are customary, not law."""

    cross: Protection | None = None
    """Thresholds for measures that are not guarded (cross k). What it leaves open is taken from the guarded k: k trips,
    k persons, k x mean weight of the trips given. Give it for a segment: its thresholds are the whole survey's."""
    k_m: int | None = None
    """k^m: least number of people (of trips, where people are unknown) who share what an adversary knows, one end of a
    trip or both. None takes the guarded k."""
    l_leaves: int = 2
    """l-diversity: least number of distinct leaves at either end of a cell."""
    l_values: int = 2
    """l-diversity: least number of distinct values of a sensitive column in a cell."""
    sensitive: tuple[str, ...] | None = None
    """Sensitive columns. None takes every segment column that has at least `l_values` values in the trips given."""
    t: float = 0.9
    """t-closeness: largest distance (0 to 1, half the sum of absolute differences of shares) between a zone's flows and
    all flows. In a matrix of many places distances are large by nature (001, section 5)."""
    dominance: float = 0.5
    """Largest share that one person may have of a cell's trips or weighted trips."""
    effective: float | None = None
    """Least effective sample size of a cell, (Σw)²/Σw². None takes half of the guarded k."""
    homogeneity: float = 0.9
    """Largest share of a zone's published flow that may go to (or come from) a single zone."""

    def __post_init__(self) -> None:
        if self.cross is not None and not isinstance(self.cross, Protection):
            raise InputError(f"cross ({self.cross!r}) must be an odk.Protection")
        for name in ("k_m", "l_leaves", "l_values"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise InputError(f"{name} ({value!r}) must be a whole number of at least 1")
        for name in ("t", "dominance", "homogeneity"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise InputError(f"{name} ({value!r}) must be a share between 0 and 1")
        value = self.effective
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not value > 0):
            raise InputError(f"effective ({value!r}) must be a number above 0")
        names: object = self.sensitive
        if names is not None:
            if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
                raise InputError(f"sensitive ({names!r}) must be a tuple of column names")
            object.__setattr__(self, "sensitive", tuple(names))
