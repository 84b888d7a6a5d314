"""A report in a frame of its own, with a button that prints it and nothing else."""

from html import escape


def printable(report: str) -> str:
    """A page that holds a report as `report.html` has it; the report's own policy keeps it from running anything."""
    return (
        "<!DOCTYPE html><html><head><meta charset='utf-8'><style>"
        "body{margin:0;font:14px system-ui,sans-serif}iframe{border:1px solid #d5d9e0;width:100%;height:570px;background:#fff}"
        "button{font:inherit;margin:0 0 8px;padding:6px 14px;border-radius:6px;border:1px solid #9aa3af;background:#fff;"
        "color:#1f2933;cursor:pointer}</style></head><body>"
        "<button onclick=\"document.getElementById('r').contentWindow.print()\">Print</button>"
        f"<iframe id='r' title='Report' srcdoc=\"{escape(report, quote=True)}\"></iframe></body></html>"
    )
