"""The published figures: spot numbers read by hand in the papers, and what must hold of all of them."""

import re

import pytest

from odk import InputError, published
from odk.published import Figure, as_printed, differences, table, tables
from odk.published.difference import explaining


def figure(key, algorithm, segment, metric):
    rows = [r for r in table(key).rows if (r.algorithm, r.segment) == (algorithm, segment)]
    assert len(rows) == 1
    return rows[0].figures[metric].printed


# Read by eye in the papers' own tables, one or more from each.
@pytest.mark.parametrize(
    ("key", "algorithm", "segment", "metric", "printed"),
    [
        ("report-4", "odkanon", "whole", "g", "601.8"),
        ("report-4", "mondrian", "whole", "c_dm", "4.0e5"),
        ("report-4", "mondrian", "whole", "e", "-"),
        ("report-5", "atg-soft", "whole", "e", "1.88"),
        ("report-6", "atg-soft", "whole", "c_dm", "N/A"),
        ("report-6", "atg-soft", "whole", "seconds", ">7200"),
        ("report-7", "oigh", "whole", "c_dm", "2.3e14"),
        ("report-8", "odkanon", "M", "e", "1.43"),
        ("report-9", "mondrian", "F", "c_avg", "14.0"),
        ("report-10", "odkanon", "M", "c_avg", "302.8"),
        ("report-11", "odkanon", "F", "g", "437.2"),
        ("report-12", "atg-soft", "10-20", "c_avg", "939.0"),
        ("report-12", "mondrian", "50-60", "c_dm", "7.9e1"),
        ("report-13", "odkanon", "10-20", "g", "8160.6"),
        ("report-13", "atg-soft", "60-70", "e", "1.57"),
        ("report-13", "mondrian", ">70", "c_avg", "14.2"),
        ("report-14", "oigh", "20-30", "c_avg", "137.6"),
        ("report-14", "odkanon", "60-70", "e", "1.82"),
        ("report-15", "oigh", "40-50", "c_dm", "1.1e12"),
        ("report-16", "oigh", "Cat. 4", "c_dm", "6.5e5"),
        ("report-17", "odkanon", "Cat. 8", "c_avg", "13.2"),
        ("report-18", "odkanon", "Cat. 2", "g", "5689.6"),
        ("report-19", "oigh", "Cat. 4", "c_avg", "104.1"),
        ("report-19", "mondrian", "Cat. 4", "c_avg", "N/A"),
        ("thesis-5.2", "atg-soft", "whole", "gdm_mean", "7275.0"),
        ("thesis-5.3", "mondrian", "whole", "seconds", "2446.1"),
        ("thesis-5.3", "atg-soft", "whole", "gdm_mean", "1105.4"),
        ("thesis-5.4", "oigh", "whole", "c_avg", "1765.1"),
        ("thesis-5.6", "atg-soft", "whole", "gdm_mean", "7272.0"),
        ("thesis-5.8", "odkanon", "whole", "gdm_mean", "876.8"),
        ("thesis-5.10", "odkanon", "M", "gdm_mean", "4077.4"),
        ("thesis-5.14", "atg-soft", "20-30", "gdm_mean", "7921.1"),
        ("thesis-5.16", "odkanon", "60-70", "e", "1.88"),
        ("thesis-5.17", "odkanon", "10-20", "gdm_mean", "9172.9"),
        ("thesis-5.19", "oigh", "Cat. 5", "c_dm", "2.4e12"),
        ("thesis-5.21", "mondrian", "Cat. 1", "gdm_mean", "N/A"),
        ("abstract-2", "odkanon", "whole", "origins", None),
    ],
)
def test_spot_numbers(key, algorithm, segment, metric, printed):
    if key == "abstract-2":
        shapes = [
            (r.target, r.segment, r.figures["origins"].printed, r.figures["destinations"].printed)
            for r in table(key).rows
        ]
        assert shapes[1] == ("participants", "M", "5", "2")
        assert shapes[3] == ("population", "whole", "35", "29")
    else:
        assert figure(key, algorithm, segment, metric) == printed


def test_which_tables_there_are():
    keys = [each.key for each in tables()]
    assert keys == [*(f"report-{n}" for n in range(3, 20)), "abstract-2", *(f"thesis-5.{n}" for n in range(1, 22))]
    with pytest.raises(InputError, match="report-99"):
        table("report-99")


