"""Tables 3, 4, 6 and figure 12 of 001, and the trade-off, on small matrices; their charts."""

import h3
import numpy as np
import pandas as pd
import pytest

import odk
from odk.comparison import (
    Comparison,
    daily_matrices,
    in_words,
    misplaced,
    privacy_utility,
    solver_comparison,
    survey_comparison,
)
from odk.comparison.atg import SOLVERS
from odk.errors import Cancelled, InputError
from odk.viz.comparison import figure_12, tradeoff_chart, written
from tests.algorithms.test_ipf_dp import LEAVES, town


@pytest.fixture(scope="module")
def found() -> Comparison:
    small = {"a": matrix(0), "b": matrix(1)}
    return solver_comparison({"town": small, "city": {"all": matrix(2, 900)}}, big=("city",))


def matrix(seed: int, n: int = 500) -> odk.ODMatrix:
    return odk.ODMatrix.from_trips(town(n, seed), resolution=9)


def test_every_solver_is_in_the_tables(found):
    assert found.view == "participants"
    assert len(found.runs) == 3 * len(SOLVERS)
    assert found.table_3["solver"].tolist() == list(SOLVERS)
    assert found.table_4["solver"].tolist() == list(SOLVERS)
    three = found.table_3.set_index("solver")
    assert three.loc["glove", "G, published"] == 18.70
    assert three.loc["laplace", "S, published"] == -1.7092
    assert np.isnan(three.loc["laplace", "G"])
    assert np.isnan(three.loc["suppression", "G"])
    assert three.loc["suppression", "E"] == pytest.approx(three.loc["suppression", "S"])
    six = found.table_6
    assert six[six["source"] == "odk"]["dataset"].unique().tolist() == ["town", "city"]
    assert len(six[six["source"] == "published"]) == 34


def test_means_are_means_over_matrices(found):
    runs = found.runs
    here = runs[(runs["dataset"] == "town") & (runs["solver"] == "glove")]
    row = found.table_3.set_index("solver").loc["glove"]
    assert row["G"] == pytest.approx(here["g"].mean())
    assert row["time (s)"] == pytest.approx(here["seconds"].sum())


def test_ratios_are_over_atg_dual(found):
    ratios, runs = found.ratios, found.runs.set_index(["dataset", "matrix", "solver"])
    assert "atg-dual" not in set(ratios["solver"])
    assert not {"laplace", "suppression"} & set(ratios["solver"])
    row = ratios[(ratios["solver"] == "oigh") & (ratios["metric"] == "g") & (ratios["matrix"] == "b")].iloc[0]
    wanted = runs.loc[("town", "b", "oigh"), "g"] / runs.loc[("town", "b", "atg-dual"), "g"]
    assert row["ratio"] == pytest.approx(wanted)


def test_a_solver_that_refuses_says_why():
    found = solver_comparison({"t": {"a": matrix(0)}}, solvers=["glove"], options={"glove": {"max_pairs": 3}})
    assert "must not exceed max_pairs" in found.runs["error"].iloc[0]
    assert found.runs["g"].isna().all()
    with pytest.raises(InputError, match=r"big \(x\) must be one of the data sets: t"):
        solver_comparison({"t": {}}, big=("x",))


def test_one_matrix_a_day():
    trips = town(300)
    times = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.arange(300) // 100, unit="D")
    dated = odk.Trips.from_table(trips.table.assign(start_time=times), segments=["sex"])
    days = daily_matrices(dated, resolution=9)
    assert list(days) == ["2024-03-01", "2024-03-02", "2024-03-03"]
    assert all(m.total_trips == 100 for m in days.values())
    assert list(daily_matrices(trips, resolution=9)) == ["F", "M"]
    bare = odk.Trips.from_table(trips.table[["origin", "destination"]], segments=[])
    assert daily_matrices(bare, resolution=9)["all"].total_trips == 300


def test_a_survey_is_its_days_and_all_its_trips():
    trips = town(600)
    times = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.arange(600) // 200, unit="D")
    dated = odk.Trips.from_table(trips.table.assign(start_time=times), segments=["sex"])
    said = []
    quick = survey_comparison(dated, resolution=9, quick=True, progress=lambda share, words: said.append(words))
    runs = quick.runs.groupby("dataset", sort=False)["matrix"].unique()
    assert {name: len(labels) for name, labels in runs.items()} == {"days": 2, "all trips": 1}
    assert quick.big == ("all trips",)
    assert set(SOLVERS) - set(quick.runs["solver"]) == {"glove-sk"}
    assert said[0] == "counting"
    by_sex = survey_comparison(trips, resolution=9)
    assert by_sex.runs["dataset"].unique().tolist() == ["sex", "all trips"]
    assert set(by_sex.runs["solver"]) == set(SOLVERS)
    bare = odk.Trips.from_table(trips.table[["origin", "destination"]], segments=[])
    alone = survey_comparison(bare, resolution=9, quick=True)
    assert alone.runs["dataset"].unique().tolist() == ["all trips"]
    assert len(alone.table_3) == len(SOLVERS) - 1
    assert alone.table_4.empty


