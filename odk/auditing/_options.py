"""Options of the audit: the thresholds that a reviewer may set."""

from __future__ import annotations

from dataclasses import dataclass

from odk.errors import InputError
from odk.protection import Protection


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Thresholds of the checks that the protection itself does not give."""

    cross: Protection | None = None
    """Thresholds for measures that are not guarded (cross k). What it leaves open is taken from the guarded k: k trips,
    k persons, k x mean weight of the trips given. Give it for a segment: its thresholds are the whole survey's."""

    def __post_init__(self) -> None:
        if self.cross is not None and not isinstance(self.cross, Protection):
            raise InputError(f"cross ({self.cross!r}) must be an odk.Protection")
