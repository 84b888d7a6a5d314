"""The demo survey: a made-up week of travel in the Île-de-France, with the size and shape of the survey in the papers.

No row comes from a real person, and nothing is copied from real trips. One seeded generator makes it in four steps.

1. **People**: 3,320 participants fill strata by town (Paris and its west over-sampled, its north-east under-sampled), sex and age
   band; the profession depends on age, sex and department; the home lies around the town. Weights start from a draw per
   person, which stands for the car, household and diploma that the real survey also weighs by, are raked to the
   region's shares of department, age, sex and profession, and add up to 9,001,164. ``income_below_median`` halves the
   people represented by a noisy score of profession, age, sex and department, to be guessed moderately well from them.
2. **Places** of each person: the main place (work or school, drawn by jobs and distance; executives and students go to
   few, large and distant centres, craftsmen to many), lunch near it, two shops near home, two places of leisure, which
   also prefers large centres. Paris is dense, so all is nearer there; men go farther than women.
3. **A diary** of seven days. A day is a pattern such as home, work, lunch, work, shop, home; some visits go to places
   seen once. Departures have the usual peaks. A train into or out of Paris breaks the journey at a terminus: a long
   trip to it, and one of some kilometres across town. By car, and nearly always within Paris, a journey is one trip.
   Dog owners walk in circles: many trips, one person.
4. **Traces**: first fixes come late and last ones early, so the ends of a trip slip towards each other now and then, by
   some hundred metres. That is why most pairs hold a single trip although people repeat themselves. Records are lost at
   random until 81,291 trips are left.

The free numbers (noise of the ends, reach, shares of patterns) were fitted by hand over several seeds to the published
counts at H3 resolution 10 (29,350 origin and 32,217 destination leaves, 44,011 in all, 72,569 pairs, 2,674 people a
trip, about 23,000 pairs in the centre), to trips of plausible length (medians of about 2.7 km in the region and 1.5 km
in the centre; a tenth of all trips is over 15 km) and so that the papers' effects show: participants in the centre weigh
less than those in the north and east, so protecting trips and protecting population part ways; women's flows through
the centre are channelled, men's are scattered, so the same k costs men more. For that last effect women take
the train and men the car far more strictly than in life.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from odk import _demo_region as region
from odk._demo_people import AGES, PARTICIPANTS, PROFESSIONS, SEXES, People, draw_people
from odk._demo_region import Floats, Ints
from odk.errors import InputError
from odk.trips import Trips

CENTRE = ["861fb475fffffff", "861fb4667ffffff", "861fb4647ffffff", "861fb4677ffffff", "861fb466fffffff"]
"""The centre that the published code used: both ends under these H3 cells of resolution 6."""

TRIPS = 81_291
MONDAY = np.datetime64("2023-03-06T00:00:00", "s")

# Days as places visited: H home, W main place, L lunch near it, A and B shops or school near home, C and D leisure,
# X seen once anywhere, Y seen once near home, Z seen once near the main place; "HH" is a walk in a circle.
# Each with its relative frequency.
_WORKDAY = (
    ("", 5), ("HWH", 18), ("HWLWH", 17), ("HWAH", 8), ("HWZWH", 8), ("HAWAH", 6), ("HWHAH", 5), ("HWXH", 9),
    ("HWLWCH", 9), ("HWHCH", 4), ("HWZXH", 5), ("HYH", 2), ("HAHYH", 2), ("HWLWBAH", 5), ("HWZWXH", 4), ("HHWH", 4),
)  # fmt: skip
_FREE_DAY = (
    ("", 9), ("HAH", 10), ("HYH", 7), ("HAHYH", 9), ("HXH", 10), ("HCH", 8), ("HYXH", 6), ("HABH", 8), ("HDH", 8),
    ("HXYH", 5), ("HAHCH", 8), ("HXXH", 5), ("HBHXH", 6), ("HHAH", 6), ("HH", 4),
)  # fmt: skip
_SLOTS = "HWLABCDXYZ"
_HOME, _MAIN, _SHOP = 0, 1, 3
# Departure to each of them: hour of the day, and spread.
_CLOCK = np.array([17.9, 8.2, 12.3, 10.8, 15.5, 18.6, 14.6, 14.8, 13.2, 13.0])
_CLOCK_SPREAD = np.array([1.6, 0.75, 0.3, 2.4, 2.2, 1.8, 2.4, 3.2, 3.2, 2.2])

# By profession: km over which jobs lose their pull, and how much large centres are preferred (exponent of the jobs).
_WORK_REACH = np.array([5.0, 9.0, 7.0, 5.5, 7.0, 9.0, 3.0, 3.5])
_WORK_PULL = np.array([1.0, 1.5, 1.3, 1.2, 1.1, 1.7, 1.0, 1.1])
_NEXT_DOOR = 0.04  # share of main places around the home, 1 km away on average
_LUNCH = 0.5  # km from the main place on average
_LEISURE_PULL = 2.0  # exponent of a town's size: how much leisure prefers large centres
# Women, men: liking for local days, factor of the reach of work, reach of leisure and of what is near (km), share of
# the longer journeys into or out of Paris by train (the rest by car, in one piece), appetite for trips.
_LOCAL = np.array([0.15, -0.3])
_WORK_SEX = np.array([0.8, 1.2])
_LEISURE_SEX = np.array([1.9, 5.0])
_NEAR_SEX = np.array([1.0, 1.8])
_TRAIN_SEX = np.array([0.95, 0.25])
_ENERGY_SEX = np.array([0.4, 0.9])
_RELUCTANCE = 0.2  # of those who weigh more
# Paris, inner ring, outer ring: factors of the reach.
_RING = np.array([0, 2, 2, 2, 1, 1, 1, 2])  # of the departments, in their order
_WORK_RING = np.array([0.5, 1.0, 1.3])
_NEAR_RING = np.array([0.7, 1.3, 2.3])
_CITY = 4.3  # km from the centre: where trains end
_TRAIN_LENGTH = 4.0  # km: shortest journey by train
_METRO = 0.02  # share of the other journeys that are cut at a metro station at both ends, and km of the shortest
_METRO_LENGTH = 2.0
_DOGS = 0.11  # share of dog owners
_LATE = (0.35, 0.33)  # share of trips whose first fix is late, and by how many km on average
_EARLY = (0.49, 0.39)  # the same for the last fix
_CIRCLE = 0.02  # km: a shorter leg is a circle, and slips seldom
_SLIP_OF_CIRCLE = 0.12


@dataclass(frozen=True)
class _Legs:
    person: Ints
    hour: Floats
    """Since Monday 0:00."""
    start: Floats
    """[n, 2], km."""
    end: Floats


def demo_survey(seed: int = 0) -> Trips:
    """81,291 synthetic trips of 3,320 made-up people in one week; the same seed gives the same bytes.

    Segments: ``sex, age, profession`` and ``income_below_median`` (yes, no), which is there to be guarded as sensitive.
    """
    segments = ["sex", "age", "profession", "income_below_median"]
    return Trips.from_table(demo_table(seed), segments=segments, source="demo survey (synthetic)", synthetic=True)


def demo_table(seed: int = 0) -> pd.DataFrame:
    """The rows of the demo survey, ordered by person and time, with the columns of ``Trips.table``."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed ({seed!r}) must be a whole number of at least 0")
    rng = np.random.default_rng(seed)
    people = draw_people(rng)
    legs = _lose(rng, _cut(rng, people, _journeys(rng, people)))
    start, end = _trace(rng, legs)
    who = legs.person
    (origin_lat, origin_lon), (destination_lat, destination_lon) = region.to_degrees(start), region.to_degrees(end)
    return pd.DataFrame(
        {
            "person": np.array([f"P{i:04d}" for i in range(1, PARTICIPANTS + 1)], dtype=object)[who],
            "origin_lat": origin_lat,
            "origin_lon": origin_lon,
            "destination_lat": destination_lat,
            "destination_lon": destination_lon,
            "weight": people.weight[who],
            "start_time": MONDAY + np.rint(legs.hour * 3600).astype("timedelta64[s]"),
            "sex": np.array(SEXES, dtype=object)[people.sex[who]],
            "age": np.array(AGES, dtype=object)[people.age[who]],
            "profession": np.array(PROFESSIONS, dtype=object)[people.profession[who]],
            "income_below_median": np.where(people.below_median[who], "yes", "no").astype(object),
        }
    )


