"""The analyst's story: her own file, its columns, k by the slider, a trade-off, the audit, the bundle, and its proof."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

import odk
from tests.browser.helpers import ROOT, drawn, wait_idle
from tests.browser.steps import MAP, go, main, metric, pick, sidebar, slide, upload, zones

# Names that no program can guess; a row that cannot be used; groups that make a segment.
COLUMNS = {
    "Origin latitude": "c1",
    "Origin longitude": "c2",
    "Destination latitude": "c3",
    "Destination longitude": "c4",
}
MAPPED = {"origin_lat": "c1", "origin_lon": "c2", "destination_lat": "c3", "destination_lon": "c4", "person": "c0"}


def survey(n: int = 3000) -> str:
    """Trips between four places around Lyon, by 900 people."""
    rng = np.random.default_rng(11)
    homes = np.array([[45.76, 4.84], [45.78, 4.88], [45.73, 4.82], [45.75, 4.92]])
    ends = homes[rng.integers(0, 4, (n, 2))] + rng.normal(0, 0.006, (n, 2, 2))
    lines = [
        f"p{i % 900};{e[0, 0]:.5f};{e[0, 1]:.5f};{e[1, 0]:.5f};{e[1, 1]:.5f};{'day' if i % 3 else 'night'}"
        for i, e in enumerate(ends)
    ]
    lines[41] = "p41;45.7;;45.7;4.8;day"
    return "\n".join(["c0;c1;c2;c3;c4;shift", *lines])


def test_the_analyst_takes_her_file_to_a_bundle_that_stands_a_check(page: Page, tmp_path: Path):
    data = tmp_path / "rides.csv"
    data.write_text(survey())
    page.goto("/")
    wait_idle(page)

    # her file: columns by hand, one row refused and shown
    sidebar(page).get_by_role("radio", name="upload").click()
    page.wait_for_timeout(300)
    wait_idle(page)
    upload(page, "rides.csv", data.read_bytes())
    expect(sidebar(page).get_by_text("This file was not used")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("synthetic data").first).to_be_visible()
    for label, column in (COLUMNS | {"Person": "c0"}).items():
        pick(page, label, column)
    expect(sidebar(page).get_by_text("2,999 trips, 1 row refused")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("synthetic data")).to_have_count(0)
    expect(main(page).get_by_text("rides.csv · 2,999 trips")).to_be_visible()
    assert drawn(page.locator(MAP).first)

    # k by the slider: coarser zones, larger cells
    fine = zones(page)
    slide(page, re.compile("k: the least"), 5)
    expect(page.locator('[data-testid="stMetric"]', has_text="Least trips")).to_contain_text(
        "at least 15", timeout=20_000
    )
    wait_idle(page)
    assert int(metric(page, "Least trips")) >= 15
    assert zones(page) <= fine

    # a point of the trade-off is adopted
    go(page, "Trade-offs")
    cell = page.locator('path[aria-label*="k: 20"][aria-label*="budget: 5%"]').first
    cell.wait_for(state="attached", timeout=20_000)
    page.wait_for_timeout(500)
    cell.click(force=True)
    page.wait_for_url("**k=20*", timeout=30_000)
    wait_idle(page)
    expect(main(page).get_by_text("now at least 20 trips in each cell, budget 5%")).to_be_visible(timeout=20_000)

    # the audit, from the trips again; differences between her segments
    go(page, "Audit")
    expect(main(page).get_by_text("promised checks hold").first).to_be_visible(timeout=30_000)
    expect(main(page).get_by_text("at least 20 trips").first).to_be_visible()
    page.get_by_role("tab", name="Between releases").click()
    expect(main(page).get_by_text(re.compile("gives away|reaches the threshold")).first).to_be_visible(timeout=60_000)
    page.get_by_text("one common zoning").first.click()
    expect(main(page).get_by_text("is zero or reaches the threshold").first).to_be_visible(timeout=60_000)

    # the bundle
    go(page, "Release")
    assert "k=20" in page.url  # settings survive the change of page
    assert "budget=5" in page.url
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the bundle").click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    assert path.name == "rides-participants-k20-release.zip"

    # its proof: by the engine, and by the command line
    found = odk.verify(path, odk.read_trips(data, columns=MAPPED))
    assert found.passed, found.findings
    assert found.bundle.thresholds == {"trips": 20}
    assert found.bundle.manifest["synthetic"] is False
    command = [sys.executable, "-m", "odk", "verify", str(path), "--input", str(data)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
