"""ipf-dp: synthetic flows and segments by iterative proportional fitting to noisy margins (004, section 3.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from odk.algorithms._base import Algorithm, Problem, get, register
from odk.algorithms._units import NoiseOptions, bound
from odk.errors import InputError
from odk.ipf import MAX_CELLS, ROUNDS, categories, check_cells, fit, noisy_margins
from odk.matrix import MICRO
from odk.release import NoisyRelease, Release, TreeRelease
from odk.zoning import Zoning


@dataclass(frozen=True, kw_only=True)
class IpfOptions(NoiseOptions):
    """Options of `ipf-dp`. With `trips`, segment columns are synthesised too; `epsilon=None` adds no noise."""

    priorn: float = 0.1
    """Records spread evenly over each margin before noise, so that no combination is impossible."""
    columns: tuple[str, ...] | None = None
    """Segment columns. None: all of the trips given; none where no trips are given."""
    zones: TreeRelease | None = field(default=None, repr=False)
    """Homogeneous release of the same matrix, whose zones are used. None: those of odkanon-late."""
    true_size: bool = False
    """Draw as many records as there are; the noise doubles. Otherwise their number is noisy too."""
    max_cells: int = MAX_CELLS
    """A larger table of all variables is refused."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.priorn, bool) or not isinstance(self.priorn, int | float) or not 0 <= self.priorn < math.inf:
            raise InputError(f"priorn ({self.priorn!r}) must be a number of at least 0")
        if self.zones is not None and not (isinstance(self.zones, TreeRelease) and self.zones.homogeneous):
            raise InputError("zones must be a homogeneous release: one cut of each tree")
        if self.columns is not None:
            object.__setattr__(self, "columns", tuple(self.columns))
            if self.trips is None and self.columns:
                raise InputError(f"columns ({', '.join(self.columns)}) must come with the trips that have them")
        if not isinstance(self.max_cells, int) or self.max_cells < 1:
            raise InputError(f"max_cells ({self.max_cells!r}) must be a whole number of at least 1")


def run_ipf_dp(problem: Problem) -> Release:
    """Noisy margins of zones and segments, a fit from uniform, a multinomial sample."""
    matrix, options = problem.matrix, problem.options
    rng = np.random.default_rng(options.seed)
    bounded = bound(problem, rng)
    origins, destinations, said = _zonings(problem)
    names = ["origin", "destination"]
    levels: list[list[str]] = [[], []]
    codes = [origins.of_leaf[matrix.o[bounded.pair]], destinations.of_leaf[matrix.d[bounded.pair]]]
    shape = [len(origins), len(destinations)]
    for column in _columns(options):
        code, values = categories(options.trips.table[column])
        names.append(column)
        codes.append(code[bounded.row])
        levels.append(values)
        shape.append(len(values))
    check_cells(names, shape, options.max_cells)

    problem.tick(0.2, "noisy margins")
    unit = MICRO if bounded.measure == "population" else 1
    margins = noisy_margins(
        codes,
        shape,
        bounded.value / unit,
        rng,
        epsilon=options.epsilon,
        priorn=options.priorn,
        sensitivity=bounded.sensitivity,
        true_size=options.true_size,
    )
    joint = fit(shape, margins, tick=lambda r: problem.tick(0.25 + 0.6 * r / ROUNDS, f"fitting, round {r}"))
    problem.tick(0.9, "drawing records")
    counts = rng.multinomial(margins.size, joint.share.ravel())
    drawn = np.flatnonzero(counts)
    where = np.unravel_index(drawn, shape)
    flat = where[0] * len(destinations) + where[1]
    key, slot = np.unique(flat, return_inverse=True)
    value = np.bincount(slot, weights=counts[drawn], minlength=len(key)).astype(np.int64)
    nothing = np.zeros(len(key), dtype=np.int64)
    records = {"origin": origins.names(where[0]), "destination": destinations.names(where[1])}
    for i, column in enumerate(names[2:], start=2):
        records[column] = np.array(levels[i], dtype=object)[where[i]].tolist()
    private = options.epsilon is not None
    return NoisyRelease(
        matrix=matrix,
        protection=problem.protection,
        budget=problem.budget,
        algorithm="ipf-dp",
        options=replace(options, trips=None, zones=None, columns=None),
        of_pair=np.full(matrix.n_pairs, -1, dtype=np.int64),
        trips=value if unit == 1 else nothing,
        population=nothing if unit == 1 else value * MICRO,
        origins=origins,
        destinations=destinations,
        o_zone=key // len(destinations),
        d_zone=key % len(destinations),
        noised=bounded.measure,
        epsilon=None if not private else float(options.epsilon),
        unit=options.unit,
        contributions=bounded.m,
        records=pd.DataFrame(records | {bounded.measure: counts[drawn]}),
        notes=(
            f"ε = {options.epsilon:g}-differential privacy; not k-anonymous: records are drawn, small counts are shown."
            if private
            else "No noise was added (ε = none): nothing is promised about privacy.",
            *(bounded.notes if private else ()),
            said,
            "The margins were reached."
            if joint.converged
            else f"The margins contradict one another: after {joint.rounds} rounds one is off by {joint.gap:.1%}.",
        ),
        details={
            "epsilon": "none" if not private else float(options.epsilon),
            "unit": options.unit,
            "contributions": bounded.m,
            "w": bounded.w,
            "priorn": float(options.priorn),
            "margins": len(margins.axes),
            "scale": margins.scale,
            "cells": math.prod(shape),
            "columns": ", ".join(names),
            "rounds": joint.rounds,
            "converged": joint.converged,
            "gap": joint.gap,
            "records": margins.size,
            "seed": options.seed,
        },
    )


def _columns(options: IpfOptions) -> list[str]:
    if options.trips is None:
        return []
    known = options.trips.segments
    wanted = known if options.columns is None else list(options.columns)
    for name in wanted:
        if name not in known:
            raise InputError(f"columns ({name}) must be segment columns of the trips: {', '.join(known) or 'none'}")
    return wanted


def _zonings(problem: Problem) -> tuple[Zoning, Zoning, str]:
    """Zones of both axes, and where they come from."""
    matrix, given = problem.matrix, problem.options.zones
    if given is not None and given.matrix is not matrix and given.matrix.hash != matrix.hash:
        raise InputError("zones must be a release of the same matrix")
    release = given
    if release is None:
        entry = get("odkanon-late")
        made = entry.run(replace(problem, options=entry.options(), progress=None))
        assert isinstance(made, TreeRelease)
        release = made
    assert release.o_cut is not None
    assert release.d_cut is not None
    said = f"Zones are those of {release.algorithm}, chosen from the data: ε does not cover that choice."
    return Zoning.of_cut(matrix.origins, release.o_cut), Zoning.of_cut(matrix.destinations, release.d_cut), said


register(
    Algorithm(
        name="ipf-dp",
        title="IPF with differential privacy",
        kind="noise",
        source="004, section 3.4",
        summary="Draws synthetic trips from a distribution that fits noisy two-way tables of zones and segments.",
        when="Use it for synthetic records with few variables; rare flows and anything beyond pairs of variables are lost.",
        options=IpfOptions,
        run=run_ipf_dp,
        suppresses=False,
        honours_budget=False,
        slow=True,
    )
)
