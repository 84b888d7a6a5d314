"""What k-anonymity does not promise: k^m, l-diversity, t-closeness, dominance, effective size, homogeneity; by hand."""

import numpy as np
import pandas as pd
import pytest

import odk
from odk.release import tree_release
from tests.audit.test_cross import example, leaf_release
from tests.audit.test_recount import around, boxes
from tests.audit.towns import FAR, NEAR, NORTH, SOUTH, TOP, people, survey

GUARD = odk.Protection(trips=4)


def audited(*flows, guard=GUARD, options=None, **segments):
    trips = survey(*flows, **segments)
    return odk.audit(leaf_release(trips, guard), trips, guard, options)


def worst(check):
    return {(row.origin, row.destination): row.value for row in check.failing.itertuples()}


# --- k^m: who knows one end, or both -----------------------------------------------------------------------------------
def test_km_counts_people_per_zone_and_per_cell():
    # NORTH-SOUTH 2 people, SOUTH-FAR p0..p9, FAR-FAR p0..p5: FAR is reached by ten, not by sixteen.
    trips = example()
    found = odk.audit(leaf_release(trips, GUARD), trips, GUARD)
    one, both = found["k^m one end"], found["k^m both ends"]
    assert worst(one) == {(NORTH, "all"): 2, ("all", SOUTH): 2}
    assert worst(both) == {(NORTH, SOUTH): 2}
    assert (one.value, both.value, one.threshold) == (2, 2, 4)
    assert one.failing["cell"].tolist() == [-1, -1]
    eleven = odk.audit(leaf_release(trips, GUARD), trips, GUARD, odk.AuditOptions(k_m=11))
    assert worst(eleven["k^m one end"])[("all", FAR)] == 10
    assert odk.audit(leaf_release(trips, GUARD), trips, GUARD, odk.AuditOptions(k_m=2))["k^m one end"].passed


def test_km_counts_trips_where_people_are_unknown():
    table = example().table.drop(columns="person")
    trips = odk.Trips(table=table, rows=len(table), source="towns", ends="h3")
    found = odk.audit(leaf_release(trips, GUARD), trips, GUARD, odk.AuditOptions(k_m=17))
    assert worst(found["k^m one end"]) == {
        (NORTH, "all"): 4,
        (SOUTH, "all"): 10,
        (FAR, "all"): 6,
        ("all", SOUTH): 4,
        ("all", FAR): 16,
    }


# --- l-diversity -------------------------------------------------------------------------------------------------------
def merged(trips, keep=None):
    """NORTH and SOUTH as one origin zone; destinations as they are."""
    matrix = odk.ODMatrix.from_trips(trips, resolution=7)
    up = matrix.origins.ancestors_at(1)[matrix.o]
    about = {"algorithm": "by hand", "options": None}
    return tree_release(matrix, GUARD, odk.Budget(0.5), **about, o_node=up, d_node=matrix.d, keep=keep)


def test_leaves_of_a_cell_are_counted_at_both_ends():
    # NEAR-FAR: origins NORTH and SOUTH, one destination leaf. NEAR-NORTH: only from NORTH.
    trips = survey((NORTH, FAR, people(3)), (SOUTH, FAR, people(3)), (NORTH, NORTH, people(5)))
    found = odk.audit(merged(trips), trips, GUARD)["l-diversity leaves"]
    rows = [(r.destination, r.measure, r.value) for r in found.failing.itertuples()]
    assert sorted(rows) == sorted(
        [(FAR, "destination leaves", 1.0), (NORTH, "destination leaves", 1.0), (NORTH, "origin leaves", 1.0)]
    )
    assert found.n_failing == 2
    assert odk.audit(merged(trips), trips, GUARD, odk.AuditOptions(l_leaves=1))["l-diversity leaves"].passed


def test_values_of_sensitive_columns():
    sex = ["F"] * 4 + ["F", "M", "M", "M"] + ["F", "F", "F", None]
    flows = [(NORTH, SOUTH, people(4)), (SOUTH, FAR, people(4)), (FAR, FAR, people(4))]
    found = audited(*flows, sex=sex, wave=["1"] * 12)
    assert worst(found["l-diversity sex"]) == {(NORTH, SOUTH): 1, (FAR, FAR): 1}  # what is missing is no value
    with pytest.raises(KeyError):
        found["l-diversity wave"]  # one value in all: nothing to give away
    asked = audited(*flows, sex=sex, wave=["1"] * 12, options=odk.AuditOptions(sensitive=("wave",), l_values=3))
    assert asked["l-diversity wave"].n_failing == 3
    with pytest.raises(odk.InputError, match=r"sensitive \(height\)"):
        audited(*flows, sex=sex, options=odk.AuditOptions(sensitive=("height",)))


