"""Reproduce: published tables at once, ours beside them after a run in the background."""

import time

import pytest
from streamlit.testing.v1 import AppTest

import odk
from tests.pages.conftest import ROOT
from tests.reproduce.conftest import town


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.session_state["_uploaded"] = odk.Trips.from_table(town(300), segments=["sex", "age"], source="a town")
    app.query_params["data"] = "upload"
    app.switch_page(str(ROOT / "pages" / "reproduce.py"))
    app.run()
    assert not app.exception
    return app


def shown(app: AppTest):
    return app.dataframe[0].value


def test_published_first_then_ours(page):
    table = shown(page)
    assert table[("G", "published")].tolist() == ["601.8", "6,807.6", "6,869.0", "–"]
    assert ("G", "ours") not in table
    page.segmented_control(key="part-False").set_value("Findings").run()
    assert any("What the papers found" in m.value for m in page.markdown)
    assert list(page.table[0].value.columns) == ["finding", "published"]
    page.button(key="reproduce").click().run()
    assert not page.exception
    end = time.monotonic() + 240
    while not any("none failed" in m.value for m in page.markdown):
        assert time.monotonic() < end
        time.sleep(0.5)
        page.run()
    assert not page.exception
    findings = page.table[0].value
    assert len(findings) == 7
    assert findings["on all loaded trips"].str.contains("badge").all()
    for part in ("Plots", "Where code and papers differ", "Tables"):
        page.segmented_control(key="part-True").set_value(part).run()
        assert not page.exception
    assert "–" not in shown(page)[("G", "ours")].tolist()
    page.segmented_control(key="paper").set_value("thesis").run()
    page.selectbox(key="table-thesis").select_index(2).run()  # 5.3, Turin
    assert any("do not lie in Turin" in i.value for i in page.info)
    page.pills(key="sources-1").set_value([]).run()
    assert not page.exception
    assert shown(page)[("G", "published")].iloc[0] == "280.1"


def test_cancel_leaves_the_button(page):
    page.button(key="reproduce").click().run()
    assert not any(b.key == "reproduce" for b in page.button)
    page.button(key="cancel-0").click().run()
    assert not page.exception
    assert any(b.key == "reproduce" for b in page.button)
