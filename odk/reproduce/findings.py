"""The papers' findings, each looked for in our own figures: found, partly, or not, in words with figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from odk.experiment.grid import EVERYWHERE, WHOLE

Verdict = Literal["found", "partly found", "not found", "cannot be told"]
WHERE = {EVERYWHERE: "On all loaded trips", "centre": "In the centre"}
MUCH, LITTLE = 2.0, 1.25
"""Times G by which two runs must differ to say that they do, and at most to say that they do not."""
TARGETS = ("participants", "population")


@dataclass(frozen=True)
class Answer:
    """What one area's figures say of a finding."""

    area: str
    verdict: Verdict
    words: str

    def __str__(self) -> str:
        return f"{WHERE.get(self.area, self.area)}: {self.verdict}. {self.words}"


@dataclass(frozen=True)
class Finding:
    """One finding of the papers, and what this data says of it."""

    key: str
    title: str
    published: str
    answers: tuple[Answer, ...]

    @property
    def verdict(self) -> Verdict:
        """That of the area which the published figures are of: the centre where it was computed, else all trips."""
        return self.answers[-1].verdict

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "finding": self.key,
            "title": self.title,
            "published": self.published,
            "verdict": self.verdict,
            "areas": {answer.area: {"verdict": answer.verdict, "words": answer.words} for answer in self.answers},
        }


Look = Callable[[pd.DataFrame], tuple[list[bool], list[str]]]


def findings(runs: pd.DataFrame, areas: Sequence[str]) -> tuple[Finding, ...]:
    """All findings, from the tidy table of the papers' grid."""
    # Each: key, title, what the papers print, how it is looked for in one area.
    looks: tuple[tuple[str, str, str, Look], ...] = (
        (
            "cross-participants",
            "Protecting participants does not protect the population",
            "21 cells below 26,742 weighted trips, the least 10,274",
            lambda rows: _cross(rows, "participants"),
        ),
        (
            "cross-population",
            "Protecting the population does not protect participants",
            "13 cells below 10 trips, the least 4",
            lambda rows: _cross(rows, "population"),
        ),
        (
            "sexes",
            "Men are harder to protect than women",
            "men 2 x 5 zones and women 29 x 29 with participants protected, men 2 x 2 and women 29 x 29 with the population",
            _sexes,
        ),
        (
            "small-segments",
            "By age and profession hardly any zones are left at the same k",
            "fewer than 5 origins or destinations",
            _small_segments,
        ),
        (
            "in-time",
            "Runs that protect the population come to an end",
            "not so: ATG-Soft and Mondrian gave no result within 7,200 s (N/A), whatever the segment",
            _in_time,
        ),
        (
            "cost-of-target",
            "Which of the two is protected costs about the same",
            "G 601.8 (29 x 29 zones) against 539.0 (35 x 29)",
            _cost_of_target,
        ),
        ("best", "ODkAnon has a lower G than OIGH and ATG-Soft", "601.8 against 6,869.0 and 6,807.6", _best),
    )
    return tuple(
        Finding(key, title, said, tuple(_answer(area, *look(runs[runs["area"] == area])) for area in areas))
        for key, title, said, look in looks
    )


def _answer(area: str, seen: Sequence[bool], words: Sequence[str]) -> Answer:
    verdict: Verdict = "cannot be told"
    if seen:
        verdict = "found" if all(seen) else "partly found" if any(seen) else "not found"
    said = "; ".join(words) or "No run of this kind gave a release"
    return Answer(area, verdict, f"{said[0].upper()}{said[1:]}.")


Row = Mapping[Any, Any]


def _by(name: str, runs: pd.DataFrame, **equal: str) -> dict[str, Row]:
    """Runs that gave a release by the value of a column, which tells them apart."""
    return {row[name]: row for row in _rows(runs, **equal).to_dict("records")}


def _rows(runs: pd.DataFrame, **equal: str) -> pd.DataFrame:
    """Runs that gave a release, one row each."""
    keep = (runs["view"] == "participants") & (runs["error"] == "")
    for column, value in equal.items():
        keep &= runs[column] == value
    return runs[keep]


def _shape(row: Row) -> str:
    return f"{row['origins']:,.0f} x {row['destinations']:,.0f} zones"


def _cross(runs: pd.DataFrame, target: str) -> tuple[list[bool], list[str]]:
    """000, table 3: cells that are safe by the rule that was kept and unsafe by the other."""
    other, unit = ("population", "weighted trips") if target == "participants" else ("trips", "trips")
    rows = _by("algorithm", runs, target=target, segment=WHOLE)
    if "odkanon" not in rows:
        return [], []
    row = rows["odkanon"]
    below = {name: int(each[f"below_{other}"]) for name, each in rows.items()}
    words = [
        f"{below['odkanon']:,} of {row['cells']:,.0f} cells of ODkAnon ({_shape(row)}) lie below the other rule, "
        f"the least with {row[f'minimum_{other}']:,.0f} {unit}"
    ]
    rest = [f"{name} {count:,} of {rows[name]['cells']:,.0f}" for name, count in below.items() if name != "odkanon"]
    return [below["odkanon"] > 0], [*words, *([f"of the others: {', '.join(rest)}"] if rest else [])]


