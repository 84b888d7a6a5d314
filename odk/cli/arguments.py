"""Arguments that several verbs share: which trips, and which release of them."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import pandas as pd

from odk import algorithms
from odk.cells import resolution as resolution_of
from odk.cells import to_ids
from odk.demo import CENTRE, demo_survey
from odk.errors import InputError
from odk.matrix import DEFAULT_RESOLUTION, ODMatrix
from odk.protection import Protection, population_threshold
from odk.readers import read_trips
from odk.release import Release
from odk.trips import Trips

PROTECT = ("trips", "persons", "population", "both")


@dataclass(frozen=True)
class Loaded:
    """What the arguments about the data select."""

    trips: Trips
    """After area and segment."""
    matrix: ODMatrix
    whole: ODMatrix
    """The whole input: thresholds come from it, for a segment too."""
    seconds: dict[str, float]
    """read, matrix."""


def add_data(part: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Arguments that say which trips; not required where a recipe may say it."""
    group = part.add_argument_group("data")
    source = group.add_mutually_exclusive_group(required=required)
    source.add_argument("--input", metavar="FILE", help="trips as CSV (plain or compressed) or Parquet")
    source.add_argument("--demo", action="store_true", help="the synthetic demo survey")
    group.add_argument("--seed", type=whole_number, default=0, help="seed of the demo survey (default 0)")
    group.add_argument(
        "--columns",
        action="append",
        default=[],
        metavar="TARGET=COLUMN,...",
        help="what the file calls its columns, as person=bike_id,origin_lat=start_lat; the rest is guessed by name",
    )
    group.add_argument(
        "--segment", action="append", default=[], metavar="NAME=VALUE,...", help="only these trips, as sex=F"
    )
    group.add_argument(
        "--area", metavar="centre|CELL,...", help="only trips with both ends in the demo's centre, or under H3 cells"
    )
    group.add_argument(
        "--resolution", type=whole_number, help=f"H3 resolution of the leaves (default {DEFAULT_RESOLUTION})"
    )


def add_release(part: argparse.ArgumentParser) -> None:
    """Arguments that say which release."""
    group = part.add_argument_group("release")
    names = algorithms.names()
    default = "twincut" if "twincut" in names else "odkanon-late"
    group.add_argument("--algorithm", default=default, metavar="NAME", help=f"{', '.join(names)} (default {default})")
    group.add_argument("--protect", choices=PROTECT, default="trips", help="what is guarded (default trips)")
    group.add_argument(
        "--k",
        type=whole_number,
        default=10,
        help="threshold: k trips, k persons, or k times the mean weight of a trip of the whole input (default 10)",
    )
    group.add_argument("--budget", type=share, default=0.10, help="largest share suppressed (default 0.10)")
    group.add_argument(
        "--budget-in", choices=("volume", "pairs"), help="what the budget counts (default: by algorithm)"
    )
    group.add_argument(
        "--options", action="append", default=[], metavar="NAME=VALUE,...", help="options of the algorithm, as levels=2"
    )


def whole_number(text: str) -> int:
    """A whole number, or an argument error."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"value ({text!r}) must be a whole number") from None


def share(text: str) -> float:
    """A number, or an argument error; Budget checks its range."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"value ({text!r}) must be a number") from None


def pairs(given: list[str], name: str) -> dict[str, str]:
    """`a=b,c=d`, given once or several times, as a mapping."""
    found: dict[str, str] = {}
    for part in (part for text in given for part in text.split(",") if part.strip()):
        key, sign, value = part.partition("=")
        if not sign or not key.strip():
            raise InputError(f"--{name} ({part}) must be written as name=value")
        if key.strip() in found:
            raise InputError(f"--{name} ({key.strip()}) must be given once")
        found[key.strip()] = value.strip()
    return found


def load(args: argparse.Namespace) -> Loaded:
    """Read the trips and count the matrix."""
    start = time.perf_counter()
    if args.demo:
        if args.columns:
            raise InputError("--columns must not be given with --demo: its columns are known")
        everything = demo_survey(seed=args.seed)
    else:
        columns = {target: column or None for target, column in pairs(args.columns, "columns").items()}
        everything = read_trips(args.input, columns=columns)
    trips = everything
    level = leaf_resolution(args, everything)
    if args.area:
        area = CENTRE if args.area in ("centre", "center") else args.area.split(",")
        trips = trips.within(area, resolution=level)
    if args.segment:
        trips = trips.where(**pairs(args.segment, "segment"))
    read = time.perf_counter()
    matrix = ODMatrix.from_trips(trips, resolution=level)
    whole = matrix if trips is everything else ODMatrix.from_trips(everything, resolution=level)
    return Loaded(trips, matrix, whole, {"read": read - start, "matrix": time.perf_counter() - read})


def leaf_resolution(args: argparse.Namespace, trips: Trips) -> int:
    """The H3 resolution asked for, else the default for these trips."""
    return int(args.resolution) if args.resolution is not None else default_resolution(trips)


def default_resolution(trips: Trips) -> int:
    """Resolution 10, or that of the file's own cells where they are coarser."""
    if trips.ends != "h3":
        return DEFAULT_RESOLUTION
    return min(DEFAULT_RESOLUTION, int(resolution_of(to_ids(trips.table["origin"].iloc[:1].to_numpy()))[0]))


def protection(args: argparse.Namespace, whole: ODMatrix) -> Protection:
    """The thresholds asked for; those of the population come from the whole input."""
    if args.protect == "persons":
        return Protection(persons=args.k)
    if args.protect == "trips":
        return Protection(trips=args.k)
    return Protection.population_of(whole, args.k) if args.protect == "population" else Protection.both(whole, args.k)


def cross_thresholds(args: argparse.Namespace, whole: ODMatrix) -> Protection:
    """What the same k means for every measure."""
    return Protection(trips=args.k, persons=args.k, population=population_threshold(whole, args.k))


def anonymise(args: argparse.Namespace, loaded: Loaded, guard: Protection) -> tuple[Release, float]:
    """The release asked for, and the seconds it took."""
    options = {name: value_of(text) for name, text in pairs(args.options, "options").items()}
    start = time.perf_counter()
    release = algorithms.anonymise(
        loaded.matrix,
        guard,
        algorithm=args.algorithm,
        budget=args.budget,
        budget_in=args.budget_in,
        options=options or None,
    )
    return release, time.perf_counter() - start


def value_of(text: str) -> Any:
    """An option as its algorithm expects it: a number, true or false, none, else text."""
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def write_table(rows: pd.DataFrame, path: str) -> None:
    """Write a table as CSV (plain or .gz) or Parquet, by the file's ending."""
    try:
        if path.endswith(".parquet"):
            rows.to_parquet(path, index=False)
        elif path.endswith((".csv", ".csv.gz")):
            rows.to_csv(path, index=False)
        else:
            raise InputError(f"file ({path}) must end in .csv, .csv.gz or .parquet")
    except OSError as problem:
        raise InputError(f"file ({path}) must be writable: {problem.strerror or problem}") from None
