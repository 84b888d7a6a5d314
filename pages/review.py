"""Review: a bundle opened without its data: zones, promises, checks, another rule, the audit, and another bundle."""

import streamlit as st

import odk
from odk.review import bundle_zones, would_fail
from odk.viz.safety import ORDER, short_pane, verdict_list
from odk.viz.theme import count, percent
from pages import _bundles, _frame, _opened, _state, _twin, _two_bundles
from pages._ask import ask

mode = _frame.mode()
WORDS = {"trips": "trips", "persons": "persons", "population": "weighted trips"}
ABOUT = [
    (
        "visibility",
        "Without the data",
        "See the zones, what is promised, and every check that the bundle itself allows.",
    ),
    ("rule", "Under another rule", "See which published flows would fail, and where."),
    ("compare", "With a second bundle", "Compare zones and metrics, and see what the two give away together."),
    ("fact_check", "With the trips", "Count every flow again, run the recipe again, and audit what it makes."),
    ("print", "For the file", "Print the report: one page, with its maps."),
]


def checks(data: bytes, found: odk.Verification) -> None:
    """Every check that needs no data; with the trips at hand, the full audit."""
    left, right = st.columns([11, 9], gap="medium")
    with left:
        rows = sorted(found.checks, key=lambda c: ORDER[c.severity])
        st.html(verdict_list([(c.severity, c.check.capitalize(), c.sentence) for c in rows], mode))
    with right:
        trips = _state.trips()
        st.markdown(f"**With the trips at hand** ({trips.source})")
        again: odk.Verification | None = ask(
            "odk.review:verify_with_trips",
            {"data": data, "trips": trips, "hierarchy": _state.tree_of(trips)},
            name="verify",
            key=("verify", found.bundle.digest, trips.fingerprint),
            label="Audit it against these trips (some seconds)",
        )
        if again is None:
            st.caption("Counts every flow again, runs the recipe again, and audits what it makes, by other code.")
        else:
            _opened.audited(again, mode)


def another_rule(bundle: odk.Bundle) -> None:
    """What would fail if more were asked of each published measure."""
    left, right = st.columns([9, 11], gap="medium")
    with left:
        asked = {m: _opened.threshold(bundle, m) for m in bundle.published.measures}
        found = would_fail(bundle, asked)
        rule = " or ".join(f"{count(v)} {WORDS[m]}" for m, v in asked.items())
        share = ", ".join(f"{percent(s)} of {WORDS[m]}" for m, s in found.share.items())
        words = f"**{count(len(found.cells))} of {count(len(bundle.published))} flows** have less than {rule}"
        st.markdown(f"{words}{f' ({share})' if share and len(found.cells) else ''}.")
        st.dataframe(found.cells.head(500), hide_index=True, column_config=_frame.COLUMNS, height=300)
        hidden = [word for m, word in WORDS.items() if m not in bundle.published.measures]
        if hidden:
            st.caption(f"Nothing can be said of {' and '.join(hidden)}: the bundle does not publish them.")
    with right:
        axis = _state.settings().axis
        table = bundle_zones(bundle, axis, found.bad)
        pane = short_pane(table, axis.capitalize(), "flows that would fail", f"less than {rule}", mode)
        _twin.show([pane], _opened.window(table, width=560), "map-rule", height=420)


opened = _opened.ask()
if opened is None:
    st.markdown("**What a reviewer can do here**")
    for (icon, when, what), box in zip(ABOUT, st.columns(len(ABOUT)), strict=True):
        with box.container(border=True, height="stretch"):
            st.markdown(f":material/{icon}: **{when}**")
            st.caption(what)
else:
    data, found = opened
    _opened.headline(found.bundle)
    names = ["Zones", "Checks", "Another rule", "Another bundle", "Advice", "Report"]
    pages = (
        _opened.zones,
        lambda b: checks(data, found),
        another_rule,
        _two_bundles.draw,
        _bundles.advice,
        _opened.report(found),
    )
    for tab, draw in zip(st.tabs(names, key="review-tab", on_change="rerun"), pages, strict=True):
        if tab.open:
            with tab, _frame.refusals():
                draw(found.bundle)
