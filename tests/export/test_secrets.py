"""What a bundle must not say (SPEC 4): surveys that differ only in that give the same bundle."""

import json
from dataclasses import replace

import h3
import pytest

import odk
from odk.export import make_bundle
from tests.audit.towns import FAR, NEAR, NORTH, SOUTH, people
from tests.export.towns import EAST, FARTHER, at_level, leaves, towns

TEN = odk.Protection(trips=10)


def without_fingerprint(bundle):
    """All that a bundle says but the fingerprint, and the digests that follow from it."""
    said = json.loads(bundle.files["manifest.json"])
    own = said["input_fingerprint"]
    said["recipe"]["data"].pop("fingerprint")
    for key in ("input_fingerprint", "digest", "files"):
        said.pop(key)
    files = bundle.files
    return said, files["flows.csv"], files["zones.geojson"], files["report.html"].decode().replace(own, "")


def changed(trips, **columns):
    return replace(trips, table=trips.table.assign(**columns))


def pairs():
    """Surveys that a bundle with protected trips must not tell apart."""
    base = towns()
    who = base.table["person"]
    yield "who travelled", base, changed(base, person=[f"Marie-{p}" for p in who])
    few = [changed(base, person=[f"p{i % n}" for i in range(len(who))]) for n in (3, 4)]
    yield "how many persons, where fewer than k", *few
    yield "weights", base, changed(base, weight=base.table["weight"] * 7.3)
    yield "empty or suppressed", towns(far=0), towns(far=3)
    yield "how much is suppressed", towns(far=3), towns(far=9)
    yield "where, of what is suppressed", towns(far=3), towns((FARTHER, FARTHER, people(3)), far=0)
    yield (
        "order of the rows",
        base,
        replace(base, table=base.table.sample(frac=1, random_state=1).reset_index(drop=True)),
    )


@pytest.mark.parametrize("audited", [False, True], ids=["no audit", "audit"])
@pytest.mark.parametrize(("a", "b"), [pytest.param(*rest, id=name) for name, *rest in pairs()])
def test_surveys_that_must_not_be_told_apart_give_the_same_bundle(a, b, audited):
    bundles = []
    for trips in (a, b):
        release = leaves(trips, TEN)
        # what is far from everyone is told by l-diversity and the like: they are off, or their verdicts would differ
        options = odk.AuditOptions(t=1.0, homogeneity=1.0, effective=1.0, k_m=2, dominance=1.0)
        bundles.append(make_bundle(release, odk.audit(release, trips, TEN, options) if audited else None))
    assert without_fingerprint(bundles[0]) == without_fingerprint(bundles[1])


def test_the_observed_leaves_of_a_zone_are_not_told():
    # 15 more trips between NEAR and NEAR, from other leaves of it; zones of level 6 are published.
    bundles = [make_bundle(at_level(towns((at, at, people(15))), TEN, 6)) for at in (NORTH, EAST)]
    assert without_fingerprint(bundles[0]) == without_fingerprint(bundles[1])
    for name in (NORTH, SOUTH, EAST, FAR):
        assert all(name.encode() not in data for data in bundles[0].files.values())
    assert f"{NEAR},{NEAR},37" in bundles[0].files["flows.csv"].decode()


def test_g_is_withheld_where_it_would_tell_that_all_leaves_were_observed():
    # 30 trips between each two of the 7 children of NEAR: |NEAR| = 7 at both ends, and G = 14 is as full as can be.
    children = sorted(h3.cell_to_children(NEAR, 7))
    full = towns(*[(a, b, people(30)) for a in children for b in children], far=0)
    said = make_bundle(at_level(full, TEN, 6)).manifest
    assert said["metrics"]["participants"]["g"] is None
    assert said["withheld"]["participants"]["g"] == "it would tell that every leaf of a zone was observed"
    # with 5 of 7 observed, G = 10 leaves room for any of them to be unobserved
    some = towns(*[(a, b, people(60)) for a in children[:5] for b in children[:5]], far=0)
    assert make_bundle(at_level(some, TEN, 6)).manifest["metrics"]["participants"]["g"] == 10
    # leaves that are published as zones are no secret: G = 2 (49 x 30 and 22 trips of 10 and more)
    assert make_bundle(leaves(full, TEN)).manifest["metrics"]["participants"]["g"] == 2


