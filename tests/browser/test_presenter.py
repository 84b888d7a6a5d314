"""The workshop presenter's story: the demo survey, no network, every page by a click on its link."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import drawn, wait_idle
from tests.browser.steps import MAP, Visit, go, main, metric, point, zones


def step(page: Page) -> int:
    """The step that Replay shows."""
    words = main(page).get_by_text(re.compile(r"of [\d,]+ \(")).first.inner_text()
    found = re.search(r"Step ([\d,]+)", words)
    assert found is not None
    return int(found[1].replace(",", ""))


def press(page: Page, name: str) -> None:
    """Click a button, and wait for what follows."""
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_timeout(200)
    wait_idle(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_presenter_shows_it_to_a_room(visit: Visit, scheme: str):
    page = visit(color_scheme=scheme, viewport={"width": 1920, "height": 1080})
    page.goto("/" if scheme == "light" else "/?area=centre")
    wait_idle(page)
    paper = page.evaluate("() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    shade = sum(map(int, re.findall(r"\d+", paper)[:3])) / 3
    assert shade > 200 if scheme == "light" else shade < 60

    # Explore: figures, and two maps of origins, then of destinations
    expect(page.get_by_text("synthetic data").first).to_be_visible()
    assert min(zones(page)) > 10
    assert int(metric(page, "Least trips")) >= 10
    maps = page.locator(".twin")
    assert drawn(maps)
    expect(maps).to_have_attribute("aria-label", re.compile("^Origins when participants"))
    origins = maps.get_attribute("aria-label")
    page.get_by_role("radio", name="destinations").click()
    expect(maps).to_have_attribute("aria-label", re.compile("^Destinations when participants"), timeout=20_000)
    page.get_by_role("radio", name="origins").click()
    expect(maps).to_have_attribute("aria-label", str(origins), timeout=20_000)
    wait_idle(page)
    assert drawn(maps)

    # a hexagon: its flows, and why it is this coarse
    at = point(page, maps, 0.25, 0.5)
    page.mouse.move(*at)
    tip = page.locator(".twin .tip")
    expect(tip).to_be_visible(timeout=10_000)
    name = tip.locator("b").inner_text()
    page.mouse.click(*at)
    expect(main(page).get_by_text(name, exact=True).first).to_be_visible(timeout=20_000)
    expect(page.locator(".twin .legend").first).to_contain_text("out")
    expect(main(page).get_by_text(re.compile("Split into its|Splitting this zone|is a leaf")).first).to_be_visible()
    wait_idle(page)
    main(page).get_by_text(re.compile(r"flows out, .* in$")).first.click()
    expect(page.locator('[data-testid="stPopoverBody"] [data-testid="stDataFrame"]')).to_be_visible()
    page.keyboard.press("Escape")

    # Replay: step by step, to where the algorithm stops, and playing
    go(page, "Replay")
    assert step(page) == 0
    press(page, "Next")
    assert step(page) >= 1
    expect(main(page).get_by_text("No merge yet")).to_have_count(0)
    press(page, "To its end")
    expect(main(page).get_by_text("(stopped here)")).to_be_visible()
    assert drawn(page.locator(MAP).first)
    end = step(page)
    press(page, "Back")
    assert step(page) < end
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible(timeout=20_000)
    expect(main(page).get_by_text("(already stopped)")).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=20_000)

    # Algorithms: all of them in one table; the third row's map
    go(page, "Algorithms")
    rows = page.locator('[data-testid="stDataFrame"]').first
    expect(rows).to_be_visible(timeout=60_000)
    x, y = point(page, rows, 0, 0)
    page.mouse.click(x + 17, y + 35 + 30 * 3 + 15)
    expect(main(page).get_by_text("OIGH.", exact=True)).to_be_visible(timeout=20_000)
    wait_idle(page)
    assert drawn(main(page).locator(MAP).first)
    page.get_by_role("tab", name="Against the lower bound").click()
    chart = main(page).locator('[data-testid="stVegaLiteChart"]').first
    expect(chart.locator("svg, canvas").first).to_be_visible()

    # Methods: a cell of the toy is edited, and what is published follows
    go(page, "Methods")
    published = main(page).get_by_text(re.compile(r"cells, [\d.]+% suppressed"))
    expect(published).to_contain_text("4 cells, 19.4% suppressed")
    x, y = point(page, main(page).locator('[data-testid="stDataFrame"]').first, 0.3, 0)
    page.mouse.dblclick(x, y + 35 + 17)
    page.locator("#portal input").fill("40")
    page.keyboard.press("Enter")
    expect(published).not_to_contain_text("19.4%", timeout=20_000)
    expect(main(page).get_by_text("of 100 trips")).to_be_visible()  # 72, and 28 more in the cell that had 12
