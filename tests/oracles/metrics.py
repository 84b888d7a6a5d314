"""The metrics of SPEC section 3 as they are written: loops over all pairs of leaves. Slow, and shares no code with odk."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import h3
from scipy.stats import wasserstein_distance

from odk.geo import geodesic_m  # has its own test against published lengths

BOX_TOLERANCE = 1e-9
FRACTION = 1_000_000


def ancestors(tree, leaf):
    """The leaf, its parent, ... the root."""
    chain = [leaf]
    while tree.parent[chain[-1]] >= 0:
        chain.append(int(tree.parent[chain[-1]]))
    return chain


def leaves_under(tree, node):
    return {leaf for leaf in range(tree.n_leaves) if node in ancestors(tree, leaf)}


def leaves_in_box(tree, box):
    west, south, east, north = (float(x) for x in box)
    width = (east - west) if east >= west else (east - west) % 360
    found = set()
    for leaf in range(tree.n_leaves):
        lat, lon = float(tree.lat[leaf]), float(tree.lon[leaf])
        round_east = (lon - west + BOX_TOLERANCE) % 360
        if south - BOX_TOLERANCE <= lat <= north + BOX_TOLERANCE and round_east <= width + 2 * BOX_TOLERANCE:
            found.add(leaf)
    return found


def sides(release):
    """Leaves of the origin and of the destination side of every cell."""
    o, d = release.matrix.origins, release.matrix.destinations
    if hasattr(release, "boxes"):
        return [(leaves_in_box(o, box[:4]), leaves_in_box(d, box[4:])) for box in release.boxes]
    if hasattr(release, "o_zone"):
        o_of, d_of = release.origins.of_leaf.tolist(), release.destinations.of_leaf.tolist()
        return [
            ({i for i, z in enumerate(o_of) if z == a}, {i for i, z in enumerate(d_of) if z == b})
            for a, b in zip(release.o_zone.tolist(), release.d_zone.tolist(), strict=True)
        ]
    return [
        (leaves_under(o, a), leaves_under(d, b))
        for a, b in zip(release.o_node.tolist(), release.d_node.tolist(), strict=True)
    ]


def volumes(release, view):
    """Volume of every pair of leaves that has trips, and of every cell (from its pairs, unless it is noise), exactly."""
    m = release.matrix
    amounts = m.trips if view == "participants" else m.population
    unit = 1 if view == "participants" else FRACTION
    pairs, cells = {}, [Fraction(0)] * release.n_cells
    for o, d, amount, cell in zip(m.o.tolist(), m.d.tolist(), amounts.tolist(), release.of_pair.tolist(), strict=True):
        pairs[o, d] = Fraction(amount, unit)
        if cell >= 0:
            cells[cell] += pairs[o, d]
    if hasattr(release, "o_zone"):
        values = release.trips if view == "participants" else release.population
        cells = [Fraction(v, unit) for v in values.tolist()]
    return pairs, cells


def cell_of_pairs(release):
    """Cell in which each pair is published; of noise: in which it lies."""
    if not hasattr(release, "o_zone"):
        return release.of_pair.tolist()
    ends = list(zip(release.matrix.o.tolist(), release.matrix.d.tolist(), strict=True))
    where = sides(release)
    return [next((i for i, (o, d) in enumerate(where) if a in o and b in d), -1) for a, b in ends]


def k_of(protection, view, mean_weight):
    if view == "participants":
        if protection.trips is not None:
            return protection.trips
        return protection.persons if protection.population is None else protection.population / mean_weight
    if protection.population is not None:
        return protection.population
    return (protection.persons if protection.trips is None else protection.trips) * mean_weight


def size(tree, node, leaves, sizes):
    if sizes == "observed":
        return max(1, len(leaves))
    res = h3.get_resolution(tree.label(0))
    if tree.ids[node] == 0:
        tops = [n for n in range(tree.n_nodes) if tree.parent[n] == node]
        return sum(h3.cell_to_children_size(tree.label(n), res) for n in tops)
    return h3.cell_to_children_size(tree.label(node), res)


def metrics(release, view, sizes="observed"):
    m = release.matrix
    pairs, cells = volumes(release, view)
    total, published = sum(pairs.values()), sum(cells)
    where = sides(release)
    if sizes == "observed":
        spans = [(max(1, len(o)), max(1, len(d))) for o, d in where]
    else:
        nodes = zip(release.o_node.tolist(), release.d_node.tolist(), strict=True)
        spans = [
            (size(m.origins, a, o, sizes), size(m.destinations, b, d, sizes))
            for (a, b), (o, d) in zip(nodes, where, strict=True)
        ]
    k = k_of(release.protection, view, float(sum(volumes(release, "population")[0].values())) / int(m.trips.sum()))
    estimate = defaultdict(Fraction)
    outside = Fraction(0)  # spread over leaves that were never observed
    for cell, (o, d) in enumerate(where):
        each = cells[cell] / (spans[cell][0] * spans[cell][1])
        for a in o:
            for b in d:
                estimate[a, b] += each
        outside += each * (spans[cell][0] * spans[cell][1] - len(o) * len(d))
    every = [(a, b) for a in range(m.origins.n_leaves) for b in range(m.destinations.n_leaves)]
    e = (sum(abs(estimate[p] - pairs.get(p, 0)) for p in every) + outside) / total
    d = sum(abs(estimate[p] / published - pairs.get(p, 0) / total) for p in every) + outside / published
    return {
        "c_dm": float(sum(c * c for c in cells) + total * (total - published)),
        "c_avg": float(published) / len(cells) / float(k),
        "g": float(sum((a + b) * c for (a, b), c in zip(spans, cells, strict=True)) / published),
        "e": float(e),
        "d": float(d),
        "s": float((total - published) / total),
        **gdm(release, pairs),
        **margins(release, pairs, cells, where, spans),
        **lengths(release, pairs, cells),
        "intrazonal": float(sum(c for c, same in zip(cells, intrazonal(release), strict=True) if same) / published),
    }


def intrazonal(release):
    """Whether the two sides of each cell overlap: by the names' way up through both trees, or by the rectangles."""
    m = release.matrix
    if hasattr(release, "boxes"):
        return [rectangles_overlap(box[:4], box[4:]) for box in release.boxes.tolist()]
    above = {}
    for tree in (m.origins, m.destinations):
        above |= {tree.label(n): tree.label(tree.parent[n]) for n in range(tree.n_nodes) if tree.parent[n] >= 0}

    def way_up(name):
        if m.origins.kind == "h3":
            return (
                {"root"}
                if name == "root"
                else {"root"} | {h3.cell_to_parent(name, r) for r in range(h3.get_resolution(name) + 1)}
            )
        found = {name}
        while name in above:
            name = above[name]
            found.add(name)
        return found

    if hasattr(release, "o_zone"):
        names = zip(release.origins.names(release.o_zone), release.destinations.names(release.d_zone), strict=True)
    else:
        names = zip(m.origins.names(release.o_node), m.destinations.names(release.d_node), strict=True)
    found = []
    for o, d in names:
        found.append(o in way_up(d) or d in way_up(o))
    return found


