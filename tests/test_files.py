"""Files and uploads: known by content, every way to write a CSV, and what is no table."""

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.readers import preview_columns

CSV = (
    "bike_id,start_lat,start_lon,end_lat,end_lon,weight,sex\n"
    "007,48.85,2.35,48.90,2.40,1.5,F\n"
    "7,48.86,2.36,48.91,2.41,2.5,M\n"
    "x9,48.87,2.37,48.92,2.42,3.5,F\n"
)


def zipped(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def as_parquet(table: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    table.to_parquet(out)
    return out.getvalue()


PACKED = {
    "plain": CSV.encode(),
    "gzip": gzip.compress(CSV.encode()),
    "bzip2": bz2.compress(CSV.encode()),
    "xz": lzma.compress(CSV.encode()),
    "zstd": pa.Codec("zstd").compress(CSV.encode(), asbytes=True),
    "zip": zipped(("trips.csv", CSV.encode()), ("__MACOSX/._trips.csv", b"junk")),
    "gzip in zip": zipped(("trips.csv.gz", gzip.compress(CSV.encode()))),
    "byte order mark": b"\xef\xbb\xbf" + CSV.encode(),
    "utf-16": CSV.encode("utf-16"),
    "semicolons": CSV.replace(",", ";").encode(),
    "semicolons, decimal comma": CSV.replace(",", ";").replace(".", ",").encode(),
    "tabs": CSV.replace(",", "\t").encode(),
    "excel": b"sep=;\r\n" + CSV.replace(",", ";").replace("\n", "\r\n").encode(),
    "windows line ends": CSV.replace("\n", "\r\n").encode(),
    "old mac line ends": CSV.replace("\n", "\r").encode(),
    "blank lines": b"\n\n" + CSV.replace("\n", "\n\n").encode(),
    "no last line end": CSV.strip().encode(),
    "blanks around": CSV.replace(",", " , ").encode(),
    "quoted, decimal comma": "\n".join(
        ",".join(f'"{field.replace(".", ",")}"' for field in line.split(",")) for line in CSV.split()
    ).encode(),
    "parquet": as_parquet(pd.read_csv(io.StringIO(CSV), dtype={"bike_id": "str"})),
}


@pytest.mark.parametrize("way", PACKED)
def test_every_way_to_write_the_same_trips_gives_the_same_trips(way, tmp_path):
    expected = odk.Trips.from_table(pd.read_csv(io.StringIO(CSV), dtype={"bike_id": "str"}))
    path = tmp_path / "upload"
    path.write_bytes(PACKED[way])
    for source in (path, str(path), PACKED[way], io.BytesIO(PACKED[way])):
        trips = odk.read_trips(source)
        pd.testing.assert_frame_equal(trips.table, expected.table)
        assert trips.fingerprint == expected.fingerprint
        assert trips.source == "upload"
    assert list(trips.table["person"]) == ["007", "7", "x9"]
    assert list(trips.table["weight"]) == [1.5, 2.5, 3.5]
    assert trips.segments == ["sex"]


@pytest.mark.parametrize("way", PACKED)
def test_a_preview_shows_names_guesses_and_first_rows(way):
    buffer = io.BytesIO(PACKED[way])
    preview = preview_columns(buffer, n=2)
    assert preview.names == ("bike_id", "start_lat", "start_lon", "end_lat", "end_lon", "weight", "sex")
    assert preview.guessed["person"] == "bike_id"
    assert len(preview.rows) == 2
    assert [str(value).strip() for value in preview.rows["sex"]] == ["F", "M"]
    assert buffer.tell() == 0


def test_a_preview_of_a_large_file_reads_its_head_only(tmp_path):
    header, *rows = CSV.splitlines(keepends=True)
    path = tmp_path / "large.csv"
    path.write_text(header + "".join(rows) * 20_000, encoding="utf-8")
    assert len(preview_columns(path).rows) == 5
    (tmp_path / "large.csv.gz").write_bytes(gzip.compress(path.read_bytes(), 1))
    assert len(preview_columns(tmp_path / "large.csv.gz").rows) == 5
    assert len(odk.read_trips(path)) == 60_000


def test_latin_1_and_utf_8_letters():
    text = CSV.replace("F\n", "Frau Müller\n").replace("sex", "größe")
    for encoding in ("utf-8", "latin-1"):
        trips = odk.read_trips(text.encode(encoding))
        assert trips.segments == ["größe"]
        assert list(trips.table["größe"]) == ["Frau Müller", "M", "Frau Müller"]


def test_quoted_fields_may_hold_separators_and_line_ends():
    text = CSV.replace("F\n", '"a, b\nc"\n')
    assert list(odk.read_trips(text.encode()).table["sex"]) == ["a, b\nc", "M", "a, b\nc"]


def test_a_lone_quote_mark_does_not_swallow_the_rest():
    text = CSV.replace("007", '5" wheel')
    assert list(odk.read_trips(text.encode()).table["person"]) == ['5" wheel', "7", "x9"]


def test_rows_that_do_not_fit_the_header_are_counted_with_their_number():
    lines = CSV.splitlines()
    lines.insert(2, "8,48.86,2.36")
    lines.insert(4, "9,91,2.36,48.91,2.41,2.5,M")
    lines.append("10,48.86,2.36,48.91,2.41,2.5,M,more")
    trips = odk.read_trips("\n".join(lines).encode())
    assert dict(trips.rejected) == {"wrong number of columns": 2, "coordinate out of range": 1}
    assert list(trips.rejected_rows["wrong number of columns"]["row"]) == [2, 6]
    assert trips.rejected_rows["wrong number of columns"]["text"][0] == "8,48.86,2.36"
    assert list(trips.rejected_rows["coordinate out of range"]["row"]) == [4]
    assert list(trips.rejected_rows["coordinate out of range"]["start_lat"].astype(float)) == [91.0]
    assert trips.rows == 6
    assert len(trips) == 3


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", r"upload \(0 bytes\) must not be empty"),
        (b"\xef\xbb\xbf\n \n", r"must not be empty"),
        (CSV.splitlines()[0].encode(), r"must hold at least one trip; it has no rows below its column names \(bike_id"),
        (
            CSV.split("\n", 1)[1].encode().replace(b"x9", b"9").replace(b"F", b"1").replace(b"M", b"1"),
            r"column names in its first line",
        ),
        (b"<!DOCTYPE html><html><body>Sign in</body></html>", r"this is a web page"),
        (b'{"type": "FeatureCollection"}', r"looks like JSON"),
        (b"%PDF-1.7 ....", r"this is a PDF"),
        (bytes(range(256)) * 20, r"this is neither \(binary content\)"),
        (gzip.compress(CSV.encode() * 500)[:-200], r"must be a complete compressed file; it is cut off or damaged"),
        (bz2.compress(CSV.encode())[:-20], r"cut off or damaged"),
        (lzma.compress(CSV.encode())[:-20], r"cut off or damaged"),
        (pa.Codec("zstd").compress(CSV.encode() * 500, asbytes=True)[:-20], r"cut off or damaged"),
        (zipped(("a.csv", CSV.encode()))[:-30], r"cut off or damaged"),
        (gzip.compress(b"", mtime=0), r"must not be empty"),
        (zipped(("a.csv", b"1"), ("b.csv", b"2")), r"upload must be a zip of one file; it holds 2: a.csv, b.csv"),
        (zipped(), r"must be a zip of one file; it holds 0"),
        (zipped(("[Content_Types].xml", b"<xml/>"), ("xl/a.xml", b"2")), r"Excel workbook.*save it as CSV"),
        (PACKED["parquet"][:-30], r"must be a complete Parquet file"),
        (PACKED["parquet"][:200] + b"x" * 40 + PACKED["parquet"][240:], r"must be a complete Parquet file"),
        (b"just some prose\nwithout any columns\n", r"the ends of the trips were not found by name"),
    ],
)
def test_what_is_no_table_of_trips_is_refused_in_words(data, words):
    with pytest.raises(odk.InputError, match=words):
        odk.read_trips(data)


