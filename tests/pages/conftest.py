"""The pages' logic without a browser: Streamlit's AppTest runs app.py as one user."""

from pathlib import Path

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def routed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are opened by app.py, as on a server that has had a user.

    AppTest forgets before each run that st.navigation was called, and would run files of pages/ by themselves.
    """
    start = PagesManager.__init__

    def init(self: PagesManager, *args: object, **options: object) -> None:
        PagesManager.uses_pages_directory = False
        start(self, *args, **options)

    monkeypatch.setattr(PagesManager, "__init__", init)


@pytest.fixture
def app() -> AppTest:
    """A new user at the first page, before the script has run; `app.switch_page("pages/replay.py")` opens another."""
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
