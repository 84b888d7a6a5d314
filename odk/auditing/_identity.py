"""By which an audit knows its release: a digest of what is published and of what."""

from __future__ import annotations

import hashlib

import numpy as np

from odk.release import BoxRelease, Release, TreeRelease


def release_digest(release: Release) -> str:
    """sha256 of the input and of the cells: equal releases have equal digests."""
    digest = hashlib.sha256(release.matrix.hash.encode())
    digest.update(repr((release.algorithm, release.protection.guards)).encode())
    digest.update(np.ascontiguousarray(release.of_pair).tobytes())
    if isinstance(release, TreeRelease):
        digest.update(release.o_node.tobytes() + release.d_node.tobytes())
    elif isinstance(release, BoxRelease):
        digest.update(np.ascontiguousarray(release.boxes).tobytes())
    return digest.hexdigest()
