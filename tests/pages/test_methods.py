"""Methods: the toy matrix follows its controls; every algorithm has its text and options."""

import pytest
from streamlit.testing.v1 import AppTest

import odk
from tests.pages.conftest import ROOT


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.query_params["resolution"] = "7"
    app.switch_page(str(ROOT / "pages" / "methods.py"))
    app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return " ".join(m.value for m in app.markdown)


def test_toy_follows_k_budget_and_algorithm(page):
    assert "4 cells, 19.4% suppressed, G 2.53" in said(page)
    assert "B1 + B2 → **B**" in said(page)
    page.slider(key="toy-k").set_value(40)
    page.slider(key="toy-budget").set_value(0)
    page.selectbox(key="toy-algorithm").set_value("suppression").run()
    assert not page.exception
    assert any("nothing reaches" in e.value for e in page.error)


def test_every_algorithm_can_be_read_about(page):
    for name in ("laplace", "odkanon", "suppression"):
        page.pills(key="method").set_value(odk.algorithms.get(name).title).run()
        assert not page.exception
        assert odk.algorithms.get(name).title in [s.value for s in page.subheader]
    options = [t.value for t in page.table]
    assert any("why not here" in t.columns for t in options)
    assert any("effect" in t.columns for t in options)
    formulas = set()
    for group in page.segmented_control(key="metrics").options:
        page.segmented_control(key="metrics").set_value(group).run()
        assert not page.exception
        formulas |= {formula.value for formula in page.latex}
    assert len(formulas) == 1 + 12  # that of the algorithm, and one a metric
