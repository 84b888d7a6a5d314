"""Reproduce and Methods in a real browser."""

from playwright.sync_api import Page, expect

from tests.browser.helpers import wait_idle
from tests.reproduce.conftest import town


def test_the_tables_of_an_upload_are_computed_and_taken_away(page: Page, tmp_path):
    file = tmp_path / "town.csv"
    town(300).to_csv(file, index=False)
    page.goto("/reproduce?data=upload")
    wait_idle(page)
    page.locator('input[type="file"]').set_input_files(str(file))
    expect(page.get_by_text("300 trips").first).to_be_visible(timeout=20_000)
    wait_idle(page)
    page.get_by_role("button", name="Compute the tables on this data").click()
    expect(page.get_by_text("none failed")).to_be_visible(timeout=240_000)
    wait_idle(page)
    expect(page.get_by_text("Protecting participants does not protect the population").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Report (HTML)").click()
    assert "What the papers found" in download.value.path().read_text()
    page.get_by_role("radio", name="Plots").click()
    expect(
        page.locator('[data-testid="stVegaLiteChart"] canvas, [data-testid="stVegaLiteChart"] svg').first
    ).to_be_visible()


def test_the_toy_is_played_and_formulas_are_drawn(page: Page):
    page.goto("/methods?resolution=7")
    wait_idle(page)
    expect(page.get_by_text("19.4% suppressed")).to_be_visible()
    slider = page.get_by_role("slider", name="k: trips a published cell must hold")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    wait_idle(page)
    expect(page.get_by_text("cells reach 15")).to_be_visible(timeout=20_000)
    page.get_by_role("tab", name="Metrics").click()
    expect(page.locator('[data-testid="stMarkdown"] .katex >> visible=true').first).to_be_visible()
    assert page.locator(".katex-error").count() == 0
    page.get_by_role("tab", name="H3 levels").click()
    expect(page.get_by_role("img", name="Nested hexagons")).to_be_visible(timeout=20_000)
