"""report.html: one printable page that opens without a network.

It is drawn from the manifest, the published cells and the zones, and from nothing else: it cannot say more than they do,
and a reviewer can have it drawn again to see that it was not changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from odk.export._flows import Flows
from odk.export._report_maps import largest_flows, maps
from odk.export._report_words import (
    WORD,
    about_metrics,
    amount_text,
    percent_text,
    rounding_text,
    suppressed_text,
    what_is_not_said,
)
from odk.recipe import Recipe, entry_of

CSS = """
:root{--text:#1f2933;--faint:#5b6472;--line:#d5d9e0;--amber:#f2a007;--amber-soft:#fff4dc;--good:#0f766e;--bad:#b42318}
*{box-sizing:border-box}
body{font:15px/1.5 "Source Sans 3","Source Sans",system-ui,sans-serif;color:var(--text);margin:0 auto;padding:28px 32px;
 max-width:1120px;background:#fff}
h1{font-size:26px;line-height:1.2;margin:0 0 4px}h2{font-size:18px;margin:28px 0 8px;break-after:avoid}
p{margin:6px 0}.faint{color:var(--faint)}.made-up{font-weight:600;color:var(--bad)}
.band{background:var(--amber-soft);border-left:8px solid var(--amber);margin:16px -32px;padding:12px 32px 12px 24px}
.band h2{margin:0 0 4px}.band ul{margin:0;padding-left:20px}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:14px 0}
.figures div{border:1px solid var(--line);border-radius:6px;padding:8px 12px}
.figures b{display:block;font-size:22px;line-height:1.25;font-variant-numeric:tabular-nums}
.maps{display:grid;grid-template-columns:1fr 1fr;gap:16px}.maps figure{margin:0;break-inside:avoid}
.maps svg{width:100%;height:auto;display:block}.maps figcaption{font-weight:600;margin-bottom:4px}
.legend{font-size:13px;color:var(--faint)}.legend .swatch{width:20px;height:10px;display:inline-block}
table{border-collapse:collapse;width:100%;font-size:14px;margin:6px 0}
th,td{text-align:left;padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}tr{break-inside:avoid}
.pass{color:var(--good);font-weight:600}.advice{color:#8a5a00;font-weight:600}.unknown{color:var(--faint)}
pre{background:#f6f7f9;border:1px solid var(--line);border-radius:6px;padding:10px 12px;font-size:12px;line-height:1.4;
 white-space:pre-wrap;overflow-wrap:anywhere}
code{font-size:12px;overflow-wrap:anywhere}
@media screen and (max-width:760px){.maps{grid-template-columns:1fr}}
@page{size:A4;margin:14mm 12mm 16mm;@bottom-right{content:counter(page) " / " counter(pages);font:10px system-ui}}
@media print{body{padding:0;font-size:12px;max-width:none}.band{margin:12px 0}
 h1{font-size:22px}h2{font-size:15px;margin-top:18px}.figures{grid-template-columns:repeat(4,1fr)}.figures b{font-size:17px}
 table{font-size:11.5px}pre{font-size:10px}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
""".strip()

FOOT = """
@page{@bottom-left{content:"Advice stands: not everything holds that was not promised, see page 1.";
 font:10px system-ui;color:#8a5a00}}
""".rstrip()
"""On every printed page of a report with advice."""


def report_html(said: Mapping[str, Any], flows: Flows, zones: Mapping[str, Any]) -> str:
    """The page, from the manifest (without the files' digests), the cells and the zones."""
    recipe = Recipe.from_dict(said["recipe"])
    entry = entry_of(recipe.algorithm)
    source = recipe.data.source or "unnamed data"
    title = f"Release of {source}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p class='faint'>Origin-destination flows made publishable by odk {escape(str(said['software_version']))} with "
        f"{escape(entry.title)}. {escape(entry.summary)}</p>",
        "<p class='made-up'>The data is synthetic: no row comes from a real person.</p>" if said["synthetic"] else "",
        _selection(recipe),
        _band(said),
        "<h2>What is promised</h2>",
        f"<p>In this release {escape(str(said['promise']))}. {escape(suppressed_text(said, recipe))} "
        f"{escape(rounding_text(said))}</p>",
        _headline(said, flows),
        "<h2>Where zones lie</h2>",
        maps(said, flows, zones),
        "<h2>The largest flows</h2>",
        largest_flows(said, flows),
        "<h2>How much detail is left</h2>",
        about_metrics(said),
        "<h2>What was checked</h2>",
        _checks(said),
        "<h2>What this bundle does not say, and why</h2>",
        what_is_not_said(said),
        "<h2>How to make it again</h2>",
        "<p>With the same data, this recipe gives the same bundle, byte for byte: <code>python -m odk run --recipe "
        "recipe.toml --input DATA --bundle release.zip</code></p>",
        f"<pre>{escape(recipe.to_toml())}</pre>",
    ]
    foot = FOOT if said["advice"] else ""
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{CSS}{foot}</style></head>\n<body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body></html>\n"
    )


def _selection(recipe: Recipe) -> str:
    parts = [f"{name}: {', '.join(values)}" for name, values in recipe.segment.items()]
    if recipe.area:
        parts.append(f"both ends in {len(recipe.area):,} H3 cells of the area")
    return f"<p>Only trips of {escape('; '.join(parts))}.</p>" if parts else ""


def _band(said: Mapping[str, Any]) -> str:
    """Advice stands across the page: what was not promised and does not hold."""
    if not said["advice"]:
        return ""
    rows = "".join(f"<li>{escape(str(sentence))}</li>" for sentence in said["advice"])
    return f"<section class='band'><h2>Advice: not promised, and not kept everywhere</h2><ul>{rows}</ul></section>"


def _headline(said: Mapping[str, Any], flows: Flows) -> str:
    zones = said["zones"]
    kind = "boxes" if flows.boxes else "zones"
    figures = [
        (f"{zones['origins']:,}", f"origin {kind}"),
        (f"{zones['destinations']:,}", f"destination {kind}"),
        (f"{said['cells']:,}", "published flows"),
        *((amount_text(m, v), f"least {WORD[m]} of a flow") for m, v in said["minimum"].items()),
        *((amount_text(m, v), f"{WORD[m]} published") for m, v in said["published"].items()),
        *(
            (s if isinstance(s, str) else percent_text(s), f"of the {WORD[m]} suppressed")
            for m, s in said["suppressed"].items()
        ),
    ]
    return "<div class='figures'>" + "".join(f"<div><b>{escape(v)}</b>{escape(w)}</div>" for v, w in figures) + "</div>"


def _checks(said: Mapping[str, Any]) -> str:
    audit = said["audit"]
    if audit["status"] == "passed":
        intro = "The release was counted again from the trips by code that shares nothing with what made it."
    else:
        intro = "Audit not run: the cells were checked against the counted matrix, not against the trips."
    style = {"pass": "pass", "advice": "advice"}
    rows = "".join(
        f"<tr><td class='{style.get(c['verdict'], 'unknown')}'>{escape(c['verdict'])}</td><td>{escape(c['title'])}</td>"
        f"<td>{'promised' if c['guarded'] else 'not promised'}</td></tr>"
        for c in audit["checks"]
    )
    return f"<p>{intro}</p><table><tr><th>verdict</th><th>check</th><th></th></tr>{rows}</table>"
