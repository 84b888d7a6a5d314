"""The app in a real browser: one server a session, one page a test, and what went wrong on it.

`page.problems` lists console errors and requests that left the machine. Every test that uses `page` (or `visit`, for more
users than one) fails at its end if there is any, or an exception box (clear the list where one is expected).
tests/browser/helpers.py has `wait_idle`, tests/browser/steps.py what people do.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.helpers import FLAGS, chromium_path, running_app, watch
from tests.browser.steps import Visit

HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder; Playwright's and subprocess's late clean-up warnings are not ours."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the app on a free port and return its address."""
    with running_app(tmp_path_factory.mktemp("streamlit") / "log.txt") as home:
        yield home


@pytest.fixture
def fresh_url(tmp_path: Path) -> Iterator[str]:
    """Return the address of an app that nobody has visited yet."""
    with running_app(tmp_path / "log.txt") as home:
        yield home


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return one Chromium for the session."""
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium (make test installs one, or says what to install)")
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, app_url: str) -> Iterator[Visit]:
    """Return what makes the page of a new user, 1440 x 900; page.goto("/replay") works.

    The test fails at its end if problems were noted on any of them.
    """
    made: list[Page] = []

    def new(**options: Any) -> Page:
        look = {"viewport": {"width": 1440, "height": 900}, "base_url": app_url, "accept_downloads": True}
        made.append(watch(browser.new_context(**look | options).new_page(), app_url))
        return made[-1]

    yield new
    problems = []
    for page in made:
        boxes = page.locator('[data-testid="stException"]').all_inner_texts()
        problems += [*page.problems, *(f"exception box: {text}" for text in boxes)]  # type: ignore[attr-defined]
        page.context.close()
    assert problems == []


@pytest.fixture
def page(visit: Visit) -> Page:
    """Return the page of one new user."""
    return visit()
