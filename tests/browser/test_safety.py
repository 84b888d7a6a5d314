"""From settings to a downloaded bundle to a reviewed one, and a hostile file on the way."""

import io
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

import odk
from tests.browser.helpers import drawn, wait_idle

MAP = ".twin"


def go(page: Page, name: str) -> None:
    """Follow a link of the navigation."""
    page.get_by_role("link", name=name).first.click()
    expect(page.get_by_role("heading", name=name)).to_be_visible(timeout=30_000)
    wait_idle(page)


def give(page: Page, name: str, content: bytes) -> None:
    """Give a file to the page, not to the sidebar."""
    chooser = page.locator('[data-testid="stMain"] [data-testid="stFileUploader"] input[type="file"]').first
    chooser.set_input_files({"name": name, "mimeType": "application/zip", "buffer": content})
    page.wait_for_timeout(500)
    wait_idle(page)


def bomb() -> bytes:
    """Four files that unpack to a thousand times their size."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in ("flows.csv", "zones.geojson", "manifest.json", "report.html"):
            made.writestr(name, b"0" * 100_000_000)
    return out.getvalue()


def test_from_settings_to_a_reviewed_bundle(page: Page, tmp_path: Path):
    page.goto("/audit?area=centre&k=12&resolution=9")
    wait_idle(page)
    expect(page.get_by_text("promised checks hold").first).to_be_visible(timeout=30_000)
    assert drawn(page.locator(MAP).first)
    page.get_by_role("tab", name="Between releases").click()
    expect(page.get_by_text("gives away").first).to_be_visible(timeout=30_000)
    page.get_by_text("one common zoning").first.click()
    expect(page.get_by_text("is zero or reaches the threshold").first).to_be_visible(timeout=30_000)

    go(page, "Release")
    assert "k=12" in page.url  # settings survive the change of page
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the bundle").click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    assert path.name == "demo-survey-synthetic-participants-k12-release.zip"
    found = odk.verify(path, odk.demo_survey())
    assert found.passed, found.findings
    assert found.bundle.thresholds == {"trips": 12}

    go(page, "Review")
    give(page, "bomb.zip", bomb())
    main = page.locator('[data-testid="stMain"]')
    expect(main.get_by_text("This bundle was not opened")).to_be_visible(timeout=30_000)
    give(page, path.name, path.read_bytes())
    expect(main.get_by_text("every published cell has at least 12 trips").first).to_be_visible(timeout=30_000)
    assert drawn(page.locator(MAP).first)
    page.get_by_role("tab", name="Checks").click()
    page.get_by_role("button", name="Audit it against these trips").click()
    expect(main.get_by_text("byte for byte")).to_be_visible(timeout=90_000)
    page.get_by_role("tab", name="Report").click()
    report = page.frame_locator('[data-testid="stIFrame"]').frame_locator("iframe")
    expect(report.get_by_role("heading", name="Release of demo survey")).to_be_visible(timeout=30_000)
