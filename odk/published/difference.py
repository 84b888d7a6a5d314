"""Where the published code and tables differ from the papers and from what odk computes, and what that changes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Difference:
    """One difference, with the figures that it touches."""

    key: str
    about: str
    """What it is about, as a heading: ODkAnon, Metrics, ..."""
    published: str
    here: str
    """What odk does instead."""
    effect: str
    """What it does to the figures."""
    algorithms: tuple[str, ...] = ()
    """Whose figures it touches; none: everyone's."""
    metrics: tuple[str, ...] = ()
    """Which figures it touches; none: all."""

    def touches(self, algorithm: str, metric: str) -> bool:
        """Whether it may explain a difference in this figure."""
        return (not self.algorithms or algorithm in self.algorithms) and (not self.metrics or metric in self.metrics)


@cache
def differences() -> tuple[Difference, ...]:
    """All of them, in the order of `differences.toml`."""
    text = (files("odk.published") / "differences.toml").read_text(encoding="utf-8")
    return tuple(
        Difference(
            **{name: value for name, value in item.items() if isinstance(value, str)},
            algorithms=tuple(item.get("algorithms", ())),
            metrics=tuple(item.get("metrics", ())),
        )
        for item in tomllib.loads(text)["difference"]
    )


def explaining(algorithms: Iterable[str], metrics: Iterable[str]) -> tuple[Difference, ...]:
    """The differences that touch any of these figures."""
    names, columns = tuple(algorithms), tuple(metrics)
    return tuple(d for d in differences() if any(d.touches(a, m) for a in names for m in columns))
