"""The zip file of a bundle: the same bytes for the same files, and opened without trust."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from odk.errors import InputError, UnsafeError

MEMBERS = ("flows.csv", "zones.geojson", "manifest.json", "report.html")
"""The files of a bundle, in their order."""
MOST_BYTES = {
    "flows.csv": 60_000_000,
    "zones.geojson": 60_000_000,
    "manifest.json": 2_000_000,
    "report.html": 40_000_000,
}
"""No member may be larger, once unpacked: some hundred times what a large survey needs, and still read in seconds."""
MOST_RATIO = 200
"""No member may unpack to more than this many times its packed size."""
EPOCH = (1980, 1, 1, 0, 0, 0)

Place = str | Path | bytes | BinaryIO


def digest(data: bytes) -> str:
    """sha256 as hex."""
    return hashlib.sha256(data).hexdigest()


def pack(files: Mapping[str, bytes]) -> bytes:
    """The zip of the four files. Stored, not compressed: packed sizes differ between versions of zlib."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in MEMBERS:
            if len(files[name]) > MOST_BYTES[name]:
                raise InputError(
                    f"{name} ({len(files[name]):,} bytes) must be at most {MOST_BYTES[name]:,}: take coarser zones"
                )
            info = zipfile.ZipInfo(name, EPOCH)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, files[name])
    return out.getvalue()


def write(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all: beside its place first, then moved there."""
    place = Path(path)
    beside = place.with_name(f".{place.name}.{secrets.token_hex(8)}")
    try:
        with open(beside, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, place)
    except BaseException as problem:
        beside.unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise InputError(f"bundle ({place.name}) must be writable: {problem.strerror}") from None
        raise


def read(place: Place) -> tuple[bytes, str]:
    """All bytes of a bundle, and its name; a file that is too large is not read."""
    most = sum(MOST_BYTES.values())
    if isinstance(place, bytes):
        data, name = place, "bundle"
    elif isinstance(place, str | Path):
        name = Path(place).name
        try:
            with open(place, "rb") as file:
                data = file.read(most + 1)
        except OSError as problem:
            raise InputError(f"bundle ({name}) must be a file that can be read: {problem.strerror}") from None
    else:
        name = Path(str(getattr(place, "name", "bundle"))).name
        place.seek(0)
        data = place.read(most + 1)
    if len(data) > most:
        raise UnsafeError(f"bundle ({name}) must be smaller than {most:,} bytes")
    return data, name


def unpack(data: bytes, name: str) -> dict[str, bytes]:
    """The four files of a bundle, or an error that says what is wrong with it. Nothing is written to disk."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            _check_members(infos, name)
            return {member: _member(archive, archive.getinfo(member), name) for member in MEMBERS}
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        OSError,
    ) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(f"bundle ({name}) must be a zip file that can be unpacked: {problem}") from None


def _check_members(infos: list[zipfile.ZipInfo], name: str) -> None:
    found = [info.filename for info in infos]
    for info in infos:
        member = info.filename
        if member not in MEMBERS:
            shown = member[:60]
            if member.startswith(("/", "\\")) or ".." in member.replace("\\", "/").split("/") or ":" in member:
                raise UnsafeError(f"bundle ({name}) must not hold a path that leads elsewhere ({shown!r})")
            raise UnsafeError(f"bundle ({name}) must hold {', '.join(MEMBERS)} only, not {shown!r}")
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise UnsafeError(f"bundle ({name}) must hold plain files: {member} is a link or something else")
        if info.flag_bits & 0x1:
            raise UnsafeError(f"bundle ({name}) must not be encrypted: {member}")
        if info.file_size > MOST_BYTES[member]:
            raise UnsafeError(
                f"bundle ({name}) must not unpack {member} to {info.file_size:,} bytes; {MOST_BYTES[member]:,} at most"
            )
        if info.file_size > MOST_RATIO * max(info.compress_size, 1) + 1000:
            raise UnsafeError(f"bundle ({name}) must not be packed so tightly: {member} swells {MOST_RATIO} times")
    twice = sorted({member for member in found if found.count(member) > 1})
    if twice:
        raise UnsafeError(f"bundle ({name}) must hold every file once: {twice[0]} stands in it twice")
    lacking = [member for member in MEMBERS if member not in found]
    if lacking:
        raise InputError(f"bundle ({name}) must hold {', '.join(MEMBERS)}: {lacking[0]} is missing")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> bytes:
    most = MOST_BYTES[info.filename]
    with archive.open(info) as file:
        data = file.read(most + 1)  # the size that the directory states may be a lie
        if len(data) > most or file.read(1):
            raise UnsafeError(f"bundle ({name}) must not unpack {info.filename} to more than {most:,} bytes")
    return data


def text(data: bytes, member: str) -> str:
    """A member's text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{member} must be text in UTF-8") from None


def unaccounted(data: bytes) -> int:
    """Bytes of a zip that belong to no member, its headers or its directory: comments, gaps, what stands in front."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        known = 22  # the end of the directory
        for info in infos:
            start = info.header_offset
            local = int.from_bytes(data[start + 26 : start + 28], "little") + int.from_bytes(
                data[start + 28 : start + 30], "little"
            )
            later = 16 if info.flag_bits & 0x8 else 0  # sizes that follow the data
            known += 30 + local + info.compress_size + later + 46 + len(info.filename.encode()) + len(info.extra)
        hidden = len(archive.comment) + sum(len(info.comment) for info in infos)
        # extra fields of other programs (times, owners) are short; more would hide something
        most = max((len(info.extra) for info in infos), default=0)
        return max(len(data) - known, hidden, most if most > 100 else 0, 0)
