"""What a check of a bundle found: a sentence and how much it matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note", "pass"]


@dataclass(frozen=True)
class Finding:
    """One check of a bundle."""

    check: str
    """Short and stable: digests, thresholds, zones, ..."""
    severity: Severity
    """error: the bundle is rejected; warning: look at it; note: good to know; pass: the check was made and holds."""
    sentence: str


def verdict(check: str, wrong: str, right: str) -> Finding:
    """An error where something is wrong, else a pass."""
    return Finding(check, "error", wrong) if wrong else Finding(check, "pass", right)