# --- t-closeness and homogeneity ----------------------------------------------------------------------------------------
ROADS = [(NORTH, NORTH, people(4)), (NORTH, FAR, people(4)), (SOUTH, FAR, people(8))]


def test_closeness_of_destinations_and_of_origins():
    # All 16: a quarter ends in NORTH. From NORTH half does (½(¼+¼) = ¼), from SOUTH nothing (¼).
    # Half of all starts in NORTH: all that ends there (½), a third of what ends in FAR (1/6).
    found = audited(*ROADS, options=odk.AuditOptions(t=0.2))
    assert worst(found["t-closeness origins"]) == {(NORTH, "all"): 0.25, (SOUTH, "all"): 0.25}
    assert worst(found["t-closeness destinations"]) == {("all", NORTH): 0.5}
    assert found["t-closeness destinations"].value == 0.5
    exact = audited(*ROADS, options=odk.AuditOptions(t=0.25))
    assert exact["t-closeness origins"].passed


def test_closeness_by_weight_where_the_population_is_protected():
    # Weights 3 on SOUTH-FAR: 32 in all, 4 to NORTH. From NORTH half: ½ - 1/8 = 3/8. From SOUTH: 1/8.
    flows = [*ROADS[:2], (SOUTH, FAR, people(8, 3.0))]
    found = audited(*flows, guard=odk.Protection(population=4.0), options=odk.AuditOptions(t=0.0))
    assert worst(found["t-closeness origins"]) == {(NORTH, "all"): 0.375, (SOUTH, "all"): 0.125}


def test_closeness_where_zones_depend_on_the_origin():
    # NORTH: 8 to NEAR (4 NORTH, 4 SOUTH), 4 to FAR. SOUTH: 4 to everywhere (2 NORTH, 2 FAR).
    # NEAR holds 10 of the 16 ends: NORTH is |2/3 - 10/16| = 1/24 off; SOUTH, whose zone holds all, not at all.
    trips = survey(
        (NORTH, NORTH, people(4)),
        (NORTH, SOUTH, people(4)),
        (NORTH, FAR, people(4)),
        (SOUTH, NORTH, people(2)),
        (SOUTH, FAR, people(2)),
    )
    matrix = odk.ODMatrix.from_trips(trips, resolution=7)
    names = {matrix.destinations.label(i): i for i in range(matrix.destinations.n_nodes)}
    zone = {(NORTH, NORTH): NEAR, (NORTH, SOUTH): NEAR, (NORTH, FAR): FAR, (SOUTH, NORTH): TOP, (SOUTH, FAR): TOP}
    node = np.array([names[zone[row.origin, row.destination]] for row in matrix.pairs.itertuples()])
    about = {"algorithm": "by hand", "options": None}
    release = tree_release(matrix, GUARD, odk.Budget(0.0), **about, o_node=matrix.o, d_node=node)
    found = odk.audit(release, trips, GUARD, odk.AuditOptions(t=0.0))
    assert found.passed
    distances = worst(found["t-closeness origins"])
    assert distances == {(NORTH, "all"): pytest.approx(1 / 24)}
    assert found["homogeneity origins"].passed  # all of SOUTH's flow goes to TOP, as everyone's does


def test_homogeneity_names_zones_with_one_other_end():
    found = audited(*ROADS)
    assert worst(found["homogeneity origins"]) == {(SOUTH, "all"): 1.0}
    assert worst(found["homogeneity destinations"]) == {("all", NORTH): 1.0}
    # Three quarters of everyone's trips end in FAR: below that share, going there tells nothing of SOUTH.
    assert audited(*ROADS, options=odk.AuditOptions(homogeneity=0.7))["homogeneity origins"].passed
    single = audited((NORTH, FAR, people(4)))["homogeneity origins"]
    assert single.passed
    assert single.value is None


