"""All checks of a bundle that need no data."""

from __future__ import annotations

from odk.export._bundle import Bundle
from odk.export._cells_checks import cell_findings
from odk.export._figure_checks import figure_findings
from odk.export._finding import Finding
from odk.export._report_checks import report_findings


def examine(bundle: Bundle, *, drawn: bool = False) -> list[Finding]:
    """Every check with its verdict; an error means that the bundle is rejected.

    drawn: the report was drawn from the other files just now, and need not be drawn again to compare.
    """
    return [*figure_findings(bundle), *cell_findings(bundle), *report_findings(bundle, drawn=drawn)]
