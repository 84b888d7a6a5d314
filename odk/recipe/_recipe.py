"""Recipes: every setting of a release in one readable file (TOML) that the app, the command line and a bundle share.

A recipe holds no path and no row of the data: the name of the source, what its columns are called, and a fingerprint by
which the same data is known again.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from odk import algorithms
from odk.auditing import AuditOptions
from odk.cells import check_resolution, resolution, to_hex, to_ids
from odk.disclosure import common_zoning
from odk.errors import InputError
from odk.hierarchy import Hierarchy
from odk.matrix import DEFAULT_RESOLUTION, ODMatrix
from odk.protection import Budget, Protection, population_threshold
from odk.recipe import _toml
from odk.recipe._entry import COMMON_ZONING, entry_of, options_of, plain_options, written
from odk.release import Release
from odk.rounding import Rounding
from odk.trips import ALL_ENDS, Trips

VERSION = 1
WHOLE = "all"
"""The release of all trips, of a set that shares a zoning."""
STRETCH = 100_000
"""Rounds of the fingerprint's hash: who guesses the data row by row pays this for each guess."""
COMMENT = "odk recipe. To make this release again: python -m odk run --recipe THIS_FILE --input YOUR_TRIPS"


def fingerprint(matrix: ODMatrix) -> str:
    """By which the same input is known again: the matrix' content hash, stretched so that guessing is slow."""
    return hashlib.pbkdf2_hmac("sha256", matrix.hash.encode(), b"odk input", STRETCH).hex()


@dataclass(frozen=True, kw_only=True)
class Data:
    """Which data: its name, never its path."""

    source: str = ""
    demo: int | None = None
    """Seed of the demo survey, where that is the data."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """What the file calls its columns: target -> column, as `odk.read_trips` takes it. What is missing is guessed."""
    ends: str | None = None
    """points, h3 or zones; None as `odk.read_trips` finds it."""
    fingerprint: str | None = None
    """Of the matrix of the selected trips (`odk.recipe.fingerprint`)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", str(self.source).replace("\\", "/").rsplit("/", 1)[-1])
        object.__setattr__(self, "columns", {str(k): str(v) for k, v in self.columns.items()})
        if self.demo is not None and (isinstance(self.demo, bool) or not isinstance(self.demo, int)):
            raise InputError(f"demo ({self.demo!r}) must be the seed of the demo survey, a whole number")
        if self.ends is not None and self.ends not in ALL_ENDS:
            raise InputError(f"ends ({self.ends!r}) must be one of {', '.join(ALL_ENDS)}")


@dataclass(frozen=True, eq=False)
class Counted:
    """The data that a recipe selects."""

    trips: Trips | pd.DataFrame
    """The selected trips, or the counted pairs that were given."""
    matrix: ODMatrix
    whole: ODMatrix
    """The matrix before area and segment: thresholds come from it."""