def test_zones_of_a_table_are_placed_by_their_parents():
    tree = odk.Hierarchy.from_table(["a", "b", "c", "ab"], ["ab", "ab", "all", "all"])
    table = pd.DataFrame(
        {"person": range(8), "origin": list("aabbcccc"), "destination": list("abbcabbb"), "weight": 1.0}
    )
    trips = odk.Trips(table=table, rows=8, source="zones", ends="zones")
    matrix = odk.ODMatrix.from_trips(trips, hierarchy=tree)
    up = {"a": "ab", "b": "ab", "c": "c"}
    names = {matrix.origins.label(i): i for i in range(matrix.origins.n_nodes)}
    nodes = {
        f"{end[0]}_node": np.array([names[up[name]] for name in matrix.pairs[end]]) for end in ("origin", "destination")
    }
    about = {"algorithm": "by hand", "options": None}
    guard = odk.Protection(trips=3)
    release = tree_release(matrix, guard, odk.Budget(0.5), **about, **nodes)
    assert release.flows[["origin", "destination", "trips"]].to_numpy().tolist() == [["c", "ab", 4], ["ab", "ab", 3]]
    found = odk.audit(release, trips, guard, odk.AuditOptions(t=0.0))
    assert found.passed
    assert found["t-closeness origins"].passed  # all that is published ends in ab
    assert worst(found["t-closeness destinations"]) == {}


# --- dominance and effective sample size --------------------------------------------------------------------------------
def test_dominance_by_trips_and_by_weight():
    found = audited(
        (NORTH, SOUTH, [("a", 7.0)] * 3 + [("b", 7.0)]),
        (SOUTH, FAR, [("a", 9.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)]),
        (FAR, FAR, people(2) * 2),
    )["dominance"]
    rows = [(r.origin, r.measure, r.value) for r in found.failing.itertuples()]
    share = "largest person's share of "
    assert sorted(rows) == sorted(
        [
            (NORTH, share + "trips", 0.75),
            (NORTH, share + "weighted trips", 0.75),
            (SOUTH, share + "weighted trips", 0.75),
        ]
    )
    assert found.n_failing == 2  # half exactly is allowed
    assert found.value == 0.75


def test_effective_sample_size_of_uneven_weights():
    # (1+1+1+9)² / (1+1+1+81) = 144/84; equal weights: 4.
    flows = [(NORTH, SOUTH, [(f"p{i}", w) for i, w in enumerate([1.0, 1.0, 1.0, 9.0])]), (FAR, FAR, people(4, 3.0))]
    found = audited(*flows)["effective sample"]
    assert found.threshold == 2  # half of k = 4
    assert worst(found) == {(NORTH, SOUTH): pytest.approx(144 / 84)}
    assert audited(*flows, options=odk.AuditOptions(effective=1.7))["effective sample"].passed


# --- what does not apply, and options -----------------------------------------------------------------------------------
def test_boxes_have_no_zones_to_compare():
    release, trips = boxes([around(NORTH) + around(SOUTH), around(SOUTH, FAR) + around(FAR)])
    found = odk.audit(release, trips, GUARD)
    for name in ("t-closeness origins", "t-closeness destinations", "homogeneity origins", "homogeneity destinations"):
        assert found[name].verdict == "not checked"
    assert worst(found["k^m both ends"]).popitem()[1] == 2.0


def test_counted_pairs_have_no_single_weights():
    pairs = pd.DataFrame({"start_h3": [NORTH, SOUTH], "end_h3": [SOUTH, FAR], "count": [5, 4]})
    release = odk.anonymise(odk.ODMatrix.from_pairs(pairs), GUARD, algorithm="odkanon-late", budget=0)
    found = odk.audit(release, pairs, GUARD)
    assert found["effective sample"].verdict == "not checked"
    assert found["dominance"].verdict == "not checked"
    assert found["k^m both ends"].passed


def test_advice_never_decides_the_verdict():
    strict = odk.AuditOptions(
        cross=odk.Protection(persons=99), k_m=99, l_leaves=99, t=0.0, dominance=0.0, effective=99.0, homogeneity=0.0
    )
    found = audited(*ROADS, options=strict)
    assert found.passed
    short = {check.name for check in found.advice}
    assert short >= {"cross persons", "k^m one end", "k^m both ends", "l-diversity leaves", "dominance"}
    assert short >= {"effective sample", "t-closeness origins", "t-closeness destinations"}
    assert all(check.sentence.endswith(".") for check in found.checks)


@pytest.mark.parametrize(
    "wrong",
    [
        {"k_m": 0},
        {"l_leaves": 1.5},
        {"l_values": True},
        {"t": 1.1},
        {"dominance": -0.1},
        {"homogeneity": "much"},
        {"effective": 0},
        {"sensitive": "sex"},
        {"cross": 10},
    ],
)
def test_options_are_checked(wrong):
    [name] = wrong
    with pytest.raises(odk.InputError, match=name):
        odk.AuditOptions(**wrong)
