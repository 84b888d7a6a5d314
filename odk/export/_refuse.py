"""What is not bundled: a release whose promise is broken, or whose form gives away what it should hide. No override."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from odk.auditing import Audit, release_digest
from odk.cells import Ints
from odk.errors import InputError, UnsafeError
from odk.protection import MEASURES
from odk.release import BoxRelease, Release, TreeRelease

Bools = npt.NDArray[np.bool_]
NEAR = 1e-7  # degrees (1 cm): sides of boxes are computed in metres and written in degrees
WORDS = {"trips": "trips", "persons": "distinct persons", "population": "weighted trips (population)"}


def refuse(release: Release, audit: Audit | None) -> None:
    """Raise UnsafeError, with what would make it pass, unless the release may be bundled."""
    if not isinstance(release, Release):
        raise InputError(f"release ({type(release).__name__}) must be an odk.Release")
    if not release.k_anonymous:
        raise UnsafeError(
            f"release ({release.algorithm}) must be k-anonymous to be bundled: noise guards no threshold; choose an "
            "algorithm that does, such as twincut or atg-joint"
        )
    if isinstance(release, BoxRelease) and release.tight:
        raise UnsafeError(
            f"release ({release.algorithm}) must not be bundled: its boxes are bounds of observed places; choose mondrian, "
            "whose boxes are cut lines, or an algorithm with zones"
        )
    if not isinstance(release, TreeRelease | BoxRelease):
        raise UnsafeError(f"release ({type(release).__name__}) must be of tree zones or boxes to be bundled")
    if not release.n_cells:
        raise UnsafeError("release (no cells) must publish something: allow a larger budget, or a lower threshold")
    _check_sums(release)
    _check_places(release)
    if audit is not None:
        _check_audit(release, audit)


def _check_sums(release: Release) -> None:
    guard, matrix = release.protection, release.matrix
    again = matrix.regroup(release.of_pair, release.n_cells, persons=guard.needs_persons)
    pairs: list[tuple[Ints, Ints | None]] = [(again.trips, release.trips), (again.population, release.population)]
    if again.persons is not None:
        pairs.append((again.persons, release.persons))
    if not all(published is not None and np.array_equal(count, published) for count, published in pairs):
        raise UnsafeError(
            f"release ({release.algorithm}) must publish the sums of its pairs: they differ; make it again with "
            "odk.anonymise and bundle that, unchanged"
        )
    low = ~guard.publishable(again)
    if low.any():
        rule = guard.describe()
        raise UnsafeError(
            f"release ({release.algorithm}) must keep its promise that {rule}: {int(low.sum()):,} of {release.n_cells:,} do "
            "not; make it again with odk.anonymise and this protection (a larger budget drops such cells), or promise less"
        )


def _check_places(release: Release) -> None:
    """Every published pair lies in the zones or boxes of its cell, and no two cells have the same place."""
    pair = np.flatnonzero(release.of_pair >= 0)
    cell, m = release.of_pair[pair], release.matrix
    if isinstance(release, TreeRelease):
        good = np.ones(len(pair), dtype=bool)
        for tree, leaf, node in ((m.origins, m.o, release.o_node), (m.destinations, m.d, release.d_node)):
            start = tree.first[node[cell]]
            good &= (leaf[pair] >= start) & (leaf[pair] < start + tree.size[node[cell]])
    elif isinstance(release, BoxRelease):
        o, d = release.boxes[cell, :4], release.boxes[cell, 4:]
        good = _inside(m.origins.lat[m.o[pair]], m.origins.lon[m.o[pair]], o)
        good &= _inside(m.destinations.lat[m.d[pair]], m.destinations.lon[m.d[pair]], d)
    else:
        return
    if not good.all():
        raise UnsafeError(
            f"release ({release.algorithm}) must count trips in zones that hold both their ends: {int((~good).sum()):,} "
            "pairs lie elsewhere; make it again with odk.anonymise"
        )
    if isinstance(release, TreeRelease):
        places = np.column_stack([release.o_node, release.d_node])
        if len(np.unique(places, axis=0)) < len(places):
            raise UnsafeError(f"release ({release.algorithm}) must publish every pair of zones once: merge the cells")


def _inside(lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64], box: npt.NDArray[np.float64]) -> Bools:
    west, south, east, north = box.T
    wide = np.where(east >= west, east - west, east - west + 360)  # a box may cross the antimeridian
    across = np.mod(lon - west + NEAR, 360) <= wide + 2 * NEAR
    return np.asarray(across & (lat >= south - NEAR) & (lat <= north + NEAR))


def _check_audit(release: Release, audit: Audit) -> None:
    """The audit is of this release and its promise, and every guarded check holds."""
    if not isinstance(audit, Audit):
        raise InputError(f"audit ({type(audit).__name__}) must be an odk.Audit, as odk.audit returns it")
    if audit.of_release != release_digest(release):
        raise InputError("audit must be of this release: it was made of another one; audit this one")
    guards = release.protection.guards
    for measure in MEASURES:
        found = [check for check in audit.checks if check.name == f"cross {measure}"]
        said = {check.threshold for check in found if check.guarded}
        if said != ({guards[measure]} if measure in guards else set()):
            raise InputError(f"audit must be of the release's own protection: it is not for {WORDS[measure]}")
    failing = [check for check in audit.checks if check.guarded and check.passed is not True]
    if failing or not audit.passed:
        said_ = "; ".join(f"{check.title}: {check.sentence}" for check in failing) or "a guarded check failed"
        raise UnsafeError(
            f"release ({release.algorithm}) must pass every guarded check of its audit: {said_} Make it again with "
            "odk.anonymise from the audited trips, with what fails in its protection, or a larger budget"
        )