def _diary(rng: np.random.Generator, people: People) -> tuple[Ints, Ints, Floats]:
    """Person-day (seven a person), slot of the place reached and hour wished for, one row a journey, in order.

    A day starts and ends at home.
    """
    n = PARTICIPANTS
    who, weekday = np.repeat(np.arange(n), 7), np.tile(np.arange(7), n)
    working = people.works[who] & (weekday < 5) & (rng.random(len(who)) < 0.93)
    # Who is hard to recruit weighs more and records a little less: a trip weighs less on average than a person.
    energy = (
        rng.normal(0.0, 1.0, n) + _ENERGY_SEX[people.sex] - _RELUCTANCE * (people.weight / people.weight.mean() - 1.0)
    )

    patterns = [pattern for pattern, _ in _WORKDAY + _FREE_DAY]
    frequency = np.array([often for _, often in _WORKDAY + _FREE_DAY], dtype=np.float64)
    of_work = np.arange(len(patterns)) < len(_WORKDAY)
    length = np.array([max(len(pattern) - 1, 0) for pattern in patterns])
    local = np.array([sum((c in "ABY") - (c in "XZCD") for c in pattern) for pattern in patterns])
    taste = _LOCAL[people.sex][who, None] * local + 0.12 * energy[who, None] * (length - 3)
    choice = region.pick(rng, frequency * np.exp(taste) * (of_work == working[:, None]))
    idle = length[choice].reshape(n, 7).sum(axis=1) == 0  # everyone who takes part makes at least one trip
    choice[np.flatnonzero(idle) * 7] = patterns.index("HYH")

    reached = np.full((len(patterns), int(length.max())), -1)
    for i, pattern in enumerate(patterns):
        reached[i, : length[i]] = [_SLOTS.index(c) for c in pattern[1:]]
    steps = length[choice]
    day = np.repeat(np.arange(len(who)), steps)
    position = np.arange(len(day)) - np.repeat(np.cumsum(steps) - steps, steps)
    slot = reached[choice[day], position]
    hour = _CLOCK[slot]
    hour = np.where((slot == _MAIN) & (position > 1), 13.2, hour)  # back to work after lunch
    hour = np.where((slot == _SHOP) & (position == 0) & working[day], 8.1, hour)  # school on the way to work
    hour = np.where(slot == _HOME, np.where(working[day], 18.0, 16.0), hour)
    hour = np.where((slot == _HOME) & (position + 1 < steps[day]), hour - 3.0, hour)  # home in between
    hour = hour + _CLOCK_SPREAD[slot] * rng.normal(size=len(day))

    # Dog owners walk up to three more circles from home on any day.
    circles = np.repeat(np.arange(len(who)), np.where((rng.random(n) < _DOGS)[who], rng.integers(0, 4, len(who)), 0))
    day = np.concatenate([day, circles])
    slot = np.concatenate([slot, np.full(len(circles), _HOME)])
    position = np.concatenate([position, np.full(len(circles), 99)])
    hour = np.concatenate([hour, rng.choice([7.0, 19.5, 21.3], len(circles)) + 0.5 * rng.normal(size=len(circles))])
    # The hours of a day are dealt out in order to its journeys.
    in_order, by_hour = np.lexsort((position, day)), np.lexsort((hour, day))
    return day[in_order], slot[in_order], np.clip(hour[by_hour], 4.6, 21.6)


