"""odk: k-anonymous origin-destination matrices over a hierarchy of zones."""

from odk.errors import BudgetError, Cancelled, InputError, OdkError, UnsafeError
from odk.trips import Trips

__version__ = "0.1.0"

__all__ = ["BudgetError", "Cancelled", "InputError", "OdkError", "Trips", "UnsafeError", "__version__"]
