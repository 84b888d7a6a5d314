"""The algorithm of a recipe and its options, as text and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from odk import algorithms
from odk.errors import InputError
from odk.release import Release

COMMON_ZONING = "common-zoning"
"""Not of the registry: one release of a set that shares a zoning (`odk.disclosure.common_zoning`)."""


@dataclass(frozen=True)
class _NoOptions:
    """A common zoning has no options."""


def entry_of(algorithm: str) -> algorithms.Algorithm:
    """The algorithm of a recipe: one of the registry, or the common zoning of a set of releases."""
    if algorithm != COMMON_ZONING:
        return algorithms.get(algorithm)

    def run(_: algorithms.Problem) -> Release:
        raise InputError(f"{COMMON_ZONING} must be run by its recipe, or by odk.disclosure.common_zoning")

    return algorithms.Algorithm(
        name=COMMON_ZONING,
        title="Common zoning",
        kind="homogeneous",
        source="ours",
        summary="Finds one zoning for a whole and its segments, so that their differences are publishable too.",
        when="Use it to publish several segments of one survey.",
        options=_NoOptions,
        run=run,
    )


def options_of(algorithm: str, given: object) -> Any:
    """The algorithm's own options, from themselves or a mapping."""
    entry = entry_of(algorithm)
    if given is None or isinstance(given, Mapping):
        known = {f.name for f in fields(entry.options)}
        unknown = sorted(set(given or {}) - known)
        if unknown:
            have = ", ".join(sorted(known)) or "none"
            raise InputError(f"option ({unknown[0]}) of {algorithm} must be one of: {have}")
        return entry.options(**(given or {}))
    return given


def plain_options(options: object) -> dict[str, Any]:
    """Options as text, numbers and lists; data that was handed over with them (trips, zones) is left out."""
    if options is None:
        return {}
    found: dict[str, Any] = {}
    for f in fields(options):  # type: ignore[arg-type]
        value = getattr(options, f.name)
        if value is None or isinstance(value, bool | int | float | str):
            found[f.name] = value
        elif isinstance(value, list | tuple) and all(isinstance(v, str | int | float) for v in value):
            found[f.name] = list(value)
    return found


def written(algorithm: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the file has them: None is left out where it is the default, else the word none."""
    kinds = {f.name: f.default for f in fields(entry_of(algorithm).options)}
    return {
        name: "none" if value is None else value
        for name, value in options.items()
        if value is not None or kinds.get(name, MISSING) is not None
    }
