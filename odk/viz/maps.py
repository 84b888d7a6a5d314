"""What all maps of zones share: the part of the world they show, the steps of their colours, legend and words.

The maps themselves: odk/viz/twin.py for the app, odk/viz/decks.py for a notebook, odk/viz/svg.py for a printed page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan, degrees, exp, log, log2, pi, radians, tan

import h3
import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.viz.basemap import Box
from odk.viz.theme import figure, hexcode, palette

MOST_ZONES = 10_000  # drawn by default; more make a browser slow
STEPS = 7  # colours of a ramp
FIGURES = {
    "density": "trips per km²",
    "trips": "trips",
    "population": "weighted trips (population)",
    "persons": "persons",
    "other_way": "trips the other way (in, for origins; out, for destinations)",
    "flows": "published flows",
    "leaves": "size: leaves observed",
    "level": "level of the zone",
}


@dataclass(frozen=True)
class Window:
    """What a map shows at first: the middle in degrees and the zoom (Web Mercator)."""

    lat: float
    lon: float
    zoom: float
    seen: Box
    """What is within the frame at this zoom."""
    box: Box
    """What the basemap covers: as much again on every side."""
    width: int = 500
    height: int = 430
    """Of the map it was made for, in pixels."""
    share: float = 1.0
    """Of the volume in the place that is shown; the rest lies so far away that nothing could be seen of either."""


def _mercator(lat: float) -> float:
    return log(tan(pi / 4 + radians(max(-85.0, min(85.0, lat))) / 2))


def window(
    lat: npt.ArrayLike,
    lon: npt.ArrayLike,
    volume: npt.ArrayLike | None = None,
    *,
    zones: Sequence[str] = (),
    width: int = 500,
    height: int = 430,
) -> Window:
    """The window (width x height pixels) that shows all but the outermost 1% of the volume at these points.

    Points in two places with nothing between them for more than half the way, and 3° at least: the larger place only.
    `zones`: H3 cells to show as well, as far as that does not make the window more than four times as wide.
    """
    y, x = np.asarray(lat, np.float64), np.asarray(lon, np.float64)
    v = np.ones(y.size) if volume is None else np.asarray(volume, np.float64)
    if y.size == 0:
        return Window(46.5, 2.5, 4.0, (-6.0, 41.0, 10.0, 51.5), (-6.0, 41.0, 10.0, 51.5))
    if x.max() - x.min() > 180:  # across the antimeridian
        x = x % 360
    near = _one_place(y, x, v)
    share = float(v[near].sum() / v.sum())
    south, north = _ends(y[near], v[near])
    west, east = _ends(x[near], v[near])
    if zones:
        corners = np.array([corner for zone in zones for corner in h3.cell_to_boundary(zone)])
        shift = 360 * np.round(((west + east) / 2 - corners[:, 1]) / 360)
        south, north = _stretched(south, north, corners[:, 0])
        west, east = _stretched(west, east, corners[:, 1] + shift)
    middle = (_mercator(south) + _mercator(north)) / 2
    centre = degrees(2 * atan(exp(middle)) - pi / 2)
    wide = max(east - west, 0.01) * 1.12
    high = max(degrees(_mercator(north) - _mercator(south)), 0.01) * 1.12
    zoom = min(log2(width * 360 / (512 * wide)), log2(height * 360 / (512 * high)), 14.0)
    # The basemap's box is in quarter degrees, so that windows repeat and their layers are made once.
    across, up = width * 360 / (512 * 2**zoom), height * 360 / (512 * 2**zoom) * float(np.cos(np.radians(centre)))
    lon0 = (west + east) / 2
    box = (lon0 - 1.5 * across, centre - 1.5 * up, lon0 + 1.5 * across, centre + 1.5 * up)
    outward = [np.floor(box[0] * 4), np.floor(box[1] * 4), np.ceil(box[2] * 4), np.ceil(box[3] * 4)]
    w, s, e, n = (float(side) / 4 for side in outward)
    seen = (lon0 - across / 2, centre - up / 2, lon0 + across / 2, centre + up / 2)
    return Window(centre, lon0, zoom, seen, (w, max(s, -85.0), e, min(n, 85.0)), width, height, share)


def _one_place(
    lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64], volume: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Which points to show: all, or where there are places far apart, those of the place with the most volume."""
    near = np.ones(lat.size, dtype=bool)
    while True:
        for values in (lat, lon):
            low, high = _ends(values[near], volume[near])
            inside = np.unique(values[near & (values >= low) & (values <= high)])
            gaps = np.diff(inside)
            widest = int(gaps.argmax()) if gaps.size else 0
            if gaps.size and gaps[widest] > max(3.0, (high - low) / 2):
                left = near & (values <= inside[widest])
                right = near & ~left
                near = left if volume[left].sum() >= volume[right].sum() else right
                break
        else:
            return near


