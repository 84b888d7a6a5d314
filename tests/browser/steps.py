"""What people do in the stories: follow a link, read a figure, give a file, click on a map."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import wait_idle

MAP = '.twin, [data-testid="stDeckGlJsonChart"]'
PAGES = {
    "/": "Explore",
    "/replay": "Replay",
    "/algorithms": "Algorithms",
    "/segments": "Segments",
    "/tradeoffs": "Trade-offs",
    "/audit": "Audit",
    "/release": "Release",
    "/review": "Review",
    "/reproduce": "Reproduce",
    "/methods": "Methods",
}
Visit = Callable[..., Page]
"""The fixture `visit`: a new user's page; takes what `browser.new_context` takes."""


def main(page: Page) -> Locator:
    """The page without its sidebar."""
    return page.locator('[data-testid="stMain"]')


def sidebar(page: Page) -> Locator:
    """The shared sidebar."""
    return page.locator('[data-testid="stSidebar"]')


def go(page: Page, name: str) -> None:
    """Follow a link of the navigation."""
    page.get_by_role("link", name=name, exact=True).first.click()
    expect(page.get_by_role("heading", name=name, exact=True, level=1)).to_be_visible(timeout=60_000)
    wait_idle(page, 120)


def metric(page: Page, label: str, part: str = "Value") -> str:
    """The value of a headline figure, or with part="Delta" the note below it."""
    box = page.locator('[data-testid="stMetric"]', has_text=label).first
    return box.locator(f'[data-testid="stMetric{part}"]').inner_text().strip()


def zones(page: Page) -> tuple[int, int]:
    """How many origin and destination zones the headline tells."""
    first, second = metric(page, "Zones").split(" × ")
    return int(first.replace(",", "")), int(second.replace(",", ""))


def upload(page: Page, name: str, content: bytes) -> None:
    """Give a file to the sidebar, whose data must be set to upload."""
    file: Any = {"name": name, "mimeType": "text/csv", "buffer": content}
    box = sidebar(page).locator('[data-testid="stFileUploader"]').first
    box.locator('input[type="file"]').set_input_files(file)
    expect(box).to_contain_text(name[:6], timeout=20_000)
    page.wait_for_timeout(300)
    wait_idle(page)


def give(page: Page, name: str, content: bytes, place: Locator | None = None) -> None:
    """Give a file to the page, not to the sidebar: to its first chooser, or the first one of a place."""
    box = (place or main(page)).locator('[data-testid="stFileUploader"] input[type="file"]').first
    file: Any = {"name": name, "mimeType": "application/zip", "buffer": content}
    box.set_input_files(file)
    page.wait_for_timeout(500)
    wait_idle(page)


def point(page: Page, map_: Locator, x: float, y: float) -> tuple[float, float]:
    """A place on a map, as shares of its width and height, in pixels of the page."""
    map_.scroll_into_view_if_needed()
    box = map_.bounding_box()
    assert box is not None
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def slide(page: Page, name: str | re.Pattern[str], steps: int) -> None:
    """Move a slider with the arrow keys, to the right or (negative) to the left, and wait for what follows."""
    handle = page.get_by_role("slider", name=name)
    handle.focus()
    for _ in range(abs(steps)):
        handle.press("ArrowRight" if steps > 0 else "ArrowLeft")
    page.wait_for_timeout(300)
    wait_idle(page)


def pick(page: Page, label: str, option: str) -> None:
    """Choose an option of a select box with the keyboard, and wait for what follows."""
    box = page.get_by_label(label, exact=True)
    box.click()
    box.fill(option)
    page.get_by_role("option").first.wait_for()
    box.press("Enter")
    page.wait_for_timeout(300)
    wait_idle(page)


def trips_csv(n: int = 600, seed: int = 3) -> bytes:
    """Trips in Chicago, one of which has a latitude that does not exist."""
    rng = np.random.default_rng(seed)
    lat, lon = 41.88 + rng.normal(0, 0.02, (2, n)), -87.64 + rng.normal(0, 0.02, (2, n))
    rows = [f"{i % 90},{lat[0, i]:.5f},{lon[0, i]:.5f},{lat[1, i]:.5f},{lon[1, i]:.5f}" for i in range(n)]
    rows[5] = "7,95.0,0.1,41.9,-87.6"
    return "\n".join(["bike_id,start_lat,start_lon,end_lat,end_lon", *rows]).encode()
