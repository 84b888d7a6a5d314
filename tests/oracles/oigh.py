"""OIGH by looking at the whole lattice: every pair of levels, none skipped (003, 2.5.2; levels of 001, appendix B)."""

from fractions import Fraction

from tests.oracles.plain import Plain, Tree, Trip


def levels(tree: Tree) -> list[dict[str, str]]:
    """Per level, the zone of each leaf."""
    ways = {leaf: tree.way_up(leaf) for leaf in tree.leaves}
    if len({len(way) for way in ways.values()}) == 1:
        return [{leaf: way[level] for leaf, way in ways.items()} for level in range(len(ways[tree.leaves[0]]))]
    found = [{leaf: leaf for leaf in tree.leaves}]
    while set(found[-1].values()) != {tree.root}:
        zones = found[-1]
        parents = {zone: tree.parent[zone] for zone in set(zones.values()) if zone != tree.root}
        least = min(tree.size(parent) for parent in parents.values())
        merged = {zone: parent for zone, parent in parents.items() if tree.size(parent) == least}
        found.append({leaf: merged.get(zone, zone) for leaf, zone in zones.items()})
    return found


def oigh(problem: Plain, suppress: bool) -> tuple[int, int, dict[tuple[str, str], list[Trip]]]:
    """Level of the origins, of the destinations, and the published cells."""
    o_tree, d_tree = problem.origins, problem.destinations
    best = None
    for i, o_zone in enumerate(levels(o_tree)):
        for j, d_zone in enumerate(levels(d_tree)):
            cells: dict[tuple[str, str], list[Trip]] = {}
            for trip in problem.trips:
                cells.setdefault((o_zone[trip.origin], d_zone[trip.destination]), []).append(trip)
            good = {key: trips for key, trips in cells.items() if problem.publishable(trips)}
            dropped = [trip for key, trips in cells.items() if key not in good for trip in trips]
            if dropped and not (suppress and problem.fits(dropped)):
                continue
            volume = sum(problem.value(problem.lead, trips) for trips in good.values())
            cost = sum((o_tree.size(o) + d_tree.size(d)) * problem.value(problem.lead, t) for (o, d), t in good.items())
            key = (i + j, Fraction(cost, max(volume, 1)), i)
            if best is None or key < best[0]:
                best = (key, i, j, good)
    assert best is not None
    return best[1:]
