"""The toy matrix, worked out by hand."""

import pandas as pd
import pytest

import odk
from odk.methods import TOY_ALGORITHMS, play, toy_table
from odk.viz import toy as tables


def test_one_merge_is_enough_at_a_fifth():
    """k = 10. At the start 12, 15 and 11 reach it; 34 of 72 trips do not: 47%.

    The cheapest merge of origins is B1 + B2 (17 + 17 = 34 trips against 16 + 22 = 38). Then B to B1 holds 9 + 5 = 14 and
    B to B2 6 + 11 = 17; what is left too small is 3 + 1 + 4 + 2 + 1 (rows A) + 1 + 2 (row B) = 14 of 72: 19.4%.
    G = (2·12 + 2·15 + 3·14 + 3·17) / 58 = 147 / 58.
    """
    made = play(toy_table(), 10, 0.20, "odkanon-late")
    assert made.error == ""
    assert made.publishable.to_numpy().sum() == 3
    assert made.suppressed == pytest.approx(14 / 72)
    assert made.g == pytest.approx(147 / 58)
    assert [(m.axis, m.group, m.into, m.failing, m.least) for m in made.merges] == [
        ("origins", ("B1", "B2"), "B", 7, 1)
    ]
    assert made.zones.loc["B1"].tolist() == ["", "", "B to B1", "B to B2"]
    flows = {(r.origin, r.destination): r.trips for r in made.published.itertuples()}
    assert flows == {("A1", "A1"): 12, ("A2", "A2"): 15, ("B", "B1"): 14, ("B", "B2"): 17}


def test_without_a_budget_everything_is_published_coarser():
    made = play(toy_table(), 10, 0.0, "twincut")
    assert made.error == ""
    assert made.published["trips"].sum() == 72
    assert (made.zones.to_numpy() != "").sum() == 13  # three pairs are empty


@pytest.mark.parametrize("name", TOY_ALGORITHMS)
def test_every_algorithm_plays_and_keeps_its_promise(name):
    made = play(toy_table(), 10, 0.25, name)
    assert made.error == ""
    assert (made.published["trips"] >= 10).all()
    assert made.bound <= made.g + 1e-9
    published = sum(made.trips.loc[o, d] for o in made.trips.index for d in made.trips if made.zones.loc[o, d])
    assert published == made.published["trips"].sum()


def test_what_cannot_be_met_is_said():
    made = play(toy_table(), 40, 0.0, "suppression")
    assert "nothing reaches" in made.error
    assert made.g is None
    assert made.published.empty
    empty = play(toy_table([[0] * 4] * 4), 2)
    assert "at least one row" in empty.error
    with pytest.raises(odk.InputError, match="below 0"):
        play(toy_table().replace(12, -1), 2)


def test_a_cell_that_was_emptied_counts_as_zero():
    trips = toy_table().astype("Int64")
    trips.loc["A1", "A1"] = pd.NA
    assert play(trips, 10, 0.5).trips.loc["A1", "A1"] == 0


def test_tables_show_zones_and_leave_blank_what_is_not_published():
    made = play(toy_table(), 10, 0.20)
    html = tables.zones_table(made).to_html()
    assert "B to B1: 14" in html
    assert html.count("to") == 6  # two single cells, two cells of two pairs
    shown = tables.input_table(made, "dark").to_html()
    assert ">12<" in shown
    assert ">0<" not in shown