@dataclass(frozen=True, eq=False)
class Made:
    """What a recipe makes of some data."""

    release: Release
    trips: Trips | pd.DataFrame
    whole: ODMatrix
    """As in Counted."""
    same_input: bool | None
    """Whether the data is that of the recipe's fingerprint; None where it has none."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Every setting of a release. What is left out has the defaults of `odk.anonymise`."""

    algorithm: str = "odkanon-late"
    trips: int | None = None
    persons: int | None = None
    population: float | None = None
    """Threshold in weighted trips, as a number."""
    population_k: int | None = None
    """Threshold of the population as k times the mean weight of a trip of the whole input."""
    budget: float = 0.10
    budget_in: Literal["volume", "pairs"] | None = None
    """None becomes what the algorithm counts."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the algorithm; completed with its defaults."""
    resolution: int = DEFAULT_RESOLUTION
    hierarchy: str = "h3"
    """h3, table or ward; the latter two are given when the recipe runs."""
    area: tuple[str, ...] = ()
    """H3 cells that hold both ends of every trip; none: no area."""
    segment: Mapping[str, Any] = field(default_factory=dict)
    """Column -> values that are kept: one, or several; becomes a sorted tuple."""
    common: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Segments that share a zoning with the whole (`odk.disclosure.common_zoning`): label -> column -> value."""
    part: str = WHOLE
    """Which release of the common zoning this is: `all`, or the label of a segment."""
    rounding: Rounding = field(default_factory=Rounding)
    audit: AuditOptions | None = None
    """Thresholds of the audit that goes into the bundle; None: no audit is run."""
    data: Data = field(default_factory=Data)

    def __post_init__(self) -> None:
        entry = entry_of(self.algorithm)
        if (self.algorithm == COMMON_ZONING) != bool(self.common) or self.part not in (WHOLE, *self.common):
            raise InputError(f"common (part {self.part!r}) must be given with {COMMON_ZONING}, and hold the part")
        if self.population is not None and self.population_k is not None:
            raise InputError("population and population_k must not both be given")
        guard = self.thresholds(self.population_k)
        Rounding.of(self.rounding, guard)
        within = self.budget_in or entry.budget_in
        Budget(self.budget, within)
        check_resolution(self.resolution)
        if self.hierarchy not in ("h3", "table", "ward"):
            raise InputError(f"hierarchy ({self.hierarchy!r}) must be h3, table or ward")
        if self.area and self.hierarchy != "h3":
            raise InputError("area must not be given for zones that are not H3 cells")
        if self.audit is not None and self.audit.cross is not None:
            raise InputError("cross thresholds must not be given in a recipe: they follow from its k")
        common = {str(k): {str(c): str(v) for c, v in sorted(m.items())} for k, m in sorted(self.common.items())}
        object.__setattr__(self, "common", common)
        options = {name: None if value == "none" else value for name, value in self.options.items()}
        segment = {str(k): (v,) if isinstance(v, str) else tuple(map(str, v)) for k, v in self.segment.items()}
        object.__setattr__(self, "options", plain_options(options_of(self.algorithm, options)))
        object.__setattr__(self, "segment", {k: tuple(sorted(set(v))) for k, v in sorted(segment.items())})
        object.__setattr__(self, "area", tuple(to_hex(to_ids(sorted(set(self.area))))) if self.area else ())
        object.__setattr__(self, "budget", float(self.budget))
        object.__setattr__(self, "budget_in", within)

    # --- what it asks for ------------------------------------------------------------------------------------------
    def thresholds(self, population: float | None = None) -> Protection:
        """The protection, with the population's threshold where it depends on the data."""
        found = self.population if self.population is not None else population
        return Protection(trips=self.trips, persons=self.persons, population=found)

    def protection(self, whole: ODMatrix) -> Protection:
        """The protection for some data; `whole` is the matrix of all trips, before area and segment."""
        return self.thresholds(None if self.population_k is None else population_threshold(whole, self.population_k))

    def k(self, whole: ODMatrix) -> int:
        """The k behind the protection: of trips, else of persons, else the population's in trips of mean weight."""
        found = self.trips or self.persons or self.population_k
        return found if found is not None else max(2, round((self.population or 0) / whole.mean_weight))

    def audit_options(self, whole: ODMatrix) -> AuditOptions | None:
        """Options of the audit; measures that are not guarded are held against the same k, of the whole input."""
        if self.audit is None:
            return None
        k = self.k(whole)
        cross = Protection(trips=k, persons=k, population=population_threshold(whole, k))
        return replace(self.audit, cross=cross)

    def select(self, trips: Trips) -> Trips:
        """The trips of the area and the segment."""
        if self.area:
            trips = trips.within(list(self.area), resolution=self.resolution)
        return trips.where(**{name: list(values) for name, values in self.segment.items()}) if self.segment else trips

    def count(self, trips: Trips | pd.DataFrame, *, hierarchy: Hierarchy | None = None) -> Counted:
        """Select and count; `trips` is the whole input, or a table of counted pairs."""
        if (hierarchy is None) != (self.hierarchy == "h3"):
            kind = "none" if hierarchy is None else hierarchy.kind
            raise InputError(f"hierarchy ({kind}) must be of the recipe's kind ({self.hierarchy})")
        if isinstance(trips, Trips):
            chosen = self.select(trips)
            whole = ODMatrix.from_trips(trips, self.resolution, hierarchy=hierarchy)
            same = chosen is trips
            matrix = whole if same else ODMatrix.from_trips(chosen, self.resolution, hierarchy=hierarchy)
            return Counted(chosen, matrix, whole)
        if self.segment or self.common:
            raise InputError("segment must not be asked of counted pairs: they have no columns of it")
        whole = ODMatrix.from_pairs(trips, hierarchy=hierarchy, source=self.data.source or "pairs")
        return Counted(trips, whole.within(self.area) if self.area else whole, whole)

    def anonymise(self, counted: Counted, *, progress: algorithms.Progress | None = None) -> Release:
        """The release of counted data."""
        guard = self.protection(counted.whole)
        if self.common:
            return self._common(counted, guard)
        return algorithms.anonymise(
            counted.matrix,
            guard,
            algorithm=self.algorithm,
            budget=self.budget,
            budget_in=self.budget_in,
            options=dict(self.options),
            progress=progress,
        )

    def _common(self, counted: Counted, guard: Protection) -> Release:
        """One release of a set on a common zoning; `counted` holds the trips of the whole set."""
        assert isinstance(counted.trips, Trips)
        found = common_zoning(counted.trips, self.common, guard, self.budget, resolution=self.resolution)
        return found.releases[self.part]

    def make(
        self,
        trips: Trips | pd.DataFrame,
        *,
        hierarchy: Hierarchy | None = None,
        progress: algorithms.Progress | None = None,
    ) -> Made:
        """Select, count and anonymise; `trips` is the whole input, or a table of counted pairs."""
        counted = self.count(trips, hierarchy=hierarchy)
        release = self.anonymise(counted, progress=progress)
        chosen = counted.trips
        if self.part in self.common and isinstance(chosen, Trips):
            chosen = chosen.where(**self.common[self.part])
        known = self.data.fingerprint
        same = None if known is None else fingerprint(release.matrix) == known
        return Made(release, chosen, counted.whole, same)

    def run(self, trips: Trips | pd.DataFrame, *, hierarchy: Hierarchy | None = None) -> Release:
        """The release that the recipe makes of some data."""
        return self.make(trips, hierarchy=hierarchy).release

    # --- of a release -----------------------------------------------------------------------------------------------
    @classmethod
    def of(cls, release: Release, **more: Any) -> Recipe:
        """The recipe of a release, as far as it tells; `more` are further settings (area, segment, data, audit, ...)."""
        matrix, guard = release.matrix, release.protection
        threshold, k = guard.population, None
        if threshold is not None:  # say k where the threshold follows from it: the number would tell the mean weight
            k = round(threshold / matrix.mean_weight)
            k = k if k >= 2 and population_threshold(matrix, k) == threshold else None
        settings: dict[str, Any] = {
            "algorithm": release.algorithm,
            "trips": guard.trips,
            "persons": guard.persons,
            "population": threshold if k is None else None,
            "population_k": k,
            "budget": release.budget.share,
            "budget_in": release.budget.within,
            "options": plain_options(release.options),
            "resolution": _leaf_resolution(matrix),
            "hierarchy": matrix.origins.kind,
            "data": Data(source=matrix.source),
        }
        return cls(**(settings | more))

    def check(self, release: Release) -> None:
        """Refuse a release that this recipe does not describe."""
        own, guard = self, release.protection
        population = guard.population if own.population_k is not None else own.population
        if own.population_k is not None and population is None:
            raise InputError("recipe's protection (population) must be that of the release, which does not guard it")
        pairs = {
            "algorithm": (own.algorithm, release.algorithm),
            "protection": (own.thresholds(population).guards, guard.guards),
            "budget": (own.budget, float(release.budget.share)),
            "budget_in": (own.budget_in, release.budget.within),
            "options": (dict(own.options), plain_options(options_of(release.algorithm, release.options))),
            "resolution": (own.resolution, _leaf_resolution(release.matrix)),
            "hierarchy": (own.hierarchy, release.matrix.origins.kind),
        }
        for name, (said, is_) in pairs.items():
            if said != is_:
                raise InputError(f"recipe's {name} ({said}) must be that of the release ({is_})")

    # --- files ------------------------------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """The recipe in tables, as the file has it; what is None is left out."""
        audit = None if self.audit is None else {k: v for k, v in asdict(self.audit).items() if k != "cross"}
        tables: dict[str, Any] = {
            "recipe": VERSION,
            "data": {
                "source": self.data.source or None,
                "demo": self.data.demo,
                "ends": self.data.ends,
                "fingerprint": self.data.fingerprint,
                "columns": dict(self.data.columns) or None,
            },
            "selection": {
                "resolution": self.resolution,
                "hierarchy": self.hierarchy,
                "area": list(self.area) or None,
                "segment": {name: list(values) for name, values in self.segment.items()} or None,
            },
            "protection": {
                "trips": self.trips,
                "persons": self.persons,
                "population": self.population,
                "population_k": self.population_k,
            },
            "release": {
                "algorithm": self.algorithm,
                "budget": self.budget,
                "budget_in": self.budget_in,
                "options": written(self.algorithm, self.options) or None,
            },
            "common": {"part": self.part, "segments": self.common} if self.common else None,
            "rounding": self.rounding.bases or None,
            "audit": audit,
        }
        return _without_none(tables)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Recipe:
        """Read the tables of `to_dict`; anything unknown or of a wrong kind is an InputError that names it."""
        if not isinstance(document, Mapping) or document.get("recipe") != VERSION:
            said = document.get("recipe") if isinstance(document, Mapping) else document
            raise InputError(f"recipe ({said!r}) must be of version {VERSION}: it begins with recipe = {VERSION}")
        known = {"recipe", *_TABLES}
        unknown = sorted(set(map(str, document)) - known)
        if unknown:
            raise InputError(f"recipe's table ({unknown[0]}) must be one of {', '.join(_TABLES)}")
        tables = {name: _table(document, name, allowed) for name, allowed in _TABLES.items()}
        audit = tables["audit"] if "audit" in document else None
        if audit is not None and isinstance(audit.get("sensitive"), list):
            audit = {**audit, "sensitive": tuple(audit["sensitive"])}
        try:
            return cls(
                **tables["protection"],
                **tables["release"],
                **tables["selection"],
                common=tables["common"].get("segments", {}),
                part=tables["common"].get("part", WHOLE),
                rounding=Rounding(**tables["rounding"]),
                audit=None if audit is None else AuditOptions(**audit),
                data=Data(**tables["data"]),
            )
        except (TypeError, AttributeError) as problem:
            raise InputError(f"recipe must have settings of the right kind: {problem}") from None

    def to_toml(self) -> str:
        """The file's text."""
        return _toml.dumps(self.to_dict(), COMMENT)

    @classmethod
    def from_toml(cls, text: str) -> Recipe:
        """Read a file's text."""
        try:
            document = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            raise InputError(f"recipe must be TOML: {problem}") from None
        return cls.from_dict(document)

    def save(self, path: str | Path) -> None:
        """Write the file."""
        try:
            Path(path).write_text(self.to_toml(), encoding="utf-8", newline="\n")
        except OSError as problem:
            raise InputError(f"file ({path}) must be writable: {problem.strerror or problem}") from None

    @classmethod
    def load(cls, path: str | Path) -> Recipe:
        """Read a file."""
        try:
            return cls.from_toml(Path(path).read_text(encoding="utf-8"))
        except OSError as problem:
            raise InputError(f"recipe ({path}) must be a file that can be read: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise InputError(f"recipe ({path}) must be text in UTF-8") from None


_TABLES: dict[str, tuple[str, ...]] = {
    "data": ("source", "demo", "ends", "fingerprint", "columns"),
    "selection": ("resolution", "hierarchy", "area", "segment"),
    "protection": ("trips", "persons", "population", "population_k"),
    "release": ("algorithm", "budget", "budget_in", "options"),
    "common": ("part", "segments"),
    "rounding": ("trips", "persons", "population"),
    "audit": tuple(f.name for f in fields(AuditOptions) if f.name != "cross"),
}


def _table(document: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> dict[str, Any]:
    table = document.get(name, {})
    if not isinstance(table, Mapping):
        raise InputError(f"recipe's {name} ({table!r}) must be a table")
    unknown = sorted(set(table) - set(allowed))
    if unknown:
        raise InputError(f"recipe's {name}.{unknown[0]} must be one of {', '.join(allowed)}")
    for inner in ("columns", "segment", "options", "segments"):
        if not isinstance(table.get(inner, {}), Mapping):
            raise InputError(f"recipe's {name}.{inner} ({table[inner]!r}) must be a table")
    if not isinstance(table.get("area", []), list | tuple):
        raise InputError(f"recipe's {name}.area ({table['area']!r}) must be a list of H3 cells")
    return dict(table)


def _without_none(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _without_none(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value
        for name, value in table.items()
        if value is not None
    }


def _leaf_resolution(matrix: ODMatrix) -> int:
    """H3 resolution of the leaves; the default where zones are no H3 cells (it is not used then)."""
    if matrix.origins.kind != "h3":
        return DEFAULT_RESOLUTION
    return int(resolution(matrix.origins.ids[:1])[0])
