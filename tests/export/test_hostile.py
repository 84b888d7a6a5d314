"""Bundles made to harm: refused with a clear message, nothing unpacked, nothing run."""

import io
import json
import stat
import zipfile

import pytest

import odk
from odk.export import _container, make_bundle
from tests.export.towns import leaves, signed, towns

TEN = odk.Protection(trips=10)


@pytest.fixture(scope="module")
def bundle():
    return make_bundle(leaves(towns(), TEN))


def zipped(files, method=zipfile.ZIP_DEFLATED, change=lambda info: None, names=None):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name in names or files:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            change(info)
            archive.writestr(info, files[name])
    return out.getvalue()


def refused(data, words):
    for door in (odk.verify, odk.read_bundle):
        with pytest.raises(odk.OdkError, match=words):
            door(data)


def test_what_is_no_zip_is_refused(bundle, tmp_path):
    refused(b"", "zip")
    refused(b"PK\x03\x04 and nothing", "zip")
    refused(bundle.to_bytes()[:-100], "zip")
    refused(tmp_path / "nothing.zip", "can be read")
    refused(tmp_path, "can be read")
    broken = bytearray(bundle.to_bytes())
    broken[80] ^= 1  # within flows.csv: the checksum of the zip finds it
    refused(bytes(broken), "unpacked")


def test_a_path_that_leads_elsewhere_is_refused(bundle):
    for name in ("../flows.csv", "/etc/flows.csv", "..\\flows.csv", "C:\\flows.csv", "a/../../flows.csv"):
        refused(zipped({**bundle.files, name: b"x"}), "leads elsewhere")
    refused(zipped({**bundle.files, "trips.csv": b"x"}), "only")
    refused(zipped({**bundle.files, "more/": b""}), "only")


def test_a_missing_or_doubled_file_is_refused(bundle):
    some = {name: data for name, data in bundle.files.items() if name != "flows.csv"}
    refused(zipped(some), "flows.csv is missing")
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = zipped(bundle.files, names=[*bundle.files, "flows.csv"])
    refused(twice, "twice")


def test_links_and_encrypted_files_are_refused(bundle):
    def link(info):
        info.external_attr = (stat.S_IFLNK | 0o777) << 16

    refused(zipped(bundle.files, change=link), "link")
    data = bytearray(bundle.to_bytes())
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + offset] |= 1
    refused(bytes(data), "encrypted")


def test_bombs_are_refused(bundle):
    refused(zipped({**bundle.files, "flows.csv": b"0" * 50_000_000}), "swells")
    lie = bytearray(zipped({**bundle.files, "report.html": b"a" * 100_000}, zipfile.ZIP_STORED))
    entry = lie.index(b"PK\x01\x02", lie.index(b"PK\x01\x02") + 1)
    while b"report.html" not in lie[entry : entry + 60]:
        entry = lie.index(b"PK\x01\x02", entry + 1)
    lie[entry + 24 : entry + 28] = (4_000_000_000).to_bytes(4, "little")
    refused(bytes(lie), "must not unpack report.html")


def test_a_member_larger_than_it_says_is_refused(bundle, monkeypatch):
    data = bundle.to_bytes()
    monkeypatch.setitem(_container.MOST_BYTES, "report.html", 10_000)
    monkeypatch.setattr(_container, "_check_members", lambda infos, name: None)  # as if the directory had lied
    refused(data, "more than 10,000 bytes")


def test_a_bundle_too_large_is_not_read(bundle, monkeypatch, tmp_path):
    (tmp_path / "big.zip").write_bytes(bundle.to_bytes())
    for name in _container.MEMBERS:
        monkeypatch.setitem(_container.MOST_BYTES, name, 1000)
    with pytest.raises(odk.InputError, match="coarser zones"):
        bundle.to_bytes()
    refused(tmp_path / "big.zip", "smaller than 4,000 bytes")


