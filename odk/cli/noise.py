"""`noise`: k-anonymity beside its neighbours, noise and synthetic data."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from odk.cli import arguments
from odk.cli.output import number, percent, say, say_json, table
from odk.cli.progress import progress
from odk.cli.verbs import FINE, Verb, register
from odk.comparison import in_words, privacy_utility, survey_comparison, thesis_comparison

Tell = Callable[[float, str], None]


def add_arguments(part: argparse.ArgumentParser) -> None:
    """Arguments of `noise`."""
    arguments.add_data(part)
    part.add_argument(
        "--compare",
        choices=("trade-off", "persons", "solvers"),
        default="trade-off",
        help="k against ε (default), Mondrian against IPF on persons (004), or ATG's solvers (001)",
    )
    part.add_argument("--quick", action="store_true", help="solvers: two days, without glove-sk")
    part.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print one comparison."""
    loaded = arguments.load(args)
    with progress() as tell:
        tables, words = _found(args, loaded, tell or _quiet)
    if args.json:
        rows = {title: [_plain(row) for row in each.to_dict("records")] for title, each in tables.items()}
        say_json({"source": loaded.trips.source, "synthetic": loaded.trips.synthetic, "tables": rows, "notes": words})
        return FINE
    for title, each in tables.items():
        say(f"{title}.", *_lines(each), "")
    say(*(f"  {line}" for line in words))
    return FINE


def _quiet(share: float, message: str) -> None:
    """Nobody watches."""


def _found(
    args: argparse.Namespace, loaded: arguments.Loaded, tell: Tell
) -> tuple[Mapping[str, pd.DataFrame], tuple[str, ...]]:
    if args.compare == "persons":
        thesis = thesis_comparison(loaded.trips, progress=tell)
        return {f"Table {n}. {thesis.titles[n]}": each for n, each in thesis.tables.items()}, thesis.notes
    if args.compare == "solvers":
        level = arguments.leaf_resolution(args, loaded.trips)
        found = survey_comparison(loaded.trips, resolution=level, quick=args.quick, progress=tell)
        tables = {"Table 3. Means over small matrices": found.table_3, "Table 4. All trips together": found.table_4}
        said = found.runs.dropna(subset="error").drop_duplicates(["dataset", "solver"])
        words = tuple(f"{row['solver']}, {row['dataset']}: {row['error']}" for row in said.to_dict("records"))
        return {title: each for title, each in tables.items() if len(each)}, words
    table = privacy_utility(loaded.matrix, progress=tell)
    errors = table.dropna(subset="error").to_dict("records")
    refused = tuple(f"{row['algorithm']}, {row['setting']:g}: {row['error']}" for row in errors)
    title = "Share of the published trips between the wrong districts, by k and by ε"
    return {title: table.drop(columns="error")}, (in_words(table), *refused)


def _lines(each: pd.DataFrame) -> list[str]:
    texts = [not pd.api.types.is_numeric_dtype(each[name]) for name in each.columns]
    left = texts.index(False) if False in texts else len(texts)
    return table(
        list(each.columns), [[_text(name, v) for name, v in row.items()] for row in each.to_dict("records")], left
    )


def _text(name: Any, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) or pd.isna(value):
        return value if isinstance(value, str) else "-"
    return percent(value) if name in ("S", "S, published", "misplaced", "added") else number(value)


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): None if not isinstance(v, str) and pd.isna(v) else v for name, v in row.items()}


register(Verb("noise", "k-anonymity against noise and synthetic data", add_arguments, run))
