"""The bundle that a reviewer opened: kept by the session, refused in words, shown from what it says."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

import odk
from odk.export import Bundle
from odk.review import bundle_zones
from odk.viz import maps
from odk.viz.maps import Window
from odk.viz.safety import by_weight, verdict_list, verdict_rows
from odk.viz.theme import count, counted, figure, percent
from odk.viz.twin import Pane
from odk.viz.zones import Axis
from pages import _bundles, _frame, _twin

OPENED, OWN = "_opened", "current release"
ZONES = ["name", "trips", "population", "density", "flows", "level", "zone"]
WORDS = {"trips": "trips", "persons": "persons", "population": "weighted trips"}


def ask(
    slot: str = "first", label: str = "Bundle (.zip): what a publisher gave you"
) -> tuple[bytes, odk.Verification] | None:
    """The bundle of a slot: uploaded, or that of the current release. A file that is refused changes nothing."""
    known = _kept(slot)
    row = st.container(horizontal=True, vertical_alignment="center")
    said = row.container()
    with row.popover("Open another", icon=":material/folder_open:") if known else st.container():
        file = _choose(slot, label)
    refusal = st.session_state.pop(f"_refused-{slot}", "")
    try:
        if file is not None and _keep_upload(slot, file) and known is None:
            st.rerun()  # the chooser makes room for what was opened
    except odk.OdkError as error:
        refusal = str(error)
    if refusal:
        more = " What was open stays open." if known else ""
        st.error(
            f"This bundle was not opened. {refusal[:1].upper()}{refusal[1:].rstrip('.')}.{more}",
            icon=":material/block:",
        )
    known = _kept(slot)
    if known is None:
        return None
    with said:
        _verdict(*known)
    return known[1], known[2]


def _choose(slot: str, label: str) -> Any:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    file = left.file_uploader(label, type="zip", key=f"bundle-{slot}", max_upload_size=200)
    right.button(
        "Take the current release",
        key=f"own-{slot}",
        on_click=_take_current,
        args=(slot,),
        icon=":material/package_2:",
        help="The bundle that the Release page would write under the current settings.",
    )
    return file


def _kept(slot: str) -> tuple[str, bytes, odk.Verification] | None:
    return st.session_state.get(OPENED, {}).get(slot)


def _keep_upload(slot: str, file: Any) -> bool:
    """Verify an upload and keep it; one that was handled already does not replace what came after it."""
    seen = st.session_state.setdefault("_seen", {})
    if seen.get(slot) == file.file_id:
        return False
    _keep(slot, file.name, file.getvalue())
    seen[slot] = file.file_id
    return True


def _keep(slot: str, name: str, data: bytes) -> None:
    st.session_state.setdefault(OPENED, {})[slot] = (name, data, odk.verify(data))


def _take_current(slot: str) -> None:
    try:
        _keep(slot, OWN, _bundles.current().to_bytes())
    except odk.OdkError as error:
        st.session_state[f"_refused-{slot}"] = str(error)


def _verdict(name: str, data: bytes, found: odk.Verification) -> None:
    """The verdict over all checks, and the promise."""
    said = found.bundle.manifest
    errors = [c for c in found.findings if c.severity == "error"]
    made = " from synthetic data" if said["synthetic"] else ""
    if found.passed:
        st.success(
            f"**{name}**{made} promises: {said['promise']}. All {counted(len(found.checks), 'check')} that need no data "
            f"hold. The publisher's audit: {said['audit']['status'].removeprefix('audit ')}.",
            icon=":material/verified_user:",
        )
    else:
        st.error(f"**{name}**{made} must not be trusted: {errors[0].sentence}", icon=":material/gpp_bad:")


def headline(bundle: odk.Bundle) -> None:
    """What the manifest says, in figures."""
    said = bundle.manifest
    zones = (
        "boxes"
        if bundle.published.boxes
        else f"{count(said['zones']['origins'])} × {count(said['zones']['destinations'])}"
    )
    shown = {"Zones": (zones, "origins × destinations"), "Flows": (count(said["cells"]), "published")}
    for m, least in said["minimum"].items():
        shown[f"Least {WORDS[m]}"] = (count(least), f"promised: at least {count(bundle.thresholds[m])}")
    for m, share in said["suppressed"].items():
        known = not isinstance(share, str)
        shown["Suppressed"] = (percent(share) if known else "small", f"of {WORDS[m]}" if known else "below a threshold")
    for view, found in said["metrics"].items():
        why = said["withheld"].get(view, {}).get("g", "")
        shown[f"G ({view})"] = (figure(found["g"]), why or "leaves; lower is finer")
    for box, (label, (value, note)) in zip(st.columns(len(shown)), shown.items(), strict=True):
        box.metric(label, value, note, delta_color="off", delta_arrow="off", border=True)


def zones(bundle: Bundle) -> None:
    """Both zonings, from the bundle's own cells."""
    both = {axis.capitalize(): (bundle, axis) for axis in ("origins", "destinations")}
    zone_maps(both, "map-bundle")  # type: ignore[arg-type]


