"""The pages' logic without a browser: Streamlit's AppTest runs app.py as one user."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def app() -> AppTest:
    """A new user at the first page, before the script has run."""
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
