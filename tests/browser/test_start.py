"""The app starts, and its first page shows no error and asks nobody outside."""

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import ROOT, wait_idle


@pytest.mark.skipif(not (ROOT / "app.py").exists(), reason="app.py is not there yet")
def test_the_first_page_opens(page: Page):
    page.goto("/")
    wait_idle(page)
    assert page.locator('[data-testid="stMain"]').inner_text().strip()
