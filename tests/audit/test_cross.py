"""Cross k and persons, with numbers that one can count by hand."""

import numpy as np
import pandas as pd
import pytest

import odk
from odk.release import cut_release
from tests.audit.towns import FAR, NORTH, SOUTH, people, survey


def leaf_release(trips, guard, budget=0.5):
    """Publish every pair of leaves that reaches the thresholds."""
    matrix = odk.ODMatrix.from_trips(trips, resolution=7)
    cuts = {"o_cut": np.arange(matrix.origins.n_leaves), "d_cut": np.arange(matrix.destinations.n_leaves)}
    return cut_release(matrix, guard, odk.Budget(budget), algorithm="by hand", options=None, **cuts)


def example():
    """20 trips, 92 weighted: NORTH-SOUTH 4 trips by 2 people (28), SOUTH-FAR 10 by 10 (10), FAR-FAR 6 by 6 (54).

    Mean weight 4.6: k = 4 is 18.4 weighted trips, which SOUTH-FAR misses; k = 4 persons NORTH-SOUTH misses.
    """
    return survey(
        (NORTH, SOUTH, [("a", 7.0), ("a", 7.0), ("a", 7.0), ("b", 7.0)]),
        (SOUTH, FAR, people(10)),
        (FAR, FAR, people(6, 9.0)),
    )


def test_protecting_trips_leaves_cells_below_the_other_thresholds():
    trips, guard = example(), odk.Protection(trips=4)
    found = odk.audit(leaf_release(trips, guard), trips, guard)
    assert found.passed
    assert found.minimum == {"trips": 4, "persons": 2, "population": 10.0}
    rows = found.failing[["origin", "destination", "measure", "value", "threshold", "shortfall", "guarded"]]
    assert rows.to_dict(orient="records") == [
        {
            "origin": NORTH,
            "destination": SOUTH,
            "measure": "persons",
            "value": 2.0,
            "threshold": 4.0,
            "shortfall": 2.0,
            "guarded": False,
        },
        {
            "origin": SOUTH,
            "destination": FAR,
            "measure": "population",
            "value": 10.0,
            "threshold": 18.4,
            "shortfall": 8.4,
            "guarded": False,
        },
    ]
    assert [check.name for check in found.advice][:3] == ["cross persons", "cross population", "persons"]
    assert found["persons"].sentence == (
        "1 cell of the 3 with at least 4 trips is made by fewer than 4 people; the least by 2 people."
    )


def test_protecting_the_population_leaves_cells_below_k_trips():
    trips = example()
    guard = odk.Protection.population_of(odk.ODMatrix.from_trips(trips, resolution=7), k=6)  # 27.6: 28 and 54 pass
    found = odk.audit(leaf_release(trips, guard), trips, guard)
    assert found.passed
    assert found.minimum == {"trips": 4, "persons": 2, "population": 28.0}
    below = found.failing[found.failing["measure"] == "trips"]
    assert below[["origin", "value", "threshold"]].to_numpy().tolist() == [[NORTH, 4.0, 6.0]]  # k = 6 found again
    assert not found["cross trips"].guarded


def test_a_guarded_threshold_that_is_missed_fails():
    trips = example()
    release = leaf_release(trips, odk.Protection(trips=4))
    for guard, failing in [
        (odk.Protection(trips=6), {"trips": 1}),
        (odk.Protection(trips=4, persons=3), {"persons": 1}),
        (odk.Protection(trips=4, population=28.000001), {"population": 2}),
        (odk.Protection(trips=4, population=10.0), {}),
    ]:
        found = odk.audit(release, trips, guard)
        guarded = found.failing[found.failing["guarded"]]
        assert guarded["measure"].value_counts().to_dict() == failing
        assert found.passed == (not failing)


def test_a_segment_keeps_the_thresholds_of_the_whole_survey():
    trips, guard = example(), odk.Protection(trips=4)
    release = leaf_release(trips, guard)
    whole = odk.AuditOptions(cross=odk.Protection(population=10.0))
    assert odk.audit(release, trips, guard, whole)["cross population"].passed
    assert odk.audit(release, trips, guard, whole)["cross persons"].threshold == 4  # what it leaves open: the guarded k


def test_weights_are_compared_exactly():
    # Ten times 0.1 is 1, although their float sum is 0.9999999999999999.
    trips = survey((NORTH, SOUTH, people(10, 0.1)))
    guard = odk.Protection(population=1.0)
    assert odk.audit(leaf_release(trips, guard), trips, guard).passed


def test_without_persons_they_are_not_checked_and_cannot_be_guarded():
    full = example()
    table = full.table.drop(columns="person")
    trips = odk.Trips(table=table, rows=len(table), source="towns", ends="h3")
    guard = odk.Protection(trips=4)
    found = odk.audit(leaf_release(trips, guard), trips, guard)
    assert found.passed
    assert found.minimum["persons"] is None
    assert [found[name].verdict for name in ("cross persons", "persons")] == ["not checked", "not checked"]
    with pytest.raises(odk.OdkError, match="no person column"):
        odk.audit(leaf_release(trips, guard), trips, odk.Protection(persons=4))


def test_a_matrix_of_counted_pairs_is_audited_from_its_table():
    pairs = pd.DataFrame(
        {"start_h3": [NORTH, SOUTH], "end_h3": [SOUTH, FAR], "count": [5, 3], "total_weight": [7.5, 30.0]}
    )
    matrix = odk.ODMatrix.from_pairs(pairs)
    release = odk.anonymise(matrix, odk.Protection(trips=3), algorithm="odkanon-late", budget=0)
    found = odk.audit(release, pairs, odk.Protection(trips=3))
    assert found.passed
    assert found.minimum == {"trips": 3, "persons": None, "population": 7.5}


def test_the_audit_can_be_printed_and_filed():
    trips, guard = example(), odk.Protection(trips=4)
    found = odk.audit(leaf_release(trips, guard), trips, guard)
    assert found.table["verdict"].tolist()[:7] == ["pass", "pass", "pass", "pass", "advice", "advice", "advice"]
    assert len(found.table) == len(found.checks)
    filed = found.to_dict()
    assert filed["passed"] is True
    assert len(filed["failing"]) == 2
    with pytest.raises(KeyError):
        found["no such check"]


@pytest.mark.parametrize("what", ["release", "trips", "protection"])
def test_wrong_arguments_are_named(what):
    trips, guard = example(), odk.Protection(trips=4)
    given = {"release": leaf_release(trips, guard), "trips": trips, "protection": guard} | {what: 3}
    with pytest.raises(odk.InputError, match=what):
        odk.audit(**given)
