"""Laplace noise on every pair of public zones, empty ones included (001, sections 2.3, 4.2 and appendix B).

Noise of scale m·w/ε is added to every count, rounded, and what is negative becomes 0. On a sparse matrix nearly all
pairs are empty, so the empty ones are never written down: how many turn positive is a binomial draw, their values are
geometric and their places uniform. That is the same distribution, exactly: with ε' = ε/(m·w), an empty pair ends up
at j ≥ 1 where its noise lies in [j-½, j+½), which has probability ½e^{-ε'/2} · (1-e^{-ε'})e^{-ε'(j-1)}.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk import cells
from odk.algorithms._base import Algorithm, Problem, register
from odk.algorithms._units import Bounded, NoiseOptions, bound
from odk.cells import Ids, Ints
from odk.errors import InputError
from odk.matrix import MICRO, ODMatrix, exact_sums
from odk.release import NoisyRelease, Release
from odk.zoning import Zoning, h3_zonings, leaf_resolution, named_zonings, observed_area, parse_area

MOST_POSITIVE = 10_000_000
"""More empty pairs than this turning positive is refused: the file would be noise from end to end."""
AUTO_POSITIVE = 1_000_000
"""The level is chosen so that no more than this are expected, where none is given."""
MOST_ZONES = 2_000_000
MOST_SHUFFLED = 50_000_000
"""Places that may be shuffled in memory (400 MB)."""


@dataclass(frozen=True, kw_only=True)
class LaplaceOptions(NoiseOptions):
    """Options of `laplace`."""

    resolution: int | None = None
    """H3 level of the public zones. None: the finest of which no more than a million empty pairs turn positive."""
    area: tuple[str, ...] | None = None
    """Public area: H3 cells, or names of zones. None: the coarse cells in which a trip was seen (not private)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon is None:
            raise InputError("epsilon (None) must be a number above 0 for laplace")
        if self.resolution is not None and not (
            isinstance(self.resolution, int) and 0 <= self.resolution <= cells.MAX_RESOLUTION
        ):
            raise InputError(f"resolution ({self.resolution!r}) must be a whole number from 0 to 15")
        if self.area is not None:
            object.__setattr__(self, "area", tuple(self.area))


def scale_of(bounded: Bounded, epsilon: float) -> float:
    """m·w/ε: the scale of the noise, in natural units of the measure."""
    return bounded.sensitivity / epsilon


def chance_of_positive(scale: float) -> float:
    """Probability that an empty pair is published: noise of at least one half."""
    return 0.5 * math.exp(-0.5 / scale)


def run_laplace(problem: Problem) -> Release:
    """Count between public zones, add noise, draw what empty pairs become."""
    matrix, options = problem.matrix, problem.options
    rng = np.random.default_rng(options.seed)
    bounded = bound(problem, rng)
    scale = scale_of(bounded, options.epsilon)
    problem.tick(0.1, "zones of the public area")
    origins, destinations, level = _zones(matrix, options, chance_of_positive(scale))
    span = len(destinations)
    o, d = origins.of_leaf[matrix.o[bounded.pair]], destinations.of_leaf[matrix.d[bounded.pair]]
    inside = (o >= 0) & (d >= 0)
    key, slot = np.unique((o * span + d)[inside], return_inverse=True)
    unit = MICRO if bounded.measure == "population" else 1
    count = exact_sums(slot, bounded.value[inside], len(key)) / unit

    problem.tick(0.3, "noise on pairs with trips")
    noisy = np.rint(count + rng.laplace(0.0, scale, len(key))).astype(np.int64)
    n_empty = len(origins) * span - len(key)
    positive = int(rng.binomial(n_empty, chance_of_positive(scale)))
    problem.tick(0.5, f"noise on {n_empty:,} empty pairs")
    place = empty_places(rng, len(origins) * span, key, positive)
    value = rng.geometric(-math.expm1(-1.0 / scale), positive).astype(np.int64)

    shown = noisy > 0
    key, value = np.concatenate([key[shown], place]), np.concatenate([noisy[shown], value])
    order = np.argsort(key, kind="stable")
    key, value = key[order], value[order]
    nothing = np.zeros(len(key), dtype=np.int64)
    outside = int(matrix.trips.sum()) - int(matrix.trips[_inside(matrix, origins, destinations)].sum())
    return NoisyRelease(
        matrix=matrix,
        protection=problem.protection,
        budget=problem.budget,
        algorithm="laplace",
        options=replace(options, trips=None),
        of_pair=np.full(matrix.n_pairs, -1, dtype=np.int64),
        trips=value if unit == 1 else nothing,
        population=nothing if unit == 1 else value * MICRO,
        origins=origins,
        destinations=destinations,
        o_zone=key // span,
        d_zone=key % span,
        noised=bounded.measure,
        epsilon=float(options.epsilon),
        unit=options.unit,
        contributions=bounded.m,
        notes=(
            f"ε = {options.epsilon:g}-differential privacy; not k-anonymous: small counts are shown, true or not.",
            *bounded.notes,
            *(() if options.area is not None else ("The area was taken from the data, which ε does not cover.",)),
            *((f"{outside:,} trips lie outside the area and were left out.",) if outside else ()),
        ),
        details={
            "epsilon": float(options.epsilon),
            "unit": options.unit,
            "contributions": bounded.m,
            "w": bounded.w,
            "scale": scale,
            "zoning": level,
            "zones": len(origins),
            "pairs in the domain": len(origins) * span,
            "pairs with trips": len(count),
            "pairs of pure noise": positive,
            "seed": options.seed,
        },
    )


