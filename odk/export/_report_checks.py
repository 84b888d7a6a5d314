"""Checks of report.html: nothing that a browser would run or fetch, and the page that the other files give."""

from __future__ import annotations

import re

from odk._version import __version__
from odk.errors import OdkError
from odk.export._bundle import Bundle
from odk.export._finding import Finding

_ACTIVE = (
    (re.compile(r"<\s*(script|iframe|object|embed|applet|base|form|link|img|image|audio|video|source|use|animate|set)\b", re.I),
     "an element that a browser runs or fetches"),
    (re.compile(r"<[^>]*\son\w+\s*=", re.I), "an event handler"),
    (re.compile(r"(javascript|vbscript|https?|ftp|file)\s*:\S|data:\w+/", re.I), "an address"),
    (re.compile(r"\b(src|href|srcset|action|formaction|background|poster)\s*=", re.I), "a reference to something outside"),
    (re.compile(r"@import|url\s*\(\s*(?!#)", re.I), "a style that fetches something"),
    (re.compile(r"http-equiv\s*=\s*['\"]?refresh", re.I), "a redirection"),
)  # fmt: skip
_MAP = re.compile(r"<g class=\"base\">.*?</g>|<span class='place'>.*?</span>|<p class='legend base'>.*?</p>", re.S)


def report_findings(bundle: Bundle, *, drawn: bool = False) -> list[Finding]:
    """Whether the report is harmless, and says what the other files say (`drawn`: it was drawn from them just now)."""
    text = bundle.report
    body = re.sub(r"<pre>[^<]*</pre>", "", text)  # the recipe as text: escaped, so it holds no markup
    for pattern, what in _ACTIVE:
        found = pattern.search(body)
        if found:
            shown = ascii(found.group(0)[:60])
            return [Finding("report", "error", f"report.html holds {what} ({shown}): do not open it in a browser.")]
    if bundle.manifest["software_version"] != __version__:
        return [
            Finding(
                "report", "note", "report.html was drawn by another version of odk: its text was not compared, only "
                "searched for what a browser would run."
            )
        ]  # fmt: skip
    said = {key: value for key, value in bundle.manifest.items() if key not in ("files", "digest")}
    try:
        again = text if drawn else _draw(bundle, said)
    except (OdkError, ValueError, KeyError, ArithmeticError) as problem:
        return [Finding("report", "error", f"No report can be drawn from the other files: {problem}.")]
    if again != text and (_has_basemap() or _MAP.sub("", again) != _MAP.sub("", text)):
        return [Finding("report", "error", "report.html does not say what the other files say: it was changed.")]
    return [
        Finding("report", "pass", "report.html is the page that the other files give, and runs or fetches nothing.")
    ]


def _has_basemap() -> bool:
    """Whether maps are drawn here as where the bundle was made; a wheel has no outlines, and the rest is compared."""
    from odk.viz.basemap import features

    return bool(features("world"))


def _draw(bundle: Bundle, said: dict[str, object]) -> str:
    from odk.export._report import report_html  # here, as drawing libraries take a second to load

    return report_html(said, bundle.published, bundle.zones)
