"""All maps of the app as one Streamlit component: deck.gl from static/, drawn by _twin.js, clicks back to Python."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from odk.viz.maps import Window
from odk.viz.twin import Pane, Scene, scene
from pages import _frame

LIBRARY = "app/static/deck.js?v=9.3.11"  # the version in static/LICENCES.md, so that an upgrade passes every cache
HTML = """<div class="twin" role="group"><div class="canvas"></div><div class="cards"></div>
<div class="tip" role="tooltip" hidden></div>
<p class="sorry" hidden>This browser draws no maps (it has no WebGL). The same zones stand in a table on this page.</p></div>
<div class="foot"></div>"""
CSS = """
/* Before the page can be measured: as high as others usually leave room for. */
.twin {position: relative; width: 100%; height: clamp(340px, calc(100vh - 480px), 900px);
    overflow: hidden; font-family: var(--st-font, sans-serif); color: var(--text);}
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
    "odk_twin", html=HTML, css=CSS, js=(Path(__file__).parent / "_twin.js").read_text(encoding="utf-8")
)


def library() -> str:
    """Where the browser finds deck.gl: on this host, below the app's own path."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/{LIBRARY}" if base else f"/{LIBRARY}"


def show(
    panes: Sequence[Pane], where: Window, key: str, picked: Callable[[str, str], None] | None = None, **look: Any
) -> bool:
    """Draw maps of a part of the world in the app's theme; `look`: options of `odk.viz.twin.scene`.

    `picked` hears of a click, the map's id and the zone, empty where it took the choice back. Returns whether the browser
    can draw maps: where it cannot, the same must be shown as a table.
    """
    given = {"library": library(), "mode": _frame.mode(), "online": st.session_state.get("online", False)} | look
    return draw(scene(panes, where, **given), key, picked)


def draw(made: Scene, key: str, picked: Callable[[str, str], None] | None = None) -> bool:
    """Draw a scene; the rest as `show`."""

    def heard() -> None:
        value = st.session_state[key].picked
        if value is not None and picked is not None:
            picked(str(value["view"]), str(value["zone"]))

    result = _mount(key=key, data=made | {"name": key}, on_picked_change=heard, on_blind_change=lambda: None)
    return not result.get("blind", False)
