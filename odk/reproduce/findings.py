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
    short: str
    """The figures that decide."""
    more: str = ""
    """What else there is to say, as sentences."""

    @property
    def words(self) -> str:
        """All of it, in sentences."""
        return f"{self.short[0].upper()}{self.short[1:]}. {self.more}".strip()

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
            "areas": {a.area: {"verdict": a.verdict, "words": a.words} for a in self.answers},
        }


Look = Callable[[pd.DataFrame], tuple[list[bool], str, str]]
"""Looks at the runs of one area: whether it is so (one or more times), the figures that decide, and the rest."""


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


def _answer(area: str, seen: Sequence[bool], short: str, more: str) -> Answer:
    verdict: Verdict = "cannot be told"
    if seen:
        verdict = "found" if all(seen) else "partly found" if any(seen) else "not found"
    return Answer(area, verdict, short, more)


NOTHING: tuple[list[bool], str, str] = ([], "no run of this kind gave a release", "")


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


def _one_weight(runs: pd.DataFrame) -> bool:
    """Whether all trips seem to weigh the same: the least trips and weighted trips of all releases are in one ratio."""
    done = _rows(runs)
    ratio = done["minimum_population"] / done["minimum_trips"]
    return len(ratio) > 1 and float(ratio.max() - ratio.min()) <= 1e-9 * float(ratio.max())


def _has(runs: pd.DataFrame, *columns: str) -> bool:
    return bool(runs["column"].isin(columns).any())


def _cross(runs: pd.DataFrame, target: str) -> tuple[list[bool], str, str]:
    """000, table 3: cells that are safe by the rule that was kept and unsafe by the other."""
    other, unit = ("population", "weighted trips") if target == "participants" else ("trips", "trips")
    rows = _by("algorithm", runs, target=target, segment=WHOLE)
    if "odkanon" not in rows:
        return NOTHING
    if _one_weight(runs):
        return [], "all trips weigh the same: the two rules are one", ""
    row = rows["odkanon"]
    below = {name: int(each[f"below_{other}"]) for name, each in rows.items()}
    least = row[f"minimum_{other}"]
    short = f"{below['odkanon']:,} of {row['cells']:,.0f} cells below the other rule, the least {least:,.0f} {unit}"
    rest = [f"{name} {count:,} of {rows[name]['cells']:,.0f}" for name, count in below.items() if name != "odkanon"]
    more = f"ODkAnon has {_shape(row)} there." + (f" Of the others: {', '.join(rest)}." if rest else "")
    return [below["odkanon"] > 0], short, more


def _sexes(runs: pd.DataFrame) -> tuple[list[bool], str, str]:
    """000, 4.B: men need far coarser zones than women, with about as many trips."""
    seen, words, more = [], [], []
    for target in TARGETS:
        rows = _by("segment", runs, algorithm="odkanon", target=target, column="sex")
        if not {"M", "F"} <= rows.keys():
            continue
        men, women = rows["M"], rows["F"]
        times = men["g"] / women["g"]
        seen.append(bool(times >= MUCH))
        words.append(f"{target}: men {_shape(men)}, women {_shape(women)}, G {times:.1f} times")
        more.append(f"G with {target} protected: men {men['g']:,.0f}, women {women['g']:,.0f}.")
        if target == "participants" and pd.notna(men.get("limit")) and pd.notna(women.get("limit")):
            more.append(
                f"Its lower bounds are {men['limit']:,.0f} and {women['limit']:,.0f}, {men['limit'] / women['limit']:.1f} times: "
                "so much the data can explain, and no more as far as the bounds tell."
            )
    none = "no release for both" if _has(runs, "sex") else "there is no column sex"
    return seen, "; ".join(words) or none, " ".join(more)


def _small_segments(runs: pd.DataFrame) -> tuple[list[bool], str, str]:
    """000, 4.C: k is kept although segments are small."""
    rows = [r for c in ("age", "profession") for r in _rows(runs, algorithm="odkanon", column=c).to_dict("records")]
    if not rows:
        return [], NOTHING[1] if _has(runs, "age", "profession") else "there is no column age or profession", ""
    few = [bool(row["origins"] < 5 or row["destinations"] < 5) for row in rows]
    least, most = min(rows, key=lambda row: float(row["g"])), max(rows, key=lambda row: float(row["g"]))
    ends = [f"{row['g']:,.0f} ({row['segment']}, {_shape(row)})" for row in (least, most)]
    more = f"G goes from {ends[0]} to {ends[1]}."
    return few, f"{sum(few)} of {len(rows)} runs have fewer than 5 origins or destinations", more


def _in_time(runs: pd.DataFrame) -> tuple[list[bool], str, str]:
    """The papers' N/A, which were population runs of ATG-Soft and Mondrian."""
    asked = runs[(runs["view"] == "participants") & (runs["target"] == "population")]
    done = asked[asked["error"] == ""]
    short, more = f"{len(done):,} of {len(asked):,} ended", []
    if len(done):
        slow = done[done["algorithm"].isin(["atg-soft", "mondrian"])]
        short += f", the longest in {done['seconds'].max():.2f} s"
        more += [f"ATG-Soft and Mondrian took {slow['seconds'].max():.2f} s at most."] if len(slow) else []
    refused = asked[asked["error"] != ""]
    more += [f"{row['algorithm']} on {row['segment']}: {row['error']}." for _, row in refused.head(3).iterrows()]
    return [bool(error == "") for error in asked["error"]], short, " ".join(more)


def _cost_of_target(runs: pd.DataFrame) -> tuple[list[bool], str, str]:
    """000, 4.A: the target has little impact on the loss."""
    rows = _by("target", runs, algorithm="odkanon", segment=WHOLE)
    if not set(TARGETS) <= rows.keys():
        return NOTHING
    one, two = (rows[target] for target in TARGETS)
    times = max(one["g"], two["g"]) / min(one["g"], two["g"])
    short = f"G {one['g']:,.0f} ({_shape(one)}) against {two['g']:,.0f} ({_shape(two)})"
    return [bool(times < LITTLE)], short, f"That is {times:.2f} times; we call less than {LITTLE} about the same."


def _best(runs: pd.DataFrame) -> tuple[list[bool], str, str]:
    """000, 4.A: ODkAnon loses less than the other tree algorithms."""
    rows = _by("algorithm", runs, target="participants", segment=WHOLE)
    if not {"odkanon", "oigh", "atg-soft"} <= rows.keys():
        return NOTHING
    g = {name: float(row["g"]) for name, row in rows.items()}
    short = f"{g['odkanon']:,.0f} against {g['oigh']:,.0f} and {g['atg-soft']:,.0f}"
    lower = g["atg-soft"] < g["odkanon"]
    more = (
        "ATG-Soft as its authors define it; the published runs took the H3 resolution number for the area."
        if lower
        else ""
    )
    return [g["odkanon"] < g["oigh"], g["odkanon"] < g["atg-soft"]], short, more
