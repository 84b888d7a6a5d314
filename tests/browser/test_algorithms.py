"""Algorithms in a real browser: rows open maps, slow work shows progress and can be cancelled, on any page."""

from playwright.sync_api import Page, expect

from tests.browser.helpers import drawn, wait_idle

MAP = ".twin"
QUERY = "?area=centre&resolution=8&algorithm=odkanon-late"


def row(page: Page, number: int) -> None:
    """Choose a row of the table."""
    box = page.locator('[data-testid="stDataFrame"]').first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 17, box["y"] + 35 + 30 * number + 15)
    page.wait_for_timeout(300)
    wait_idle(page)


def test_any_row_opens_its_map(page: Page):
    page.goto(f"/algorithms{QUERY}")
    wait_idle(page, 120)
    expect(page.get_by_role("heading", name="Algorithms")).to_be_visible()
    expect(page.get_by_text("ODkAnon, late suppression.")).to_be_visible()  # the sidebar's algorithm at first
    row(page, 7)
    expect(page.get_by_text("Mondrian.", exact=True)).to_be_visible()
    expect(page.get_by_text("a rectangle of origins")).to_be_visible()
    maps = page.locator(MAP)
    expect(maps.locator(".card")).to_have_count(2)
    assert drawn(maps.first)
    row(page, 5)
    expect(page.get_by_text("ATG-Dual.", exact=True)).to_be_visible()
    expect(page.get_by_text("has destination zones of its own")).to_be_visible()


def test_a_job_shows_progress_survives_a_page_change_and_can_be_cancelled(page: Page):
    page.goto("/algorithms?area=centre")
    wait_idle(page, 120)
    page.get_by_role("button", name="Glove by scikit-learn").click()
    bar = page.locator('[data-testid="stProgress"]')
    expect(bar).to_contain_text("Glove by scikit-learn", timeout=15_000)
    page.get_by_role("link", name="Explore").click()
    wait_idle(page)
    expect(bar).to_have_count(0)
    page.get_by_role("link", name="Algorithms").click()
    wait_idle(page)
    expect(bar).to_contain_text("Glove by scikit-learn", timeout=15_000)
    page.get_by_role("button", name="Cancel").click()
    expect(bar).to_have_count(0, timeout=15_000)
    expect(page.get_by_role("button", name="Glove by scikit-learn")).to_be_visible()
