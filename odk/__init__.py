"""odk: k-anonymous origin-destination matrices over a hierarchy of zones."""

from odk import algorithms
from odk.algorithms import anonymise
from odk.auditing import Audit, AuditOptions, Check, audit
from odk.demo import CENTRE, demo_survey
from odk.errors import BudgetError, Cancelled, InputError, OdkError, UnsafeError
from odk.hierarchy import Hierarchy
from odk.matrix import ODMatrix
from odk.protection import Budget, Protection
from odk.readers import read_trips
from odk.release import BoxRelease, NoisyRelease, Release, TreeRelease
from odk.trips import Trips
from odk.walk import Walk

__version__ = "0.1.0"

__all__ = [
    "CENTRE",
    "Audit",
    "AuditOptions",
    "BoxRelease",
    "Budget",
    "BudgetError",
    "Cancelled",
    "Check",
    "Hierarchy",
    "InputError",
    "NoisyRelease",
    "ODMatrix",
    "OdkError",
    "Protection",
    "Release",
    "TreeRelease",
    "Trips",
    "UnsafeError",
    "Walk",
    "__version__",
    "algorithms",
    "anonymise",
    "demo_survey",
    "audit",
    "read_trips",
]
