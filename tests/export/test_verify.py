"""Verify finds what was planted, each kind by its own check, also where the forger computed all digests again."""

import random
import re
from dataclasses import replace

import h3
import pytest

import odk
from odk.export import make_bundle
from odk.export._container import pack
from tests.audit.towns import FAR, NEAR, NORTH, SOUTH, people
from tests.export.towns import EAST, cut_at, leaves, redrawn, signed, towns, zoned

TEN = odk.Protection(trips=10)
HEAD = "origin,destination,trips"


@pytest.fixture(scope="module")
def bundle():
    """NORTH-SOUTH 12, SOUTH-NORTH 10."""
    return make_bundle(leaves(towns(), TEN))


@pytest.fixture(scope="module")
def demo(demo_trips):
    """A bundle of the demo survey's centre with an audit, and its trips."""
    trips = demo_trips
    recipe = odk.Recipe(
        algorithm="twincut", trips=10, area=tuple(odk.CENTRE), segment={"sex": "F"}, audit=odk.AuditOptions()
    )
    made = recipe.make(trips)
    audit = odk.audit(made.release, made.trips, made.release.protection, recipe.audit_options(made.whole))
    return make_bundle(made.release, audit, recipe=recipe), trips


def found(data, *args, **more):
    """Which checks find an error."""
    verification = odk.verify(data, *args, **more)
    errors = [finding for finding in verification.findings if finding.severity == "error"]
    assert verification.passed == (not errors)
    assert all(finding.sentence.endswith(".") for finding in verification.checks)
    return {finding.check for finding in errors}


def test_a_bundle_as_written_passes(bundle, demo):
    assert found(bundle.to_bytes()) == set()
    assert found(demo[0].to_bytes()) == set()
    assert {"error", "warning"}.isdisjoint(odk.verify(bundle.to_bytes()).table["severity"])


@pytest.mark.parametrize("name", ["flows.csv", "zones.geojson", "manifest.json", "report.html"])
def test_one_changed_digit_is_found_wherever_it_is(demo, name):
    data = bytearray(demo[0].files[name])
    digits = [i for i, byte in enumerate(data) if chr(byte).isdigit()]
    for i in random.Random(name).sample(digits, 12):
        other = bytearray(data)
        other[i] = ord("1") if data[i] != ord("1") else ord("2")
        changed = pack({**demo[0].files, name: bytes(other)})
        with pytest.raises(odk.OdkError):
            odk.read_bundle(changed)
        try:
            assert found(changed)
        except odk.OdkError:
            continue  # a digit of an H3 cell or of a version: it cannot even be read


def flows(*rows):
    return "\n".join([HEAD, *rows]) + "\n"


NS, SN = f"{NORTH},{SOUTH}", f"{SOUTH},{NORTH}"
PLANTED = {
    "below the threshold": (flows(f"{NS},12", f"{SN},9"), {"thresholds", "figures"}),
    "a cell twice": (flows(f"{NS},12", f"{NS},12", f"{SN},10"), {"form", "figures"}),
    "another order": (flows(f"{SN},10", f"{NS},12"), {"form"}),
    "a zero in front": (flows(f"{NS},012", f"{SN},10"), {"form"}),
    "overlapping zones": (flows(f"{NEAR},{SOUTH},13", f"{NORTH},{SOUTH},12"), {"overlap", "figures"}),
    "finer than the leaves": (
        flows(f"{NS},12", f"{SN},10").replace(NORTH, sorted(h3.cell_to_children(NORTH, 8))[0]),
        {"form", "levels"},
    ),
    "a measure that is not guarded": (
        f"{HEAD},persons\n{NS},12,12\n{SN},10,10\n",
        {"columns"},
    ),
    "another size of a cell": (flows(f"{NS},14", f"{SN},10"), {"figures"}),  # C_AVG 1.2 instead of 1.1
}


@pytest.mark.parametrize(("text", "checks"), [pytest.param(*value, id=name) for name, value in PLANTED.items()])
def test_planted_flows_are_found_although_everything_else_was_drawn_anew(bundle, text, checks):
    assert found(redrawn(bundle, text)) == checks


def test_what_digests_alone_would_not_find_needs_the_announced_digest(bundle):
    # Two cells that trade a trip keep every sum.
    forged = redrawn(bundle, flows(f"{NS},11", f"{SN},11"))
    assert found(forged) == set()
    assert found(forged, digest=bundle.digest) == {"announced digest"}
    assert found(bundle.to_bytes(), digest=bundle.digest) == set()
    assert found(forged, towns()) == {"recount", "rebuild"}


def said(**changes):
    def change(manifest):
        for path, value in changes.items():
            *way, last = path.split("__")
            at = manifest
            for step in way:
                at = at[step]
            at[last] = value

    return change


MANIFESTS = {
    "promises": [said(promise="every published cell has at least 99 trips"), said(rounding={"trips": 2})],
    "sums": [said(minimum={"trips": 11}), said(cells=3), said(zones={"origins": 3, "destinations": 2})],
    "figures": [
        said(metrics__participants__e=1.2345),
        said(metrics__participants__c_avg=1.2),
        lambda m: (m["metrics"].update(population=m["metrics"]["participants"]), m["withheld"].update(population={})),
    ],
    "suppressed": [
        said(suppressed={"trips": 0.12}),
        said(suppressed={"trips": "below threshold", "population": 0.1}),
        said(metrics__participants__c_dm=300.0),
    ],
    "audit": [
        lambda m: m["audit"]["checks"][3].update(verdict="advice"),
        lambda m: m["audit"].update(checks=[]),
        said(audit__status="passed"),
    ],
}


