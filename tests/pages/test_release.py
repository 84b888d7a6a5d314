"""Release: the bundle is the engine's own, nothing unguarded is in it, and what is unsafe stays shut."""

import pytest
from streamlit.testing.v1 import AppTest

import odk
from tests.pages.conftest import ROOT

PAGE = str(ROOT / "pages" / "release.py")


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.query_params["area"] = "centre"
    app.query_params["resolution"] = "9"
    app.switch_page(PAGE)
    return app


def bundles(app: AppTest) -> list[odk.Bundle]:
    return [value for key, value in app.session_state["_results"].items() if key[0] == "bundle"]


def download(app: AppTest, label: str):
    return next(button for button in app.get("download_button") if button.proto.label.startswith(label))


def test_a_safe_release_is_offered_and_a_script_can_make_it_again(page):
    page.run()
    assert not page.exception
    assert any("promised checks hold" in box.value for box in page.success)
    (bundle,) = bundles(page)
    assert not download(page, "Download the bundle").proto.disabled
    assert bundle.columns == ("origin", "destination", "trips")
    found = odk.verify(bundle.to_bytes(), odk.demo_survey())
    assert found.passed, found.findings  # the recipe makes the same bundle again, byte for byte
    shown = next(frame.value for frame in page.dataframe if "origin" in frame.value)
    assert list(shown.columns) == ["origin", "destination", "trips"]
    assert page.code[-1].value.strip() == bundle.recipe.to_toml().strip()


def test_rounding_is_applied_and_stated(page):
    page.query_params["target"] = "population"
    page.run()
    page.segmented_control(key="round_population").set_value(1000).run()
    assert not page.exception
    bundle = bundles(page)[-1]
    assert bundle.manifest["rounding"] == {"population": 1000}
    assert (bundle.flows["population"] % 1000 == 0).all()
    assert bundle.recipe.population_k == 10
    assert odk.verify(bundle.to_bytes(), odk.demo_survey()).passed


def test_noise_is_not_bundled(page):
    page.query_params["algorithm"] = "laplace"
    page.query_params["resolution"] = "7"
    page.run()
    assert not page.exception
    assert any("Shut" in error.value and "k-anonymous" in error.value for error in page.error)
    assert download(page, "Download the bundle").proto.disabled


def test_what_cannot_be_made_is_shut_too(page):
    page.query_params["k"] = "900000"
    page.run()
    assert not page.exception
    assert any("Shut" in error.value for error in page.error)
    assert download(page, "Download the bundle").proto.disabled
