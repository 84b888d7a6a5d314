"""`compare` and `sweep`: many releases of one file beside each other."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from odk import algorithms
from odk.cli import arguments
from odk.cli.output import number, percent, say, say_json, table
from odk.cli.progress import progress
from odk.cli.verbs import FAILED, FINE, Verb, register
from odk.errors import InputError
from odk.experiment import Grid, Result, run_grid

TARGET = {"trips": "participants", "persons": "persons", "population": "population", "both": "both"}
"""What `--protect` is called in a grid."""


def add_compare(part: argparse.ArgumentParser) -> None:
    """Arguments of `compare`."""
    _add(part)
    part.add_argument("--k", type=arguments.whole_number, default=10, help="threshold (default 10)")
    part.add_argument("--budget", type=arguments.share, default=0.10, help="largest share suppressed (default 0.10)")
    part.add_argument(
        "--view", choices=("participants", "population"), help="what is counted (default: what is guarded)"
    )


def add_sweep(part: argparse.ArgumentParser) -> None:
    """Arguments of `sweep`."""
    _add(part)
    part.add_argument("--k", default="5,10,20,50", metavar="K,...", help="thresholds (default 5,10,20,50)")
    part.add_argument(
        "--budget", default="0,0.05,0.1,0.2", metavar="SHARE,...", help="budgets (default 0,0.05,0.1,0.2)"
    )
    part.add_argument(
        "--view", choices=("participants", "population"), help="what is counted (default: what is guarded)"
    )


def _add(part: argparse.ArgumentParser) -> None:
    arguments.add_data(part)
    quick = [name for name in algorithms.names() if not algorithms.get(name).slow]
    group = part.add_argument_group("releases")
    group.add_argument("--algorithms", metavar="NAME,...", help=f"which, or all (default {','.join(quick)})")
    group.add_argument("--protect", choices=arguments.PROTECT, default="trips", help="what is guarded (default trips)")
    group.add_argument(
        "--budget-in", choices=("volume", "pairs"), help="what the budget counts (default: by algorithm)"
    )
    group.add_argument("--workers", type=arguments.whole_number, help="processes (default: one a core)")
    group.add_argument("--store", metavar="FILE", help="keep results here, and do not repeat those that are there")
    group.add_argument("--out", metavar="FILE", help="write every figure of every run: .csv, .csv.gz or .parquet")
    part.add_argument("--json", action="store_true", help="print one JSON object")


def compare(args: argparse.Namespace) -> int:
    """Every algorithm once."""
    result, rows = _run(args, ks=(args.k,), budgets=(args.budget,))
    head = ["algorithm", "zones", "cells", "suppressed", "G", "above bound", "E", "C_AVG", "C_DM", "GDM m", "seconds"]
    return _tell(args, result, rows, head, lambda row: [row["algorithm"], *_figures(row)])


def sweep(args: argparse.Namespace) -> int:
    """Every k with every budget."""
    ks = _numbers(args.k, "k", arguments.whole_number)
    budgets = _numbers(args.budget, "budget", arguments.share)
    result, rows = _run(args, ks=ks, budgets=budgets)
    head = [
        "algorithm",
        "k",
        "budget",
        "zones",
        "cells",
        "suppressed",
        "G",
        "above bound",
        "E",
        "C_AVG",
        "C_DM",
        "GDM m",
    ]
    return _tell(
        args,
        result,
        rows,
        [*head, "seconds"],
        lambda row: [row["algorithm"], str(row["k"]), percent(row["budget"]), *_figures(row)],
    )


def _numbers(text: str, name: str, read: Callable[[str], Any]) -> tuple[Any, ...]:
    try:
        return tuple(dict.fromkeys(read(part.strip()) for part in text.split(",")))
    except argparse.ArgumentTypeError as problem:
        raise InputError(f"--{name} ({text}) must be numbers with commas between them: {problem}") from None


def _run(args: argparse.Namespace, ks: Sequence[int], budgets: Sequence[float]) -> tuple[Result, pd.DataFrame]:
    loaded = arguments.load(args)
    grid = Grid(
        algorithms=_names(args.algorithms),
        targets=(TARGET[args.protect],),
        ks=tuple(ks),
        budgets=tuple(budgets),
        budget_in=args.budget_in,
        resolution=arguments.leaf_resolution(args, loaded.trips),
    )
    with progress() as tell:
        result = run_grid(loaded.trips, grid, whole=loaded.whole, store=args.store, workers=args.workers, progress=tell)
    if args.out:
        arguments.write_table(result.table, args.out)
    view = args.view or ("population" if args.protect == "population" else "participants")
    return result, result.table[result.table["view"] == view]


def _names(given: str | None) -> tuple[str, ...]:
    if given is None:
        return tuple(name for name in algorithms.names() if not algorithms.get(name).slow)
    if given == "all":
        return tuple(algorithms.names())
    return tuple(dict.fromkeys(name.strip() for name in given.split(",")))


def _tell(
    args: argparse.Namespace, result: Result, rows: pd.DataFrame, head: list[str], cells: Callable[[Any], list[str]]
) -> int:
    records = rows.to_dict("records")
    if args.json:
        names = {"runs": result.runs, "failed": result.failed, "reused": result.reused, "seconds": result.seconds}
        say_json({**names, "rows": [{str(k): _missing(v) for k, v in row.items()} for row in records]})
    else:
        good = [row for row in records if not row["error"]]
        say(*table(head, [cells(row) for row in good]))
        say("", f"  {_what(args, records)}")
        said = [(row["algorithm"], row["error"] or row.get("notes") or "") for row in records]
        say(*dict.fromkeys(f"  {name}: {words}" for name, words in said if isinstance(words, str) and words))
    return FAILED if result.failed == result.runs else FINE


def _missing(value: Any) -> Any:
    return None if isinstance(value, float) and pd.isna(value) else value


def _what(args: argparse.Namespace, records: list[Any]) -> str:
    row = records[0]
    made_up = ", synthetic" if row["synthetic"] and "synthetic" not in row["source"] else ""
    return f"{row['source']}{made_up}; {row['target']} protected; metrics counted in {row['view']}."


def _figures(row: Any) -> list[str]:
    tree = pd.notna(row.get("origins"))
    return [
        f"{row['origins']:,.0f} x {row['destinations']:,.0f}" if tree else "boxes" if row["kind"] == "boxes" else "-",
        number(row["cells"]),
        percent(row["s"]) if row["kind"] != "noise" else "-",
        number(row["g"]),
        f"{row['above_limit']:.2f} x" if pd.notna(row.get("above_limit")) else "-",
        *(number(row[name]) for name in ("e", "c_avg", "c_dm", "gdm_mean")),
        f"{row['seconds']:.2f}",
    ]


register(Verb("compare", "every algorithm on one file, side by side", add_compare, compare))
register(Verb("sweep", "every k with every budget, for one or more algorithms", add_sweep, sweep))
