"""Two bundles side by side: zones, metrics, and what they give away together. No data is needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from odk.disclosure import Differencing
from odk.errors import InputError
from odk.export import Bundle, compare, scopes_of

Relation = Literal["same", "part of", "whole of", "apart", "overlapping"]
RELATIONS: dict[Relation, str] = {
    "same": "both are about the same trips",
    "part of": "the trips of the first are some of those of the second",
    "whole of": "the trips of the second are some of those of the first",
    "apart": "no trip is in both",
    "overlapping": "some trips are in both",
}


@dataclass(frozen=True, eq=False)
class BundleComparison:
    """Two bundles side by side."""

    relation: Relation
    figures: pd.DataFrame = field(repr=False)
    """One row a figure: figure, first, second (text, number or missing)."""
    shared: dict[str, tuple[int, int, int]]
    """Zones by axis: of the first, of the second, in both."""
    differencing: Differencing | None
    """What they give away together; None where that cannot be told (`notes` say why)."""
    notes: tuple[str, ...] = ()


def relation_of(a: Bundle, b: Bundle) -> Relation:
    """How the trips of two bundles relate, as far as their recipes tell."""
    first, second = scopes_of(a, b)
    if first == second:
        return "same"
    if first <= second:
        return "part of"
    if first >= second:
        return "whole of"
    return "overlapping" if first & second else "apart"


_SCOPES: dict[Relation, tuple[frozenset[str], frozenset[str]]] = {
    "same": (frozenset({"both"}), frozenset({"both"})),
    "part of": (frozenset({"both"}), frozenset({"both", "the rest"})),
    "whole of": (frozenset({"both", "the rest"}), frozenset({"both"})),
    "apart": (frozenset({"first"}), frozenset({"second"})),
    "overlapping": (frozenset({"both", "only the first"}), frozenset({"both", "only the second"})),
}


def compare_bundles(a: Bundle, b: Bundle, relation: Relation | None = None) -> BundleComparison:
    """Zones, metrics and what the two give away together. `relation`: how their trips relate; None asks the recipes."""
    found = relation or relation_of(a, b)
    if found not in _SCOPES:
        raise InputError(f"relation ({found!r}) must be one of {', '.join(_SCOPES)}")
    shared = {}
    for axis, end in (("origins", "origin"), ("destinations", "destination")):
        first, second = (_zones(bundle, end) for bundle in (a, b))
        shared[axis] = (len(first), len(second), len(first & second))
    compared = compare(a, b, scopes=None if relation is None else _SCOPES[found])
    return BundleComparison(found, _figures(a, b), shared, compared.differencing, compared.notes)


def _zones(bundle: Bundle, end: str) -> set[str]:
    return {f["properties"]["zone"] for f in bundle.zones["features"] if f["properties"][end]}


def _figures(a: Bundle, b: Bundle) -> pd.DataFrame:
    rows = [_described(bundle) for bundle in (a, b)]
    names = list(dict.fromkeys([*rows[0], *rows[1]]))
    return pd.DataFrame([{"figure": n, "first": rows[0].get(n), "second": rows[1].get(n)} for n in names])


def _described(bundle: Bundle) -> dict[str, object]:
    said, recipe = bundle.manifest, bundle.recipe
    segment = "; ".join(f"{name} = {', '.join(values)}" for name, values in recipe.segment.items())
    rows: dict[str, object] = {
        "source": recipe.data.source,
        "segment": segment or "all",
        "area": f"{len(recipe.area)} H3 cells" if recipe.area else "whole",
        "algorithm": recipe.algorithm,
        "promise": said["promise"],
        "origin zones": said["zones"]["origins"],
        "destination zones": said["zones"]["destinations"],
        "flows": said["cells"],
    }
    rows |= {f"least {m}": value for m, value in said["minimum"].items()}
    rows |= {f"suppressed {m}": value for m, value in said["suppressed"].items()}
    for view, metrics in said["metrics"].items():
        rows |= {f"{name} ({view})": value for name, value in metrics.items()}
    return rows
