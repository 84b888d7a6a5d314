"""The errors: one base, and each bad value is also a ValueError."""

import pytest

from odk.errors import BudgetError, Cancelled, InputError, OdkError, UnsafeError


def test_all_are_odk_errors():
    assert all(issubclass(e, OdkError) for e in (InputError, BudgetError, UnsafeError, Cancelled))


def test_bad_input_is_also_a_value_error():
    with pytest.raises(ValueError, match=r"k \(1\) must be at least 2"):
        raise InputError("k (1) must be at least 2")


def test_a_budget_error_carries_its_figures():
    error = BudgetError("budget", measure="trips", needed=12, allowed=10)
    assert (error.measure, error.needed, error.allowed) == ("trips", 12, 10)
