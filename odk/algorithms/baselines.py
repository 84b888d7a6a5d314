"""Suppression alone: the simplest thing that is k-anonymous (001, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odk.algorithms._base import Algorithm, Problem, register
from odk.release import Release, cut_release


@dataclass(frozen=True, kw_only=True)
class SuppressionOptions:
    """`suppression` has no options."""


def run_suppression(problem: Problem) -> Release:
    """Publish the pairs that are publishable as they are; drop all others, whatever that costs."""
    matrix = problem.matrix
    return cut_release(
        matrix,
        problem.protection,
        problem.budget,
        algorithm="suppression",
        options=problem.options,
        o_cut=np.arange(matrix.origins.n_leaves),
        d_cut=np.arange(matrix.destinations.n_leaves),
        notes=("Suppression alone ignores the budget: the share suppressed is what it cost.",),
    )


register(
    Algorithm(
        name="suppression",
        title="Suppression alone",
        kind="homogeneous",
        source="001, section 4.2",
        summary="Publishes the pairs that reach the thresholds as they are, drops all others and merges nothing.",
        when="Use it only to see how little of the data is safe as it stands; almost everything is lost.",
        options=SuppressionOptions,
        run=run_suppression,
        honours_budget=False,
    )
)
