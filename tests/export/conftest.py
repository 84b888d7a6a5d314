"""The demo survey, made once for all tests of bundles."""

import pytest

import odk


@pytest.fixture(scope="session")
def demo_trips():
    """The demo survey."""
    return odk.demo_survey()


@pytest.fixture(scope="session")
def centre(demo_trips):
    """Its centre as a matrix."""
    return odk.ODMatrix.from_trips(demo_trips).within(odk.CENTRE)
