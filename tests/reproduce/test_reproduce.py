"""The papers' tables on a small data set: layout, whose figures, what is missing and why."""

import json

import pytest

import odk
from odk.experiment import paper_grid, run_grid
from odk.published import table
from odk.reproduce import city_of, reproduce, side_by_side
from odk.reproduce.findings import findings
from tests.reproduce.conftest import town


def of(found, key):
    return next(side for side in found.tables if side.of.key == key)


def test_every_table_is_there_in_its_layout(found):
    assert len(found.tables) == 39
    assert found.city == "paris"
    assert found.areas == ("everywhere", "centre")  # some trips lie outside the five cells
    four = of(found, "report-4")
    assert four.absent == ""
    assert four.frame().columns[:4].tolist() == ["algorithm", "C_DM published", "C_DM ours", "C_DM centre"]
    assert four.frame()["algorithm"].tolist() == ["ODkAnon", "ATG-Soft", "OIGH", "Mondrian"]
    eight = of(found, "report-8").frame(["published", "centre"])
    assert eight.iloc[:, 1].tolist() == ["M", "F"] * 4
    assert eight["G published"].iloc[0] == "4,388.3"
    assert eight["G centre"].iloc[0] != "–"


def test_ours_are_the_figures_of_the_run(found, trips):
    run = run_grid(trips, paper_grid(trips), workers=1).table
    row = run[(run["algorithm"] == "oigh") & (run["target"] == "population") & (run["view"] == "population")]
    g = row.loc[row["segment"] == "F", "g"].iloc[0]
    line = of(found, "report-11").lines[5]
    assert (line.of.algorithm, line.of.segment, line.of.target) == ("oigh", "F", "population")
    assert line.entries[2].ours["everywhere"] == pytest.approx(g)
    assert line.entries[2].ratio("everywhere") == pytest.approx(g / 5031.6)


def test_cross_table_counts_cells_below_the_other_rule(found, trips):
    whole = odk.ODMatrix.from_trips(trips)
    release = odk.anonymise(whole, odk.Protection(trips=10), algorithm="odkanon")
    threshold = odk.Protection.population_of(whole, 10).population
    cells = release.flows["population"]
    three = of(found, "report-3").lines[0]
    assert three.of.target == "participants"
    ours = {entry.metric: entry.ours["everywhere"] for entry in three.entries}
    assert ours["least_trips"] == release.minimum["trips"]
    assert ours["least_population"] == pytest.approx(release.minimum["population"])
    assert ours["below"] == (cells < threshold).sum()


def test_the_centre_keeps_the_thresholds_of_the_whole(found, trips):
    rows = found.result.table
    thresholds = rows.loc[rows["target"] == "population"].groupby("area")["threshold_population"].unique()
    assert len({float(v) for values in thresholds for v in values}) == 1


def test_what_is_missing_says_why(found):
    assert "no column profession" in of(found, "report-16").absent
    assert "Turin" in of(found, "thesis-5.3").absent
    assert of(found, "thesis-5.3").frame().shape == (4, 7)  # the published figures alone
    data = of(found, "thesis-5.1")
    assert data.lines[0].entries[0].ours["everywhere"] == 700
    assert data.lines[1].entries[0].ours["everywhere"] is None


def test_an_age_band_that_does_not_occur_has_no_figure(found):
    line = of(found, "report-12").lines[0]
    assert line.of.segment == "10-20"
    assert {entry.text("everywhere") for entry in line.entries} == {"–"}
    assert line.entries[0].published.text == "5.9 × 10⁵"


def test_turin_fills_its_own_table():
    trips = odk.Trips.from_table(town(seed=5, lat=45.07, lon=7.68), segments=[], source="a town")
    found = reproduce(trips, workers=1)
    assert (found.city, found.areas, found.centre_runs) == ("turin", ("everywhere",), 0)
    assert of(found, "thesis-5.3").absent == ""
    assert of(found, "thesis-5.3").lines[0].entries[2].ours["everywhere"] > 2
    assert "its own table" in of(found, "thesis-5.2").absent
    soft = found.result.table[found.result.table["algorithm"] == "atg-soft"]
    assert {json.loads(text)["v_target"] for text in soft[soft["target"] == "participants"]["options"]} == {2500}


def test_any_other_place_has_no_city():
    trips = odk.Trips.from_table(town(lat=41.88, lon=-87.63), segments=[])
    assert city_of(odk.ODMatrix.from_trips(trips)) is None


def test_explanations_belong_to_the_table(found):
    keys = {d.key for d in of(found, "report-4").why}
    assert {"area", "atg-area", "time"} <= keys
    assert "time" not in {d.key for d in of(found, "report-8").why}


def test_as_dict_is_plain_json(found):
    text = json.dumps(found.as_dict(), allow_nan=False)
    assert {"runs", "failed", "seconds", "tables"} <= json.loads(text).keys()
    assert found.runs == 4 * 2 * 5  # whole, two sexes, two age bands
    assert found.centre_runs == found.runs


def test_findings_say_what_the_figures_say(found):
    by = {finding.key: finding for finding in found.findings}
    assert len(by) == 7
    rows = found.result.table
    rows = rows[(rows["view"] == "participants") & (rows["segment"] == "whole") & (rows["algorithm"] == "odkanon")]
    for target, other in (("participants", "population"), ("population", "trips")):
        for answer in by[f"cross-{target}"].answers:
            below = rows.loc[(rows["area"] == answer.area) & (rows["target"] == target), f"below_{other}"].iloc[0]
            assert answer.verdict == ("found" if below > 0 else "not found")
            assert answer.words.startswith(f"{below:,} of ")
    assert by["in-time"].verdict == "found"


def test_findings_without_columns_cannot_be_told(found):
    whole = found.result.table[found.result.table["segment"] == "whole"]
    by = {finding.key: finding for finding in findings(whole, ("everywhere",))}
    assert by["sexes"].verdict == by["small-segments"].verdict == "cannot be told"
    assert "no column sex" in by["sexes"].answers[0].words


def test_refused_runs_did_not_end(found):
    rows = found.result.table.copy()
    rows.loc[(rows["target"] == "population") & (rows["algorithm"] == "mondrian"), "error"] = "no"
    by = {finding.key: finding for finding in findings(rows, ("everywhere",))}
    assert by["in-time"].verdict == "partly found"  # ATG-Soft and the others ended
    assert "mondrian on whole: no" in by["in-time"].answers[0].words
    side = side_by_side(table("report-6"), rows, "paris", ("everywhere",))
    assert {entry.text("everywhere") for entry in side.lines[3].entries} == {"–"}


def test_where_all_trips_weigh_the_same_there_is_nothing_to_cross():
    trips = odk.Trips.from_table(town(400).drop(columns="weight"), segments=["sex"])
    by = {finding.key: finding for finding in reproduce(trips, workers=1, centre=False).findings}
    assert by["cross-participants"].verdict == by["cross-population"].verdict == "cannot be told"
    assert "weigh the same" in by["cross-population"].answers[0].short


def test_a_column_whose_segments_are_too_small_is_not_called_missing(found):
    rows = found.result.table.copy()
    rows.loc[rows["column"] == "sex", "error"] = "too small"
    by = {finding.key: finding for finding in findings(rows, ("everywhere",))}
    assert by["sexes"].answers[0].short == "no release for both"
