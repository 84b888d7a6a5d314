"""What a release says against what the trips say: clean releases pass, planted faults are found."""

import ast
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import odk
from odk.release import tree_release
from tests.audit.test_cross import example, leaf_release
from tests.audit.towns import FAR, NEAR, NORTH, SOUTH, people, survey
from tests.strategies import budgets, cases, protections

GUARD = odk.Protection(trips=4)
EXACT = [name for name in odk.algorithms.names() if odk.algorithms.get(name).kind != "noise"]


def clean():
    trips = example()
    return leaf_release(trips, GUARD), trips


def test_a_changed_flow_is_found():
    release, trips = clean()
    more = release.trips.copy()
    more[1] += 1
    found = odk.audit(replace(release, trips=more), trips, GUARD)
    assert not found.passed
    assert found["recount"].value == 1
    [row] = found["recount"].failing.to_dict(orient="records")
    assert (row["measure"], row["value"], row["threshold"]) == ("published trips", more[1], more[1] - 1)


def test_a_changed_population_and_persons_are_found():
    release, trips = clean()
    for field, word in (("population", "published population"), ("persons", "published persons")):
        changed = getattr(release, field).copy()
        changed[0] += 1  # one millionth of a weighted trip is enough
        found = odk.audit(replace(release, **{field: changed}), trips, GUARD)
        assert found["recount"].failing["measure"].tolist() == [word]
        assert not found.passed


def test_a_cell_that_no_trip_supports_is_found():
    release, trips = clean()
    one = {name: np.append(getattr(release, name), 9) for name in ("trips", "persons")}
    nodes = {name: np.append(getattr(release, name), getattr(release, name)[0]) for name in ("o_node", "d_node")}
    made_up = replace(release, **one, **nodes, population=np.append(release.population, 9_000_000))
    found = odk.audit(made_up, trips, GUARD)
    assert not found.passed
    assert found["support"].failing["cell"].tolist() == [3]
    assert found.minimum["trips"] == 0


def test_a_release_of_which_nothing_is_supported_is_found():
    release, trips = clean()
    found = odk.audit(replace(release, of_pair=np.full(3, -1)), trips, GUARD)
    assert not found.passed
    assert found["support"].value == 3
    assert found.minimum == {"trips": 0, "persons": 0, "population": 0.0}


def test_a_zone_that_does_not_cover_its_trips_is_found():
    release, trips = clean()
    swapped = release.o_node.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    found = odk.audit(replace(release, o_node=swapped), trips, GUARD)
    assert not found.passed
    assert "counted in a cell whose zones do not cover both ends" in found["support"].sentence
    moved = found["support"].failing
    assert sorted(moved.loc[moved["measure"] == "trips outside the zones", "value"]) == [4.0, 10.0]


def test_a_suppressed_pair_that_is_counted_after_all_is_found():
    # NORTH-NORTH has 3 trips and is suppressed; SOUTH-NORTH 5. Counting 8 under SOUTH-NORTH is not what its zones hold.
    trips = survey((NORTH, NORTH, people(3)), (SOUTH, NORTH, people(5)))
    release = leaf_release(trips, GUARD)
    assert release.of_pair.tolist() == [-1, 0]
    assert odk.audit(release, trips, GUARD).passed
    greedy = replace(release, of_pair=np.array([0, 0]), trips=np.array([8]), population=np.array([8_000_000]))
    found = odk.audit(greedy, trips, GUARD)
    assert not found.passed
    assert found["recount"].failing["measure"].tolist() == ["published trips", "published population"]


def test_pairs_suppressed_inside_published_zones_are_not_counted():
    # As odkanon's filter does: NORTH-FAR is dropped before NORTH and SOUTH become one zone.
    trips = survey((NORTH, FAR, people(1)), (SOUTH, FAR, people(6)))
    matrix = odk.ODMatrix.from_trips(trips, resolution=7)
    up = matrix.origins.ancestors_at(1)[matrix.o]
    release = tree_release(
        matrix,
        GUARD,
        odk.Budget(0.5, "pairs"),
        algorithm="by hand",
        options=None,
        o_node=up,
        d_node=matrix.d,
        keep=matrix.trips > 1,
    )
    assert release.flows["trips"].tolist() == [6]
    found = odk.audit(release, trips, GUARD)
    assert found.passed
    assert found.minimum["trips"] == 6
    assert release.origin_zones == [NEAR]


