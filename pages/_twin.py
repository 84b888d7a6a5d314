"""All maps of the app as one Streamlit component: deck.gl from static/, drawn by _twin.js, clicks back to Python."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from odk.viz.maps import Window
from odk.viz.twin import Pane, scene
from pages import _frame

LIBRARY = "app/static/deck.js?v=9.3.11"  # the version in static/LICENCES.md, so that an upgrade passes every cache
HTML = """<div class="bar" hidden><div class="row">
<button data-do="play" class="main"><span aria-hidden="true">▶</span> <b>Play</b></button>
<button data-do="back"><span aria-hidden="true">‹</span> Back</button>
<button data-do="next"><span aria-hidden="true">›</span> Next</button>
<button data-do="end"><span aria-hidden="true">⚑</span> To its end</button>
<input type="range" min="0" value="0" aria-label="Merges made"></div><div class="told" role="status"></div></div>
<div class="twin" role="group"><div class="canvas"></div><div class="cards"></div>
<div class="tip" role="tooltip" hidden></div>
<p class="sorry" hidden>This browser draws no maps (it has no WebGL). The same zones stand in a table on this page.</p></div>
<div class="foot"></div>"""
CSS = """
/* Before the page can be measured: as high as others usually leave room for. */
.twin {position: relative; width: 100%; height: clamp(340px, calc(100vh - 480px), 900px);
    overflow: hidden; font-family: var(--st-font, sans-serif); color: var(--text);}
.bar {font-family: var(--st-font, sans-serif); color: var(--st-text-color); margin-bottom: 0.7rem;}
.bar .row {display: flex; gap: 0.5rem; align-items: center; margin-bottom: 0.7rem;}
.bar button {font: inherit; color: inherit; background: var(--st-background-color); padding: 0.45rem 0.8rem;
    min-width: 5.4rem; border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, 0.4rem);
    cursor: pointer;}
.bar button:hover {border-color: var(--st-primary-color); color: var(--st-primary-color);}
.bar button.main {background: var(--st-primary-color); border-color: var(--st-primary-color); color: #fff;}
.bar button b {font-weight: inherit;}
.bar button:focus-visible, .bar input:focus-visible {outline: 2px solid var(--st-primary-color); outline-offset: 2px;}
.bar input {flex: 1 1 0; margin-left: 0.8rem; accent-color: var(--st-primary-color); height: 1.6rem;}
.bar .told {line-height: 1.6; min-height: 3.2em;}
.bar .told i {font-style: normal; opacity: 0.72;}
.twin .canvas {position: absolute; inset: 0;}
.twin .canvas canvas {border-radius: 6px; outline-offset: -2px;}
.twin .cards {position: absolute; inset: 0; display: flex; gap: 12px; pointer-events: none;}
.twin .card {flex: 1 1 0; min-width: 0; display: flex; flex-direction: column; justify-content: space-between;
    align-items: flex-start;}
.twin .plate {background: var(--plate); padding: 2px 8px; border-radius: 5px; margin: 6px; font-size: 0.9rem;
    max-width: calc(100% - 12px); box-sizing: border-box;}
.twin .legend {font-size: 0.8rem; color: var(--faint);}
.foot svg {display: block; max-width: 100%;}
.twin .sorry {margin: 3rem 1rem; color: var(--text);}
.twin.blind {height: auto !important; min-height: 7rem;}
.twin.blind .legend {display: none;}
.twin .tip {position: absolute; z-index: 5; pointer-events: none; max-width: 320px; padding: 6px 10px; font-size: 13px;
    line-height: 1.45; color: var(--text); background: var(--paper); border: 1px solid var(--faint); border-radius: 6px;}
.twin .tip i {color: var(--faint); font-style: normal;}
"""
_mount = st.components.v2.component(
    "odk_twin",
    html=HTML,
    css=CSS,
    js="".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("_twin.js", "_film.js")),
)


def library() -> str:
    """Where the browser finds deck.gl: on this host, below the app's own path."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/{LIBRARY}" if base else f"/{LIBRARY}"


def show(
    panes: Sequence[Pane],
    where: Window,
    key: str,
    picked: Callable[[str, str], None] | None = None,
    asked: Callable[[int, int], None] | None = None,
    **look: Any,
) -> bool:
    """Draw maps of a part of the world in the app's theme; `look`: options of `odk.viz.twin.scene`.

    `picked` hears of a click, the map's id and the zone, empty where it took the choice back. `asked` hears of the step
    of a film that is shown, and whether the merge before (-1), after (1) or itself (0) is wanted. Returns whether the
    browser can draw maps: where it cannot, the same must be shown as a table.
    """
    given = {"library": library(), "mode": _frame.mode(), "online": st.session_state.get("online", False)} | look
    made = scene(panes, where, **given) | {"name": key}

    def clicked() -> None:
        value = st.session_state[key].picked
        if value is not None and picked is not None:
            picked(str(value["view"]), str(value["zone"]))

    def wanted() -> None:
        value = st.session_state[key].asked
        if value is not None and asked is not None:
            asked(int(value["step"]), int(value["by"]))

    heard = {"on_picked_change": clicked, "on_asked_change": wanted, "on_blind_change": lambda: None}
    return not _mount(key=key, data=made, **heard).get("blind", False)
