"""Who takes part in the demo survey: strata, homes, weights, a sensitive attribute. All shares are rough sketches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odk import _demo_region as region
from odk._demo_region import Floats, Ints

PARTICIPANTS = 3_320
PEOPLE = 9_001_164

AGES = ("10-20", "20-30", "30-40", "40-50", "50-60", "60-70", ">70")
_AGE_SAMPLE = np.array([3.5, 22.0, 20.0, 20.0, 16.0, 13.0, 5.5])  # % of the participants
_AGE_REGION = np.array([7.0, 17.5, 18.5, 18.0, 16.5, 13.0, 9.5])  # % of the region aged 16 to 80

SEXES = ("F", "M")
_SEX_SAMPLE = np.array([52.0, 48.0])
_SEX_REGION = np.array([52.0, 48.0])

# The papers number the categories; we read them as craftsmen, executives, intermediate, employees, workers, students,
# retired, other.
PROFESSIONS = tuple(f"Cat. {i}" for i in range(1, 9))
STUDENTS, RETIRED, OTHER = 5, 6, 7
_PROFESSION_REGION = np.array([4.0, 21.0, 18.0, 18.5, 9.0, 9.0, 15.0, 5.5])
_PROFESSION_BY_AGE = np.array(
    [
        [0.0, 0.0, 1.0, 6.0, 3.0, 84.0, 0.0, 6.0],
        [2.0, 30.0, 18.0, 15.0, 4.0, 25.0, 0.0, 6.0],
        [5.0, 42.0, 22.0, 18.0, 6.0, 1.0, 0.0, 6.0],
        [6.0, 40.0, 21.0, 20.0, 7.0, 0.0, 0.0, 6.0],
        [7.0, 36.0, 20.0, 21.0, 7.0, 0.0, 2.0, 7.0],
        [3.0, 14.0, 6.0, 6.0, 2.0, 0.0, 66.0, 3.0],
        [0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 96.0, 2.0],
    ]
)
_PROFESSION_OF_WOMEN = np.array([0.7, 0.9, 1.15, 1.5, 0.35, 1.0, 1.0, 1.3])  # factor of the odds; men: divided by it
_POOR_PROFESSION = np.array([-0.1, -1.6, -0.3, 0.7, 1.2, 1.6, 0.2, 1.4])
_POOR_AGE = np.array([0.6, 0.4, 0.0, -0.3, -0.4, -0.1, 0.2])


@dataclass(frozen=True)
class People:
    """One entry a participant; categories as numbers into the tuples above."""

    department: Ints
    sex: Ints
    age: Ints
    profession: Ints
    home: Floats
    """[n, 2], km."""
    weight: Floats
    """People whom the participant stands for; millionths exact."""
    below_median: npt.NDArray[np.bool_]
    """Whether the income is below the median of the people represented."""

    @property
    def works(self) -> npt.NDArray[np.bool_]:
        """Whether there is a main place (work, school) to go to."""
        return self.profession < RETIRED


def draw_people(rng: np.random.Generator) -> People:
    """The participants: filled strata, a home in a town, a profession by age, sex and department, raked weights."""
    n = PARTICIPANTS
    in_region, in_sample = np.array(list(region.DEPARTMENTS.values())).T
    of_town = region.TOWN_DEPARTMENT
    residents = np.bincount(of_town, region.RESIDENTS)
    town = region.fill(rng, in_sample[of_town] * region.RESIDENTS / residents[of_town], n)
    department = of_town[town]
    home = region.in_town(rng, town)
    sex = region.fill(rng, _SEX_SAMPLE, n)
    age = region.fill(rng, _AGE_SAMPLE, n)

    west = np.isin(department, [0, 4])  # Paris and Hauts-de-Seine
    north = department == 5  # Seine-Saint-Denis
    odds = _PROFESSION_BY_AGE[age] * np.where(sex[:, None] == 0, _PROFESSION_OF_WOMEN, 1.0 / _PROFESSION_OF_WOMEN)
    odds[:, 1] *= np.where(west, 1.3, np.where(north, 0.5, 1.0))
    odds[:, 4] *= np.where(west, 0.6, np.where(north, 1.6, 1.0))
    profession = region.pick(rng, odds)

    margins = (
        (department, in_region),
        (age, _AGE_REGION),
        (sex, _SEX_REGION),
        (profession, _PROFESSION_REGION),
    )
    weight = _rake(rng.lognormal(0.0, 0.45, n), margins)

    poor = _POOR_PROFESSION[profession] + _POOR_AGE[age] + np.where(sex == 0, 0.2, -0.2) + 0.5 * north - 0.3 * west
    richest_first = np.argsort(poor + rng.logistic(0.0, 1.0, n), kind="stable")
    below = np.zeros(n, dtype=np.bool_)
    below[richest_first] = np.cumsum(weight[richest_first]) > PEOPLE / 2
    return People(department, sex, age, profession, home, weight, below)


def _rake(weight: Floats, margins: tuple[tuple[Ints, Floats], ...]) -> Floats:
    """Weights scaled to the shares (%) of each margin in turn until all hold (raking), with the sum PEOPLE."""
    for _ in range(20):
        for group, share in margins:
            weight = weight * (share / np.bincount(group, weight, minlength=len(share)).clip(1e-12))[group]
    weight = np.round(weight * (PEOPLE / weight.sum()), 6)
    weight[np.argmax(weight)] += PEOPLE - weight.sum()  # what rounding left, some millionths
    return np.round(weight, 6)
