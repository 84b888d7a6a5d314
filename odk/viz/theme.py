"""One palette, one number format (chart_theme.py makes the charts' theme of them).

Participants are blue, the population is red, what fails is amber: colours that stay apart for the usual kinds of colour
blindness, and differ in lightness too. .streamlit/config.toml uses the same. Every text form of a number is made here.
"""

from dataclasses import dataclass
from math import floor, isfinite, log10
from typing import Literal

from odk.protection import Protection

Mode = Literal["light", "dark"]
View = Literal["participants", "population"]
Colour = tuple[int, int, int]

FONT = '"Source Sans", "Source Sans 3", system-ui, sans-serif'
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
VIEW_LABEL = {"participants": "participants", "population": "population"}
MEASURE_LABEL = {"trips": "trips", "persons": "persons", "population": "weighted trips (population)"}


@dataclass(frozen=True)
class Palette:
    """Colours of one mode, as red, green, blue from 0 to 255; ramps go from little to much."""

    mode: Mode
    participants: Colour
    population: Colour
    failing: Colour
    good: Colour
    ramps: dict[str, tuple[Colour, ...]]
    """By view; that of `failing` begins with grey, for none."""
    text: Colour
    faint: Colour
    background: Colour
    sea: Colour
    land: Colour
    border: Colour
    region: Colour
    river: Colour
    outline: Colour
    halo: Colour

    def ramp(self, view: str) -> tuple[Colour, ...]:
        """Seven steps of the colour of a view; grey for anything else."""
        return self.ramps.get(view, self.ramps["neutral"])


# One hue each from pale to deep, even in lightness; the palest step still stands out from the land. In dark mode they
# run from deep to bright instead, so that much is always what differs most from the ground.
LIGHT = Palette(
    mode="light",
    participants=(43, 108, 176),
    population=(197, 48, 48),
    failing=(242, 160, 7),
    good=(15, 118, 110),
    ramps={
        "participants": (
            (198, 219, 239),
            (158, 202, 225),
            (114, 178, 216),
            (72, 148, 197),
            (40, 117, 180),
            (20, 84, 148),
            (8, 48, 107),
        ),
        "population": (
            (250, 213, 200),
            (246, 178, 156),
            (236, 139, 116),
            (219, 98, 82),
            (192, 55, 56),
            (157, 22, 41),
            (103, 0, 31),
        ),
        "failing": (
            (228, 230, 233),
            (253, 226, 153),
            (252, 200, 88),
            (240, 163, 35),
            (211, 120, 14),
            (164, 80, 10),
            (107, 46, 8),
        ),
        "neutral": (
            (226, 228, 231),
            (203, 207, 212),
            (176, 182, 189),
            (147, 154, 163),
            (116, 124, 134),
            (84, 92, 102),
            (48, 54, 61),
        ),
    },
    text=(31, 41, 51),
    faint=(107, 114, 128),
    background=(255, 255, 255),
    sea=(223, 232, 240),
    land=(247, 246, 243),
    border=(148, 152, 160),
    region=(205, 205, 205),
    river=(176, 203, 224),
    outline=(255, 255, 255),
    halo=(255, 255, 255),
)
DARK = Palette(
    mode="dark",
    participants=(99, 164, 232),
    population=(244, 124, 124),
    failing=(251, 191, 36),
    good=(45, 178, 165),
    ramps={
        "participants": (
            (32, 64, 106),
            (34, 82, 138),
            (38, 104, 172),
            (60, 131, 200),
            (98, 162, 221),
            (146, 195, 237),
            (205, 228, 248),
        ),
        "population": (
            (100, 30, 38),
            (134, 34, 44),
            (168, 46, 50),
            (201, 72, 65),
            (227, 110, 92),
            (243, 159, 136),
            (252, 212, 195),
        ),
        "failing": (
            (48, 53, 60),
            (98, 60, 10),
            (138, 80, 8),
            (180, 106, 8),
            (220, 141, 22),
            (248, 184, 60),
            (254, 228, 150),
        ),
        "neutral": (
            (48, 53, 60),
            (68, 74, 83),
            (92, 99, 109),
            (120, 128, 139),
            (151, 159, 169),
            (186, 192, 200),
            (224, 228, 233),
        ),
    },
    text=(230, 235, 241),
    faint=(156, 163, 175),
    background=(17, 22, 29),
    sea=(16, 24, 36),
    land=(33, 37, 45),
    border=(96, 103, 115),
    region=(56, 62, 72),
    river=(34, 58, 84),
    outline=(18, 22, 29),
    halo=(17, 22, 29),
)


def palette(mode: str | None) -> Palette:
    """The palette of "dark", else the light one."""
    return DARK if mode == "dark" else LIGHT


def hexcode(colour: Colour) -> str:
    """A colour as "#rrggbb"."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def count(value: float | None) -> str:
    """A whole number for people: 81,291; "–" where there is none."""
    return "–" if value is None or not isfinite(value) else f"{value:,.0f}"


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 row", "3 rows"."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def figure(value: float | None) -> str:
    """A measured number with the digits that matter: 5.98, 37.6, 584.2, 49,624, 5.4 × 10⁷; "–" where there is none."""
    if value is None or not isfinite(value):
        return "–"
    size = abs(value)
    if size >= 999_999.5:
        return scientific(value)
    if size >= 999.95:
        return f"{value:,.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    if size >= 0.01 or size == 0:
        return f"{value:.2f}"
    return scientific(value)


def scientific(value: float, digits: int = 1) -> str:
    """A number as 5.4 × 10⁷."""
    if value == 0:
        return "0"
    power = floor(log10(abs(value)))
    if round(abs(value) / 10.0**power, digits) >= 10:  # 9.99 rounds into the next power
        power += 1
    return f"{value / 10.0**power:.{digits}f} × 10{str(power).translate(SUPERSCRIPT)}"


def metres(value: float | None) -> str:
    """A length: 933.9 m, 12.4 km; "–" where there is none."""
    if value is None or not isfinite(value):
        return "–"
    return f"{value:,.1f} m" if abs(value) < 9_999.5 else f"{value / 1000:,.1f} km"


def percent(share: float | None, digits: int = 1) -> str:
    """A share of one as a percentage: 10.0%; a trace is "<0.1%", never 0.0%; "–" where there is none."""
    if share is None or not isfinite(share):
        return "–"
    least = 10.0**-digits
    if 0 < share * 100 < least / 2:
        return f"<{least:.{digits}f}%"
    return f"{share * 100:,.{digits}f}%"


def measure(name: str, value: float | None) -> str:
    """A measure with its unit: "10 trips", "26,742 weighted trips (population)"."""
    return f"{count(value)} {MEASURE_LABEL.get(name, name)}"


def rule(protection: Protection) -> str:
    """A protection in words: "at least 10 trips and 26,742 weighted trips in each cell"."""
    return f"at least {' and '.join(_thresholds(protection))} in each cell"


def broken(protection: Protection) -> str:
    """What a cell has that misses a protection: "less than 10 trips or 26,742 weighted trips"."""
    return f"less than {' or '.join(_thresholds(protection))}"


def _thresholds(protection: Protection) -> list[str]:
    words = {"trips": "trips", "persons": "persons", "population": "weighted trips"}
    return [f"{count(value)} {words[measure]}" for measure, value in protection.guards.items()]
