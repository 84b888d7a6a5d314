"""All minus a segment: what is left is counted by hand, and one zoning leaves nothing below the threshold."""

import h3
import pandas as pd
import pytest

import odk
from odk.disclosure import beside, difference, on_common_zones, separately
from odk.disclosure.segments import _set
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
    label, table = leak_zones(apart, "origins")
    zones = table.set_index("zone")["failing"]
    assert label == "all"
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


def test_persons_are_counted_not_subtracted():
    # Paris to Lyon: one woman's 4 trips, 2 other women, and 3 men of whom two share their trips: 7 + 4 trips.
    rows = [(*PARIS, *LYON, "F", p) for p in "aaaabc"] + [(*PARIS, *LYON, "M", p) for p in "xxyyz"]
    rows += [(*LYON, *PARIS, sex, p) for sex, p in zip("FFFMMMM", "abcwxyz", strict=True)]
    trips = odk.Trips.from_table(pd.DataFrame(rows, columns=NAMES), segments=["sex"])
    guard = odk.Protection(persons=4)
    whole = odk.anonymise(odk.ODMatrix.from_trips(trips, 5), guard, "suppression")
    assert whole.flows["persons"].tolist() == [7, 6]  # Lyon to Paris, Paris to Lyon
    # Three women on either way, so their release needs a lower threshold.
    women = odk.ODMatrix.from_trips(trips.where(sex="F"), 5)
    apart = odk.anonymise(women, odk.Protection(persons=3), "suppression")
    loose = _set(trips, "sex", {"all": whole, "F": apart}, ("M",), {})
    (leak,) = loose.found.leaks.to_dict(orient="records")
    assert (leak["measure"], leak["value"], leak["about"], leak["threshold"]) == ("persons", 3, "M", 4)
    assert loose.found.checked == 2
    assert "3 persons" in words(loose, loose)[0]


def test_persons_on_the_demo_and_one_zoning():
    trips = odk.demo_survey().within(odk.CENTRE, resolution=8)
    guard = odk.Protection(persons=10)
    whole = odk.anonymise(odk.ODMatrix.from_trips(trips, 8), guard, "odkanon-late")
    made = separately(trips, "sex", ["F"], guard, whole, resolution=8, algorithm="odkanon-late")
    assert len(made.found.leaks) > 0
    # By hand: the first one, counted from the trips by the h3 library.
    leak = made.found.leaks.iloc[0]
    ends = {
        end: [
            h3.cell_to_parent(h3.latlng_to_cell(lat, lon, 8), h3.get_resolution(leak[end]))
            for lat, lon in zip(trips.table[f"{end}_lat"], trips.table[f"{end}_lon"], strict=True)
        ]
        for end in ("origin", "destination")
    }
    here = trips.table[
        (pd.Series(ends["origin"]) == leak["origin"]) & (pd.Series(ends["destination"]) == leak["destination"])
    ]
    assert here[here["sex"].astype(str) == "M"]["person"].nunique() <= leak["value"] < 10
    assert on_common_zones(trips, "sex", ["F"], guard, resolution=8).found.passed


def test_two_rules_for_the_same_data():
    trips = town()
    matrix = odk.ODMatrix.from_trips(trips, 5)
    whole = odk.anonymise(matrix, odk.Protection(trips=7), "suppression")  # 7 and 8
    single = odk.anonymise(matrix, odk.Protection(trips=10), "oigh")  # one zone at one end at least
    made = beside(whole, {"k = 10": single})
    outer = made.tables[1].flows["trips"].sum()
    assert outer == 21
    assert set(made.found.leaks["value"]) <= {6.0}  # what k = 7 suppressed: Paris to Lille
    assert leak_zones(made, "origins")[0] == ("k = 10" if len(made.found.leaks) else "all")
    with pytest.raises(odk.InputError, match="segments of it"):
        made.remainders()


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
