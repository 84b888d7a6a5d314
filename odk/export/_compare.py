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
from odk.errors import Cancelled, OdkError
from odk.export._bundle import Bundle, read_bundle
from odk.export._container import Place
from odk.export._flows import ENDS
from odk.hierarchy import VIRTUAL_ROOT
from odk.protection import Protection
from odk.recipe import Recipe

OTHER = "any other"


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
            return f"Not subtracted: {self.notes[0]}" if self.notes else "Not subtracted."
        return self.differencing.sentence


def compare(
    a: Bundle | Place,
    b: Bundle | Place,
    *,
    max_variables: int = 200,
    max_programs: int = 400,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two bundles (or the places of their files).

    max_variables, max_programs: how much is proved by linear programming (`odk.disclosure.difference`); 400 programs take
    some seconds. What was not proved is said.
    """
    one, two = (x if isinstance(x, Bundle) else read_bundle(x) for x in (a, b))
    found, notes = _differencing(one, two, max_variables, max_programs, progress)
    return Comparison(one, two, _settings(one, two), _metrics(one, two), _zones(one, two), found, notes)


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
def _differencing(
    a: Bundle, b: Bundle, max_variables: int, max_programs: int, progress: Progress | None
) -> tuple[Differencing | None, tuple[str, ...]]:
    why = _why_not(a, b)
    if why:
        return None, (why,)
    scopes, notes = _scopes(a.recipe, b.recipe)
    tables = [_published(x, label, scopes[i]) for i, (x, label) in enumerate(((a, "a"), (b, "b")))]
    try:
        found = difference(tables, max_variables=max_variables, max_programs=max_programs, progress=progress)
    except Cancelled:
        raise
    except OdkError as problem:
        return None, (f"{problem}.",)
    return found, (*notes, *found.notes)


def _why_not(a: Bundle, b: Bundle) -> str:
    """Why two bundles cannot be subtracted, or nothing."""
    for x, label in ((a, "a"), (b, "b")):
        if x.published.boxes:
            return f"{label} is of boxes, which have no zones in common with others."
        if x.manifest["rounding"]:
            return f"{label} is rounded: a difference is uncertain by as much as the base."
    one, two = a.recipe, b.recipe
    if one.hierarchy != two.hierarchy:
        return "their zones are of different kinds."
    same_selection = (one.area, one.segment, _part(one), one.resolution) == (
        two.area,
        two.segment,
        _part(two),
        two.resolution,
    )
    prints = a.manifest["input_fingerprint"], b.manifest["input_fingerprint"]
    if one.data.source != two.data.source or (same_selection and prints[0] != prints[1] and _plain(one, two)):
        return "they are of different data, so that no trip is in both."
    return ""


def _plain(one: Recipe, two: Recipe) -> bool:
    """Whether equal selections must have equal fingerprints: a common zoning counts on the trees of the whole."""
    return bool(one.common) == bool(two.common)


def _part(recipe: Recipe) -> dict[str, tuple[str, ...]]:
    """Which trips a recipe keeps: column -> values."""
    own = {name: tuple(values) for name, values in recipe.segment.items()}
    if recipe.part in recipe.common:
        own |= {name: (value,) for name, value in recipe.common[recipe.part].items()}
    return own


def _scopes(one: Recipe, two: Recipe) -> tuple[list[frozenset[str]], tuple[str, ...]]:
    """Parts of the data (atoms) that each bundle counts: combinations of the values that filters name, and the rest."""
    filters = [_part(one), _part(two)]
    columns = sorted({name for kept in filters for name in kept})
    values = [[*sorted({v for kept in filters for v in kept.get(name, ())}), OTHER] for name in columns]
    areas, area_atoms = _areas(one, two)
    atoms = [dict(zip(columns, combination, strict=True)) for combination in product(*values)]
    scopes = []
    for kept, area in zip(filters, areas, strict=True):
        scopes.append(
            frozenset(
                _name(atom, place)
                for atom in atoms
                for place in area_atoms
                if place in area and all(atom[name] in kept[name] for name in kept)
            )
        )
    notes = []
    if columns:
        notes.append(f"Segments are told apart by {', '.join(columns)} as the recipes name them.")
    if len(area_atoms) > 1:
        notes.append("The bundles are of different areas: a difference may be of trips outside the smaller one.")
    return scopes, tuple(notes)


def _name(atom: Mapping[str, str], place: str) -> str:
    words = [f"{name} {value}" for name, value in atom.items()] + ([place] if place else [])
    return " & ".join(words) or "all"


def _areas(one: Recipe, two: Recipe) -> tuple[list[set[str]], list[str]]:
    """Which places (atoms of the two areas) each recipe keeps."""
    if one.area == two.area:
        return [{""}, {""}], [""]
    inside = [_within(one.area, two.area), _within(two.area, one.area)]
    if inside[0]:
        return [{"in a's area"}, {"in a's area", "outside a's area"}], ["in a's area", "outside a's area"]
    if inside[1]:
        return [{"in b's area", "outside b's area"}, {"in b's area"}], ["in b's area", "outside b's area"]
    return [{"in a's area", "in both areas"}, {"in b's area", "in both areas"}], [
        "in a's area",
        "in both areas",
        "in b's area",
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
