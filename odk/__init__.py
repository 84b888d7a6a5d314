"""odk: k-anonymous origin-destination matrices over a hierarchy of zones."""

from odk import algorithms
from odk._version import __version__
from odk.algorithms import anonymise
from odk.auditing import Audit, AuditOptions, Check, audit
from odk.demo import CENTRE, demo_survey
from odk.disclosure import Differencing, Published, common_zoning, difference
from odk.errors import BudgetError, Cancelled, InputError, OdkError, UnsafeError
from odk.export import Bundle, Verification, read_bundle, verify, write_bundle
from odk.hierarchy import Hierarchy
from odk.limits import AboveLimit, above_limit, limit
from odk.matrix import ODMatrix
from odk.metrics import Metrics, measure
from odk.planning import Planning
from odk.protection import Budget, Protection
from odk.readers import read_trips
from odk.recipe import Recipe
from odk.reconstruct import Reconstruction, reconstruct
from odk.release import BoxRelease, NoisyRelease, Release, TreeRelease
from odk.rounding import Rounding
from odk.trips import Trips
from odk.walk import Walk
from odk.why import Why, why_coarse

__all__ = [
    "CENTRE",
    "AboveLimit",
    "Audit",
    "AuditOptions",
    "BoxRelease",
    "Budget",
    "Bundle",
    "BudgetError",
    "Cancelled",
    "Check",
    "Hierarchy",
    "InputError",
    "Metrics",
    "NoisyRelease",
    "ODMatrix",
    "Differencing",
    "Published",
    "Reconstruction",
    "Why",
    "OdkError",
    "Planning",
    "Protection",
    "Recipe",
    "Release",
    "Rounding",
    "TreeRelease",
    "Trips",
    "UnsafeError",
    "Verification",
    "Walk",
    "__version__",
    "above_limit",
    "algorithms",
    "anonymise",
    "why_coarse",
    "reconstruct",
    "difference",
    "common_zoning",
    "demo_survey",
    "audit",
    "limit",
    "measure",
    "read_bundle",
    "read_trips",
    "verify",
    "write_bundle",
]
