"""Files that people give: what cannot be used is refused in words, and what was shown before stays."""

import io
import zipfile

from playwright.sync_api import Page, expect

from tests.browser.helpers import drawn, wait_idle
from tests.browser.steps import go, main, metric, sidebar, trips_csv, upload, zones

HEAD = "bike_id,start_lat,start_lon,end_lat,end_lon"


def rows(*values: str, head: str = HEAD, n: int = 60) -> bytes:
    """A file with these rows, again and again."""
    return "\n".join([head, *(values[i % len(values)] for i in range(n))]).encode()


def weighted(weight: str) -> bytes:
    return rows(f"1,41.88,-87.64,41.9,-87.6,{weight}", head=f"{HEAD},weight")


def pdf_in_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("paper.pdf", b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n")
    return out.getvalue()


# What is wrong, in which rows, what to do: words that the refusal must hold.
REFUSED: dict[str, tuple[bytes, list[str]]] = {
    "spaces": (trips_csv(60).replace(b",", b" "), ["Choose below which columns are the ends of a trip"]),
    "paper-pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n" * 20, ["CSV or Parquet", "PDF document"]),
    "packed": (pdf_in_zip(), ["CSV or Parquet", "PDF document"]),
    "broken-zip": (b"PK\x03\x04" + bytes(200), ["cut off or damaged"]),
    "empty": (b"", ["must not be empty"]),
    "header-only": (HEAD.encode(), ["at least one trip", "no rows below its column names"]),
    "half": (
        rows("1,41.88,-87.64", head="bike_id,start_lat,start_lon"),
        ["Choose below", "the destination latitude and the"],
    ),
    "too-far-north": (rows("1,141.88,2.3,200,2.4"), ["out of range: 60", "row 1", "start_lat=141.88", "degrees"]),
    "nothing": (rows("1,nan,nan,nan,nan", "2,,,,"), ["coordinate missing: 60", "row 1"]),
    "huge-weights": (weighted("1e300"), ["weight (total", "4.61e+12", "largest is 1e+300"]),
    "negative": (weighted("-3"), ["weight not positive: 60", "row 1", "weight=-3"]),
}


def test_a_bad_file_is_refused_in_words_and_changes_nothing(page: Page):
    page.goto("/?data=upload")
    wait_idle(page)
    expect(sidebar(page).get_by_text("Showing the demo survey until a file is read")).to_be_visible()
    alert = sidebar(page).locator('[data-testid="stAlert"]').first
    upload(page, "bikes.csv", trips_csv())
    expect(sidebar(page).get_by_text("599 trips, 1 row refused")).to_be_visible(timeout=20_000)
    before = [metric(page, name) for name in ("Zones", "Least trips", "Suppressed")]
    go(page, "Methods")  # the quickest page: files are read on every one
    for name, (content, words) in REFUSED.items():
        upload(page, f"{name}.csv", content)
        expect(alert).to_contain_text("This file was not used", timeout=20_000)
        for word in words:
            expect(alert).to_contain_text(word)
        expect(sidebar(page).get_by_text("599 trips, 1 row refused")).to_be_visible()
        expect(main(page).get_by_text("bikes.csv · 599 trips")).to_be_visible()
    go(page, "Explore")
    assert [metric(page, name) for name in ("Zones", "Least trips", "Suppressed")] == before


def test_files_with_a_fault_are_read_and_the_fault_is_told(page: Page):
    page.goto("/?data=upload&show=data")
    wait_idle(page)
    fine = trips_csv(300)
    for name, content in {"semicolons.csv": fine.replace(b",", b";"), "tabs.csv": fine.replace(b",", b"\t")}.items():
        upload(page, name, content)
        expect(sidebar(page).get_by_text(f"{name}: 299 trips, 1 row refused")).to_be_visible(timeout=20_000)
    # in which row, and what stood there
    page.get_by_text("1 row: coordinate out of range").click()
    shown = main(page).locator('[data-testid="stExpanderDetails"] [data-testid="stDataFrame"]')
    expect(shown).to_be_visible()
    assert [shown.locator(f'[data-testid="glide-cell-{n}-0"]').inner_text() for n in (0, 1)] == ["6", "95"]

    both = ("1,41.88,-87.64,41.9,-87.6,2", "2,41.9,-87.6,41.8,-87.6,-1")
    upload(page, "some-negative.csv", rows(*both, head=f"{HEAD},weight"))
    expect(sidebar(page).get_by_text("30 trips, 30 rows refused")).to_be_visible(timeout=20_000)

    # exchanged coordinates are valid ones: said, and mended by a click
    order = ("bike_id", "start_lon", "start_lat", "end_lon", "end_lat")
    upload(page, "exchanged.csv", fine.replace(HEAD.encode(), ",".join(order).encode(), 1))
    doubt = sidebar(page).get_by_text("latitude and longitude exchanged they lie near Chicago")
    expect(doubt).to_be_visible(timeout=20_000)
    sidebar(page).get_by_role("button", name="Exchange them").click()
    expect(doubt).to_have_count(0, timeout=20_000)
    wait_idle(page)
    expect(sidebar(page).get_by_text("299 trips")).to_be_visible()

    # one trip: no cell of ten can be published, and every page says so instead of failing
    upload(page, "one.csv", "\n".join(fine.decode().splitlines()[:2]).encode())
    expect(sidebar(page).get_by_text("1 trip, 0 rows refused")).to_be_visible(timeout=20_000)
    page.get_by_role("radio", name="map").click()
    expect(main(page).get_by_text("must").first).to_be_visible(timeout=20_000)
    for name in ("Replay", "Algorithms", "Segments", "Trade-offs", "Audit", "Release", "Reproduce"):
        go(page, name)
        assert page.locator('[data-testid="stException"]').count() == 0, name
    expect(page.get_by_role("heading", name="Reproduce")).to_be_visible()


def test_a_good_file_is_shown(page: Page):
    page.goto("/?data=upload")
    wait_idle(page)
    upload(page, "bikes.csv", trips_csv())
    expect(page.get_by_text("synthetic data")).to_have_count(0, timeout=20_000)
    expect(page.get_by_text("Only coarse outlines here")).to_be_visible()
    expect(page.get_by_text("All trips weigh the same")).to_be_visible()
    assert min(zones(page)) >= 1
    assert drawn(page.locator(".twin").first)