def test_other_trips_than_the_release_was_made_from_are_noticed():
    release, trips = clean()
    half = odk.Trips(table=trips.table.iloc[:15], rows=15, source="towns", ends="h3")
    found = odk.audit(release, half, GUARD)
    assert not found["input"].passed
    assert not found.passed  # FAR-FAR publishes 6, one is left
    more = survey((NORTH, NORTH, people(2)), *[(NORTH, SOUTH, people(1))])
    assert "2 of them lie in pairs that the release does not know" in odk.audit(release, more, GUARD)["input"].sentence


def test_points_are_placed_by_h3_itself():
    lat, lon = h3.cell_to_latlng(NORTH)
    far = h3.cell_to_latlng(FAR)
    table = odk.Trips.from_table(
        example()
        .table.iloc[:4]
        .drop(columns=["origin", "destination"])
        .assign(
            origin_lat=lat, origin_lon=lon, destination_lat=[far[0]] * 3 + [lat], destination_lon=[far[1]] * 3 + [lon]
        )
    )
    release = odk.anonymise(odk.ODMatrix.from_trips(table, resolution=9), GUARD, algorithm="odkanon-late")
    assert odk.audit(release, table, GUARD).passed


def boxes(outline):
    """All three flows of the example in two boxes: destinations SOUTH, and destinations FAR."""
    trips = example()
    matrix = odk.ODMatrix.from_trips(trips, resolution=7)
    to_far = np.array([name == FAR for name in matrix.pairs["destination"]], dtype=np.int64)
    again = matrix.regroup(to_far, 2)
    release = odk.BoxRelease(
        matrix=matrix,
        protection=GUARD,
        budget=odk.Budget(0.0),
        algorithm="by hand",
        of_pair=to_far,
        trips=again.trips,
        population=again.population,
        persons=again.persons,
        boxes=np.array(outline),
    )
    return release, trips


def around(*cells, by=0.001):
    """West, south, east, north of the centres of some cells, a little wider."""
    lat, lon = zip(*(h3.cell_to_latlng(cell) for cell in cells), strict=True)
    return [min(lon) - by, min(lat) - by, max(lon) + by, max(lat) + by]


def test_boxes_cover_their_trips():
    release, trips = boxes([around(NORTH) + around(SOUTH), around(SOUTH, FAR) + around(FAR)])
    found = odk.audit(release, trips, GUARD)
    assert found.passed
    assert found.minimum == {"trips": 4, "persons": 2, "population": 28.0}
    assert found.failing["origin"].str.count(",").tolist() == [3]  # a rectangle as text


def test_a_box_that_leaves_trips_outside_is_found():
    release, trips = boxes([around(NORTH) + around(SOUTH), around(SOUTH) + around(FAR)])
    found = odk.audit(release, trips, GUARD)
    assert not found.passed
    assert found["support"].failing["value"].tolist() == [6.0]  # the six from FAR


@pytest.mark.parametrize("turn", [-360, 0])  # east below west, or beyond 180 as Mondrian writes it
def test_a_box_across_the_antimeridian(turn):
    cell = h3.latlng_to_cell(-17.0, 179.99, 5)
    lat, lon = h3.cell_to_latlng(cell)
    trips = survey((cell, cell, people(5)))
    matrix = odk.ODMatrix.from_trips(trips, resolution=5)
    side = [lon - 0.5, lat - 1, lon + 0.5 + turn, lat + 1]
    release = odk.BoxRelease(
        matrix=matrix,
        protection=GUARD,
        budget=odk.Budget(0.0),
        algorithm="by hand",
        of_pair=np.array([0]),
        trips=matrix.trips,
        population=matrix.population,
        boxes=np.array([side + side]),
    )
    assert odk.audit(release, trips, GUARD).passed
    outside = replace(release, boxes=release.boxes + np.array([1.0, 0, 1.0, 0] * 2))  # east of all trips
    assert not odk.audit(outside, trips, GUARD).passed


def test_mondrian_and_glove_across_the_antimeridian_pass():
    rng = np.random.default_rng(5)
    lat, lon = rng.uniform(-18, -16, (2, 60)), (rng.uniform(178, 182, (2, 60)) + 180) % 360 - 180
    table = pd.DataFrame(
        {"origin_lat": lat[0], "origin_lon": lon[0], "destination_lat": lat[1], "destination_lon": lon[1]}
    )
    trips = odk.Trips.from_table(table)
    matrix = odk.ODMatrix.from_trips(trips, resolution=6)
    for name in ("mondrian", "glove"):
        assert odk.audit(odk.anonymise(matrix, GUARD, name), trips, GUARD).passed


class Noise(odk.Release):
    """A release that promises no threshold."""

    k_anonymous = False


