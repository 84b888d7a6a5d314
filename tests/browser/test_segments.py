"""Segments in a real browser: charts, little maps, and the job for one common zoning."""

from playwright.sync_api import Page, expect

from tests.browser.helpers import wait_idle


def test_segments_are_drawn_and_one_zoning_is_found(page: Page):
    page.goto("/segments?area=centre&resolution=8&segments=sex")
    wait_idle(page)
    expect(page.get_by_text("Is it the data or the algorithm?")).to_be_visible()
    maps = page.locator('img[src^="data:image/svg"]')
    expect(maps).to_have_count(3)
    for i in range(3):  # pictures that the browser could read
        assert maps.nth(i).evaluate("picture => picture.complete && picture.naturalWidth > 0")
    page.get_by_role("button", name="Find one zoning").click()
    expect(page.locator('[data-testid="stVegaLiteChart"]')).to_have_count(2, timeout=60_000)