@given(
    st.sampled_from(sorted(PACKED)),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 30), st.binary(max_size=4)), min_size=1, max_size=5),
)
def test_damaged_bytes_are_refused_or_counted_and_never_a_crash(way, edits):
    data = PACKED[way]
    for at, length, new in edits:
        at %= len(data) + 1
        data = data[:at] + new + data[at + length :]
    for read in (odk.read_trips, preview_columns):
        try:
            got = read(data)
        except odk.OdkError:
            continue
        if isinstance(got, odk.Trips):
            assert len(got) + sum(got.rejected.values()) == got.rows


def test_missing_files_are_named_without_their_folder(tmp_path):
    with pytest.raises(odk.InputError, match=r"^file \(none.csv\) must exist$"):
        odk.read_trips(tmp_path / "none.csv")
    with pytest.raises(odk.InputError, match="must be a file, not a folder"):
        odk.read_trips(tmp_path)
    with pytest.raises(odk.InputError, match=r"source \(int\) must be a path"):
        odk.read_trips(3)


def test_text_files_and_named_uploads():
    assert len(odk.read_trips(io.StringIO(CSV))) == 3
    named = io.BytesIO(CSV.encode())
    named.name = "/some/folder/trips.csv"
    assert odk.read_trips(named).source == "trips.csv"
    assert odk.read_trips(named, name="My survey").source == "My survey"
    assert odk.read_trips(named, synthetic=True).synthetic


