"""Two bundles side by side: settings, zones, metrics, and what they give away together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pandas as pd

from odk import cells
from odk.algorithms import Progress
from odk.disclosure import Differencing, Published, difference
from odk.export._bundle import Bundle, read_bundle
from odk.export._container import Place
from odk.export._flows import ENDS
from odk.hierarchy import VIRTUAL_ROOT
from odk.protection import Protection
from odk.recipe import Recipe

OTHER = "any other"
LABELS = ("first", "second")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two bundles, a and b."""

    a: Bundle = field(repr=False)
    b: Bundle = field(repr=False)
    settings: pd.DataFrame
    """What differs in their recipes: setting, a, b."""
    metrics: pd.DataFrame
    """view, metric, a, b; a metric that one of them does not state is missing there."""
    zones: pd.DataFrame
    """Per side: zones in both, only in a, only in b; of those, how many hold zones of the other or lie in one."""
    differencing: Differencing | None
    """What subtracting one from the other gives away; None where it could not be tried: `notes` say why."""
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool | None:
        """Whether nothing is given away; None where it could not be tried."""
        return None if self.differencing is None else self.differencing.passed

    @property
    def sentence(self) -> str:
        """The verdict in a sentence."""
        if self.differencing is None:
            return f"Not subtracted. {self.notes[0]}"
        return self.differencing.sentence


Scopes = tuple[frozenset[str], frozenset[str]]
"""Parts of the data whose trips each of two bundles counts."""


