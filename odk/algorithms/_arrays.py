"""Small array idioms that several algorithms share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from odk.cells import Ints


def runs(start: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """All numbers of the runs [start, stop), one run after the other, and the run of each."""
    length = stop - start
    which = np.repeat(np.arange(len(start)), length)
    offset = np.cumsum(length) - length
    return np.arange(int(length.sum())) + (start - offset)[which], which


def running(values: Ints) -> Ints:
    """Running totals with a 0 in front: the sum of places a to b is out[b] - out[a]."""
    out = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=out[1:])
    return out


def stable_order(keys: npt.NDArray[np.integer], n: int) -> Ints:
    """Stable order of keys in [0, n). Numpy sorts 16-bit keys by radix, in linear time."""
    return np.argsort(keys.astype(np.uint16) if n <= 2**16 else keys, kind="stable")


def weighted_sum(size: Ints, volume: Ints) -> int:
    """Σ size·volume, exactly: population in 10^-6 times leaves overflows int64, so the volume goes in two halves."""
    low = int((size * (volume & 0xFFFFF)).sum())
    return low + (int((size * (volume >> 20)).sum()) << 20)
