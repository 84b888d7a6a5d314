"""The errors of odk: few, each also a builtin where one fits, one wording: name (value) must rule."""


class OdkError(Exception):
    """Base of all errors that odk raises on purpose; the app shows them in words."""


class InputError(OdkError, ValueError):
    """Data or a setting is wrong; the message says what, where and what to do."""


class BudgetError(OdkError):
    """No release within the suppression budget exists for this algorithm; the message names the shortfall."""

    def __init__(self, message: str, *, measure: str, needed: float, allowed: float) -> None:
        super().__init__(message)
        self.measure = measure
        self.needed = needed
        self.allowed = allowed


class UnsafeError(OdkError):
    """Something would be published that must not be: refused."""


class Cancelled(OdkError):
    """Raised by a progress callback to stop long work; nothing is half done."""