def zone_maps(shown: dict[str, tuple[Bundle, Axis]], key: str) -> None:
    """Zones of bundles side by side, by heading, in one scale; their tables below."""
    mode = _frame.mode()
    tables = {title: bundle_zones(bundle, axis) for title, (bundle, axis) in shown.items()}
    known = [m for m in ("density", "trips", "population") if all(m in t for t in tables.values())]
    shade = next((m for m in known if all(t[m].notna().any() for t in tables.values())), "flows")
    figures = [table[shade] for table in tables.values()]
    panes = []
    for title, (bundle, axis) in shown.items():
        table, view = tables[title], "population" if "population" in bundle.published.measures else "participants"
        panes.append(
            Pane(
                id=title,
                title=f"{title}:",
                note=counted(len(table), "zone"),
                zones=table,
                values=table[shade],
                view=view,
                rule=f"Promise: {bundle.manifest['promise']}",
                clicks=False,
                alt=maps.describe(table, f"{title} ({axis} of the bundle)"),
                legend=maps.legend(figures, view, shade, mode),
            )
        )
    drawn = _twin.show(panes, window(*tables.values()), key, limits=maps.breaks(figures), height=400)
    with st.expander("Table", expanded=not drawn):
        for (title, table), column in zip(tables.items(), st.columns(len(tables)), strict=True):
            column.markdown(f"**{title}**")
            column.dataframe(table, hide_index=True, column_order=ZONES, column_config=_frame.COLUMNS)


def window(*tables: pd.DataFrame, width: int = 520) -> Window:
    """The part of the world that zones of bundles lie in."""
    every = pd.concat([table[["lat", "lon", "flows"]] for table in tables]).dropna()
    return maps.window(every["lat"], every["lon"], every["flows"], width=width)


def threshold(bundle: Bundle, measure: str) -> float:
    """A slider for one published measure, from what was promised to ten times that."""
    low = float(bundle.thresholds[measure])
    if measure == "population":
        return st.slider(f"At least ... {WORDS[measure]}", low, 10 * low, 2 * low, low / 10, format="%,.0f")
    return float(st.slider(f"At least ... {WORDS[measure]}", int(low), 10 * int(low), 2 * int(low)))


def audited(found: odk.Verification, mode: str) -> None:
    """What the trips say of the bundle."""
    data = [c for c in found.checks if c.check in ("input", "recount", "rebuild", "full audit")]
    st.html(verdict_list([(c.severity, c.check.capitalize(), c.sentence) for c in data], mode))
    if found.audit is not None:
        with st.expander(f"All {count(len(found.audit.checks))} checks of the audit"):
            st.html(verdict_list(verdict_rows(by_weight(found.audit.checks)), mode))


def report(found: odk.Verification) -> Callable[[Bundle], None]:
    """The report, unless its check failed: then it is not shown."""
    bad = [c for c in found.checks if c.check == "report" and c.severity == "error"]
    return (lambda bundle: st.error(f"Not shown. {bad[0].sentence}")) if bad else _bundles.report  # type: ignore[return-value]