def rectangles_overlap(a, b):
    """Whether two rectangles overlap, b being tried at its place and a turn of the Earth east and west of it."""

    def width(box):
        return box[2] - box[0] if box[2] >= box[0] else (box[2] - box[0]) % 360

    def intervals_overlap(x, y):
        common = min(x[1], y[1]) - max(x[0], y[0])
        if min(x[1] - x[0], y[1] - y[0]) <= BOX_TOLERANCE:  # one is a point
            return common >= -2 * BOX_TOLERANCE
        return common > BOX_TOLERANCE

    across = any(
        intervals_overlap((a[0], a[0] + width(a)), (b[0] + turn, b[0] + turn + width(b))) for turn in (-360, 0, 360)
    )
    return across and intervals_overlap((a[1], a[3]), (b[1], b[3]))


def centre_of(release, cell, axis):
    if hasattr(release, "boxes"):
        west, south, east, north = release.boxes[cell][4 * axis : 4 * axis + 4]
        return (south + north) / 2, west + ((east - west) if east >= west else (east - west) % 360) / 2
    if hasattr(release, "o_zone"):
        zoning = release.destinations if axis else release.origins
        zone = (release.d_zone if axis else release.o_zone)[cell]
        return zoning.lat[zone], zoning.lon[zone]
    tree = release.matrix.destinations if axis else release.matrix.origins
    node = (release.d_node if axis else release.o_node)[cell]
    return tree.lat[node], tree.lon[node]


def gdm(release, pairs):
    m = release.matrix
    entries = []
    for o, d, cell in zip(m.o.tolist(), m.d.tolist(), cell_of_pairs(release), strict=True):
        if cell >= 0:
            for axis, (tree, leaf) in enumerate(((m.origins, o), (m.destinations, d))):
                away = float(geodesic_m(tree.lat[leaf], tree.lon[leaf], *centre_of(release, cell, axis)))
                entries.append((away, pairs[o, d]))
    if not entries:
        return {}
    total = sum(w for _, w in entries)
    mean = sum(x * float(w) for x, w in entries) / float(total)
    var = sum((x - mean) ** 2 * float(w) for x, w in entries) / float(total)
    entries.sort()
    reached, below, above = Fraction(0), None, None
    for x, w in entries:  # the middle of the list in which each value is written w times
        reached += w
        if below is None and reached * 2 >= total:
            below = x
        if above is None and reached * 2 > total:
            above = x
    return {"gdm_mean": mean, "gdm_median": (below + above) / 2, "gdm_std": var**0.5}


