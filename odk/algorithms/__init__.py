"""Algorithms: one file each, one interface, one registry.

`names()` lists them, `get(name)` describes one, `anonymise(...)` runs one.
"""

from odk.algorithms import (  # noqa: F401 - they join the registry
    atg,
    atg_joint,
    baselines,
    laplace,
    mondrian,
    odkanon,
    oigh,
    twincut,
)
from odk.algorithms._base import Algorithm, Problem, Progress, anonymise, get, names

__all__ = ["Algorithm", "Problem", "Progress", "anonymise", "get", "names"]