def test_figures_are_no_finer_than_a_group_of_k():
    # 1,500 trips at k = 10 are 150 groups: 2 digits. G: NORTH-SOUTH 300 trips at size 1 + 1, the rest one zone of 2 leaves.
    trips = towns((NORTH, NORTH, people(3)), (EAST, EAST, people(1475)), far=0)
    metrics = make_bundle(at_level(trips, TEN, 6)).manifest["metrics"]["participants"]
    assert metrics["gdm_mean"] == float(f"{odk.measure(at_level(trips, TEN, 6)).gdm_mean:.2g}")
    assert metrics["e"] == float(f"{odk.measure(at_level(trips, TEN, 6)).e:.2g}")


def test_nobody_is_in_the_bytes():
    trips = towns()
    trips = changed(trips, person=[f"Marie-{p}" for p in trips.table["person"]])
    data = make_bundle(leaves(trips, TEN)).to_bytes()
    assert FAR.encode() not in data
    assert b"Marie" not in data


def test_advice_names_no_number_of_an_unguarded_measure():
    # EAST-EAST: 13 trips, 2626 weighted, by one person. Nothing of that but the 13 may be read.
    trips = towns((EAST, EAST, [("p0", 202.0)] * 13))
    release = leaves(trips, TEN)
    for audit in (None, odk.audit(release, trips, TEN)):
        bundle = make_bundle(release, audit)
        titles = [c["title"] for c in bundle.manifest["audit"]["checks"] if c["verdict"] == "advice"]
        assert "At least 10 distinct persons" in titles
        assert "At least as many weighted trips (population) as 10 trips of mean weight" in titles
        assert any("One person's trips" in sentence for sentence in bundle.manifest["advice"])
        said = json.dumps({key: bundle.manifest[key] for key in ("advice", "audit", "metrics", "thresholds")})
        mean = release.matrix.mean_weight
        for number in ("2626", "2,626", f"{mean:.1f}", f"{10 * mean:.1f}", f"{10 * mean:,.1f}"):
            assert number not in said
        assert bundle.report.index("<section class='band'>") < bundle.report.index("What is promised")


def test_settings_that_suppress_nothing_are_said_to_tell_empty_cells(centre):
    told = {
        name: any("nobody travelled" in sentence for sentence in make_bundle(release).manifest["advice"])
        for name in ("oigh", "odkanon-late")
        for release in [odk.anonymise(centre, TEN, algorithm=name)]
    }
    assert told == {"oigh": True, "odkanon-late": False}


def test_a_threshold_that_follows_from_the_data_is_stated_coarser_where_it_would_tell_the_total():
    # 24 + 15 + 3 = 42 weighted trips in 25 trips: k = 8 is 13.44. The 3 that are suppressed are below it. Who knows that n
    # trips are missing solves 39 + w = 13.44 / 8 x (22 + n). 39 is not 10 times the threshold: one digit is left, 10.
    trips = towns()
    guard = odk.Protection.population_of(odk.ODMatrix.from_trips(trips, resolution=7), k=8)
    assert guard.population == 13.44
    said = make_bundle(leaves(trips, guard)).manifest
    assert said["thresholds"] == {"population": 10.0}
    assert said["recipe"]["protection"] == {"population_k": 8}
    assert "13.4" not in json.dumps(said)
    # a number that the user gave is no secret
    assert make_bundle(leaves(trips, odk.Protection(population=13.4))).manifest["thresholds"] == {"population": 13.4}
