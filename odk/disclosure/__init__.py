"""Disclosure: what several releases of overlapping data give away together."""

from odk.disclosure.common import CommonZoning, common_zoning
from odk.disclosure.differencing import Differencing, difference
from odk.disclosure.published import Published, scopes
from odk.disclosure.segments import SegmentSet, beside, on_common_zones, separately

__all__ = [
    "CommonZoning",
    "Differencing",
    "Published",
    "SegmentSet",
    "beside",
    "common_zoning",
    "difference",
    "on_common_zones",
    "scopes",
    "separately",
]
