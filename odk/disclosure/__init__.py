"""Disclosure: what several releases of overlapping data give away together."""

from odk.disclosure.common import CommonZoning, common_zoning
from odk.disclosure.differencing import Differencing, difference
from odk.disclosure.published import Published, scopes

__all__ = ["CommonZoning", "Differencing", "Published", "common_zoning", "difference", "scopes"]
