"""Where the cells of a release lie: all that metrics must know of its geometry, whatever kind of release it is.

A footprint does not depend on the view. Each kind of release has its own; a kind that is new joins `footprint`.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from odk.errors import InputError
from odk.footprints._base import Districts, Footprint, Sizes, district_of_leaf
from odk.footprints._boxes import BoxFootprint
from odk.footprints._trees import TreeFootprint
from odk.footprints._zonings import ZoningFootprint
from odk.release import BoxRelease, NoisyRelease, Release, TreeRelease

__all__ = ["Districts", "Footprint", "Sizes", "district_of_leaf", "footprint"]


def footprint(release: Release, sizes: Sizes = "observed") -> Footprint:
    """The footprint of a release, kept for as long as the release lives: both views use it."""
    if sizes not in ("observed", "descendants"):
        raise InputError(f"sizes ({sizes!r}) must be observed or descendants")
    known = _KNOWN.setdefault(release, {})
    if sizes not in known:
        if isinstance(release, TreeRelease):
            known[sizes] = TreeFootprint.of(release, sizes)
        elif isinstance(release, BoxRelease):
            known[sizes] = BoxFootprint.of(release, sizes)
        elif isinstance(release, NoisyRelease):
            known[sizes] = ZoningFootprint.of(release, sizes)
        else:
            raise InputError(f"release ({type(release).__name__}) must have cells of zones or boxes to be measured")
    return known[sizes]


_KNOWN: WeakKeyDictionary[Release, dict[str, Footprint]] = WeakKeyDictionary()