def test_long_ids_and_whole_numbers_with_gaps_keep_their_digits():
    big = 2**62 + 1
    table = pd.read_csv(io.StringIO(CSV)).assign(bike_id=pd.array([big, big + 1, None], dtype="Int64"))
    trips = odk.read_trips(as_parquet(table))
    assert list(trips.table["person"]) == [big, big + 1]
    assert dict(trips.rejected) == {"person missing": 1}
    text = CSV.replace("007", str(big)).replace("\n7,", f"\n{big + 1},")
    assert odk.read_trips(text.encode()).table["person"].nunique() == 3


def test_nested_columns_of_parquet_are_left_aside():
    table = pa.Table.from_pandas(pd.read_csv(io.StringIO(CSV)))
    table = table.append_column("line", pa.array([[1.0], [2.0], None]))
    out = io.BytesIO()
    pq.write_table(table, out)
    assert odk.read_trips(out).segments == ["sex"]


def test_divvy_reads_fully_guessed(shared: Path):
    trips = odk.read_trips(shared / "data" / "divvy_2013_trips.csv.gz")
    assert len(trips) == trips.rows == 50_000
    assert trips.columns["person"] == "bike_id"
    assert trips.table["start_time"].notna().all()
    assert dict(trips.warnings) == {}


def test_a_file_like_divvy_reads_fully_guessed():
    rng = np.random.default_rng(0)
    lines = ["bike_id,start_time,start_lat,start_lon,end_lat,end_lon"]
    for _ in range(200):
        (a, c), (b, d) = 41.8 + rng.random(2) / 10, -87.7 + rng.random(2) / 10
        when = f"{rng.integers(6, 9)}/{rng.integers(1, 29)}/2013 {rng.integers(24)}:05"
        lines.append(f"{rng.integers(900)},{when},{a},{b},{c},{d}")
    trips = odk.read_trips(gzip.compress("\n".join(lines).encode()))
    assert len(trips) == 200
    assert set(trips.table["start_time"].dt.month) == {6, 7, 8}
    assert trips.table["person"].dtype == np.int64
    assert trips.segments == []
