"""What all tests share: where the reference data lies, and how hard hypothesis tries."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from odk.cli import main

ROOT = Path(__file__).resolve().parents[1]

# No deadline: the machine may be busy and no test asserts seconds. Derandomised, so that a failure is seen by everyone;
# HYPOTHESIS_PROFILE=explore looks for new examples.
settings.register_profile(
    "odk", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "odk"))


def find_shared() -> Path | None:
    """Return the folder `shared` beside the checkout, or beside a folder above it (worktrees lie deeper)."""
    return next((up / "shared" for up in ROOT.parents if (up / "shared" / "SPEC.md").is_file()), None)


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder with the reference data; the test is skipped where it is absent, and has a twin without it."""
    folder = find_shared()
    if folder is None:
        pytest.skip("no folder `shared` with the reference data beside the checkout")
    return folder


@pytest.fixture
def ask(capsys):
    """Run a command line: exit code, standard output, standard error."""

    def run(*argv):
        try:
            code = main([str(part) for part in argv])
        except SystemExit as end:  # argparse
            code = end.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
