"""Two bundles side by side: zones, metrics, and what they give away together. No data is needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, cast

import pandas as pd

from odk.disclosure import Differencing, Published, difference
from odk.errors import InputError
from odk.export import Bundle
from odk.protection import Protection

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
    """How the trips of two bundles relate, as far as their recipes tell; both are taken to be of one source."""
    if a.manifest["input_fingerprint"] == b.manifest["input_fingerprint"]:
        return "same"
    if set(a.recipe.area) != set(b.recipe.area):
        return "overlapping" if not a.recipe.segment and not b.recipe.segment else _segments(a, b, "overlapping")
    return _segments(a, b, "same")


def _segments(a: Bundle, b: Bundle, equal: Relation) -> Relation:
    first, second = dict(a.recipe.segment), dict(b.recipe.segment)
    common = first.keys() & second.keys()
    if any(not set(first[c]) & set(second[c]) for c in common):
        return "apart"
    inside = all(c in first and set(first[c]) <= set(second[c]) for c in second)
    outside = all(c in second and set(second[c]) <= set(first[c]) for c in first)
    if inside and outside:
        return equal
    if equal != "same":
        return equal
    return "part of" if inside else "whole of" if outside else "overlapping"


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
    together, notes = _difference(a, b, found)
    return BundleComparison(found, _figures(a, b), shared, together, notes)


def _zones(bundle: Bundle, end: str) -> set[str]:
    return {f["properties"]["zone"] for f in bundle.zones["features"] if f["properties"][end]}


def _difference(a: Bundle, b: Bundle, relation: Relation) -> tuple[Differencing | None, tuple[str, ...]]:
    notes = []
    if any(bundle.published.boxes or bundle.manifest["hierarchy"] != "h3" for bundle in (a, b)):
        return None, ("Differences are derived between H3 zones only; these bundles have boxes or zones of their own.",)
    rounded = [bundle for bundle in (a, b) if bundle.manifest["rounding"]]
    if rounded:
        notes.append("Rounded measures: what subtraction gives is only known to the base of the rounding.")
    labels = ("first", "second")
    tables = [
        Published(
            label,
            scope,
            bundle.flows[["origin", "destination", *bundle.published.measures]],
            Protection(**cast("dict[str, int]", bundle.thresholds)),
            whole_cells=bundle.recipe.algorithm != "odkanon" and not bundle.manifest["rounding"],
        )
        for label, bundle, scope in zip(labels, (a, b), _SCOPES[relation], strict=True)
    ]
    if not set(tables[0].measures) & set(tables[1].measures):
        notes.append("The two publish no common measure that subtracts.")
    found = difference(tables, max_programs=400)
    return found, (*notes, *found.notes)


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
