"""Replay in a real browser: it plays by itself, stops when told to, and goes merge by merge."""

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import drawn, wait_idle


def step(page: Page) -> int:
    words = page.locator(".bar .told").inner_text()
    found = re.search(r"Step ([\d,]+) of", words)
    assert found is not None
    return int(found[1].replace(",", ""))


def ready(page: Page) -> None:
    page.goto("/replay?area=centre")
    wait_idle(page)
    expect(page.locator(".twin[data-drawn]")).to_have_count(1, timeout=30_000)
    assert drawn(page.locator(".twin"))


def test_it_plays_and_stops(page: Page):
    ready(page)
    assert step(page) == 0
    sent: list[str] = []
    page.get_by_role("button", name="Play").click()
    page.on("websocket", lambda socket: sent.append(socket.url))
    expect(page.get_by_role("button", name="Stop")).to_be_visible(timeout=20_000)
    seen = {step(page)}
    for _ in range(80):
        page.wait_for_timeout(250)
        seen.add(step(page))
        if len(seen) >= 5:
            break
    assert len(seen) >= 5
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible(timeout=20_000)
    still = step(page)
    assert still >= max(seen)  # it went on until it was told to stop
    page.wait_for_timeout(1000)
    assert step(page) == still
    assert drawn(page.locator(".foot svg"), least=0.005)
    assert sent == []

    # Where it was left is where it is found again.
    page.get_by_role("link", name="Methods", exact=True).click()
    wait_idle(page)
    page.get_by_role("link", name="Replay", exact=True).click()
    wait_idle(page)
    expect(page.locator(".twin[data-drawn]")).to_have_count(1, timeout=30_000)
    assert step(page) == still


def test_it_goes_merge_by_merge_to_its_end_and_anywhere(page: Page):
    ready(page)
    told = page.locator(".bar .told")
    expect(told).to_contain_text("No merge yet")
    page.get_by_role("button", name="Next").click()
    expect(told).to_contain_text("zones become one", timeout=20_000)
    first = step(page)
    page.get_by_role("button", name="Next").click()
    expect(page.locator(f'.bar[data-step="{first}"]')).to_have_count(0, timeout=20_000)
    assert step(page) > first
    page.get_by_role("button", name="Back").click()
    expect(page.locator(f'.bar[data-step="{first}"]')).to_have_count(1, timeout=20_000)
    page.get_by_role("button", name="To its end").click()
    expect(told).to_contain_text("stopped here")
    scrubber = page.get_by_role("slider", name="Merges made")
    scrubber.press("End")
    expect(told).to_contain_text("already stopped")
    expect(told).to_contain_text("1 × 1")
    # Its zones as a table follow, once that is open.
    page.get_by_text("Zones as tables").click()
    expect(page.locator('[data-testid="stDataFrame"]').first).to_be_visible(timeout=20_000)
    wait_idle(page)
    scrubber.press("Home")
    expect(told).to_contain_text("No merge yet")
    expect(page.get_by_text("after step 0")).to_have_count(2, timeout=30_000)
