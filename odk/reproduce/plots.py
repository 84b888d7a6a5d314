"""The grid as plots: published and ours on one axis. Rows of numbers here, drawing in `odk.viz`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from odk import algorithms
from odk.experiment.grid import EVERYWHERE, PAPER_ALGORITHMS, WHOLE
from odk.published import table
from odk.reproduce.reproduction import Reproduction
from odk.reproduce.sidebyside import PUBLISHED

BOUND = "lower bound"
NAMES = {PUBLISHED: "published", EVERYWHERE: "ours, all trips", "centre": "ours, centre", BOUND: "lower bound, ours"}
"""How a source is called in plots."""
TARGETS = ("participants", "population")


@dataclass(frozen=True)
class Plot:
    """What a dot plot shows."""

    question: str
    axis: str
    rows: tuple[tuple[str, Mapping[str, float | None]], ...]
    sources: tuple[str, ...]
    note: str = ""


def plots(found: Reproduction) -> tuple[Plot, ...]:
    """How large, which segments, how long."""
    best = found.areas[-1]
    return (
        Plot(
            "How large are the zones of a trip?",
            "G, mean number of leaves of a trip's two zones (participants' view)",
            tuple(_by_algorithm(found, "g")),
            (PUBLISHED, *found.areas),
            "Published figures are of the centre; no published G for Mondrian, nor for population runs of ATG-Soft.",
        ),
        Plot(
            "Which segments are hard, and is it the data?",
            "G of ODkAnon, participants protected (participants' view)",
            tuple(_by_segment(found, best)),
            (PUBLISHED, best, BOUND),
            "The bound holds for every release of this kind; the way from bound to mark is what another algorithm might save.",
        ),
        Plot(
            "How long does a run take?",
            "seconds",
            tuple(_by_algorithm(found, "seconds")),
            (PUBLISHED, *found.areas),
            "A published time of 7,200 s is the papers' limit: no result by then.",
        ),
    )


def _by_algorithm(found: Reproduction, metric: str) -> list[tuple[str, Mapping[str, float | None]]]:
    rows: list[tuple[str, Mapping[str, float | None]]] = []
    for target, key in zip(TARGETS, ("report-4", "report-6"), strict=True):
        rows.append((f"{target} protected", {}))
        printed = {row.algorithm: row.figures[metric].value for row in table(key).rows}
        for name in PAPER_ALGORITHMS:
            ours = {area: _ours(found, area, metric, algorithm=name, target=target) for area in found.areas}
            rows.append((algorithms.get(name).title, {PUBLISHED: printed[name], **ours}))
    return rows


def _by_segment(found: Reproduction, area: str) -> list[tuple[str, Mapping[str, float | None]]]:
    rows: list[tuple[str, Mapping[str, float | None]]] = []
    for column, key in ((WHOLE, "report-4"), ("sex", "report-8"), ("age", "report-12"), ("profession", "report-16")):
        if column not in set(found.result.table["column"]):
            continue
        rows += [] if column == WHOLE else [(column, {})]
        for row in table(key).rows:
            if row.algorithm == "odkanon":
                ours = {
                    name: _ours(found, area, metric, algorithm="odkanon", target="participants", segment=row.segment)
                    for name, metric in ((area, "g"), (BOUND, "limit"))
                }
                label = (
                    "all trips" if row.segment == WHOLE else {"M": "men", "F": "women"}.get(row.segment, row.segment)
                )
                rows.append((label, {PUBLISHED: row.figures["g"].value, **ours}))
    return rows


def _ours(found: Reproduction, area: str, metric: str, **equal: str) -> float | None:
    rows = found.result.table
    keep = (rows["area"] == area) & (rows["view"] == "participants") & (rows["error"] == "")
    for column, value in ({"segment": WHOLE} | equal).items():
        keep &= rows[column] == value
    values = rows.loc[keep, metric].dropna() if metric in rows else rows.loc[keep, "k"].head(0)
    return float(values.iloc[0]) if len(values) else None