def _sexes(runs: pd.DataFrame) -> tuple[list[bool], list[str]]:
    """000, 4.B: men need far coarser zones than women, with about as many trips."""
    seen, words = [], []
    for target in TARGETS:
        rows = _by("segment", runs, algorithm="odkanon", target=target, column="sex")
        if not {"M", "F"} <= rows.keys():
            continue
        men, women = rows["M"], rows["F"]
        seen.append(bool(men["g"] / women["g"] >= MUCH))
        words.append(
            f"{target} protected, men {_shape(men)} with G {men['g']:,.0f}, women {_shape(women)} with G "
            f"{women['g']:,.0f}: {men['g'] / women['g']:.1f} times"
        )
        if target == "participants" and pd.notna(men.get("limit")) and pd.notna(women.get("limit")):
            words.append(
                f"the lower bounds of G are {men['limit']:,.0f} and {women['limit']:,.0f}, {men['limit'] / women['limit']:.1f} "
                "times: so much the data can explain, and no more as far as the bounds tell"
            )
    return seen, words or ["There is no column sex with M and F"]


def _small_segments(runs: pd.DataFrame) -> tuple[list[bool], list[str]]:
    """000, 4.C: k is kept although segments are small."""
    rows = [r for c in ("age", "profession") for r in _rows(runs, algorithm="odkanon", column=c).to_dict("records")]
    if not rows:
        return [], ["There is no column age or profession"]
    few = [row["origins"] < 5 or row["destinations"] < 5 for row in rows]
    least, most = min(rows, key=lambda row: float(row["g"])), max(rows, key=lambda row: float(row["g"]))
    words = (
        f"{sum(few)} of {len(rows)} runs of ODkAnon have fewer than 5 origins or destinations; G goes from "
        f"{least['g']:,.0f} ({least['segment']}, {_shape(least)}) to {most['g']:,.0f} ({most['segment']}, {_shape(most)})"
    )
    return [all(few)], [words]


def _in_time(runs: pd.DataFrame) -> tuple[list[bool], list[str]]:
    """The papers' N/A, which were population runs of ATG-Soft and Mondrian."""
    asked = runs[(runs["view"] == "participants") & (runs["target"] == "population")]
    done = asked[asked["error"] == ""]
    words = [f"{len(done):,} of {len(asked):,} ended"]
    if len(done):
        slow = done[done["algorithm"].isin(["atg-soft", "mondrian"])]
        words[0] += f", the longest in {done['seconds'].max():.2f} s"
        words += [f"ATG-Soft and Mondrian took {slow['seconds'].max():.2f} s at most"] if len(slow) else []
    refused = asked[asked["error"] != ""]
    words += [f"{row['algorithm']} on {row['segment']}: {row['error']}" for _, row in refused.head(3).iterrows()]
    return [len(done) == len(asked)] if len(asked) else [], words


def _cost_of_target(runs: pd.DataFrame) -> tuple[list[bool], list[str]]:
    """000, 4.A: the target has little impact on the loss."""
    rows = _by("target", runs, algorithm="odkanon", segment=WHOLE)
    if not set(TARGETS) <= rows.keys():
        return [], []
    one, two = (rows[target] for target in TARGETS)
    times = max(one["g"], two["g"]) / min(one["g"], two["g"])
    words = (
        f"G of ODkAnon is {one['g']:,.0f} ({_shape(one)}) with participants protected and {two['g']:,.0f} ({_shape(two)}) "
        f"with the population: {times:.2f} times (about the same: less than {LITTLE})"
    )
    return [bool(times < LITTLE)], [words]


def _best(runs: pd.DataFrame) -> tuple[list[bool], list[str]]:
    """000, 4.A: ODkAnon loses less than the other tree algorithms."""
    rows = _by("algorithm", runs, target="participants", segment=WHOLE)
    if not {"odkanon", "oigh", "atg-soft"} <= rows.keys():
        return [], []
    g = {name: float(row["g"]) for name, row in rows.items()}
    words = [f"{g['odkanon']:,.0f} for ODkAnon, {g['oigh']:,.0f} for OIGH, {g['atg-soft']:,.0f} for ATG-Soft"]
    if g["atg-soft"] < g["odkanon"]:
        words.append("ATG-Soft as its authors define it; the published runs took the H3 resolution number for the area")
    return [g["odkanon"] < g["oigh"], g["odkanon"] < g["atg-soft"]], words
