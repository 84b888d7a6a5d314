"""Recipes on the command line: read, saved, and run into a bundle."""

from __future__ import annotations

import argparse
import time
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

from odk.auditing import AuditOptions, audit
from odk.cli import arguments
from odk.demo import CENTRE, demo_survey
from odk.errors import InputError
from odk.export import Bundle, make_bundle, read_bundle
from odk.protection import Protection
from odk.readers import read_trips
from odk.recipe import Counted, Data, Recipe, fingerprint
from odk.release import Release
from odk.rounding import Rounding
from odk.trips import Trips

OTHER_DATA = "The data is not that of the recipe's fingerprint: the release is another one."


@dataclass(frozen=True)
class Prepared:
    """What is to be run, and the data it is run on."""

    recipe: Recipe
    loaded: arguments.Loaded
    counted: Counted
    notes: tuple[str, ...]


def add_recipe(part: argparse.ArgumentParser) -> None:
    """Arguments about recipes and bundles."""
    group = part.add_argument_group("recipe and bundle")
    group.add_argument(
        "--recipe", metavar="FILE", help="take all settings from a recipe (TOML), or from a bundle's own"
    )
    group.add_argument("--save-recipe", metavar="FILE", help="write the settings as a recipe")
    group.add_argument("--bundle", metavar="OUT.zip", help="audit the release and write it as a bundle")
    group.add_argument(
        "--rounding", action="append", default=[], metavar="BASE|NAME=BASE,...", help="round what the bundle publishes"
    )


def read_recipe(path: str) -> Recipe:
    """A recipe from a TOML file, or from a bundle."""
    return read_bundle(path).recipe if zipfile.is_zipfile(path) else Recipe.load(path)


def prepare(args: argparse.Namespace) -> Prepared:
    """Read the data, complete the recipe, select and count."""
    start = time.perf_counter()
    given = read_recipe(args.recipe) if args.recipe else None
    if given is not None:
        _check_alone(args)
    trips = read_data(args, given)
    recipe = _from_arguments(args, trips) if given is None else given
    recipe = _rounded(recipe, args)
    source = recipe.data if given is not None else Data(
        source=trips.source,
        demo=args.seed if args.demo else None,
        columns={k: v for k, v in arguments.pairs(args.columns, "columns").items() if v},
    )  # fmt: skip
    read = time.perf_counter()
    counted = recipe.count(trips)
    known = source.fingerprint
    notes = (OTHER_DATA,) if known is not None and not recipe.common and fingerprint(counted.matrix) != known else ()
    recipe = replace(recipe, data=replace(source, source=trips.source, fingerprint=None))
    seconds = {"read": read - start, "matrix": time.perf_counter() - read}
    chosen = counted.trips
    assert isinstance(chosen, Trips)
    return Prepared(recipe, arguments.Loaded(chosen, counted.matrix, counted.whole, seconds), counted, notes)


def read_data(args: argparse.Namespace, recipe: Recipe | None) -> Trips:
    """The trips: of the arguments, else the demo survey where the recipe is of it."""
    if args.demo:
        if args.columns:
            raise InputError("--columns must not be given with --demo: its columns are known")
        return demo_survey(seed=args.seed)
    if args.input is None:
        if recipe is None or recipe.data.demo is None:
            raise InputError("--input or --demo must be given")
        return demo_survey(seed=recipe.data.demo)
    known = dict(recipe.data.columns) if recipe is not None else {}
    columns = known | {target: column or None for target, column in arguments.pairs(args.columns, "columns").items()}
    ends = None if recipe is None else recipe.data.ends
    return read_trips(args.input, columns=columns, ends=ends)  # type: ignore[arg-type]  # checked by Data


def _check_alone(args: argparse.Namespace) -> None:
    """A recipe holds all settings: none may be given beside it."""
    held = {"algorithm", "protect", "k", "budget", "budget-in", "options", "segment", "area", "resolution"}
    said = [word.removeprefix("--").partition("=")[0] for word in args.argv if word.startswith("--")]
    beside = [name for name in said if name in held]
    if beside:
        raise InputError(f"--{beside[0]} must not be given with --recipe, which holds it")


def _from_arguments(args: argparse.Namespace, trips: Trips) -> Recipe:
    k = args.k
    guards = {
        "trips": {"trips": k},
        "persons": {"persons": k},
        "population": {"population_k": k},
        "both": {"trips": k, "population_k": k},
    }
    area = () if not args.area else CENTRE if args.area in ("centre", "center") else args.area.split(",")
    return Recipe(
        algorithm=args.algorithm,
        **guards[args.protect],
        budget=args.budget,
        budget_in=args.budget_in,
        options={name: arguments.value_of(text) for name, text in arguments.pairs(args.options, "options").items()},
        resolution=args.resolution if args.resolution is not None else arguments.default_resolution(trips),
        area=tuple(area),
        segment=arguments.pairs(args.segment, "segment"),
        audit=AuditOptions() if args.bundle or args.save_recipe else None,
    )


def _rounded(recipe: Recipe, args: argparse.Namespace) -> Recipe:
    """The recipe with the rounding asked for: one base, or one per measure."""
    if not args.rounding:
        return recipe
    texts = [part for text in args.rounding for part in text.split(",") if part.strip()]
    if len(texts) == 1 and "=" not in texts[0]:
        base = arguments.value_of(texts[0])
        guards = recipe.thresholds(1.0 if recipe.population_k is not None else None)
        return replace(recipe, rounding=Rounding.of(base, guards))
    bases = {name: arguments.value_of(text) for name, text in arguments.pairs(args.rounding, "rounding").items()}
    guard: Protection = recipe.thresholds(1.0 if recipe.population_k is not None else None)
    return replace(recipe, rounding=Rounding.of(bases, guard))


def bundle_of(prepared: Prepared, release: Release) -> Bundle:
    """The bundle, audited where the recipe asks for it."""
    recipe, counted = prepared.recipe, prepared.counted
    trips = counted.trips
    if recipe.part in recipe.common and isinstance(trips, Trips):
        trips = trips.where(**recipe.common[recipe.part])
    options = recipe.audit_options(counted.whole)
    found = None if options is None else audit(release, trips, release.protection, options)
    return make_bundle(release, found, recipe=recipe)


def save(recipe: Recipe, path: str, matrix_fingerprint: str) -> None:
    """Write the recipe, with the fingerprint of the data it was used on."""
    replace(recipe, data=replace(recipe.data, fingerprint=matrix_fingerprint)).save(Path(path))
