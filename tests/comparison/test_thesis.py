"""The tables of 004 in their layout, on a made-up survey."""

import numpy as np
import pandas as pd
import pytest

import odk
from odk.comparison import published, thesis_comparison
from odk.errors import Cancelled, InputError


def survey(n: int = 400, seed: int = 0) -> odk.Trips:
    rng = np.random.default_rng(seed)
    sex, age = rng.choice(["F", "M"], n), rng.choice(["a", "b", "c", "d"], n)
    table = pd.DataFrame(
        {
            "person": range(n),
            "origin_lat": 48.8,
            "origin_lon": 2.3,
            "destination_lat": 48.9,
            "destination_lon": 2.4,
            "sex": sex,
            "age": age,
            "poor": np.where(rng.random(n) < np.where(age == "a", 0.8, 0.3), "yes", "no"),
        }
    )
    return odk.Trips.from_table(table, segments=["sex", "age", "poor"])


@pytest.fixture(scope="module")
def found():
    return thesis_comparison(survey(), syntheses=3)


def test_all_tables_are_there(found):
    assert list(found.tables) == [11, 12, 13, 14, 15, 16, 17, 18, 19, 23]
    assert set(found.titles) == set(found.tables)
    assert (found.sensitive, found.positive, found.columns) == ("poor", "yes", ("sex", "age"))
    assert any("400 persons" in note for note in found.notes)


def test_tables_have_the_layout_and_the_published_figures(found):
    for number in (11, 13):
        table = found.tables[number]
        assert table["k"].tolist() == [2, 5, 10, 15, 20]
        assert table["k_Anonymity"].all()
        assert (table["DM"] >= 400).all()
    assert found.tables[11]["DM, published"].tolist() == [120476, 101178, 96948, 111930, 111930]
    assert found.tables[13]["k_Anonymity, published"].all()
    summary = found.tables[12].set_index("Metric")["Value"]
    assert summary["N"] == 400
    assert summary["n_cells"] == 16
    for number in range(14, 19):
        assert found.tables[number]["Priorn"].tolist() == [0.0, 0.1, 0.5, 1.0]
        assert len(found.tables[number].columns) == 7
    assert found.tables[17]["Average S_pMSE, published"].tolist() == [70.50, 51.60, 68.47, 83.72]
    assert found.tables[19]["IPF, published"].tolist()[:3] == [0.65, 0.52, 0.58]
    assert found.tables[23]["published"].tolist() == [1.131, 0.393]


def test_headlines_are_of_the_tables(found):
    met, distance, right = found.headlines
    assert (met.ours, met.published) == ("5 of 5", "0 of 5")
    noisy, weak = (found.tables[n].set_index("Priorn").loc[0.1, "Average S_pMSE"] for n in (15, 18))
    assert distance.ours == f"{noisy:,.1f} and {weak:,.1f}"
    assert distance.published == "175.2 and 77.7"
    assert right.published == "0.53, 0.58, 0.58"
    assert right.ours.startswith(f"{found.tables[19].loc[2, 'Benchmark']:.2f}, ")
    assert "poor" in right.meaning


def test_more_privacy_is_told_apart_more_easily(found):
    mean = {n: found.tables[n]["Average S_pMSE"].mean() for n in (14, 15, 17)}
    assert mean[14] < mean[17] < mean[15]
    assert 0.4 < mean[14] < 2.0  # nothing but chance


def test_the_classifier_still_sees_poverty(found):
    scores = found.tables[19].set_index("Metric")
    assert scores.loc["Balanced Accuracy", "Benchmark"] > 0.6
    assert scores.loc["Balanced Accuracy on the real records", "IPF"] > 0.55


def test_it_is_repeatable_but_for_times():
    first, again = (thesis_comparison(survey(), syntheses=1).tables for _ in range(2))
    for number in (12, 14, 18, 19):
        pd.testing.assert_frame_equal(first[number], again[number])


def test_it_can_be_stopped():
    def stop(share: float, message: str) -> None:
        if share > 0.1:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        thesis_comparison(survey(), progress=stop)


def test_what_cannot_serve_is_refused():
    with pytest.raises(InputError, match=r"sensitive \(age\) must be a segment column with two values: sex, poor"):
        thesis_comparison(survey(), sensitive="age")
    with pytest.raises(InputError, match="must be segment columns other than poor"):
        thesis_comparison(survey(), columns=["poor"])
    bare = odk.Trips.from_table(survey().table.drop(columns=["sex", "age", "poor"]), segments=[])
    with pytest.raises(InputError, match="must have a segment column with two values"):
        thesis_comparison(bare)


def test_published_tables_are_whole():
    assert {e: len(p) for e, p in published.IPF.items()} == dict.fromkeys([None, 0.2, 0.5, 1.0, 2.0], 4)
    # as % of p1 is the share over 20.47, up to the rounding of both
    for table in published.IPF.values():
        for ru, of_p1, _ in table.values():
            assert of_p1 == pytest.approx(100 * ru / published.SUMMARY["p1"], abs=0.06)
    assert len(published.ATG_DETAIL) == 34
    for name, *_ in published.ATG_SMALL:
        assert name in published.PUBLISHED_NAME.values()