def _inside(matrix: ODMatrix, origins: Zoning, destinations: Zoning) -> npt.NDArray[np.bool_]:
    return np.asarray((origins.of_leaf[matrix.o] >= 0) & (destinations.of_leaf[matrix.d] >= 0))


def empty_places(rng: np.random.Generator, n: int, taken: Ints, wanted: int) -> Ints:
    """`wanted` distinct places of 0..n-1 that are not taken, every set of them equally likely; `taken` is sorted."""
    free = n - len(taken)
    if free <= MOST_SHUFFLED:
        rank = rng.choice(free, wanted, replace=False, shuffle=False)
    else:  # sparse: draw until enough are new, in the order drawn, as if one by one without putting back
        rank = np.empty(0, dtype=np.int64)
        while len(rank) < wanted:
            more = rng.integers(0, free, int(1.2 * (wanted - len(rank))) + 16)
            rank = np.asarray(pd.unique(np.concatenate([rank, more])), dtype=np.int64)
        rank = rank[:wanted]
    return np.asarray(rank + np.searchsorted(taken - np.arange(len(taken)), rank, side="right"), dtype=np.int64)


def _zones(matrix: ODMatrix, options: LaplaceOptions, chance: float) -> tuple[Zoning, Zoning, str]:
    """The public zones of both axes, and what they are; refuses those that would be published as noise only."""
    if matrix.origins.kind != "h3":
        if options.resolution is not None:
            raise InputError(f"resolution ({options.resolution}) must be left out where zones are not H3 cells")
        sides = named_zonings(matrix, options.area)
        expected = len(sides[0]) ** 2 * chance
        if expected > MOST_POSITIVE:
            raise InputError(
                f"zones ({len(sides[0]):,}) must be fewer: {expected:,.0f} empty pairs would turn positive, more than "
                f"{MOST_POSITIVE:,}; use a coarser zoning"
            )
        return *sides, "zones of the hierarchy"
    finest = leaf_resolution(matrix)
    if options.resolution is not None and options.resolution > finest:
        raise InputError(f"resolution ({options.resolution}) must not be finer than the leaves ({finest})")
    given = None if options.area is None else parse_area(options.area)
    if given is not None and int(cells.resolution(given).max()) > finest:
        raise InputError(f"area must not hold cells finer than the leaves ({finest})")
    top = 0 if given is None else int(cells.resolution(given).max())

    def area_at(res: int) -> Ids:
        return observed_area(matrix, res) if given is None else given

    def expected_at(res: int) -> float:
        zones = int(cells.descendants(area_at(res), res).sum())
        return math.inf if zones > MOST_ZONES else float(zones) ** 2 * chance

    wanted = options.resolution
    if wanted is None:
        wanted = next((r for r in range(finest, top - 1, -1) if expected_at(r) <= AUTO_POSITIVE), top)
    if wanted < top:
        raise InputError(f"resolution ({wanted}) must not be coarser than the cells of the area ({top})")
    if expected_at(wanted) > MOST_POSITIVE:
        fits = next((r for r in range(wanted - 1, top - 1, -1) if expected_at(r) <= MOST_POSITIVE), None)
        advice = "raise ε or take a smaller area" if fits is None else f"use resolution {fits}"
        raise InputError(
            f"resolution ({wanted}) must be coarser: more than {MOST_POSITIVE:,} empty pairs would turn positive; {advice}"
        )
    return *h3_zonings(matrix, area_at(wanted), wanted), f"H3 resolution {wanted}"


register(
    Algorithm(
        name="laplace",
        title="Laplace noise",
        kind="noise",
        source="001, sections 2.3 and 4.2, appendix B",
        summary="Adds random noise to the count of every pair of public zones, empty ones too, and shows what is positive.",
        when="Use it where differential privacy is asked for and zones are few; on a sparse matrix most of it is noise.",
        options=LaplaceOptions,
        run=run_laplace,
        suppresses=False,
        honours_budget=False,
    )
)
