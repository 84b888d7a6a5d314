"""Review: a bundle without its data; another rule, another bundle, the audit; a hostile file changes nothing."""

import io
import time
import zipfile
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

import odk
from odk.export import make_bundle
from tests.pages.conftest import ROOT

PAGE = str(ROOT / "pages" / "review.py")


@pytest.fixture(scope="module")
def bundle() -> odk.Bundle:
    trips = odk.demo_survey().within(odk.CENTRE, resolution=8)
    release = odk.anonymise(odk.ODMatrix.from_trips(trips, 8), odk.Protection(trips=10), "odkanon-late")
    recipe = odk.Recipe.of(release, area=tuple(odk.CENTRE), audit=odk.AuditOptions())
    asked = recipe.audit_options(odk.ODMatrix.from_trips(odk.demo_survey(), 8))
    return make_bundle(release, odk.audit(release, trips, release.protection, asked), recipe=recipe)


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.query_params["area"] = "centre"
    app.query_params["resolution"] = "8"
    app.switch_page(PAGE)
    app.run()
    assert not app.exception
    return app


def give(app: AppTest, name: str, content: bytes, slot: str = "first") -> None:
    app.file_uploader(key=f"bundle-{slot}").set_value((name, content, "application/zip")).run()
    assert not app.exception


def open_tab(app: AppTest, name: str) -> None:
    app.session_state["review-tab"] = name
    app.run()
    assert not app.exception


def html(app: AppTest) -> str:
    return " ".join(block.proto.body for block in app.get("html"))


def figures(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def test_a_bundle_is_seen_and_checked_without_its_data(page, bundle):
    assert "What a reviewer can do here" in [m.value.strip("*") for m in page.markdown]
    give(page, "from-office.zip", bundle.to_bytes())
    assert any("from-office.zip" in box.value and "at least 10 trips" in box.value for box in page.success)
    assert figures(page)["Flows"] == f"{len(bundle.flows):,}"
    assert figures(page)["Least trips"] == "10"
    open_tab(page, "Checks")
    assert all(
        check.sentence in html(page) for check in odk.verify(bundle.to_bytes()).checks if "'" not in check.sentence
    )
    open_tab(page, "Another rule")
    failing = (bundle.flows["trips"] < 20).sum()
    assert any(f"**{failing:,} of {len(bundle.flows):,} flows**" in text.value for text in page.markdown)


def test_the_trips_at_hand_confirm_it(page, bundle):
    give(page, "a.zip", bundle.to_bytes())
    open_tab(page, "Checks")
    page.button(key="verify").click().run()
    end = time.monotonic() + 120
    while "full audit" not in html(page).lower() and time.monotonic() < end:
        time.sleep(0.3)
        page.run()
    assert not page.exception
    assert "The recipe makes the same bundle of these trips, byte for byte." in html(page)


def bomb(good: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in ("flows.csv", "zones.geojson", "manifest.json", "report.html"):
            made.writestr(name, b"0" * 300_000_000)
    return out.getvalue()


def traversal(good: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("../../etc/passwd", "x")
    return out.getvalue()


def one_digit(good: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(out, "w") as made:
        for name in old.namelist():
            text = old.read(name)
            made.writestr(name, text.replace(b",10\n", b",11\n", 1) if name == "flows.csv" else text)
    return out.getvalue()


@pytest.mark.parametrize("hostile", [bomb, traversal, lambda good: b"not a zip", lambda good: b""])
def test_a_hostile_file_is_refused_and_nothing_else_changes(page, bundle, hostile: Callable[[bytes], bytes]):
    give(page, "good.zip", bundle.to_bytes())
    before = figures(page)
    give(page, "bad.zip", hostile(bundle.to_bytes()))
    assert any("was not opened" in box.value and "stays open" in box.value for box in page.error)
    assert any("good.zip" in box.value for box in page.success)
    assert figures(page) == before


def test_a_changed_digit_is_not_trusted(page, bundle):
    give(page, "changed.zip", one_digit(bundle.to_bytes()))
    assert any("must not be trusted" in box.value for box in page.error)


def test_two_bundles(page, bundle):
    give(page, "first.zip", bundle.to_bytes())
    open_tab(page, "Another bundle")
    page.button(key="own-second").click().run()  # the same settings: the same bundle, but for its audit
    assert not page.exception
    page.number_input(key="k").set_value(25).run()
    page.button(key="own-second").click().run()
    assert not page.exception
    table = next(frame.value for frame in page.dataframe if "figure" in frame.value).set_index("figure")
    assert table.loc["promise"].tolist() == [
        "every published cell has at least 10 trips",
        "every published cell has at least 25 trips",
    ]
    assert any(box.label == "How their trips relate" and box.value == "same" for box in page.selectbox)