def _stretched(low: float, high: float, corners: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The interval with the corners, but no more than 1.5 times its length farther on either side."""
    most = 1.5 * max(high - low, 0.01)
    return max(min(low, float(corners.min())), low - most), min(max(high, float(corners.max())), high + most)


def _ends(values: npt.NDArray[np.float64], volume: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The values that 0.5% of the volume lie below, and above."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(volume[order]) / volume.sum()
    at = np.searchsorted(share, [0.005, 0.995]).clip(0, len(order) - 1)
    return float(values[order[at[0]]]), float(values[order[at[1]]])


def breaks(values: Sequence[npt.ArrayLike]) -> tuple[float, ...]:
    """Limits between the steps of the colour ramp, common to several maps: evenly spaced on a log scale.

    Few different values (levels, say) are told apart one by one; outliers beyond 2% and 98% share the end colours.
    """
    every = np.concatenate([np.asarray(v, np.float64).ravel() for v in values] or [np.zeros(0)])
    every = every[np.isfinite(every)]
    distinct = np.unique(every)
    if distinct.size <= 1:
        return ()
    if distinct.size <= STEPS:
        return tuple(((distinct[1:] + distinct[:-1]) / 2).tolist())
    low, high = np.quantile(every, [0.02, 0.98])
    if low <= 0 or high <= low:
        return tuple(np.unique(np.quantile(every, np.linspace(0, 1, STEPS + 1)[1:-1])).tolist())
    return tuple(np.geomspace(low, high, STEPS + 1)[1:-1].tolist())


def steps(values: npt.ArrayLike, limits: Sequence[float]) -> npt.NDArray[np.int64]:
    """The step of the ramp for each value: spread over all colours where there are fewer limits than colours."""
    step = np.searchsorted(np.asarray(limits), np.nan_to_num(np.asarray(values, np.float64)), side="right")
    if not len(limits):
        return np.full(step.shape, STEPS // 2, dtype=np.int64)
    return np.round(step * (STEPS - 1) / len(limits)).astype(np.int64)


def legend(
    values: Sequence[npt.ArrayLike],
    view: str,
    figure_shown: str,
    mode: str | None = "light",
    *,
    fails: bool = False,
    marks: bool = False,
    arcs: bool = False,
) -> str:
    """HTML of the legend of maps that share a scale: each value where there are few, else the ends of the ramp.

    `values`: the figures of all these maps. `fails`: say what amber means; `marks`: what + and − mean;
    `arcs`: which are outgoing and incoming.
    """
    p, limits = palette(mode), breaks(values)
    swatch = "display:inline-block;width:1.4em;height:0.8em;"

    def box(step: int) -> str:
        return f'<span style="{swatch}background:{hexcode(p.ramp(view)[step])}"></span>'

    every = np.unique(np.concatenate([np.asarray(v, np.float64).ravel() for v in values] or [np.zeros(0)]))
    if every.size <= STEPS:
        short = [f"{value:,.0f}" if value == round(value) else figure(value) for value in every.tolist()]
        pairs = zip(steps(every, limits).tolist(), short, strict=True)
        scale = " &nbsp; ".join(f"{box(step)} {text}" for step, text in pairs)
    else:
        used = sorted(set(steps(np.append(limits, np.inf), limits).tolist()) | {0})
        scale = f"{figure(limits[0])} or less {''.join(map(box, used))} {figure(limits[-1])} or more"
    text = f"{FIGURES.get(figure_shown, figure_shown)}: {scale}"
    if fails:
        amber = f'<span style="{swatch}border:3px solid {hexcode(p.failing)};box-sizing:border-box"></span>'
        text += f" &nbsp; {amber} a flow fails the other rule"
    if marks:
        text += " &nbsp; <b>+</b> finer here &nbsp; <b>−</b> coarser"
    if arcs:
        line = "display:inline-block;width:1.4em;height:0;vertical-align:middle;border-top:3px solid "
        words = ((p.text, "out"), (p.good, "in"))
        text += "".join(f' &nbsp; <span style="{line}{hexcode(colour)}"></span> {word}' for colour, word in words)
    return f'<div style="font-size:0.8rem;color:{hexcode(p.faint)}">{text}</div>'


def describe(zones: pd.DataFrame, what: str) -> str:
    """The map in a sentence, for those who cannot see it."""
    if zones.empty:
        return f"{what}: no zone is published."
    levels = zones["level"]
    reach = f", levels {levels.min()} to {levels.max()}" if levels.min() >= 0 else ""
    failing = int((zones["failing"] > 0).sum())
    fails = f"; {failing:,} of them have a flow that fails the other rule" if failing else ""
    return f"{what}: {len(zones):,} zones{reach}{fails}."
