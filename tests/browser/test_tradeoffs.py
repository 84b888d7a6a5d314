"""Trade-offs in a real browser: a click on the heat map makes that point the current setting, on every page."""

from playwright.sync_api import Page, expect

from tests.browser.helpers import wait_idle


def test_a_click_adopts_a_setting(page: Page):
    page.goto("/tradeoffs?area=centre")
    wait_idle(page)
    heat = page.locator('[data-testid="stVegaLiteChart"]').first
    expect(heat).to_be_visible()
    page.wait_for_timeout(500)
    cell = heat.locator('path[aria-label*="k: 30"][aria-label*="budget: 5%"]').first
    cell.click(force=True)
    page.wait_for_url("**k=30*", timeout=20_000)
    wait_idle(page)
    assert "budget=5" in page.url
    expect(page.get_by_label("Trips", exact=True)).to_have_value("30")
    # undone, and clicked again: the same cell is adopted once more
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url("**/tradeoffs?area=centre", timeout=20_000)
    expect(page.get_by_label("Trips", exact=True)).to_have_value("10")
    wait_idle(page)
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    page.wait_for_timeout(500)
    cell.click(force=True)
    page.wait_for_url("**k=30*", timeout=20_000)
    wait_idle(page)
    page.get_by_role("link", name="Explore").click()
    wait_idle(page)
    expect(page.locator('[data-testid="stMetric"]', has_text="Least trips")).to_contain_text("at least 30")
