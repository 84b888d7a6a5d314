"""Replay in a real browser: it plays by itself, and stops when told to."""

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import drawn, wait_idle


def step(page: Page) -> int:
    words = page.locator('[data-testid="stMain"]').get_by_text(re.compile(r"of [\d,]+ \(")).first.inner_text()
    found = re.search(r"Step ([\d,]+)", words)
    assert found is not None
    return int(found[1].replace(",", ""))


def test_it_plays_and_stops(page: Page):
    page.goto("/replay?area=centre")
    wait_idle(page)
    assert drawn(page.locator(".twin"))
    assert step(page) == 0
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible(timeout=20_000)
    seen = {step(page)}
    for _ in range(60):
        page.wait_for_timeout(250)
        seen.add(step(page))
        if len(seen) >= 4:
            break
    assert len(seen) >= 4
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible(timeout=20_000)
    wait_idle(page)
    still = step(page)
    assert still >= max(seen)  # it went on until it was told to stop
    page.wait_for_timeout(1500)
    assert step(page) == still
    assert drawn(page.locator(".foot svg"), least=0.005)
    page.problems[:] = [p for p in page.problems if "404" not in p]  # type: ignore[attr-defined]  # Streamlit looks for its own path