def test_noise_is_not_k_anonymous():
    release, trips = clean()
    noisy = Noise(
        matrix=release.matrix,
        protection=GUARD,
        budget=release.budget,
        algorithm="laplace",
        of_pair=release.of_pair,
        trips=release.trips,
        population=release.population,
    )
    found = odk.audit(noisy, trips, GUARD)
    assert not found.passed
    assert "not k-anonymous" in found.checks[0].sentence


def test_a_release_without_cells_is_refused():
    release, trips = clean()
    nothing = np.empty(0, dtype=np.int64)
    empty = replace(
        release,
        of_pair=np.full(3, -1),
        trips=nothing,
        population=nothing,
        persons=nothing,
        o_node=nothing,
        d_node=nothing,
    )
    with pytest.raises(odk.InputError, match="at least one cell"):
        odk.audit(empty, trips, GUARD)


def test_the_audit_shares_nothing_with_what_it_audits():
    # It may know what a release and trips are, and no code that places, sums or chooses.
    allowed = {"errors", "hierarchy", "protection", "release", "trips", "auditing"}
    for path in sorted((Path(odk.__file__).parent / "auditing").glob("*.py")):
        tree = ast.parse(path.read_text())
        named = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
        named |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        assert {m.split(".")[1] for m in named if m.startswith("odk.")} <= allowed, path.name
        used = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
        assert not used & {"group", "group_nodes", "regroup", "publishable", "reached", "pairs", "sum_up"}, path.name


# --- on random problems: a literal recount in plain Python; any planted fault fails ---------------------------------


def literally(case, release):
    """Measures of every published cell by dictionaries: trips, persons, millionths."""
    names = release.matrix.pairs[["origin", "destination"]].itertuples(index=False, name=None)
    cell_of = dict(zip(names, release.of_pair.tolist(), strict=True))
    trips, persons, micro = defaultdict(int), defaultdict(set), defaultdict(int)
    for row in case.rows:
        cell = cell_of[row.origin, row.destination]
        if cell >= 0:
            trips[cell] += 1
            persons[cell].add(row.person)
            micro[cell] += round(row.weight * 1_000_000)
    return trips, persons, micro


def released(case, guard, budget, algorithm):
    try:
        return odk.anonymise(case.matrix, guard, algorithm=algorithm, budget=budget.share, budget_in=budget.within)
    except odk.BudgetError:
        return None


@settings(max_examples=60)
@given(cases(), budgets(), st.sampled_from(EXACT), st.data())
def test_clean_releases_pass_and_minima_are_those_of_a_literal_recount(case, budget, algorithm, data):
    guard = data.draw(protections(case.matrix))
    release = released(case, guard, budget, algorithm)
    if release is None:
        return
    found = odk.audit(release, case.trips, guard)
    trips, persons, micro = literally(case, release)
    assert found.passed
    assert found["input"].passed
    assert found.minimum["trips"] == min(trips.values())
    assert found.minimum["population"] == min(micro.values()) / 1_000_000
    assert found.minimum["persons"] == (min(map(len, persons.values())) if case.persons else None)


@settings(max_examples=40)
@given(cases(persons=True), st.data())
def test_any_planted_fault_is_found(case, data):
    guard = data.draw(protections(case.matrix))
    release = released(case, guard, odk.Budget(0.3), "odkanon-late")
    if release is None:
        return
    cell = data.draw(st.integers(0, release.n_cells - 1))
    field = data.draw(st.sampled_from(["trips", "persons", "population", "of_pair"]))
    changed = getattr(release, field).copy()
    if field == "of_pair":
        pair = data.draw(st.integers(0, release.matrix.n_pairs - 1))
        # The pair goes to another cell, or is left out, or comes back.
        changed[pair] = data.draw(st.integers(-1, release.n_cells - 1).filter(lambda to: to != changed[pair]))
    else:
        changed[cell] += data.draw(st.sampled_from([-1, 1]))
    assert not odk.audit(replace(release, **{field: changed}), case.trips, guard).passed


@settings(max_examples=30)
@given(cases(), st.data())
def test_lower_thresholds_than_a_stricter_guard_asks_are_found(case, data):
    guard = data.draw(protections(case.matrix))
    release = released(case, guard, odk.Budget(0.3), "odkanon-late")
    if release is None:
        return
    least = int(release.trips.min())
    strict = odk.Protection(trips=least + 1)
    found = odk.audit(release, case.trips, strict)
    assert not found.passed
    assert len(found["cross trips"].failing) == int((release.trips < strict.trips).sum())
