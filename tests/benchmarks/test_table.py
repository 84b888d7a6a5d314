"""The results table: figures for people, whole numbers kept whole."""

import pandas as pd
import pytest

from benchmarks.table import cell, markdown


@pytest.mark.parametrize(
    ("value", "text"),
    [(81291, "81,291"), (5.4321, "5.43"), (0.01234, "0.0123"), (12345.6, "12,346"), (True, "yes"), (float("nan"), "")],
)
def test_figures_are_for_people(value, text):
    assert cell(value) == text


def test_a_table_keeps_whole_numbers_beside_fractions():
    table = pd.DataFrame({"case": ["a|b", "c"], "zones": [1200, 3], "seconds": [0.5, float("nan")]})
    assert markdown(table) == (
        "| case | zones | seconds |\n| --- | --: | --: |\n| a\\|b | 1,200 | 0.5 |\n| c | 3 |  |\n"
    )
