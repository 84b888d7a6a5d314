"""`reproduce`: the papers' tables on one file, published figures beside ours."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from odk.cli import arguments
from odk.cli.output import say, say_json, table
from odk.cli.progress import progress
from odk.cli.verbs import FAILED, FINE, Verb, register
from odk.errors import InputError
from odk.published import tables
from odk.reproduce import Reproduction, reproduce
from odk.reproduce.sidebyside import HEADS, PUBLISHED, SideBySide, head
from odk.viz.papers import report

SHOWN = ("report-3", "report-4", "report-6", "abstract-2")
"""Tables that are printed for people; the others are in --json and --out."""


def add_arguments(part: argparse.ArgumentParser) -> None:
    """Arguments of `reproduce`."""
    arguments.add_data(part)
    part.add_argument("--no-centre", action="store_true", help="leave out the centre of Paris, which was published")
    part.add_argument("--store", metavar="FILE", help="keep results here, and do not repeat those that are there")
    part.add_argument("--workers", type=arguments.whole_number, help="processes (default: one a core)")
    part.add_argument("--out", metavar="DIR", help="write report.html, tables as CSV, and every run")
    part.add_argument("--table", action="append", default=[], metavar="KEY", help="print this table, as thesis-5.2")
    part.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Run the grid, then print or write its tables."""
    folder = _folder(args.out)
    known = [each.key for each in tables()]
    if unknown := [key for key in args.table if key not in known]:
        raise InputError(f"--table ({unknown[0]}) must be one of {', '.join(known)}")
    loaded = arguments.load(args)
    with progress() as tell:
        found = reproduce(
            loaded.trips,
            centre=not args.no_centre,
            resolution=arguments.leaf_resolution(args, loaded.trips),
            whole=loaded.whole,
            store=args.store,
            workers=args.workers,
            progress=tell,
        )
    if folder is not None:
        _write(found, folder)
    if args.json:
        say_json(found.as_dict())
    else:
        say(*readable(found, args.table))
        if folder is not None:
            say("", f"  written: {folder / 'report.html'} and {len(list(folder.iterdir())) - 1} more files")
    return FAILED if found.failed else FINE


def readable(found: Reproduction, keys: list[str]) -> list[str]:
    """Findings and tables for people."""
    known = {each.of.key: each for each in found.tables}
    areas = f", and {found.centre_runs} in the centre" if found.centre_runs else ""
    lines = [f"{found.source}: {found.runs} runs{areas}, {found.failed} failed, {found.result.seconds:.1f} s", ""]
    for finding in found.findings:
        lines += [f"{finding.verdict.upper()}: {finding.title}", f"  published: {finding.published}."]
        lines += [f"  {answer}" for answer in finding.answers]
    for key in keys or SHOWN:
        lines += ["", *_table(known[key])]
    return lines


def _table(side: SideBySide) -> list[str]:
    """One line a source, so that a table fits a terminal."""
    rows = [
        [*(side.names(line) if source == PUBLISHED else [""] * len(side.row_heads)), head(source)]
        + [entry.text(source) for entry in line.entries]
        for line in side.lines
        for source in side.sources
    ]
    names = [*side.row_heads, "", *(HEADS[metric] for metric in side.of.metrics)]
    heading = f"Table {side.of.number} of the {side.of.paper}. {side.of.title}."
    absent = [f"  {side.absent}"] if side.absent else []
    return [heading, *absent, *table(names, rows, left=len(side.row_heads) + 1)]


def _folder(given: str | None) -> Path | None:
    if given is None:
        return None
    folder = Path(given)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"--out ({given}) must be a folder that can be made: {problem.strerror or problem}") from None
    if not os.access(folder, os.W_OK):
        raise InputError(f"--out ({given}) must be writable")
    return folder


def _write(found: Reproduction, folder: Path) -> None:
    (folder / "report.html").write_text(report(found), encoding="utf-8")
    for side in found.tables:
        if not side.absent:
            side.frame().to_csv(folder / f"{side.of.key}.csv", index=False)
    found.comparison.to_csv(folder / "comparison.csv", index=False)
    found.result.table.to_csv(folder / "runs.csv", index=False)


register(Verb("reproduce", "the papers' tables on one file, published figures beside ours", add_arguments, run))
