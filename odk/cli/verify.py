"""`verify`: check a bundle, without its data or with it; or two bundles against each other."""

from __future__ import annotations

import argparse
from typing import Any

from odk.cli import arguments
from odk.cli.output import number, say, say_json, table
from odk.cli.recipes import read_data
from odk.cli.verbs import FAILED, FINE, Verb, register
from odk.export import Comparison, Verification, compare, read_bundle
from odk.export import verify as check

SHOWN = 20


def add_arguments(part: argparse.ArgumentParser) -> None:
    """Arguments of `verify`."""
    part.add_argument("bundle", metavar="BUNDLE", help="zip file of a release")
    source = part.add_mutually_exclusive_group()
    source.add_argument("--input", metavar="FILE", help="the trips it was made from: count, build and audit it again")
    source.add_argument("--demo", action="store_true", help="the same, with the demo survey")
    part.add_argument("--seed", type=arguments.whole_number, default=0, help="seed of the demo survey (default 0)")
    part.add_argument(
        "--columns",
        action="append",
        default=[],
        metavar="TARGET=COLUMN,...",
        help="as for run; the recipe's by default",
    )
    part.add_argument(
        "--against", metavar="OTHER.zip", help="another bundle of the same data: what both give away together"
    )
    part.add_argument("--digest", metavar="HEX", help="the bundle's digest as its publisher announced it")
    part.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Check a bundle; exit code 1 where a check fails."""
    trips = None
    if args.input is not None or args.demo:
        trips = read_data(args, read_bundle(args.bundle).recipe)
    found = check(args.bundle, trips, digest=args.digest)
    both = compare(found.bundle, args.against) if args.against else None
    if args.json:
        say_json(as_dict(found, both))
    else:
        say(*readable(found), *([] if both is None else against(both)))
    return FINE if found.passed and (both is None or both.passed is not False) else FAILED


def against(both: Comparison) -> list[str]:
    """What two bundles give away together, for people."""
    lines = ["", f"With {both.b.name}: {both.sentence}", *(f"  {note}" for note in both.notes)]
    if both.differencing is not None and len(both.differencing.leaks):
        rows = both.differencing.leaks.head(SHOWN).to_dict(orient="records")
        cells = [[r["origin"], r["destination"], r["about"], r["measure"], number(r["value"])] for r in rows]
        lines += ["", *table(["origin", "destination", "about", "measure", "value"], cells, left=4)]
        if len(both.differencing.leaks) > SHOWN:
            lines.append(f"  and {len(both.differencing.leaks) - SHOWN:,} more (--json has all)")
    return lines


def as_dict(found: Verification, both: Comparison | None = None) -> dict[str, Any]:
    """The verdict for machines."""
    together = {}
    if both is not None:
        leaks = [] if both.differencing is None else both.differencing.leaks.to_dict(orient="records")
        said = {"bundle": both.b.name, "passed": both.passed, "sentence": both.sentence}
        together = {"against": {**said, "notes": list(both.notes), "leaks": leaks}}
    return {
        **together,
        "passed": found.passed,
        "bundle": found.bundle.name,
        "digest": found.bundle.digest,
        "promise": found.bundle.manifest["promise"],
        "advice": found.bundle.manifest["advice"],
        "checks": [vars(finding) for finding in found.checks],
    }


def readable(found: Verification) -> list[str]:
    """The verdict for people."""
    verdict = "passes every check that was made" if found.passed else "IS REJECTED"
    lines = [f"{found.bundle.name} {verdict}.", f"It promises that {found.bundle.manifest['promise']}.", ""]
    lines += [f"  {finding.severity:<8} {finding.sentence}" for finding in found.checks]
    advice = found.bundle.manifest["advice"]
    if advice:
        lines += ["", "Advice of the bundle (not promised, and not kept everywhere):"]
        lines += [f"  {sentence}" for sentence in advice]
    return [*lines, "", f"digest {found.bundle.digest}"]


register(Verb("verify", "check a bundle, without its data or with it", add_arguments, run))