# --- the trade-off ----------------------------------------------------------------------------------------------------
def test_what_is_published_as_it_is_is_in_its_place():
    table = pd.DataFrame({"start_h3": [LEAVES[0], LEAVES[-1]], "end_h3": [LEAVES[-1], LEAVES[0]], "count": [60, 40]})
    pairs = odk.ODMatrix.from_pairs(table)
    share, level = misplaced(odk.anonymise(pairs, odk.Protection(trips=10), "suppression"))
    assert share == pytest.approx(0.0)
    assert level == "H3 resolution 6"  # all leaves of the town are in one
    lost = odk.anonymise(pairs, odk.Protection(trips=50), "suppression")
    assert misplaced(lost)[0] == pytest.approx(0.0)


def test_misplaced_by_hand():
    # Two districts 0 and 1 on both axes; trips 0->0: 30, 1->1: 10. One cell of everything spreads them evenly.
    a, b = h3.latlng_to_cell(48.86, 2.34, 9), h3.latlng_to_cell(48.60, 2.40, 9)
    table = pd.DataFrame({"start_h3": [a, b], "end_h3": [a, b], "count": [30, 10]})
    release = odk.anonymise(odk.ODMatrix.from_pairs(table), odk.Protection(trips=40), "odkanon-late", budget=0.0)
    assert release.n_cells == 1
    # true shares 3/4 and 1/4, estimates 1/4 everywhere: 1/2 of the trips are not where they belong
    assert misplaced(release)[0] == pytest.approx(0.5)


def test_more_privacy_misplaces_more():
    table = privacy_utility(matrix(0), ks=(2, 50), epsilons=(0.1, 5.0), draws=2)
    assert table["error"].isna().all()
    by = table.set_index(["algorithm", "setting"])["misplaced"]
    assert by["laplace", 0.1] > by["laplace", 5.0]
    assert by["atg-joint", 50.0] >= by["atg-joint", 2.0]
    assert set(table["promise"]) == {"k-anonymity", "noise"}

    def stop(share: float, message: str) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        privacy_utility(matrix(0), progress=stop)


def test_charts_hold_the_data(found):
    table = privacy_utility(matrix(0), ks=(2, 10), epsilons=(1.0,), draws=1)
    for mode in ("light", "dark"):
        drawn = tradeoff_chart(table, mode).to_dict()
        assert len(drawn["hconcat"]) == 2
        rows = [r for data in drawn["datasets"].values() for r in data]
        assert {r["name"] for r in rows} == {
            "one map (TwinCut)",
            "a map per origin (ATG)",
            "noisy flows (Laplace)",
            "synthetic trips (IPF)",
        }
        ratios = figure_12(found.ratios, mode).to_dict()
        assert [len(row["hconcat"]) for row in ratios["vconcat"]] == [2, 2]


def test_strong_protection_is_on_the_left():
    table = privacy_utility(matrix(0), ks=(2, 10), epsilons=(0.5, 1.0), draws=1)
    left, right = tradeoff_chart(table).to_dict()["hconcat"]
    assert left["layer"][0]["encoding"]["x"]["sort"] == ["10", "2"]
    assert right["layer"][0]["encoding"]["x"]["sort"] == ["0.5", "1"]


def test_the_chart_claims_only_what_it_shows():
    def title(ks: list[float], epsilons: list[float]) -> str:
        rows = [("k-anonymity", "twincut", k, m) for k, m in zip((2.0, 10.0, 50.0), ks, strict=True)]
        rows += [("noise", "laplace", e, m) for e, m in zip((0.1, 1.0, 5.0), epsilons, strict=True)]
        table = pd.DataFrame(rows, columns=["promise", "algorithm", "setting", "misplaced"])
        return tradeoff_chart(table.assign(added=0.0, level="H3 resolution 7")).to_dict()["title"]["text"]

    assert title([0.2, 0.4, 0.6], [0.9, 0.7, 0.5]).startswith("The stronger the promise")
    for ks, epsilons in (
        ([0.2, 0.6, 0.4], [0.9, 0.7, 0.5]),  # k = 50 does better than 10
        ([0.2, 0.4, 0.6], [0.5, 0.7, 0.9]),  # less noise does worse
        ([0.20, 0.21, 0.22], [0.9, 0.7, 0.5]),  # k hardly matters
    ):
        assert title(ks, epsilons).endswith("?")


def test_the_trade_off_in_words():
    columns = ["promise", "algorithm", "setting", "misplaced", "added", "level", "error"]
    rows = [
        ("k-anonymity", "twincut", 10.0, 0.477, 0.0, "", None),
        ("k-anonymity", "twincut", 20.0, 0.6, 0.0, "", None),
        ("noise", "laplace", 1.0, 0.723, 0.948, "", None),
        ("noise", "ipf-dp", 1.0, None, None, None, "too large"),
    ]
    table = pd.DataFrame(rows, columns=columns)
    assert in_words(table) == (
        "Of 100 published trips, these many lie between the wrong districts: 48 with one map that keeps at least 10 in "
        "every cell; 72 with noise on every flow (ε = 1), which makes up 95 trips for every 100 real ones."
    )
    assert "60 with one map" in in_words(table, k=20)
    assert in_words(table.iloc[3:]) == ""


def test_tables_are_written_for_people():
    table = pd.DataFrame(
        {
            "solver": ["glove", "oigh"],
            "k": [2, 10_000],
            "met": [True, False],
            "G": [12345.6, None],
            "S": [0.0999, -1.7],
            "G, published": [18.7, None],
        }
    )
    for mode in ("light", "dark"):
        html = written(table, mode).to_html()
        for text in ("10,000", ">yes<", ">no<", "12,346", "10.0%", "-170.0%", "18.7", "–"):
            assert text in html
    assert table["k"].tolist() == [2, 10_000]
