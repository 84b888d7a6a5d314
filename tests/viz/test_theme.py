"""Numbers as people read them; colours that can be told apart."""

import itertools
import math

import pytest

import odk
from odk.viz import theme
from odk.viz.chart_theme import chart_theme


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.00"),
        (5.98, "5.98"),
        (9.996, "10.0"),
        (37.57, "37.6"),
        (584.21, "584.2"),
        (999.96, "1,000"),
        (49624.4, "49,624"),
        (999_999.4, "999,999"),
        (999_999.6, "1.0 × 10⁶"),
        (54_321_000, "5.4 × 10⁷"),
        (-54_321_000, "-5.4 × 10⁷"),
        (0.00012, "1.2 × 10⁻⁴"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_figure(value, text):
    assert theme.figure(value) == text


def test_counts_lengths_and_shares():
    assert theme.count(81291) == "81,291"
    assert theme.count(None) == "–"
    assert theme.metres(933.9) == "933.9 m"
    assert theme.metres(12_345) == "12.3 km"
    assert theme.percent(0.0999) == "10.0%"
    assert theme.percent(0) == "0.0%"
    assert theme.percent(0.0001) == "<0.1%"  # a trace is not nothing
    assert theme.percent(math.inf) == "–"
    assert theme.measure("population", 26742) == "26,742 weighted trips (population)"


def test_scientific_rounds_into_the_next_power():
    assert theme.scientific(9.99e6) == "1.0 × 10⁷"
    assert theme.scientific(0) == "0"


def luminance(colour: theme.Colour) -> float:
    """Relative luminance (WCAG 2)."""
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: theme.Colour, b: theme.Colour) -> float:
    bright, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_is_readable_and_ramps_go_one_way(mode):
    p = theme.palette(mode)
    assert p.mode == mode
    assert contrast(p.text, p.background) >= 7
    assert contrast(p.faint, p.background) >= 4.5
    assert contrast(p.participants, p.background) >= 3
    assert contrast(p.population, p.background) >= 3
    for ramp in p.ramps.values():
        away = [contrast(colour, p.background) for colour in ramp]
        assert away == sorted(away)  # much differs most from the ground
        assert all(abs(luminance(a) - luminance(b)) > 0.004 for a, b in itertools.pairwise(ramp))


def test_an_unknown_mode_is_light():
    assert theme.palette(None) is theme.LIGHT
    assert chart_theme("dark")["config"]["axis"]["titleColor"] == theme.hexcode(theme.DARK.text)


def test_nouns_and_rules_in_words():
    assert theme.counted(1, "row") == "1 row"
    assert theme.counted(1200, "row") == "1,200 rows"
    both = odk.Protection(trips=10, population=26742.0)
    assert theme.broken(both) == "less than 10 trips or 26,742 weighted trips"
    assert theme.rule(both) == "at least 10 trips and 26,742 weighted trips in each cell"
