"""All ten pages in one session, by the links of the navigation, as a user goes: what one page loads must not break another."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import drawn, wait_idle

PAGES = [
    "Explore",
    "Replay",
    "Algorithms",
    "Segments",
    "Trade-offs",
    "Audit",
    "Release",
    "Review",
    "Reproduce",
    "Methods",
]
MAPS = {"Explore", "Replay", "Algorithms", "Audit", "Review"}
SMALL = {"Segments"}  # drawn as pictures
ADDRESS = {"Explore": "/", "Algorithms": "/algorithms"}
RED = '[data-testid="stException"], [data-testid="stAlertContentError"], [data-testid="stErrorElement"]'


def failures(page: Page) -> list[str]:
    """Red boxes: exceptions, refusals, and elements that could not be drawn ("Error: ..." in the place of a chart)."""
    boxes = page.locator(f'[data-testid="stMain"] :is({RED})').all_inner_texts()
    bare = page.locator('[data-testid="stMain"] [data-testid="stAlert"]', has_text="Error:").all_inner_texts()
    return [*boxes, *bare]


def go(page: Page, name: str) -> None:
    """Follow a link of the navigation and wait for its page."""
    page.get_by_role("link", name=name, exact=True).first.click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible(timeout=30_000)
    wait_idle(page, 120)


def look(page: Page, name: str) -> None:
    """The page is whole: nothing red, and its maps are drawn."""
    if name == "Review" and not page.locator(".twin").count():
        page.get_by_role("button", name="Take the current release").click()
        page.wait_for_timeout(300)
        wait_idle(page, 60)
    page.wait_for_timeout(500)  # charts are drawn, or fail, after the script has ended
    # Algorithms that cannot keep the budget are told in red; they say what to do, and are no failure of the page.
    found = [text for text in failures(page) if "Raise the suppression budget" not in text and "budget" not in text]
    assert found == [], name
    assert page.problems == [], name  # type: ignore[attr-defined]
    if name in MAPS:
        expect(page.locator(".twin")).to_have_count(1, timeout=20_000)
        expect(page.locator(".twin[data-drawn]")).to_have_count(1, timeout=30_000)
        assert drawn(page.locator(".twin")), f"the map of {name} is empty"
    if name in SMALL:
        assert page.locator('[data-testid="stMain"] [data-testid="stHtml"] img').count() > 1


@pytest.mark.parametrize("first", ["Explore", "Algorithms"])
def test_all_pages_one_after_the_other(page: Page, first: str):
    warnings: list[str] = []
    page.on("console", lambda m: warnings.append(m.text) if "WebGL contexts" in m.text else None)
    page.goto(f"{ADDRESS[first]}?area=centre&resolution=9")
    wait_idle(page, 120)
    look(page, first)
    for name in [p for p in PAGES if p != first]:
        go(page, name)
        look(page, name)
    for name in ("Audit", "Explore", "Review", "Algorithms"):  # and back, to pages that were left
        go(page, name)
        look(page, name)
    assert warnings == []


def test_maps_give_back_what_they_take_from_the_browser(page: Page):
    """A browser keeps some 16 WebGL contexts and drops the oldest; a map that is left must not keep one."""
    warnings: list[str] = []
    page.on("console", lambda m: warnings.append(m.text) if "WebGL contexts" in m.text else None)
    page.goto("/?area=centre&resolution=8")
    wait_idle(page)
    expect(page.locator(".twin[data-drawn]")).to_have_count(1, timeout=30_000)
    for _ in range(9):  # 18 maps, and the first
        for name in ("Replay", "Explore"):
            go(page, name)
            expect(page.locator(".twin[data-drawn]")).to_have_count(1, timeout=30_000)
    assert drawn(page.locator(".twin"))
    assert warnings == []


def test_the_library_of_the_maps_leaves_no_trace_that_another_one_would_stumble_over(page: Page):
    page.goto("/?area=centre&resolution=8")
    wait_idle(page)
    expect(page.locator(".twin[data-drawn]")).to_have_count(1, timeout=30_000)
    assert page.evaluate("[globalThis.luma, globalThis.deck].every(it => it === undefined)")
