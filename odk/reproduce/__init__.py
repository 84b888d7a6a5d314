"""Reproduce the papers: their tables on the loaded data, in their layout, with the published figures beside ours."""

from odk.reproduce.findings import Finding, findings
from odk.reproduce.reproduction import Reproduction, city_of, reproduce
from odk.reproduce.sidebyside import SideBySide, only_published, side_by_side

__all__ = [
    "Finding",
    "Reproduction",
    "SideBySide",
    "city_of",
    "findings",
    "only_published",
    "reproduce",
    "side_by_side",
]
