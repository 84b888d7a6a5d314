"""The policy reviewer's story: a bundle and nothing else, then another rule, another bundle, the trips, and a report."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import odk
from odk.export import make_bundle
from tests.browser.helpers import drawn, wait_idle
from tests.browser.steps import MAP, Visit, give, go, main, sidebar, slide, upload


@pytest.fixture(scope="module")
def survey() -> tuple[odk.Trips, bytes]:
    """Trips of the demo survey's centre, as trips and as a file that says nothing of the demo."""
    found = odk.demo_survey().within(odk.CENTRE, resolution=9)
    columns = ["person", "origin_lat", "origin_lon", "destination_lat", "destination_lon", "weight"]
    text = found.table[columns].to_csv(index=False).encode()
    return odk.read_trips(io.BytesIO(text), name="survey.csv"), text


def bundle(trips: odk.Trips, k: int) -> bytes:
    """What a publisher gives away."""
    recipe = odk.Recipe(
        algorithm="odkanon-late",
        trips=k,
        resolution=9,
        audit=odk.AuditOptions(),
        data=odk.recipe.Data(source="survey.csv"),
    )
    made = recipe.make(trips)
    audit = odk.audit(made.release, made.trips, made.release.protection, recipe.audit_options(made.whole))
    return make_bundle(made.release, audit, recipe=recipe).to_bytes()


def changed(data: bytes, name: str, old: str, new: str) -> bytes:
    """The same bundle with other words in one file."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as first, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for info in first.infolist():
            text = first.read(info).decode()
            if info.filename == name:
                assert old in text
                text = text.replace(old, new, 1)
            made.writestr(info, text)
    return out.getvalue()


def bomb() -> bytes:
    """Four files that unpack to a thousand times their size."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in ("flows.csv", "zones.geojson", "manifest.json", "report.html"):
            made.writestr(name, b"0" * 100_000_000)
    return out.getvalue()


def tab(page: Page, name: str) -> None:
    """Open a tab of the page."""
    main(page).get_by_role("tab", name=name, exact=True).first.click()
    page.wait_for_timeout(300)
    wait_idle(page)


def test_the_reviewer_has_a_bundle_and_no_data(visit: Visit, survey: tuple[odk.Trips, bytes], tmp_path: Path):
    trips, text = survey
    first, second = bundle(trips, 10), bundle(trips, 15)
    page = visit()
    page.goto("/review")
    wait_idle(page)
    expect(main(page).get_by_text("What a reviewer can do here")).to_be_visible()

    # what is no bundle, or one that was changed, is refused in words
    give(page, "bomb.zip", bomb())
    expect(main(page).get_by_text("This bundle was not opened")).to_be_visible(timeout=30_000)
    flow = zipfile.ZipFile(io.BytesIO(first)).read("flows.csv").decode().splitlines()[1]
    give(page, "tampered.zip", changed(first, "flows.csv", flow, f"{flow}0"))
    expect(main(page).get_by_text("must not be trusted: flows.csv was changed after writing")).to_be_visible(
        timeout=30_000
    )

    # the bundle: promise, zones on maps, checks
    main(page).get_by_role("button", name="Open another").click()
    give(page, "release.zip", first, page.locator('[data-testid="stPopoverBody"]'))
    page.keyboard.press("Escape")
    expect(main(page).get_by_text("every published cell has at least 10 trips").first).to_be_visible(timeout=30_000)
    manifest = json.loads(zipfile.ZipFile(io.BytesIO(first)).read("manifest.json"))
    tab(page, "Zones")
    maps = main(page).locator(MAP)
    assert drawn(maps.first)
    expect(maps.first).to_have_attribute("aria-label", re.compile(f"Origins.*: {manifest['zones']['origins']} zones"))

    # another rule: 20 instead of 10
    tab(page, "Another rule")
    fails = sum(
        int(row.split(",")[2]) < 20
        for row in zipfile.ZipFile(io.BytesIO(first)).read("flows.csv").decode().splitlines()[1:]
    )
    expect(main(page).get_by_text(f"{fails:,} of {manifest['cells']:,} flows")).to_be_visible(timeout=20_000)
    assert drawn(main(page).locator(MAP).first)
    slide(page, re.compile("At least"), 1)
    expect(main(page).get_by_text("have less than 21 trips")).to_be_visible(timeout=20_000)

    # a second bundle beside it
    tab(page, "Another bundle")
    give(
        page,
        "second.zip",
        second,
        main(page).locator('[data-testid="stTabPanel"], [role="tabpanel"]').filter(visible=True),
    )
    expect(main(page).get_by_role("tab", name="Figures", exact=True)).to_be_visible(timeout=30_000)
    expect(
        main(page).get_by_text(re.compile("same trips|give away|gives away|reaches the threshold")).first
    ).to_be_visible()
    tab(page, "Origins")
    assert drawn(main(page).locator(MAP).filter(visible=True).first)

    # the trips, and with them the full audit by other code
    sidebar(page).get_by_role("radio", name="upload").click()
    wait_idle(page)
    upload(page, "survey.csv", text)
    tab(page, "Checks")
    main(page).get_by_role("button", name="Audit it against these trips").click()
    expect(main(page).get_by_text("byte for byte")).to_be_visible(timeout=120_000)

    # for the file: the report, as a page and as a download
    tab(page, "Report")
    report = page.frame_locator('[data-testid="stIFrame"]').frame_locator("iframe")
    expect(report.get_by_role("heading", name="Release of survey.csv")).to_be_visible(timeout=30_000)
    with page.expect_download() as waiting:
        main(page).get_by_role("button", name="Report").click()
    kept = tmp_path / "report.html"
    waiting.value.save_as(kept)
    assert kept.read_text() == zipfile.ZipFile(io.BytesIO(first)).read("report.html").decode()

    # what was opened stays on the way to another page and back
    go(page, "Methods")
    go(page, "Review")
    expect(main(page).get_by_text("every published cell has at least 10 trips").first).to_be_visible(timeout=30_000)