@pytest.mark.parametrize(
    ("check", "change"), [(check, change) for check, changes in MANIFESTS.items() for change in changes]
)
def test_a_manifest_that_says_something_else_is_found(bundle, check, change):
    assert check in found(redrawn(bundle, change=change))


def test_advice_cannot_be_dropped():
    release = leaves(towns((EAST, EAST, [("p0", 1.0)] * 13)), TEN)
    bundle = make_bundle(release)
    assert len(bundle.manifest["advice"]) == 2  # persons, population
    assert found(redrawn(bundle, change=said(advice=[]))) == {"audit"}


@pytest.mark.parametrize(
    "change",
    [
        said(recipe__protection={"trips": 9}),
        said(thresholds={"trips": 9}, promise="every published cell has at least 9 trips"),
        said(recipe__data__fingerprint="0" * 64),
        said(recipe__release__algorithm="mondrian", recipe__release__options={}),
    ],
)
def test_a_recipe_of_something_else_is_found(bundle, change):
    assert "promises" in found(redrawn(bundle, change=change))


def test_more_suppressed_than_the_budget_is_found(demo):
    forged = redrawn(demo[0], change=said(suppressed={"trips": 0.15}, metrics__participants__s=0.15))
    assert found(forged) == {"suppressed"}


def test_a_zone_without_a_flow_and_another_outline_are_found(bundle):
    zones = bundle.files["zones.geojson"].decode()
    line = zones.splitlines()[1]
    more = zones.replace(line, line.replace(NORTH, FAR) + "\n" + line)
    assert found(signed(bundle, {"zones.geojson": more.encode()})) >= {"zones"}
    moved = re.sub(r"\[(\d\.\d+),", lambda m: f"[{float(m[1]) + 0.01},", zones, count=1)
    with pytest.raises(odk.InputError, match="polygons"):  # a ring that does not close
        odk.verify(signed(bundle, {"zones.geojson": moved.encode()}))
    shifted = re.sub(r"\[(\d\.\d+),", lambda m: f"[{round(float(m[1]) + 0.01, 6)},", zones)
    assert found(signed(bundle, {"zones.geojson": shifted.encode()})) >= {"zones"}
    spaced = zones.replace('"origin":true', '"origin": true', 1)
    assert found(signed(bundle, {"zones.geojson": spaced.encode()})) >= {"zones"}


@pytest.mark.parametrize(
    "planted",
    [
        "<script>fetch('x')</script>",
        "<p onclick='x()'>",
        "<a href='elsewhere'>",
        "<img src=x>",
        "<p>The least has 3 persons.</p>",
        "<style>@import 'x'</style>",
    ],
)
def test_a_report_that_runs_fetches_or_says_something_else_is_found(bundle, planted):
    text = bundle.report.replace("</body>", f"{planted}</body>")
    assert found(signed(bundle, {"report.html": text.encode()})) == {"report"}


def test_a_report_of_another_version_is_searched_but_not_compared(bundle):
    other = signed(bundle, {"report.html": bundle.files["report.html"] + b" "}, said(software_version="9.9.9"))
    assert found(other) == set()
    assert "another version" in " ".join(finding.sentence for finding in odk.verify(other).findings)


def test_zones_of_one_side_may_hold_those_of_the_other():
    # origins at level 7, destinations at level 6: NORTH lies in NEAR, and that is fine
    matrix = odk.ODMatrix.from_trips(towns(far=0), resolution=7)
    release = zoned(matrix, TEN, cut_at(matrix.origins, 7), cut_at(matrix.destinations, 6))
    assert odk.verify(make_bundle(release).to_bytes()).passed


# --- with the trips ----------------------------------------------------------------------------------------------------
def test_with_the_trips_everything_is_checked(demo):
    bundle, trips = demo
    verification = odk.verify(bundle.to_bytes(), trips)
    assert verification.passed
    named = {check.check: check.severity for check in verification.checks}
    assert {named[name] for name in ("input", "recount", "rebuild", "full audit")} == {"pass"}
    assert verification.audit is not None
    assert verification.audit.minimum["trips"] == bundle.manifest["minimum"]["trips"]


def test_other_trips_are_not_taken_for_the_input(bundle):
    trips = towns()
    one_less = replace(trips, table=trips.table.iloc[1:])
    assert found(bundle.to_bytes(), one_less) == {"input", "recount", "rebuild"}
    assert found(bundle.to_bytes(), trips) == set()
    assert found(bundle.to_bytes(), towns((NORTH, NORTH, people(2)))) == {"input", "rebuild"}


def test_a_recipe_that_cannot_be_run_is_an_error(demo):
    assert found(demo[0].to_bytes(), towns()) == {"input"}  # no trips of the area


@pytest.mark.parametrize("algorithm", ["odkanon", "atg-joint", "mondrian", "oigh"])
def test_every_kind_of_release_can_be_verified(demo_trips, algorithm):
    trips = demo_trips.within(odk.CENTRE).where(sex="M")
    recipe = odk.Recipe(algorithm=algorithm, population_k=10, rounding=odk.Rounding(population=1000))
    release = recipe.run(trips)
    bundle = make_bundle(release, recipe=recipe)
    assert (bundle.flows["population"] % 1000 == 0).all()
    assert odk.verify(bundle.to_bytes(), trips).passed
