"""Laplace noise as written in 001 (appendix B): a dense matrix of noise, rounded, negatives set to 0."""

from __future__ import annotations

import math

import numpy as np


def dense_laplace(counts: np.ndarray, scale: float, rng: np.random.Generator) -> np.ndarray:
    """Every entry of a matrix gets its own noise; empty ones too."""
    out = np.zeros(counts.shape, dtype=np.int64)
    for i in range(counts.shape[0]):
        for j in range(counts.shape[1]):
            out[i, j] = max(0, round(counts[i, j] + rng.laplace(0.0, scale)))
    return out


def chance_of_value(j: int, scale: float) -> float:
    """Probability that noise alone, rounded, is j: the area of the Laplace density from j - 1/2 to j + 1/2."""

    def below(x: float) -> float:
        return 0.5 * math.exp(x / scale) if x < 0 else 1 - 0.5 * math.exp(-x / scale)

    return below(j + 0.5) - below(j - 0.5)
