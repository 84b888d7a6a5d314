"""A tiny survey that every audit test can count by hand.

Three leaves of resolution 7: NORTH and SOUTH are siblings, FAR lies under another cell of resolution 6; all three
under one of resolution 5.
"""

import h3
import pandas as pd

from odk.trips import Trips

TOP = h3.latlng_to_cell(48.86, 2.34, 5)
_SIXES = sorted(h3.cell_to_children(TOP, 6))
NEAR = _SIXES[0]
NORTH, SOUTH = sorted(h3.cell_to_children(NEAR, 7))[:2]
FAR = sorted(h3.cell_to_children(_SIXES[1], 7))[0]

Flow = tuple[str, str, list[tuple[str, float]]]


def survey(*flows: Flow, **segments: list[str]) -> Trips:
    """Trips from (origin, destination, [(person, weight), ...]) and segment columns with one value a trip."""
    rows = [
        {"person": person, "origin": origin, "destination": destination, "weight": weight}
        for origin, destination, made in flows
        for person, weight in made
    ]
    table = pd.DataFrame(rows).assign(**segments)
    return Trips(table=table, rows=len(table), source="towns", ends="h3")


def people(n: int, weight: float = 1.0, first: int = 0) -> list[tuple[str, float]]:
    """One trip each of n people."""
    return [(f"p{first + i}", weight) for i in range(n)]
