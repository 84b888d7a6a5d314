"""The grid as one HTML page: findings, plots, every table. It holds all it needs and opens without a network."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from itertools import groupby

from odk._version import __version__
from odk.experiment.grid import EVERYWHERE
from odk.published import PAPERS, differences
from odk.reproduce.findings import Finding
from odk.reproduce.plots import BOUND, NAMES, Plot, plots
from odk.reproduce.reproduction import Reproduction
from odk.reproduce.sidebyside import HEADS, PUBLISHED, SideBySide, head
from odk.viz.svg_charts import Series, dot_plot

SERIES = {
    PUBLISHED: Series(NAMES[PUBLISHED], "var(--grey)", "diamond"),
    EVERYWHERE: Series(NAMES[EVERYWHERE], "var(--amber)", "square"),
    "centre": Series(NAMES["centre"], "var(--blue)", "dot"),
    BOUND: Series(NAMES[BOUND], "var(--good)", "tick"),
}


def _style() -> str:
    return (files("odk.viz") / "papers.css").read_text(encoding="utf-8")


def report(found: Reproduction) -> str:
    """The page as text."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>The papers' tables on {escape(found.source)}</title><style>{_style()}</style></head><body>",
        _opening(found),
        "<h2>What the papers found, looked for here</h2>",
        *map(_finding, found.findings),
        "<h2>Plots</h2>",
        *map(_plot, plots(found)),
        "<h2>Tables</h2><p class='faint'>Published figures first, ours beside them. N/A: no result within the papers' two "
        "hours. –: not defined, or not in this data.</p>",
    ]
    for paper, group in groupby(found.tables, key=lambda side: side.of.paper):
        parts += [f"<h3>{escape(PAPERS[paper][0].upper() + PAPERS[paper][1:])}</h3>", *map(_table, group)]
    parts += ["<h2>Where the published code and tables differ</h2>", _differences(), _runs(found), "</body></html>"]
    return "".join(parts)


def _opening(found: Reproduction) -> str:
    badge = " <span class='badge partly'>synthetic data</span>" if found.synthetic else ""
    centre = (
        f" and {found.centre_runs} on its centre, the five H3 cells that the published figures are of"
        if found.centre_runs
        else ""
    )
    kept = f" ({found.result.reused} kept from an earlier time)" if found.result.reused else ""
    failed = "none failed" if not found.failed else f"{found.failed} failed"
    data = (
        "The trips are made up: figures can agree with the published ones in size and order, not digit by digit."
        if found.synthetic
        else "Figures differ from the published ones where data or definitions do."
    )
    return (
        f"<h1>The papers' tables, computed again{badge}</h1>"
        f"<p class='faint'>{escape(found.source)} · odk {__version__}</p>"
        f"<p>{found.runs} runs on all trips{centre}: {failed}, {found.result.seconds:.1f} s{kept}. "
        f"k = 10 trips, or 10 times the mean weight of a trip; at most 10% suppressed. {data}</p>"
    )


def _finding(finding: Finding) -> str:
    items = "".join(f"<li>{escape(str(answer))}</li>" for answer in finding.answers)
    return (
        f"<h3>{escape(finding.title)} <span class='badge {finding.verdict.split()[0]}'>{finding.verdict}</span></h3>"
        f"<p class='note'>Published: {escape(finding.published)}.</p><ul>{items}</ul>"
    )


def _plot(plot: Plot) -> str:
    series = [SERIES[source] for source in plot.sources]
    rows = [(label, {SERIES[s].name: v for s, v in values.items()}) for label, values in plot.rows]
    svg = dot_plot(rows, series, title=plot.question, axis=plot.axis)
    return f"<h3>{escape(plot.question)}</h3>{svg}<p class='note'>{escape(plot.note)}</p>"


def _table(side: SideBySide) -> str:
    sources = side.sources
    top = "".join(f"<th class='name' rowspan='2'>{name}</th>" for name in side.row_heads)
    top += "".join(f"<th class='first' colspan='{len(sources)}'>{HEADS[m]}</th>" for m in side.of.metrics)
    second = "".join(
        f"<th class='{'first' if i == 0 else ''}'>{head(s)}</th>"
        for _ in side.of.metrics
        for i, s in enumerate(sources)
    )
    body = []
    for line in side.lines:
        cells = "".join(f"<td class='name'>{escape(name)}</td>" for name in side.names(line))
        for entry in line.entries:
            for i, source in enumerate(sources):
                kind = f"{'first' if i == 0 else ''} {'published' if source == PUBLISHED else ''}"
                cells += f"<td class='{kind.strip()}'>{escape(entry.text(source))}</td>"
        body.append(f"<tr>{cells}</tr>")
    why = "".join(f"<li>{escape(d.about)}: {escape(d.published)} {escape(d.effect)}</li>" for d in side.why)
    explain = f"<details><summary>What may explain a difference</summary><ul>{why}</ul></details>" if why else ""
    absent = f"<p class='note'>{escape(side.absent)}</p>" if side.absent else ""
    opened = " open" if side.of.key in ("report-3", "report-4", "report-6", "report-8", "abstract-2") else ""
    return (
        f"<details{opened}><summary>Table {side.of.number}. {escape(side.of.title)}</summary>{absent}"
        f"<div class='scroll'><table><thead><tr>{top}</tr><tr>{second}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
        f"{explain}</details>"
    )


def _differences() -> str:
    rows = "".join(
        f"<tr><td>{escape(d.about)}</td><td>{escape(d.published)}</td><td>{escape(d.here)}</td><td>{escape(d.effect)}</td></tr>"
        for d in differences()
    )
    return (
        "<div class='scroll'><table class='words'><thead><tr><th>about</th><th>published</th><th>odk</th><th>effect</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _runs(found: Reproduction) -> str:
    refused = found.result.table[(found.result.table["error"] != "") & (found.result.table["view"] == "participants")]
    if not len(refused):
        return "<p class='faint'>Every run gave a release.</p>"
    names = ("algorithm", "segment", "target", "area", "error")
    rows = [[escape(str(row[name])) for name in names] for row in refused.to_dict("records")]
    items = "".join(f"<li>{', '.join(row[:-1])}: {row[-1]}</li>" for row in rows)
    return f"<h2>Runs without a release</h2><ul>{items}</ul>"