def test_shape_of_every_table():
    segments = {"whole": 1, "sex": 2, "age": 7, "profession": 8}
    for each in tables():
        if each.kind == "metrics":
            assert len(each.rows) == 4 * segments[each.column]
            assert ("gdm_mean" in each.metrics) == (each.paper == "thesis")
            assert ("seconds" in each.metrics) == (each.column == "whole")
            assert {row.target for row in each.rows} == {each.target}


def test_population_runs_of_atg_and_mondrian_are_the_only_ones_without_a_result():
    for each in (t for t in tables() if t.kind == "metrics"):
        for row in each.rows:
            missing = [m for m, f in row.figures.items() if f.printed == "N/A"]
            late = each.target == "population" and row.algorithm in ("atg-soft", "mondrian")
            assert bool(missing) == late
            assert row.figures["g"].printed == "-" if row.algorithm == "mondrian" else row.figures["g"].printed != "-"


def test_metrics_stay_within_their_ranges():
    for each in (t for t in tables() if t.kind == "metrics"):
        for row in each.rows:
            e = row.figures["e"].value
            assert e is None or 1.4 <= e <= 2.0
            assert all(f.value is None or f.value > 0 for f in row.figures.values())


def test_the_thesis_repeats_the_report():
    """Tables 5.6 to 5.21 are tables 4 to 19 with GDM; only one figure differs."""
    differ = []
    for n in range(4, 20):
        for ours, theirs in zip(table(f"report-{n}").rows, table(f"thesis-5.{n + 2}").rows, strict=True):
            differ += [(n, ours.segment, m) for m in ours.figures if ours.figures[m] != theirs.figures[m]]
    assert differ == [(14, "60-70", "e")]


def test_figures_read_and_shown():
    assert (Figure("5.4e7").value, Figure("5.4e7").text) == (5.4e7, "5.4 × 10⁷")
    assert (Figure("6807.6").value, Figure("6807.6").text) == (6807.6, "6,807.6")
    assert (Figure("N/A").value, Figure("N/A").text, Figure("N/A").in_time) == (None, "N/A", False)
    assert (Figure("-").value, Figure("-").text, Figure("-").in_time) == (None, "–", True)
    assert (Figure(">7200").value, Figure(">7200").text, Figure(">7200").in_time) == (7200.0, "> 7,200", False)
    assert as_printed("c_dm", 9.96e6) == "1.0 × 10⁷"
    assert as_printed("c_dm", 5.44e7) == "5.4 × 10⁷"
    assert as_printed("e", 1.914) == "1.91"
    assert as_printed("g", 6807.64) == "6,807.6"
    assert as_printed("g", None) == "–"
    assert as_printed("seconds", 0.056) == "0.06"
    assert as_printed("c_dm", 0.0) == "0"


def test_differences_name_what_is_there():
    names = {"odkanon", "atg-soft", "oigh", "mondrian"}
    metrics = {m for each in tables() for m in each.metrics}
    keys = [d.key for d in differences()]
    assert len(keys) == len(set(keys))
    for each in differences():
        assert set(each.algorithms) <= names
        assert set(each.metrics) <= metrics
        assert all([each.about, each.published, each.here, each.effect])
    assert "cdm-penalty" in [d.key for d in explaining(["odkanon"], ["c_dm"])]
    assert "cdm-penalty" not in [d.key for d in explaining(["oigh"], ["c_dm"])]
    assert "area" in [d.key for d in explaining(["oigh"], ["e"])]


def test_figures_against_the_text_of_the_report(shared):
    """Every figure of tables 4 to 11 stands in the report's text as printed (its twins are the spot numbers above)."""
    text = next((shared / "seeds").glob("000*.txt")).read_text()
    for n in range(4, 12):
        start = text.index(f"**Table {n}.**")
        body = text[start : start + 1800]
        for row in table(f"report-{n}").rows:
            for metric, each in row.figures.items():
                if each.value is None or not each.in_time:
                    continue
                digits, _, power = each.printed.partition("e")
                wanted = (
                    rf"{re.escape(digits)} \\times 10\^{{?{power}}}?"
                    if power
                    else f"{float(digits):,.{len(digits.split('.')[1])}f}"
                )
                assert re.search(wanted if power else re.escape(wanted), body), (n, row.algorithm, metric, each.printed)


def test_the_door():
    assert set(published.__all__) >= {"tables", "table", "Figure", "differences"}
