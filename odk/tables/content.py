"""What a file or an upload holds: unpacked bytes, known by content and not by name (an upload may have none)."""

import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any

import pyarrow as pa

from odk.errors import InputError

Data = bytes | bytearray
Source = str | PathLike[str] | bytes | IO[bytes] | IO[str]

MOST_BYTES = 8 << 30
HEAD_BYTES = 1 << 18

# All that the standard unpackers and Arrow raise on damaged input; zipfile alone knows six of them.
_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError, ValueError, KeyError)
_BROKEN_TOO = (struct.error, OverflowError, pa.ArrowException)
_NOT_TABLES = {
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save it as CSV",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"SQLite format 3": "an SQLite database",
    b"ARROW1": "an Arrow/Feather file; save it as Parquet",
    b"7z\xbc\xaf": "a 7z archive; unpack it first",
    b"Rar!": "a RAR archive; unpack it first",
}


@dataclass(frozen=True)
class Content:
    """Unpacked bytes of one file. ``whole`` is False where only the head was asked for and there is more."""

    name: str
    data: Data
    parquet: bool
    whole: bool = True


def display_name(source: Source) -> str:
    """The name to show for a file or an upload: never the folder it lies in."""
    if isinstance(source, bytes):
        return "upload"
    name = source if isinstance(source, str | PathLike) else getattr(source, "name", None)
    return Path(str(name)).name if isinstance(name, str | PathLike) and str(name) else "upload"


def read_content(source: Source, *, head: bool = False) -> Content:
    """Unpacked bytes of a path, bytes, or a file object (read from its start, and left there).

    Plain, gzip, bzip2, xz, zstd, or a zip of one file. With ``head``, only the first quarter megabyte of text.
    """
    name = display_name(source)
    data, whole = _raw(source, name, head)
    for _ in range(3):  # a .csv.gz inside a .zip is met; deeper nesting is not a table
        unpack = _unpacker(data)
        if unpack is None:
            break
        if not whole:  # the end of a packed file is needed to know whether it is complete
            data, whole = _raw(source, name, head=False)
        data, whole = _unpack(data, unpack, name, head)
    if data[:4] == b"PAR1" and not whole:  # its table of contents stands at its end
        return read_content(source)
    if len(data) <= HEAD_BYTES and not data.strip(b"\xef\xbb\xbf \t\r\n\0"):
        raise InputError(f"{name} ({len(data)} bytes) must not be empty")
    _check_table_like(data, name)
    return Content(name=name, data=data, parquet=data[:4] == b"PAR1", whole=whole)


def _raw(source: Source, name: str, head: bool) -> tuple[Data, bool]:
    limit = HEAD_BYTES if head else -1
    if isinstance(source, bytes):
        return source, True
    if isinstance(source, str | PathLike):
        try:
            with open(source, "rb") as file:
                data = file.read(limit)
                return data, not file.read(1)
        except FileNotFoundError:
            raise InputError(f"file ({name}) must exist") from None
        except IsADirectoryError:
            raise InputError(f"file ({name}) must be a file, not a folder") from None
        except OSError as problem:
            raise InputError(f"file ({name}) must be readable: {problem.strerror}") from None
    if not hasattr(source, "read"):
        raise InputError(f"source ({type(source).__name__}) must be a path, bytes or an open file")
    return _from_file_object(source), True


def _from_file_object(file: IO[Any]) -> bytes:
    seekable = hasattr(file, "seek") and (not hasattr(file, "seekable") or file.seekable())
    if seekable:
        file.seek(0)
    data = file.read()
    if seekable:
        file.seek(0)
    return data.encode() if isinstance(data, str) else bytes(data)


Unpacker = Callable[[Data], Any]


def _unpacker(data: Data) -> Unpacker | None:
    if data[:2] == b"\x1f\x8b":
        return lambda packed: gzip.GzipFile(fileobj=io.BytesIO(packed))
    if data[:3] == b"BZh":
        return lambda packed: bz2.BZ2File(io.BytesIO(packed))
    if data[:6] == b"\xfd7zXZ\0":
        return lambda packed: lzma.LZMAFile(io.BytesIO(packed))
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return lambda packed: pa.CompressedInputStream(pa.BufferReader(packed), "zstd")
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _open_zip
    return None


def _open_zip(packed: Data) -> IO[bytes]:
    archive = zipfile.ZipFile(io.BytesIO(packed))
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if "[Content_Types].xml" in names:
        raise InputError(
            "must be a CSV or Parquet file; this is an Excel workbook or another office document: save it as CSV"
        )
    names = [
        name for name in names if not name.startswith("__MACOSX/") and not PurePosixPath(name).name.startswith(".")
    ]
    if len(names) != 1:
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise InputError(f"must be a zip of one file; it holds {len(names)}{': ' + shown if shown else ''}")
    return archive.open(names[0])


def _unpack(packed: Data, opener: Unpacker, name: str, head: bool) -> tuple[Data, bool]:
    """Unpacked bytes, at most MOST_BYTES of them: a small upload must not fill the memory."""
    try:
        with opener(packed) as stream:
            if head:
                data = stream.read(HEAD_BYTES)
                return data, len(data) < HEAD_BYTES
            whole = bytearray()  # grows in place: joining parts would take the memory twice
            while part := stream.read(1 << 24):
                whole += part
                if len(whole) > MOST_BYTES:
                    raise InputError(f"{name} (more than {MOST_BYTES >> 30} GB unpacked) must be read in parts")
            return whole, True
    except InputError as problem:
        message = str(problem)
        raise InputError(message if message.startswith(name) else f"{name} {message}") from None
    except (*_BROKEN, *_BROKEN_TOO) as problem:
        raise InputError(f"{name} must be a complete compressed file; it is cut off or damaged ({problem})") from None


def _check_table_like(data: Data, name: str) -> None:
    """Refuse what is plainly no table, in words that say what it is."""
    if data[:4] == b"PAR1":
        return
    for magic, what in _NOT_TABLES.items():
        if data.startswith(magic):
            raise InputError(f"{name} must be a CSV or Parquet file; this is {what}")
    start = data[:512].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")):
        raise InputError(
            f"{name} must be a CSV or Parquet file; this is a web page or XML (was a login page downloaded?)"
        )
    if start.startswith((b"{", b"[")):
        raise InputError(f"{name} must be a CSV or Parquet file; this looks like JSON")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return
    sample = data[:HEAD_BYTES]
    control = sum(sample.count(bytes([code])) for code in range(32) if code not in (9, 10, 12, 13, 26))
    if control * 200 > len(sample) or b"\0" in sample:
        raise InputError(f"{name} must be a CSV or Parquet file; this is neither (binary content)")