def test_a_repacked_bundle_is_a_warning_and_hidden_bytes_are_an_error(bundle):
    again = odk.verify(zipped(bundle.files))
    assert again.passed
    assert [finding.check for finding in again.findings if finding.severity == "warning"] == ["container"]
    assert not odk.verify(b"secret rows" * 9 + bundle.to_bytes()).passed
    out = io.BytesIO(bundle.to_bytes())
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = b"p0 lives in the north"
    assert not odk.verify(out.getvalue()).passed


def planted(bundle, name, data):
    return signed(bundle, {name: data if isinstance(data, bytes) else data.encode()})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "begin with"),
        ("origin,destination\n", "begin with"),
        ("origin,destination,speed\na,b,1\n", "begin with"),
        ("origin,destination,trips\n", "at least one row"),
        ("origin,destination,trips,trips\n", "twice"),
        ("origin,destination,trips\na,b\n", "3 values"),
        ("origin,destination,trips\na,b,ten\n", "as a number"),
        ("origin,destination,trips\na,b,-12\n", "as a number"),
        ("origin,destination,trips\na,b,1e9\n", "as a number"),
        ("origin,destination,trips\na,b," + "9" * 400 + "\n", "as a number"),
        ('origin,destination,trips\n"a,b,12\n', "comma-separated"),
        ("origin,destination,trips\n<script>,b,12\n", "script"),
        ("origin,destination,trips\na\x00,b,12\n", "control|comma-separated"),
        ("origin,destination,trips\n\u202ea,b,12\n", "cannot be seen"),
        ("origin,destination,trips\n" + "x" * 200_000 + ",b,12\n", "letters|comma-separated"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_malformed_flows_are_refused(bundle, text, words):
    refused(planted(bundle, "flows.csv", text), words)


def zones(geometry, properties='"zone":"a","origin":true,"destination":true'):
    """A collection of one feature, as text."""
    feature = f'{{"type":"Feature","properties":{{{properties}}},"geometry":{geometry}}}'
    return f'{{"type":"FeatureCollection","features":[{feature}]}}'


MANY = json.dumps({"type": "Polygon", "coordinates": [[[0, 0]] * 5000]})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "FeatureCollection"),
        ("{", "JSON"),
        ("[" * 100_000, "nested|JSON"),
        ('{"type":"FeatureCollection","features":[]}', "features"),
        ('{"type":"FeatureCollection","features":[],"features":[]}', "twice"),
        ('{"type":"FeatureCollection","features":[1],"secret":2}', "nothing else"),
        ('{"type":"FeatureCollection","features":[{}]}', "feature 1"),
        (zones("NaN"), "finite"),
        (zones("1" * 5000), "digits"),
        (zones("1e999"), "large"),
        (zones('{"type":"Point","coordinates":[1,200]}'), "degrees"),
        (zones(MANY), "few corners"),
        (zones("null", '"zone":"a","origin":true,"destination":true,"trips":3'), "says more"),
        (zones("null", '"zone":"a","origin":"yes","destination":true'), "right kind"),
    ],
)
def test_malformed_zones_are_refused(bundle, text, words):
    refused(planted(bundle, "zones.geojson", text), words)


def test_malformed_manifests_are_refused(bundle):
    def other(change):
        return signed(bundle, change=change)

    refused(other(lambda m: m.update(schema_version=2)), "schema_version")
    refused(other(lambda m: m.update(least_persons=3)), "say more")
    refused(other(lambda m: m.pop("minimum")), "must have minimum")
    refused(other(lambda m: m.update(minimum={"trips": "ten"})), "of its kind")
    refused(other(lambda m: m.update(guarded=["speed"])), "of its kind")
    refused(other(lambda m: m.update(promise="x" * 5000)), "of its kind")
    refused(other(lambda m: m["recipe"].update(path="x")), "recipe")
    refused(other(lambda m: m["recipe"]["release"].update(algorithm="magic")), "algorithm")
    refused(other(lambda m: m["recipe"]["release"].update(options={"run": "rm"})), "option")
    refused(other(lambda m: m["recipe"]["selection"].update(resolution="ten")), "resolution")
    files = {**bundle.files, "manifest.json": b"[1]"}
    refused(_container.pack(files), "object")
