"""Release: what will be published and what not; the bundle to download once every promised check holds."""

import streamlit as st

import odk
from odk.review import said, unsaid
from odk.viz.safety import facts
from odk.viz.theme import counted, rule
from pages import _bundles, _frame, _rounding, _state

NEXT = {
    odk.BudgetError: "Raise the suppression budget, or lower k.",
    odk.UnsafeError: "There is no way around this: a bundle that breaks its promise is not written.",
}


mode, target = _frame.mode(), _state.settings().target
promise = f"**{target.capitalize()}**: {rule(_state.protection(target))}."
top, options = st.container(), st.container()
left, right = options.columns([1, 1], vertical_alignment="bottom")
with right.container(horizontal=True):
    _rounding.ask()
bundle, refusal = None, None
try:
    bundle = _bundles.current()
except odk.OdkError as error:
    refusal = error
with top:
    if bundle is not None:
        audit = bundle.manifest["audit"]["checks"]
        promised, advice = sum(c["guarded"] for c in audit), len(bundle.manifest["advice"])
        short = counted(sum(c["verdict"] == "advice" for c in audit), "check")
        st.success(
            f"{promise} All {promised} promised checks hold. {counted(advice, 'remark')} of advice "
            f"{'goes' if advice == 1 else 'go'} with it ({short} beyond the promise fall short; some say the same).",
            icon=":material/lock_open:",
        )
    else:
        words = str(refusal)
        more = next((text for kind, text in NEXT.items() if isinstance(refusal, kind)), "")
        st.error(f"**Shut.** {words[:1].upper()}{words[1:].rstrip('.')}. {more}", icon=":material/lock:")
with left.container(horizontal=True, vertical_alignment="bottom"):
    size = "" if bundle is None else f" ({len(bundle.to_bytes()) / 1000:,.0f} kB)"
    st.download_button(
        f"Download the bundle{size}",
        b"" if bundle is None else bundle.to_bytes(),
        _bundles.file_name("release", "zip"),
        "application/zip",
        type="primary",
        icon=":material/package_2:",
        disabled=bundle is None,
        on_click="ignore",
        help="The same settings and data give the same bytes.",
    )
    if bundle is not None:
        st.download_button(
            "Recipe",
            bundle.recipe.to_toml(),
            _bundles.file_name("recipe", "toml"),
            icon=":material/receipt_long:",
            on_click="ignore",
            help="All settings in one readable file; python -m odk run --recipe makes the same bundle again.",
        )
if bundle is not None:
    names = ["What is published", f"Advice ({len(bundle.manifest['advice'])})", "Report", "Recipe"]
    published, advised, report, recipe = st.tabs(names)
    with published:
        one, two = st.columns([11, 9], gap="medium")
        one.html(facts([*said(bundle)], "Published", mode))
        two.html(facts([*unsaid(bundle)], "Not published", mode))
        _bundles.flows(bundle)
        st.caption(f"Digest to announce, so that nobody can exchange the bundle: `{bundle.digest}`")
    with advised:
        _bundles.advice(bundle)
    with report:
        _bundles.report(bundle)
    recipe.code(bundle.recipe.to_toml(), language="toml")
