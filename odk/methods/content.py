"""The texts, from their files."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class AlgorithmText:
    """An algorithm as people are told of it."""

    name: str
    """Its name in the registry."""
    words: str
    formula: str
    """LaTeX."""
    limits: str


@dataclass(frozen=True)
class MetricText:
    """A metric as people are told of it."""

    key: str
    """Its name in results."""
    name: str
    words: str
    formula: str
    """LaTeX."""
    source: str
    limits: str


@dataclass(frozen=True)
class RelatedSystem:
    """A system that is not for OD matrices."""

    name: str
    protects: str
    idea: str
    why: str
    """Why it is not for OD matrices."""


def _read(name: str) -> list[dict[str, Any]]:
    text = (files("odk.methods") / f"{name}.toml").read_text(encoding="utf-8")
    (found,) = tomllib.loads(text).values()
    return list(found)


@cache
def algorithm_texts() -> dict[str, AlgorithmText]:
    """By name, in the order of the file."""
    return {item["name"]: AlgorithmText(**item) for item in _read("algorithms")}


@cache
def metric_texts() -> dict[str, MetricText]:
    """By key, in the order of the file."""
    return {item["key"]: MetricText(**item) for item in _read("metrics")}


@cache
def related_systems() -> tuple[RelatedSystem, ...]:
    """In the order of the file."""
    return tuple(RelatedSystem(**item) for item in _read("related"))
