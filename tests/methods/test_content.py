"""The texts of the Methods page keep up with what there is."""

import re

import pytest

from odk import algorithms
from odk.glossary import TERMS
from odk.methods import algorithm_texts, levels_table, metric_texts, related_systems
from odk.metrics import KEYS


def test_every_algorithm_is_told_of_and_no_other():
    assert list(algorithm_texts()) == algorithms.names()


def test_every_metric_is_told_of():
    told = set(metric_texts())
    assert told <= set(TERMS)
    one_text = {"gdm_median": "gdm_mean", "gdm_std": "gdm_mean", "column_error": "row_error"}  # told together
    assert {one_text.get(key, key) for key in [*KEYS, *TERMS]} == told


@pytest.mark.parametrize("text", [*algorithm_texts().values(), *metric_texts().values()], ids=lambda t: t.words[:20])
def test_words_are_sentences_and_formulas_balanced(text):
    for words in (text.words, text.limits):
        assert words[0].isupper() or words[0] == "ε"
        assert words.endswith(".")
    formula = re.sub(r"\\[{}|]", "", text.formula)  # \{ is a sign, not a group
    assert formula.count("{") == formula.count("}")
    assert text.formula.count(r"\left") == text.formula.count(r"\right")
    assert text.formula.count(r"\bigl") == text.formula.count(r"\bigr")
    assert text.formula.count(r"\Bigl") == text.formula.count(r"\Bigr")


def test_saturation_of_e_is_told():
    assert "saturates at 2" in metric_texts()["e"].limits


def test_related_systems_say_why_not():
    assert len(related_systems()) >= 7
    assert all(system.why.endswith(".") for system in related_systems())


def test_levels_agree_with_the_papers_table():
    """Table 1 of the report: cells of levels 0, 4, 10 and 15, and the areas of levels 4 and 10."""
    rows = levels_table().set_index("level")
    assert rows["cells on Earth"].loc[[0, 4, 10, 15]].tolist() == [122, 288_122, 33_897_029_882, 569_707_381_193_162]
    assert rows["area (km²)"].loc[4] == pytest.approx(1770.347654491)
    assert rows["area (km²)"].loc[10] == pytest.approx(0.015047502)
    assert rows.index[rows["in the papers"]].tolist() == [4, 5, 6, 7, 8, 9, 10]