def _journeys(rng: np.random.Generator, people: People) -> _Legs:
    """Every journey from place to place, ordered by person and time."""
    day, slot, wish = _diary(rng, people)
    person = day // 7
    ring = _RING[people.department]
    far = np.hypot(*(people.home[:, None, :] - region.TOWN_AT[None, :, :]).transpose(2, 0, 1))
    reach = _WORK_REACH[people.profession] * _WORK_SEX[people.sex] * _WORK_RING[ring]
    jobs = region.JOBS ** _WORK_PULL[people.profession][:, None]
    main = region.in_town(rng, region.pick(rng, jobs * np.exp(-far / reach[:, None])))
    next_door = rng.random(PARTICIPANTS) < _NEXT_DOOR
    main = np.where(next_door[:, None], region.around(rng, people.home, 1.0), main)
    near = _NEAR_SEX[people.sex] * _NEAR_RING[ring]
    pull = (region.JOBS + 0.4 * region.RESIDENTS) ** _LEISURE_PULL
    leisure = pull * np.exp(-far / (_LEISURE_SEX[people.sex] * _NEAR_RING[ring])[:, None])
    places = [
        people.home,
        main,
        region.around(rng, main, _LUNCH),
        region.around(rng, people.home, near * 0.7),
        region.around(rng, people.home, near * 1.1),
        region.in_town(rng, region.pick(rng, leisure)),
        region.in_town(rng, region.pick(rng, leisure)),
    ]
    end = np.stack(places, axis=1)[person, np.where(slot < len(places), slot, _HOME)]
    for once in "XYZ":
        rows = np.flatnonzero(slot == _SLOTS.index(once))
        who = person[rows]
        if once == "X":
            end[rows] = region.in_town(rng, region.pick(rng, leisure[who]))
        else:
            end[rows] = region.around(rng, (people.home if once == "Y" else main)[who], near[who])

    first = np.r_[True, day[1:] != day[:-1]]
    start = np.where(first[:, None], people.home[person], np.roll(end, 1, axis=0))
    # A journey begins at the hour wished for, or when the one before is over: a running maximum within each day.
    took = _took(start, end)
    before = np.cumsum(took) - took
    before -= np.repeat(before[first], np.diff(np.r_[np.flatnonzero(first), len(day)]))
    hour = np.maximum.accumulate(wish - before + day * 1000.0) - day * 1000.0 + before
    return _Legs(person, hour + (day % 7) * 24.0, start, end)


