"""The declared grid: which runs it stands for, and what is refused."""

import pandas as pd
import pytest

import odk
from odk.experiment import Grid, Run, Segment, paper_grid, segments_of, target_protection


@pytest.fixture(scope="module")
def trips():
    rows = [("48.86", "2.34", "48.87", "2.35", 10.0, p, s) for p, s in enumerate("FMFMFM")]
    names = ["origin_lat", "origin_lon", "destination_lat", "destination_lon", "weight", "person", "sex"]
    return odk.Trips.from_table(pd.DataFrame(rows, columns=names), segments=["sex"])


def test_every_combination_once(trips):
    grid = Grid(algorithms=("odkanon", "twincut"), ks=(5, 10), budgets=(0.0, 0.1)).with_segments(trips)
    runs = list(grid.runs())
    assert len(runs) == 3 * 2 * 2 * 2 * 2  # whole, F, M; algorithms; targets; k; budgets
    assert len({run.key for run in runs}) == len(runs)
    assert segments_of(trips) == (Segment(), Segment("sex", "F"), Segment("sex", "M"))
    assert len(Segment("sex", "F").of(trips)) == 3


def test_key_does_not_depend_on_the_process():
    run = Run(Segment("sex", "F"), "odkanon", "participants", 10, 0.1)
    assert run.key == Run(Segment("sex", "F"), "odkanon", "participants", 10, 0.1).key
    assert run.key != Run(Segment("sex", "M"), "odkanon", "participants", 10, 0.1).key


def test_targets_have_the_thresholds_of_the_whole(trips):
    matrix = odk.ODMatrix.from_trips(trips)
    assert target_protection("participants", 3, matrix) == odk.Protection(trips=3)
    assert target_protection("persons", 3, matrix) == odk.Protection(persons=3)
    assert target_protection("population", 3, matrix) == odk.Protection(population=30.0)
    assert target_protection("both", 3, matrix) == odk.Protection(trips=3, population=30.0)


def test_the_papers_grid_converts_v_target_for_the_population(trips):
    runs = {(r.algorithm, r.target): dict(r.options) for r in paper_grid(trips).runs()}
    assert runs["atg-soft", "participants"] == {"v_target": 1000}
    assert runs["atg-soft", "population"] == {"v_target": 10_000}  # mean weight 10
    assert runs["odkanon", "population"] == {}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"algorithms": ("magic",)}, "algorithm"),
        ({"targets": ("nobody",)}, "target"),
        ({"ks": (1,)}, "k "),
        ({"ks": ()}, "ks"),
        ({"budgets": (1.0,)}, "budget"),
    ],
)
def test_wrong_grids_are_refused(wrong, words):
    with pytest.raises(odk.InputError, match=words):
        Grid(**wrong)


def test_unknown_segment_column(trips):
    with pytest.raises(odk.InputError, match="colour"):
        segments_of(trips, ["colour"])


def test_an_area_is_part_of_the_segment(trips):
    area = ("861fb4667ffffff",)
    segments = segments_of(trips, ["sex"], area)
    assert segments[0] == Segment(area=area)
    assert segments[1] == Segment("sex", "F", area)
    assert (Segment().area_name, Segment(area=area).area_name) == ("everywhere", area[0])
    assert Segment(area=tuple(odk.CENTRE)).area_name == "centre"
    assert len(Segment("sex", "F", tuple(odk.CENTRE)).of(trips)) == 3
    with pytest.raises(odk.InputError, match="at least one trip"):
        Segment(area=("861fb4667ffffff",)).of(trips)
