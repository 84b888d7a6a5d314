"""`demo`: the synthetic survey as a file, or what it is."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from odk.cli import arguments
from odk.cli.output import facts, number, percent, say, say_json
from odk.cli.verbs import FINE, Verb, register
from odk.demo import demo_survey
from odk.matrix import ODMatrix


def add_arguments(part: argparse.ArgumentParser) -> None:
    """Arguments of `demo`."""
    part.add_argument("out", nargs="?", metavar="OUT", help="file to write: .csv, .csv.gz or .parquet")
    part.add_argument(
        "--seed", type=arguments.whole_number, default=0, help="another survey of the same kind (default 0)"
    )
    part.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Write the survey if a file is named, and say what it holds."""
    trips = demo_survey(seed=args.seed)
    if args.out is not None:
        arguments.write_table(trips.table, args.out)
    profile = ODMatrix.from_trips(trips).profile()
    if args.json:
        say_json(
            {"file": args.out, "seed": args.seed, "synthetic": True, "segments": trips.segments, **asdict(profile)}
        )
        return FINE
    people, each = profile.persons or 0, profile.trips_per_person or 0
    rows = [
        ("trips", f"{profile.trips:,} by {people:,} participants ({number(each)} each)"),
        ("population", f"{number(profile.population)} weighted trips, {number(profile.mean_weight)} a trip"),
        ("pairs", f"{profile.pairs:,} at H3 resolution 10, density {profile.density:.1e}"),
        ("leaves", f"{profile.origins:,} origins, {profile.destinations:,} destinations, {profile.leaves:,} in all"),
        ("at k = 10", f"{percent(profile.pairs_at_k)} of pairs, {percent(profile.volume_at_k)} of trips"),
        ("segments", ", ".join(trips.segments)),
        *([("written to", args.out)] if args.out is not None else []),
    ]
    say("Demo survey (synthetic: no row comes from a real person)", "", *facts(rows))
    return FINE


register(Verb("demo", "write the synthetic demo survey to a file, or print what it holds", add_arguments, run))
