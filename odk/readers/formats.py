"""Formats of one file that are known by their columns, so that ``read_trips`` takes them as they are."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from odk.readers import porto, turin
from odk.region import Region
from odk.tables.raw import RawTable


@dataclass(frozen=True)
class Format:
    """A known format: how to know it, and how to make usual columns of it."""

    title: str
    matches: Callable[[Collection[str]], bool]
    adapt: Callable[[RawTable], RawTable]
    mapping: Mapping[str, str]
    segments: tuple[str, ...]
    region: Region


FORMATS = (
    Format("Porto taxi trips", porto.matches, porto.adapt, porto.MAPPING, porto.SEGMENTS, porto.REGION),
    Format("Turin car sharing", turin.matches, turin.adapt, turin.MAPPING, turin.SEGMENTS, turin.REGION),
)


def known(names: Collection[str]) -> Format | None:
    """The format whose columns these are, None for a plain table."""
    return next((form for form in FORMATS if form.matches(names)), None)
