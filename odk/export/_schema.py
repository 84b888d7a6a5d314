"""The manifest's form: every key that it has, and no other, each of its kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from odk.errors import InputError, UnsafeError
from odk.export._figures import BELOW
from odk.export._statement import NOT_RUN, SCHEMA
from odk.metrics import KEYS, MEASURE_OF
from odk.protection import MEASURES

KINDS = ("homogeneous", "tree", "boxes")
VERDICTS = ("pass", "advice", "not checked")
MOST_TEXT = 1000
MOST_CHECKS = 200
_HEX = re.compile(r"[0-9a-f]{64}")
Rule = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_TEXT


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e18


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**9


def _hash(value: Any) -> bool:
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def _table(rule: Rule, keys: tuple[str, ...], *, all_of: bool = False) -> Rule:
    def good(value: Any) -> bool:
        if not isinstance(value, Mapping) or not set(value) <= set(keys) or (all_of and set(value) != set(keys)):
            return False
        return all(map(rule, value.values()))

    return good


def _list(rule: Rule) -> Rule:
    return lambda value: isinstance(value, list) and len(value) <= MOST_CHECKS and all(map(rule, value))


def _one_of(*words: Any) -> Rule:
    return lambda value: isinstance(value, str) and value in words


def _check(value: Any) -> bool:
    keys = ("name", "title", "verdict", "guarded")
    if not isinstance(value, Mapping) or set(value) != set(keys):
        return False
    return _text(value["name"]) and _text(value["title"]) and value["verdict"] in VERDICTS and _flag(value["guarded"])


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _audit(value: Any) -> bool:
    if not isinstance(value, Mapping) or set(value) != {"status", "checks"}:
        return False
    return value["status"] in (NOT_RUN, "passed") and _list(_check)(value["checks"])


_METRICS = _table(lambda value: value is None or _number(value), KEYS, all_of=True)
_FILES = ("flows.csv", "zones.geojson", "report.html")
RULES: dict[str, Rule] = {
    "schema_version": lambda value: value == SCHEMA and _count(value),
    "software": _one_of("odk"),
    "software_version": _text,
    "synthetic": _flag,
    "input_fingerprint": _hash,
    "kind": _one_of(*KINDS),
    "hierarchy": _one_of("h3", "table", "ward"),
    "guarded": _list(_one_of(*MEASURES)),
    "thresholds": _table(_number, MEASURES),
    "promise": _text,
    "rounding": _table(_number, MEASURES),
    "cells": _count,
    "zones": _table(_count, ("origins", "destinations"), all_of=True),
    "published": _table(_number, ("trips", "population")),
    "minimum": _table(_number, MEASURES),
    "suppressed": _table(lambda value: value == BELOW or _number(value), ("trips", "population")),
    "metrics": _table(_METRICS, tuple(MEASURE_OF)),
    "withheld": _table(_table(_text, KEYS), tuple(MEASURE_OF)),
    "audit": _audit,
    "advice": _list(_text),
    "recipe": lambda value: isinstance(value, Mapping),
    "files": _table(_hash, _FILES, all_of=True),
    "digest": _hash,
}
"""Keys of the manifest in their order, and what their values must be."""


def check_manifest(manifest: Any) -> None:
    """Refuse what is no manifest of this version, or says more than one."""
    if not isinstance(manifest, Mapping):
        raise InputError("manifest.json must be an object")
    version = manifest.get("schema_version")
    if not RULES["schema_version"](version):
        raise InputError(f"manifest.json's schema_version ({str(version)[:40]}) must be {SCHEMA}: another odk wrote it")
    lacking = [key for key in RULES if key not in manifest]
    if lacking:
        raise InputError(f"manifest.json must have {lacking[0]}")
    more = [str(key) for key in manifest if key not in RULES]
    if more:
        raise UnsafeError(f"manifest.json must not say more than a manifest does: {more[0][:60]!r}")
    for key, rule in RULES.items():
        if not rule(manifest[key]):
            raise InputError(f"manifest.json's {key} ({str(manifest[key])[:80]}) must be of its kind")
