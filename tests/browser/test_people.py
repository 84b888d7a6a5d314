"""What everybody may expect: pages by their address, settings that last, recipes, a keyboard, no WebGL, and no neighbours."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import odk
from odk.recipe import Recipe
from tests.browser.helpers import FLAGS, chromium_path, drawn, wait_idle, watch
from tests.browser.steps import MAP, PAGES, Visit, go, main, metric, sidebar, trips_csv, upload

RED = '[data-testid="stException"], [data-testid="stAlertContentError"], [data-testid="stErrorElement"]'
MAPS = {"/": ".twin", "/replay": ".twin", "/algorithms": MAP, "/audit": MAP}


@pytest.mark.parametrize("address", PAGES)
def test_every_page_opens_by_its_address(page: Page, address: str):
    page.goto(f"{address}?area=centre&resolution=8&k=12")
    expect(page.get_by_role("heading", name=PAGES[address], exact=True, level=1)).to_be_visible(timeout=60_000)
    wait_idle(page, 120)
    expect(page.get_by_text("synthetic data").first).to_be_visible()
    expect(page.get_by_label("Trips", exact=True)).to_have_value("12")
    page.wait_for_timeout(300)  # charts are drawn, or fail, after the script has ended
    red = main(page).locator(RED).all_inner_texts()
    assert [words for words in red if "budget" not in words] == []  # an algorithm may say that it cannot keep it
    if address in MAPS:
        assert drawn(page.locator(MAPS[address]).first)


def test_settings_of_every_kind_survive_pages_and_a_reload(page: Page):
    page.goto("/")
    wait_idle(page)
    sidebar(page).get_by_role("radio", name="centre").click()
    page.get_by_label("Trips", exact=True).fill("14")
    page.get_by_label("Trips", exact=True).press("Enter")
    page.wait_for_url("**k=14*", timeout=20_000)
    wait_idle(page)
    sidebar(page).get_by_role("combobox", name="Target").click()
    page.get_by_role("option", name="population").click()
    page.wait_for_url("**target=population*", timeout=20_000)
    wait_idle(page)
    sidebar(page).get_by_role("combobox", name="Algorithm").click()
    page.get_by_role("option", name="odkanon-late").click()
    page.wait_for_url("**algorithm=odkanon-late*", timeout=20_000)
    wait_idle(page)
    before = [metric(page, label) for label in ("Zones", "Suppressed", "G (population)")]
    address = page.url
    for name in ("Release", "Methods", "Explore"):
        go(page, name)
        assert page.url.partition("?")[2] == address.partition("?")[2]
    page.reload()
    wait_idle(page)
    assert [metric(page, label) for label in ("Zones", "Suppressed", "G (population)")] == before
    assert page.url == address


def test_an_upload_is_forgotten_by_a_reload_and_that_is_said(page: Page):
    page.goto("/methods?data=upload")
    wait_idle(page)
    upload(page, "bikes.csv", trips_csv())
    expect(main(page).get_by_text("bikes.csv · 599 trips")).to_be_visible(timeout=20_000)
    go(page, "Release")
    expect(main(page).get_by_text("bikes.csv · 599 trips")).to_be_visible(timeout=20_000)
    page.reload()
    wait_idle(page)
    expect(sidebar(page).get_by_text("after a reload, choose it again")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("synthetic data").first).to_be_visible()  # what is shown instead is named
    expect(page.get_by_text("bikes.csv")).to_have_count(0)


def test_two_users_with_files_of_their_own_see_nothing_of_each_other(visit: Visit):
    """On every page, in downloads, in a background job: two files with the same name and size of row, at once."""
    people = {"alice": (trips_csv(500, seed=1), "499 trips"), "bob": (trips_csv(400, seed=2), "399 trips")}
    pages = {}
    for name, (content, size) in people.items():
        pages[name] = page = visit()
        page.goto("/?data=upload&resolution=8")
        wait_idle(page)
        upload(page, f"{name}.csv", content)
        expect(main(page).get_by_text(f"{name}.csv · {size}")).to_be_visible(timeout=20_000)
    figures = {name: metric(page, "Zones", "Delta") + metric(page, "Suppressed") for name, page in pages.items()}
    assert len(set(figures.values())) == 2
    for title in [title for title in PAGES.values() if title not in ("Explore", "Reproduce")]:
        for page in pages.values():  # one after the other, as both would
            page.get_by_role("link", name=title, exact=True).first.click()
        for name, page in pages.items():
            expect(page.get_by_role("heading", name=title, exact=True, level=1)).to_be_visible(timeout=60_000)
            wait_idle(page, 120)
            other = next(o for o in people if o != name)
            expect(main(page).get_by_text(f"{name}.csv · {people[name][1]}")).to_be_visible()
            assert f"{other}.csv" not in page.content()
            if title == "Algorithms":  # a job in the background, started by one of them: the other is still offered it
                offer = page.get_by_role("button", name="Glove by scikit-learn")
                expect(offer).to_be_visible(timeout=20_000)
                if name == "alice":
                    offer.click()
                    expect(offer).to_have_count(0, timeout=20_000)
            if title == "Release":
                with page.expect_download() as waiting:
                    page.get_by_role("button", name="Download the bundle").click()
                assert waiting.value.suggested_filename.startswith(f"{name}-")
                found = odk.verify(waiting.value.path(), odk.read_trips(people[name][0], name=f"{name}.csv"))
                assert found.passed
    for name, page in pages.items():
        go(page, "Explore")
        assert metric(page, "Zones", "Delta") + metric(page, "Suppressed") == figures[name]


def test_a_recipe_is_saved_loaded_by_somebody_else_and_undone(visit: Visit, tmp_path: Path):
    page = visit()
    page.goto("/methods?area=centre&resolution=8&k=17&budget=7&target=population&algorithm=odkanon-late")
    wait_idle(page)
    page.get_by_role("button", name="Recipe", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save these settings").click()
    kept = tmp_path / "own.toml"
    waiting.value.save_as(kept)
    assert Recipe.from_toml(kept.read_text()).population_k == 17
    other = visit()
    other.goto("/methods")
    wait_idle(other)
    other.get_by_role("button", name="Recipe", exact=True).click()
    chooser = other.locator('[data-testid="stPopoverBody"] input[type="file"]')
    chooser.set_input_files(str(kept))
    expect(other.get_by_text("Settings of own.toml are in use")).to_be_visible(timeout=20_000)
    wait_idle(other)
    for part in ("area=centre", "k=17", "budget=7", "target=population", "algorithm=odkanon-late", "resolution=8"):
        assert part in other.url
    expect(other.get_by_label("Trips", exact=True)).to_have_value("17")
    other.keyboard.press("Escape")
    other.get_by_role("button", name="Undo").click()
    expect(other.get_by_label("Trips", exact=True)).to_have_value("10", timeout=20_000)
    wait_idle(other)
    assert "k=17" not in other.url
    chooser_words = b"apples = 3"
    other.get_by_role("button", name="Recipe", exact=True).click()
    bad = {"name": "bad.toml", "mimeType": "text/plain", "buffer": chooser_words}
    other.locator('[data-testid="stPopoverBody"] input[type="file"]').set_input_files(bad)  # type: ignore[arg-type]
    expect(other.get_by_text("This file was not used")).to_be_visible(timeout=20_000)
    expect(other.get_by_label("Trips", exact=True)).to_have_value("10")


def test_the_keyboard_reaches_what_the_mouse_does(page: Page):
    page.goto("/?area=centre&resolution=8")
    wait_idle(page)
    expect(page.locator(".twin")).to_have_attribute("aria-label", re.compile("zones"))
    look = """() => {
        let at = document.activeElement;
        while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
        return `${at.getAttribute('aria-label') || at.labels?.[0]?.innerText || ''}|${at.getAttribute('role') || at.tagName}`;
    }"""
    reached: list[str] = []
    page.locator("body").press("Tab")
    for _ in range(60):
        reached.append(page.evaluate(look))
        if "Zone|" in reached[-1]:
            break
        page.keyboard.press("Tab")
    words = " ".join(reached)
    assert "k: the least" in words
    assert "Suppression budget" in words
    assert reached[-1].startswith("Zone|"), reached
    # the zone is chosen with the keyboard alone
    page.keyboard.press("ArrowDown")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("Enter")
    expect(main(page).get_by_text(re.compile("flows out|finer zones")).first).to_be_visible(timeout=20_000)


def test_without_webgl_every_map_is_a_sentence_and_a_table(browser: Browser, app_url: str):
    flags = [flag for flag in FLAGS if not re.search("swiftshader|gl=|blocklist", flag)]
    off = ["--disable-gpu", "--disable-webgl", "--disable-webgl2", "--disable-3d-apis", "--disable-software-rasterizer"]
    plain = browser.browser_type.launch(executable_path=chromium_path(), args=[*flags, *off])
    try:
        page = watch(plain.new_page(viewport={"width": 1440, "height": 900}, base_url=app_url), app_url)
        page.goto("/?area=centre&resolution=8&algorithm=odkanon-late")
        assert page.evaluate("() => document.createElement('canvas').getContext('webgl2')") is None
        for name in ("Explore", "Replay", "Algorithms", "Audit", "Review"):
            go(page, name)
            if name == "Review":
                page.get_by_role("button", name="Take the current release").click()
            expect(page.get_by_text("This browser draws no maps")).to_be_visible(timeout=30_000)
            wait_idle(page)
            expect(main(page).locator('[data-testid="stDataFrame"]').filter(visible=True).last).to_be_visible(
                timeout=20_000
            )
        assert page.problems == []  # type: ignore[attr-defined]
    finally:
        plain.close()
