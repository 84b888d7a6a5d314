"""Algorithms: one file each, one interface, one registry.

`names()` lists them, `get(name)` describes one, `describe()` lists their options, `anonymise(...)` runs one.
"""

from odk.algorithms import (  # noqa: F401 - they join the registry
    atg,
    atg_joint,
    baselines,
    glove,
    glove_sk,
    ipf_dp,
    laplace,
    mondrian,
    odkanon,
    oigh,
    twincut,
)
from odk.algorithms._base import Algorithm, Problem, Progress, anonymise, get, names
from odk.algorithms._describe import Option, describe

__all__ = ["Algorithm", "Option", "Problem", "Progress", "anonymise", "describe", "get", "names"]