def _took(start: Floats, end: Floats) -> Floats:
    """Hours that a journey takes, door to door, with a short stay."""
    return np.asarray(0.2 + np.hypot(*(end - start).T) / 22.0)


def _cut(rng: np.random.Generator, people: People, whole: _Legs) -> _Legs:
    """Journeys cut where one changes: at the terminus of a train into Paris, or at both ends of a ride by metro."""
    length = np.hypot(*(whole.end - whole.start).T)
    took = _took(whole.start, whole.end)
    from_city, to_city = (np.hypot(*point.T) < _CITY for point in (whole.start, whole.end))
    train = (
        (from_city != to_city)
        & (length > _TRAIN_LENGTH)
        & (rng.random(len(length)) < _TRAIN_SEX[people.sex[whole.person]])
    )
    # Trains end on the side of Paris where they come from: at the terminus nearest to the place outside.
    outer = np.where(from_city[:, None], whole.end, whole.start)
    terminus = region.STATION_AT[cKDTree(region.STATION_AT[: region.TERMINI]).query(outer)[1]]
    tree = cKDTree(region.STATION_AT)
    enter, leave = tree.query(whole.start)[1], tree.query(whole.end)[1]
    metro = rng.random(len(length)) < _METRO
    metro &= ~train & (length > _METRO_LENGTH) & (enter != leave)
    a, b = region.STATION_AT[enter], region.STATION_AT[leave]
    # Which journeys have the piece, where it starts and ends, and after which part of the time.
    pieces = (
        (~train & ~metro, whole.start, whole.end, 0.0),
        (train, whole.start, terminus, 0.0),
        (train, terminus, whole.end, np.where(to_city, 0.8, 0.2)),
        (metro, whole.start, a, 0.0),
        (metro, a, b, 0.3),
        (metro, b, whole.end, 0.8),
    )
    row = np.concatenate([np.flatnonzero(has) for has, *_ in pieces])
    hour = np.concatenate([(whole.hour + part * took)[has] for has, _, _, part in pieces])
    start = np.concatenate([point[has] for has, point, _, _ in pieces])
    end = np.concatenate([point[has] for has, _, point, _ in pieces])
    order = np.lexsort((hour, whole.person[row]))
    return _Legs(whole.person[row][order], hour[order], start[order], end[order])


def _lose(rng: np.random.Generator, legs: _Legs) -> _Legs:
    """Records lost at random until TRIPS are left, never a person's first; those after Sunday midnight go first."""
    first = np.r_[True, legs.person[1:] != legs.person[:-1]]
    luck = np.where(first, 2.0, rng.random(len(first))) - 3.0 * (legs.hour >= 7 * 24)
    kept = np.sort(np.argsort(-luck, kind="stable")[:TRIPS])
    return _Legs(legs.person[kept], legs.hour[kept], legs.start[kept], legs.end[kept])


def _trace(rng: np.random.Generator, legs: _Legs) -> tuple[Floats, Floats]:
    """Starts and ends as a device saw them: late first fixes, early last ones, some metres of noise on every point."""
    way = legs.end - legs.start
    length = np.hypot(*way.T)
    n, straight = len(length), length > _CIRCLE
    angle = np.where(straight, np.arctan2(way[:, 1], way[:, 0]), rng.uniform(-np.pi, np.pi, n))
    seen = []
    for point, sign, (share, mean) in ((legs.start, 1.0, _LATE), (legs.end, -1.0, _EARLY)):
        slips = rng.random(n) < np.where(straight, share, _SLIP_OF_CIRCLE)
        slip = np.where(slips, rng.exponential(mean, n), 0.0)
        slip = np.where(straight, np.minimum(slip, 0.45 * length), 0.5 * slip)
        turn = angle + 0.5 * rng.normal(size=n)
        moved = point + sign * slip[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
        seen.append(region.inside(moved + 0.008 * rng.normal(size=moved.shape), point))
    return seen[0], seen[1]
