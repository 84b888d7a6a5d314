"""The comparison of 004 (chapter 4) on any trips: Mondrian against IPF with differential privacy, in its tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from odk.comparison import published
from odk.comparison.classifier import Prediction, cross_validate
from odk.comparison.records import Generalised, mondrian_records, people_of
from odk.errors import InputError
from odk.ipf import Synthesis, synthesise
from odk.synthetic_metrics import Likeness, likeness
from odk.trips import Trips

KS = (2, 5, 10, 15, 20)
EPSILONS: tuple[float | None, ...] = (None, 0.2, 0.5, 1.0, 2.0)
PRIORS = (0.0, 0.1, 0.5, 1.0)
SYNTHESES = 15
CHOSEN_K, CHOSEN_EPSILON, CHOSEN_PRIOR = 10, 1.0, 0.1
_POSITIVE = ("yes", "true", "1", "y")


_MONDRIAN: tuple[tuple[Literal["strict", "relaxed"], int, tuple[tuple[int, int, bool], ...]], ...] = (
    ("strict", 11, published.MONDRIAN_STRICT),
    ("relaxed", 13, published.MONDRIAN_RELAXED),
)


@dataclass(frozen=True)
class Headline:
    """One figure to remember, and the published one."""

    title: str
    ours: str
    published: str
    meaning: str


@dataclass(frozen=True, eq=False)
class Thesis:
    """Tables 11 to 19 and 23 of 004, ours and the published figures beside them."""

    tables: Mapping[int, pd.DataFrame] = field(repr=False)
    """By the number of the table."""
    titles: Mapping[int, str]
    sensitive: str
    positive: str
    columns: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def headlines(self) -> tuple[Headline, ...]:
        """Is k met, how near does IPF come, and how well can the sensitive value still be guessed?"""
        strict, scores = self.tables[11], self.tables[19].set_index("Metric").loc["Balanced Accuracy"]
        noisy, weak = (self.tables[published.IPF_TABLE[e]].set_index("Priorn").loc[CHOSEN_PRIOR] for e in (0.2, 2.0))

        def told(of: str) -> tuple[str, str, str]:
            met = int(strict[f"k_Anonymity{of}"].sum())
            far = [f"{row[f'Average S_pMSE{of}']:,.1f}" for row in (noisy, weak)]
            right = [f"{scores[name + of]:.2f}" for name in ("Benchmark", "Mondrian", "IPF")]
            return f"{met} of {len(strict)}", " and ".join(far), ", ".join(right)

        titles = (
            ("k met by strict Mondrian", "For how many k every group of records that look alike has k members."),
            (
                "IPF's distance, ε = 0.2 and ε = 2",
                f"Standardised pMSE at priorn = {CHOSEN_PRIOR}: 1 is as near as chance allows, more is further away.",
            ),
            (
                "Guessed right: original, Mondrian, IPF",
                f"Balanced accuracy of a logistic regression of {self.sensitive}; 0.5 is a coin toss.",
            ),
        )
        both = zip(titles, told(""), told(", published"), strict=True)
        return tuple(Headline(title, ours, theirs, meaning) for (title, meaning), ours, theirs in both)


def thesis_comparison(
    trips: Trips,
    *,
    sensitive: str | None = None,
    columns: Sequence[str] | None = None,
    syntheses: int = SYNTHESES,
    seed: int = 0,
    progress: Callable[[float, str], None] = lambda share, message: None,
) -> Thesis:
    """Compute the tables on the segment columns: one record a person, or a trip where persons are unknown.

    `sensitive` is a segment column with two values (None: the last one that has), `columns` the others to use (None:
    all). Mondrian generalises `columns`; IPF makes all of them and the sensitive one anew.
    """
    target, positive = _sensitive(trips, sensitive)
    used = [c for c in trips.segments if c != target] if columns is None else list(columns)
    if not used or target in used:
        raise InputError(f"columns ({', '.join(used) or 'none'}) must be segment columns other than {target}")
    people = people_of(trips, [*used, target])
    tables: dict[int, pd.DataFrame] = {}
    mondrian: dict[tuple[str, int], tuple[Generalised, float]] = {}
    for partition, number, theirs in _MONDRIAN:
        for k in KS:
            progress(0.02 * number / 11, f"Mondrian, {partition}, k = {k}")
            start = time.perf_counter()
            general = mondrian_records(people[used], k, partition)
            mondrian[partition, k] = (general, time.perf_counter() - start)
        tables[number] = _mondrian_table(partition, mondrian, theirs)
    made, found = _syntheses(people, syntheses, seed, progress)
    tables[12] = _summary(found[None, PRIORS[0]][0])
    for epsilon in EPSILONS:
        tables[published.IPF_TABLE[epsilon]] = _ipf_table(epsilon, found)
    progress(0.9, "logistic regression")
    general, seconds = mondrian["relaxed", CHOSEN_K]
    synthesis, ipf_seconds = made
    tables[19] = _predictions(people, general, synthesis, target, positive, seed)
    tables[23] = pd.DataFrame(
        {
            "Method": list(published.SECONDS),
            "Execution_Time": [seconds, ipf_seconds],
            "published": list(published.SECONDS.values()),
        }
    )
    return Thesis(
        dict(sorted(tables.items())), _TITLES, target, positive, tuple(used), _notes(trips, people, used, target)
    )


_TITLES = {
    11: "Results of strict partitioned Mondrian anonymisation",
    12: "Summary statistics of the original data",
    13: "Results of relaxed partitioned Mondrian anonymisation",
    14: "IPF without noise (ε = none; published as epsilon = 0)",
    15: "IPF with ε = 0.2",
    16: "IPF with ε = 0.5",
    17: "IPF with ε = 1",
    18: "IPF with ε = 2",
    19: "Prediction performances: original, Mondrian (relaxed, k = 10), IPF (ε = 1, priorn = 0.1)",
    23: "Execution times in seconds",
}


def _sensitive(trips: Trips, wanted: str | None) -> tuple[str, str]:
    values = {c: sorted(map(str, trips.table[c].dropna().unique())) for c in trips.segments}
    binary = [c for c, v in values.items() if len(v) == 2]
    if wanted is None and not binary:
        raise InputError("trips must have a segment column with two values to serve as the sensitive one")
    target = binary[-1] if wanted is None else wanted
    if target not in binary:
        raise InputError(
            f"sensitive ({target}) must be a segment column with two values: {', '.join(binary) or 'none'}"
        )
    return target, next((v for v in values[target] if v.lower() in _POSITIVE), values[target][-1])


def _mondrian_table(
    partition: str,
    done: Mapping[tuple[str, int], tuple[Generalised, float]],
    theirs: Sequence[tuple[int, int, bool]],
) -> pd.DataFrame:
    ours = [done[partition, k][0] for k in KS]
    return pd.DataFrame(
        {
            "k": KS,
            "DM": [g.c_dm for g in ours],
            "k_Anonymity": [g.k_anonymous for g in ours],
            "seconds": [done[partition, k][1] for k in KS],
            "DM, published": [dm for _, dm, _ in theirs],
            "k_Anonymity, published": [met for _, _, met in theirs],
        }
    )


_Found = dict[tuple[float | None, float], list[Likeness]]


def _syntheses(
    people: pd.DataFrame, syntheses: int, seed: int, progress: Callable[[float, str], None]
) -> tuple[tuple[Synthesis, float], _Found]:
    """Likeness of every synthesis, and the first one with the chosen settings and its time."""
    found: _Found = {}
    chosen: tuple[Synthesis, float] | None = None
    steps = len(EPSILONS) * len(PRIORS)
    for i, (epsilon, prior) in enumerate((e, p) for e in EPSILONS for p in PRIORS):
        progress(0.05 + 0.85 * i / steps, f"IPF, ε = {'none' if epsilon is None else epsilon}, priorn = {prior:g}")
        here = []
        for draw in range(syntheses):
            start = time.perf_counter()
            made = synthesise(people, epsilon=epsilon, priorn=prior, seed=seed + 1000 * i + draw)
            if (epsilon, prior) == (CHOSEN_EPSILON, CHOSEN_PRIOR) and chosen is None:
                chosen = (made, time.perf_counter() - start)
            here.append(likeness(people, made.table))
        found[epsilon, prior] = here
    assert chosen is not None
    return chosen, found


def _summary(found: Likeness) -> pd.DataFrame:
    ours = {"N": float(found.records), "n_cells": float(found.cells), "p0": found.p0, "p1": found.p1}
    return pd.DataFrame(
        {"Metric": list(ours), "Value": list(ours.values()), "published": [published.SUMMARY[m] for m in ours]}
    )


def _ipf_table(epsilon: float | None, found: _Found) -> pd.DataFrame:
    rows = []
    for prior in PRIORS:
        many = found[epsilon, prior]
        ru = sum(f.ru for f in many) / len(many)
        p1 = many[0].p1
        theirs = published.IPF[epsilon][prior]
        rows.append((prior, ru, 100 * ru / p1 if p1 else None, sum(f.s_pmse for f in many) / len(many), *theirs))
    names = ["Average RU", "Average RU as % of p1", "Average S_pMSE"]
    return pd.DataFrame(rows, columns=["Priorn", *names, *(f"{n}, published" for n in names)])


def _predictions(
    people: pd.DataFrame, general: Generalised, synthesis: Synthesis, target: str, positive: str, seed: int
) -> pd.DataFrame:
    """Table 19, and a row that it lacks: a model trained on what was published, tried on the real records."""
    ours: list[Prediction] = [
        cross_validate(people, target, positive, seed=seed),
        cross_validate(general.table.assign(**{target: people[target]}), target, positive, seed=seed),
        cross_validate(synthesis.table, target, positive, seed=seed),
    ]
    real = cross_validate(synthesis.table, target, positive, test=people)
    rows = [
        ("Sensitivity", *(p.sensitivity for p in ours)),
        ("Specificity", *(p.specificity for p in ours)),
        ("Balanced Accuracy", *(p.balanced_accuracy for p in ours)),
    ]
    table = pd.DataFrame(rows, columns=["Metric", "Benchmark", "Mondrian", "IPF"])
    for i, name in enumerate(("Benchmark", "Mondrian", "IPF")):
        table[f"{name}, published"] = [published.PREDICTION[m][i] for m in table["Metric"]]
    extra = {
        "Metric": "Balanced Accuracy on the real records",
        "Benchmark": ours[0].balanced_accuracy,
        "Mondrian": ours[1].balanced_accuracy,
        "IPF": real.balanced_accuracy,
    }
    return pd.concat([table, pd.DataFrame([extra])], ignore_index=True)


def _notes(trips: Trips, people: pd.DataFrame, used: list[str], target: str) -> tuple[str, ...]:
    of: Literal["persons", "trips"] = "persons" if trips.has_person else "trips"
    alike = people.groupby(used, observed=True).size()
    return (
        f"{len(people):,} {of} of {trips.source}; published: 3,146 respondents of another survey. Compare orders, not values.",
        "Strict Mondrian as published did not reach k: its parts were smaller than k. A cut is made here only if both "
        "sides keep k, so k is always met.",
        f"DM counts records that look alike; as they are, without any ranges, it would be {int((alike**2).sum()):,}. Relaxed "
        "cuts part records that are equal, and so can lower it: a low DM is not a good release.",
        "IPF starts from uniform, so that only the noisy margins are used; the thesis starts from the original frequencies, "
        "which no ε covers. The number of records is read off the noisy margins.",
        f"Table 19 tries a model of {target} on the data it was trained on; the last row tries it on the real records, "
        "which is what a user of the data would want.",
    )
