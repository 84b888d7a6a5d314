"""All minus a segment: what is left is counted by hand, and one zoning leaves nothing below the threshold."""

import pandas as pd
import pytest

import odk
from odk.disclosure import difference, on_common_zones, separately
from odk.viz.differences import leak_table, leak_zones, words

PARIS, LYON, LILLE = (48.8566, 2.3522), (45.7640, 4.8357), (50.6292, 3.0573)
NAMES = ["origin_lat", "origin_lon", "destination_lat", "destination_lon", "sex", "person"]


def town() -> odk.Trips:
    """Paris to Lyon: 5 women and 2 men; Lyon to Paris: 4 women and 4 men; Paris to Lille: 6 women, no man."""
    rows = [(*PARIS, *LYON, sex) for sex in "FFFFFMM"]
    rows += [(*LYON, *PARIS, sex) for sex in "FFFFMMMM"]
    rows += [(*PARIS, *LILLE, "F")] * 6
    table = pd.DataFrame([(*row, i) for i, row in enumerate(rows)], columns=NAMES)
    return odk.Trips.from_table(table, segments=["sex"])


@pytest.fixture
def apart():
    trips, guard = town(), odk.Protection(trips=3)
    whole = odk.anonymise(odk.ODMatrix.from_trips(trips, 5), guard, "suppression")
    return separately(trips, "sex", ["F"], guard, whole, resolution=5, algorithm="suppression")


def test_what_is_left_is_the_men(apart):
    left = apart.remainders()
    assert left["left"].tolist() == [2, 0, 4]  # what leaks first, then the safe ones from the least
    assert left["safe"].tolist() == [False, True, True]
    assert left["all"].tolist() == [7, 6, 8]
    assert apart.rest == ("M",)
    (leak,) = apart.found.leaks.to_dict(orient="records")
    assert (leak["about"], leak["value"], leak["threshold"]) == ("M", 2, 3)


def test_the_leak_is_named_drawn_and_said(apart):
    (row,) = leak_table(apart).to_dict(orient="records")
    assert (row["all"], row["segments"], row["left"], row["threshold"]) == (7, 5, 2, 3)
    assert row["from"].startswith("Paris")
    assert row["to"].startswith("Lyon")
    assert len(leak_table(apart, every=True)) == 3
    zones = leak_zones(apart, "origins").set_index("zone")["failing"]
    assert zones[row["origin"]] == 1
    assert zones.sum() == 1
    sentence, level = words(apart, apart)
    assert level == "leak"
    assert "1 flow of **M**" in sentence
    assert "2 trips" in sentence


def test_one_zoning_leaves_nothing(apart):
    together = on_common_zones(town(), "sex", ["F"], odk.Protection(trips=3), 0.9, resolution=5)
    assert together.found.passed
    assert together.remainders()["safe"].all()
    assert difference(together.tables).passed
    sentence, level = words(together, apart)
    assert level == "safe"
    assert "None of the 1 flow" in sentence


def test_persons_alone_are_not_shown_safe():
    trips, guard = town(), odk.Protection(persons=3)
    whole = odk.anonymise(odk.ODMatrix.from_trips(trips, 5), guard, "suppression")
    made = separately(trips, "sex", ["F"], guard, whole, resolution=5, algorithm="suppression")
    assert made.remainders().empty
    assert words(made, made)[1] == "unknown"


def test_what_cannot_be_subtracted_is_refused(apart):
    trips, guard = town(), odk.Protection(trips=3)
    with pytest.raises(odk.InputError, match="segment column"):
        separately(trips, "age", ["F"], guard, apart.whole)
    with pytest.raises(odk.InputError, match="at least one value"):
        on_common_zones(trips, "sex", [], guard)
    boxes = odk.anonymise(odk.ODMatrix.from_trips(trips, 5), guard, "mondrian")
    with pytest.raises(odk.InputError, match="zones of a tree"):
        separately(trips, "sex", ["F"], guard, boxes, resolution=5, algorithm="mondrian")


def test_a_proof_can_be_stopped(apart):
    def stop(share: float, message: str) -> None:
        raise odk.Cancelled(message)

    with pytest.raises(odk.Cancelled):
        difference(apart.tables, progress=stop)
