"""The page of the grid: all in one file, nothing from outside, every table and finding in it."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from odk.published import tables
from odk.reproduce.plots import plots
from odk.viz.papers import report
from odk.viz.svg_charts import Series, dot_plot

VOID = {"meta", "br", "line", "rect", "circle", "path"}


class Balance(HTMLParser):
    """Every tag that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(found):
    return report(found)


def test_page_is_whole_and_asks_nothing_from_outside(page):
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert not re.search(r"""(src|href)\s*=|url\(|@import""", page)
    assert {"script", "link", "img", "iframe"}.isdisjoint(parser.tags)


def test_every_table_and_finding_is_on_it(page, found):
    assert all(f"Table {each.number}." in page for each in tables())
    assert all(finding.title in page for finding in found.findings)
    assert page.count("<svg") == 3
    assert "601.8" in page
    assert "N/A" in page


def test_names_are_escaped(found):
    assert "<b>" not in report(replace(found, source="<b>data")).replace("</b>", "")


def test_plots_have_published_and_ours(found):
    size, segments, time = plots(found)
    rows = dict(segments.rows)
    assert rows["men"]["published"] == 4388.3
    assert rows["men"]["centre"] > 2
    assert rows["men"]["lower bound"] <= rows["men"]["centre"]
    assert [label for label, values in size.rows if not values] == ["participants protected", "population protected"]
    assert time.rows[-1][1]["published"] == 7200


def test_dot_plot_places_marks_on_a_logarithmic_axis():
    svg = dot_plot(
        [("a", {"x": 10.0}), ("b", {"x": 1000.0}), ("c", {"x": None})], [Series("x", "#000")], title="t", axis="n"
    )
    root = ET.fromstring(svg)
    marks = [e for e in root if e.tag.endswith("circle")]
    assert len(marks) == 3  # the legend's, a, b
    grid = [float(e.get("x1")) for e in root if e.get("class") == "grid"]
    assert float(marks[1].get("cx")) == grid[0]
    assert float(marks[2].get("cx")) == grid[-1]
    assert "a: x 10" in root.get("aria-label")


def test_dot_plot_on_a_linear_axis_starts_at_zero():
    svg = dot_plot([("a", {"x": 0.0}), ("b", {"x": 7.0})], [Series("x", "#000")], title="t", axis="n", log=False)
    ticks = [e.text for e in ET.fromstring(svg) if e.get("class") == "tick"]
    assert ticks[0] == "0"
    assert float(ticks[-1]) >= 7


def test_dot_plot_without_figures_says_so():
    assert "no figures" in dot_plot([("a", {"x": None})], [Series("x", "#000")], title="t", axis="n")