def margins(release, pairs, cells, where, spans):
    found = {}
    for axis, name in enumerate(("row_error", "column_error")):
        true, estimate, outside = defaultdict(Fraction), defaultdict(Fraction), Fraction(0)
        for pair, amount in pairs.items():
            true[pair[axis]] += amount
        for cell, leaves in enumerate(where):
            for leaf in leaves[axis]:
                estimate[leaf] += cells[cell] / spans[cell][axis]
            outside += cells[cell] * (1 - Fraction(len(leaves[axis]), spans[cell][axis]))
        leaves = set(true) | set(estimate)
        error = sum(abs(true[leaf] - estimate[leaf]) for leaf in leaves) + outside
        found[name] = float(error / sum(pairs.values()))
    return found


def lengths(release, pairs, cells):
    o, d = release.matrix.origins, release.matrix.destinations
    before = [float(geodesic_m(o.lat[a], o.lon[a], d.lat[b], d.lon[b])) for a, b in pairs]
    after = [float(geodesic_m(*centre_of(release, c, 0), *centre_of(release, c, 1))) for c in range(len(cells))]
    u, v = [float(w) for w in pairs.values()], [float(w) for w in cells]
    same = sum(w for (a, b), w in pairs.items() if o.label(a) == d.label(b))
    return {
        "length_shift": float(wasserstein_distance(before, after, u, v)),
        "intrazonal_input": float(same / sum(pairs.values())),
    }


def corridors(release, view, o_district, d_district, most=100):
    """Share of the largest pairs of districts that are among the largest of the estimate (rule of `Planning`)."""
    pairs, cells = volumes(release, view)
    true, estimate = defaultdict(Fraction), defaultdict(Fraction)
    for (a, b), amount in pairs.items():
        true[o_district[a], d_district[b]] += amount
    for cell, (o, d) in enumerate(sides(release)):
        for a in o:
            for b in d:
                estimate[o_district[a], d_district[b]] += cells[cell] / (len(o) * len(d))
    hundredth = sorted(true.values(), reverse=True)[: min(most, len(true))][-1]
    largest = [pair for pair in true if true[pair] >= hundredth]
    places = len(largest)
    values = [v for v in estimate.values() if v > 0]
    kept = Fraction(0)
    for pair in largest:
        mine = estimate[pair]
        more, level = sum(v > mine for v in values), sum(v == mine for v in values)
        if mine > 0 and more < places:
            kept += min(Fraction(1), Fraction(places - more, level))
    return float(kept / places)


def cheapest(matrix, protection):
    """For every pair of leaves with trips: least |o|+|d| of its ancestors' pairs whose full volume is publishable."""
    o, d = matrix.origins, matrix.destinations
    chains = [(ancestors(o, a), ancestors(d, b)) for a, b in zip(matrix.o.tolist(), matrix.d.tolist(), strict=True)]
    members = defaultdict(list)
    for pair, (up_o, up_d) in enumerate(chains):
        for a in up_o:
            for b in up_d:
                members[a, b].append(pair)
    good = {zones for zones, inside in members.items() if publishable(matrix, protection, inside)}
    sizes_o = [len(leaves_under(o, n)) for n in range(o.n_nodes)]
    sizes_d = [len(leaves_under(d, n)) for n in range(d.n_nodes)]
    return [min(sizes_o[a] + sizes_d[b] for a in up_o for b in up_d if (a, b) in good) for up_o, up_d in chains], good


def publishable(matrix, protection, pairs):
    if protection.trips is not None and sum(int(matrix.trips[p]) for p in pairs) < protection.trips:
        return False
    least = 0 if protection.population is None else round(protection.population * FRACTION)
    if sum(int(matrix.population[p]) for p in pairs) < least:
        return False
    if protection.persons is not None:
        rows = zip(matrix.person_pair.tolist(), matrix.person.tolist(), strict=True)
        wanted = set(pairs)
        return len({person for pair, person in rows if pair in wanted}) >= protection.persons
    return True


def limit(matrix, protection, dropped, measure):
    """Mean of the cheapest costs, unit by unit from the dearest down until `dropped` is gone, the last by fraction."""
    costs, _ = cheapest(matrix, protection)
    volume = [int(v) for v in (matrix.population if measure == "population" else matrix.trips)]
    spent, kept = Fraction(0), sum(volume) - dropped
    for cost, amount in sorted(zip(costs, volume, strict=True), reverse=True):
        gone = min(dropped, amount)
        dropped -= gone
        spent += cost * (amount - gone)
    return max(2.0, float(spent / kept))
