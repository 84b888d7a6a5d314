"""The report of a bundle in a real browser: nothing is asked for, zones are drawn, it prints."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

import odk
from odk.export import make_bundle


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with advice, of women's trips in the demo survey's centre."""
    recipe = odk.Recipe(
        algorithm="odkanon-late",
        trips=10,
        area=tuple(odk.CENTRE),
        segment={"sex": "F"},
        audit=odk.AuditOptions(),
        data=odk.recipe.Data(source="<i>survey"),
    )
    made = recipe.make(odk.demo_survey())
    audit = odk.audit(made.release, made.trips, made.release.protection, recipe.audit_options(made.whole))
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(make_bundle(made.release, audit, recipe=recipe).report, encoding="utf-8")
    return path


def test_the_report_opens_with_no_network_and_prints(browser: Browser, report: Path):
    context = browser.new_context(offline=True, viewport={"width": 1100, "height": 900})
    try:
        page = context.new_page()
        asked, said = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.goto(report.as_uri())
        assert asked == [report.as_uri()]
        assert said == []  # its own policy forbids scripts and requests, and nothing in it is refused
        assert page.locator("h1").inner_text() == "Release of <i>survey"  # text, not markup
        assert page.locator("section.band li").count() >= 3
        maps = page.locator(".maps svg[role=img]")
        assert maps.count() in (2, 4)
        zones = page.evaluate(
            "() => [...document.querySelectorAll('.maps svg')].slice(0, 2).map(s => s.querySelectorAll('.zones path').length)"
        )
        assert min(zones) > 5
        # the maps stand side by side, and nothing is wider than the page
        boxes = [maps.nth(i).bounding_box() for i in range(2)]
        assert boxes[0]["y"] == boxes[1]["y"]
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        assert len(page.pdf(format="A4", print_background=True)) > 20_000
        page.set_viewport_size({"width": 400, "height": 800})  # a phone: one below the other
        boxes = [maps.nth(i).bounding_box() for i in range(2)]
        assert boxes[0]["x"] == boxes[1]["x"]
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    finally:
        context.close()