def compare(
    a: Bundle | Place,
    b: Bundle | Place,
    *,
    scopes: Scopes | None = None,
    max_variables: int = 200,
    max_programs: int = 400,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two bundles (or the places of their files).

    scopes: which parts of the data each counts; None asks their recipes (`scopes_of`).
    max_variables, max_programs: how much is proved by linear programming (`odk.disclosure.difference`); 400 programs take
    some seconds. What was not proved is said.
    """
    one, two = (x if isinstance(x, Bundle) else read_bundle(x) for x in (a, b))
    why = _why_not(one, two)
    notes: tuple[str, ...] = ()
    if scopes is None and not why:
        why, notes = _other_data(one, two), _scope_notes(one.recipe, two.recipe)
    found = None
    if not why:
        tables = [
            _published(x, label, scope)
            for x, label, scope in zip((one, two), LABELS, scopes or scopes_of(one, two), strict=True)
        ]
        if not set(tables[0].measures) & set(tables[1].measures):
            notes = (*notes, "The two publish no common measure that subtracts.")
        found = difference(tables, max_variables=max_variables, max_programs=max_programs, progress=progress)
        notes = (*notes, *found.notes)
    return Comparison(
        one, two, _settings(one, two), _metrics(one, two), _zones(one, two), found, (why,) if why else notes
    )


# --- side by side ------------------------------------------------------------------------------------------------------
def _settings(a: Bundle, b: Bundle) -> pd.DataFrame:
    first, second = _flat(a.recipe.to_dict()), _flat(b.recipe.to_dict())
    names = sorted(name for name in {*first, *second} if first.get(name) != second.get(name))
    rows = [{"setting": name, "a": first.get(name, ""), "b": second.get(name, "")} for name in names]
    return pd.DataFrame(rows, columns=["setting", "a", "b"])


def _flat(table: Mapping[str, Any], path: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in table.items():
        way = f"{path}.{name}" if path else name
        found |= _flat(value, way) if isinstance(value, Mapping) else {way: str(value)}
    return found


def _metrics(a: Bundle, b: Bundle) -> pd.DataFrame:
    views = [
        view for view in ("participants", "population") if view in {**a.manifest["metrics"], **b.manifest["metrics"]}
    ]
    rows = []
    for view in views:
        first, second = (x.manifest["metrics"].get(view, {}) for x in (a, b))
        keys = [key for key in {**first, **second} if first.get(key) is not None or second.get(key) is not None]
        rows += [{"view": view, "metric": key, "a": first.get(key), "b": second.get(key)} for key in keys]
    return pd.DataFrame(rows, columns=["view", "metric", "a", "b"]).astype({"a": "float64", "b": "float64"})


def _zones(a: Bundle, b: Bundle) -> pd.DataFrame:
    columns = ["side", "in both", "only in a", "only in b", "finer in a", "finer in b"]
    rows = []
    for i, end in enumerate(ENDS):
        sides = [_side(x, i) for x in (a, b)]
        both = sides[0] & sides[1]
        finer = [_inside(mine - both, other) for mine, other in (sides, sides[::-1])]
        counts = (len(both), len(sides[0] - both), len(sides[1] - both), *finer)
        rows.append(dict(zip(columns, (f"{end}s", *counts), strict=True)))
    return pd.DataFrame(rows, columns=columns)


def _side(bundle: Bundle, i: int) -> set[str]:
    flows = bundle.published
    return {",".join(p[4 * i : 4 * i + 4]) if flows.boxes else p[i] for p in flows.places}


def _inside(zones: set[str], other: set[str]) -> int:
    """How many H3 zones lie in a zone of the other; names that are no cells lie in none."""
    real = [zone for zone in zones if cells.parse(zone) is not None]
    if not real:
        return 0
    ids = cells.to_ids(real)
    levels = cells.resolution(ids)
    held = [False] * len(real)
    for level in range(16):
        finer = [i for i in range(len(real)) if levels[i] > level]
        for i, up in zip(finer, cells.to_hex(cells.parent(ids[finer], level)) if finer else [], strict=True):
            held[i] |= up in other
    return len(real) if VIRTUAL_ROOT in other else sum(held)


# --- what they give away together ----------------------------------------------------------------------------------------
def _why_not(a: Bundle, b: Bundle) -> str:
    """Why two bundles cannot be subtracted, or nothing."""
    for x, label in zip((a, b), LABELS, strict=True):
        if x.published.boxes:
            return f"The {label} is of boxes, which have no zones in common with others."
        if x.manifest["rounding"]:
            return f"Rounded measures: differences with the {label} are uncertain by as much as its base."
    if a.recipe.hierarchy != b.recipe.hierarchy:
        return "Their zones are of different kinds."
    return ""


def _other_data(a: Bundle, b: Bundle) -> str:
    """A sentence where two bundles are of different data, or nothing."""
    one, two = a.recipe, b.recipe
    same_source = one.data.source == two.data.source
    selections = [(x.area, _part(x), x.resolution) for x in (one, two)]
    prints = [x.manifest["input_fingerprint"] for x in (a, b)]
    must_agree = selections[0] == selections[1] and _plain(one, two)
    if same_source and not (must_agree and prints[0] != prints[1]):
        return ""
    return "They are of different data, so that no trip is in both."


def scopes_of(a: Bundle, b: Bundle) -> Scopes:
    """Parts of the data (atoms) that two bundles count, as their recipes tell.

    Atoms are the combinations of the values that segments name, and of the places that areas name, with all others.
    """
    if _other_data(a, b):
        return frozenset({LABELS[0]}), frozenset({LABELS[1]})
    one, two = a.recipe, b.recipe
    filters = [_part(one), _part(two)]
    columns = sorted({name for kept in filters for name in kept})
    values = [[*sorted({v for kept in filters for v in kept.get(name, ())}), OTHER] for name in columns]
    areas, places = _areas(one, two)
    atoms = [dict(zip(columns, combination, strict=True)) for combination in product(*values)]
    first, second = (
        frozenset(
            _name(atom, place)
            for atom in atoms
            for place in places
            if place in area and all(atom[name] in kept[name] for name in kept)
        )
        for kept, area in zip(filters, areas, strict=True)
    )
    return first, second


def _scope_notes(one: Recipe, two: Recipe) -> tuple[str, ...]:
    notes = []
    columns = sorted({*_part(one), *_part(two)})
    if columns:
        notes.append(f"Segments are told apart by {', '.join(columns)} as the recipes name them.")
    if one.area != two.area:
        notes.append("The bundles are of different areas: a difference may be of trips outside the smaller one.")
    return tuple(notes)


def _plain(one: Recipe, two: Recipe) -> bool:
    """Whether equal selections must have equal fingerprints: a common zoning counts on the trees of the whole."""
    return bool(one.common) == bool(two.common)


def _part(recipe: Recipe) -> dict[str, tuple[str, ...]]:
    """Which trips a recipe keeps: column -> values."""
    own = {name: tuple(values) for name, values in recipe.segment.items()}
    if recipe.part in recipe.common:
        own |= {name: (value,) for name, value in recipe.common[recipe.part].items()}
    return own


def _name(atom: Mapping[str, str], place: str) -> str:
    words = [f"{name} = {value}" for name, value in atom.items()] + ([place] if place else [])
    return " & ".join(words) or "all"


def _areas(one: Recipe, two: Recipe) -> tuple[list[set[str]], list[str]]:
    """Which places (atoms of the two areas) each recipe keeps."""
    if one.area == two.area:
        return [{""}, {""}], [""]
    inside = [_within(one.area, two.area), _within(two.area, one.area)]
    if inside[0]:
        return [{"in the first's area"}, {"in the first's area", "outside the first's area"}], [
            "in the first's area",
            "outside the first's area",
        ]
    if inside[1]:
        return [{"in the second's area", "outside the second's area"}, {"in the second's area"}], [
            "in the second's area",
            "outside the second's area",
        ]
    return [{"in the first's area", "in both areas"}, {"in the second's area", "in both areas"}], [
        "in the first's area",
        "in both areas",
        "in the second's area",
    ]


def _within(inner: tuple[str, ...], outer: tuple[str, ...]) -> bool:
    """Whether one area lies in another; no area is everywhere."""
    if not outer:
        return True
    return bool(inner) and _inside(set(inner) - set(outer), set(outer)) == len(set(inner) - set(outer))


def _published(bundle: Bundle, label: str, scope: frozenset[str]) -> Published:
    parents = None
    if bundle.manifest["hierarchy"] != "h3":
        above = {f["properties"]["zone"]: f["properties"]["within"] for f in bundle.zones["features"]}
        parents = {zone: ups[0] for zone, ups in above.items() if ups}
    return Published(
        label,
        scope,
        bundle.flows,
        Protection(**bundle.thresholds),  # type: ignore[arg-type]  # trips and persons are whole numbers
        whole_cells=bundle.recipe.algorithm != "odkanon",  # which drops pairs inside cells that it publishes
        parents=parents,
    )
