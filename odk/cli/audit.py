"""`audit`: make a release, then check it against the trips again."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any

from odk.auditing import Audit, AuditOptions
from odk.auditing import audit as check
from odk.cli import arguments
from odk.cli.output import number, say, say_json, table
from odk.cli.run import promise
from odk.cli.verbs import FAILED, FINE, Verb, register
from odk.errors import InputError
from odk.release import Release

SHOWN = 20


def add_arguments(part: argparse.ArgumentParser) -> None:
    """Arguments of `audit`."""
    arguments.add_data(part)
    arguments.add_release(part)
    part.add_argument(
        "--thresholds",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="of the checks beyond k: k_m, l_leaves, l_values, sensitive (columns, as sex+age), t, dominance, effective, "
        "homogeneity",
    )
    part.add_argument("--cells", metavar="OUT.csv", help="write all failing cells, advice included, to a file")
    part.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Audit the release that the settings give; exit code 1 if a guarded check fails."""
    loaded = arguments.load(args)
    guard = arguments.protection(args, loaded.whole)
    release, _ = arguments.anonymise(args, loaded, guard)
    options = AuditOptions(cross=arguments.cross_thresholds(args, loaded.whole), **thresholds(args.thresholds))
    found = check(release, loaded.trips, guard, options)
    if args.cells:
        arguments.write_table(found.findings, args.cells)
    if args.json:
        about = {"algorithm": release.algorithm, "protection": guard.guards, "cells": release.n_cells}
        say_json({**about, **found.to_dict()})
    else:
        say(*readable(found, release))
    return FINE if found.passed else FAILED


def thresholds(given: list[str]) -> dict[str, Any]:
    """Options of the audit as `name=value` gives them."""
    known = [field.name for field in fields(AuditOptions) if field.name != "cross"]
    found: dict[str, Any] = {}
    for name, text in arguments.pairs(given, "thresholds").items():
        if name not in known:
            raise InputError(f"--thresholds ({name}) must be one of {', '.join(known)}")
        found[name] = tuple(filter(None, text.split("+"))) if name == "sensitive" else arguments.value_of(text)
    return found


def readable(found: Audit, release: Release) -> list[str]:
    """Verdicts, sentences and the worst failing cells, for people."""
    verdict = "every guarded check passes" if found.passed else "A GUARDED CHECK FAILS"
    rows = [[c.verdict, c.title, number(c.value), number(c.threshold), f"{c.n_failing:,}"] for c in found.checks]
    lines = [promise(release), f"Audit of {release.n_cells:,} published cells: {verdict}.", ""]
    lines += table(["verdict", "check", "worst", "threshold", "failing"], rows, left=2)
    lines += ["", *(f"  {c.sentence}" for c in found.checks if c.verdict != "pass")]
    if len(found.failing):
        cells = [
            [row["origin"], row["destination"], row["measure"], number(row["value"]), number(row["threshold"])]
            for row in found.failing.head(SHOWN).to_dict(orient="records")
        ]
        lines += ["", *table(["origin", "destination", "measure", "value", "threshold"], cells, left=3)]
        if len(found.failing) > SHOWN:
            lines.append(f"  and {len(found.failing) - SHOWN:,} more (--json or --cells OUT.csv has all)")
    return lines


register(Verb("audit", "make one release and check it against the trips again", add_arguments, run))
