"""The app starts, and its first page shows no error and asks nobody outside."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.helpers import ROOT, wait_idle, watch


def test_the_first_page_opens(page: Page):
    page.goto("/")
    wait_idle(page)
    assert page.locator('[data-testid="stMain"]').inner_text().strip()


def test_the_first_user_may_follow_a_link(browser: Browser, fresh_url: str):
    context = browser.new_context(base_url=fresh_url)
    page = watch(context.new_page(), fresh_url)
    page.goto("/tradeoffs?area=centre&k=17")
    wait_idle(page)
    expect(page.get_by_role("heading", name="Trade-offs")).to_be_visible()
    expect(page.get_by_label("Trips", exact=True)).to_have_value("17")  # the sidebar is there, and heard the link
    context.close()
    assert page.problems == []  # type: ignore[attr-defined]


def test_every_page_can_be_the_first():
    # Streamlit runs a page by itself until app.py has run once: see pages/_frame.py.
    calls = {path.name: path.read_text() for path in (ROOT / "pages").glob("[!_]*.py")}
    assert [name for name, text in calls.items() if "_frame.mode()" not in text and "_frame.routed()" not in text] == []
