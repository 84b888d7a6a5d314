"""Hierarchies: the order of nodes, sums, cuts, and trees from cells, tables and centroids."""

import h3
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.hierarchy import MAX_WARD, Hierarchy
from tests.strategies import cases, h3_leaves, parents_of, table_tree, ward_trees, zone_tables

# a       b: root r has inner a and b and leaf x; a has leaves p, q; b has one child c, which has leaf s.
SMALL = {"r": None, "a": "r", "b": "r", "x": "r", "p": "a", "q": "a", "c": "b", "s": "c"}


def small() -> Hierarchy:
    return Hierarchy.from_table(list(SMALL), list(SMALL.values()))


def trees() -> st.SearchStrategy[Hierarchy]:
    return h3_leaves().map(Hierarchy.from_cells) | zone_tables().map(table_tree) | ward_trees()


def below(tree: Hierarchy, node: int) -> set[int]:
    """Leaves below a node, found by climbing from every leaf."""
    found = set()
    for leaf in range(tree.n_leaves):
        at = leaf
        while at not in (-1, node):
            at = int(tree.parent[at])
        if at == node:
            found.add(leaf)
    return found


def check_invariants(tree: Hierarchy) -> None:
    """What the module's docstring promises, in vectorised form (fit for 100,000 leaves)."""
    nodes, inner = np.arange(tree.n_nodes), tree.parent[:-1]
    assert tree.parent[-1] == -1
    assert (inner > nodes[:-1]).all()  # children before parents, one root, the last
    assert (tree.height[: tree.n_leaves] == 0).all()
    assert (tree.height[tree.n_leaves :] > 0).all()
    assert tree.first[: tree.n_leaves].tolist() == list(range(tree.n_leaves))
    assert (tree.depth[:-1] == tree.depth[inner] + 1).all()
    assert tree.depth[-1] == 0
    assert (np.diff(tree.height) >= 0).all()
    same = np.diff(tree.height) == 0
    assert (np.diff(tree.first)[same] > 0).all()
    size, height = (tree.height == 0).astype(np.int64), np.zeros(tree.n_nodes, np.int64)
    for level in tree.levels[:-1]:
        np.add.at(size, tree.parent[level], size[level])
        np.maximum.at(height, tree.parent[level], height[level] + 1)
    assert (size == tree.size).all()
    assert (height == tree.height).all()
    assert (tree.first[:-1] >= tree.first[inner]).all()
    assert (tree.first[:-1] + tree.size[:-1] <= tree.first[inner] + tree.size[inner]).all()


@given(trees())
def test_nodes_are_in_order(tree):
    check_invariants(tree)
    for node in range(tree.n_nodes):
        run = range(int(tree.first[node]), int(tree.first[node] + tree.size[node]))
        assert below(tree, node) == set(run)
        assert tree.children(node).tolist() == [n for n in range(tree.n_nodes) if tree.parent[n] == node]
        assert tree.n_children[node] == len(tree.children(node))
    assert [tree.height[level][0] for level in tree.levels] == list(range(len(tree.levels)))


def test_a_hundred_thousand_leaves():
    side = 320
    north, east = np.meshgrid(np.linspace(48, 49, side), np.linspace(1.5, 3, side))
    cells = np.unique(odk.cells.from_points(north.ravel(), east.ravel(), 10))
    tree = Hierarchy.from_cells(cells)
    assert tree.n_leaves == len(cells) > 100_000
    check_invariants(tree)
    seen = np.arange(tree.n_leaves) % 3 == 0
    part, number = tree.subtree(seen)
    check_invariants(part)
    assert (tree.ids[number] == part.ids).all()
    n = 100_000  # a tree of one long branch with a leaf at every step: as deep as it has leaves
    deep = Hierarchy.from_table(
        [f"n{i}" for i in range(2000)] + [f"l{i}" for i in range(n)],
        [None if i == 0 else f"n{i - 1}" for i in range(2000)] + [f"n{i % 2000}" for i in range(n)],
    )
    check_invariants(deep)
    assert deep.height[-1] == 2000


def test_a_small_tree_by_hand():
    tree = small()
    names = tree.names(range(tree.n_nodes))
    # Siblings in order of rows: a, b, x; so the leaves are p, q (under a), s (under b), x. Then height 1: a, c; 2: b; 3: r.
    assert names == ["p", "q", "s", "x", "a", "c", "b", "r"]
    assert tree.size.tolist() == [1, 1, 1, 1, 2, 1, 1, 4]
    assert tree.depth.tolist() == [2, 2, 3, 1, 1, 2, 1, 0]
    assert tree.height.tolist() == [0, 0, 0, 0, 1, 1, 2, 3]
    assert tree.first.tolist() == [0, 1, 2, 3, 0, 2, 2, 0]
    assert tree.names(tree.ancestors_at(0)) == ["p", "q", "s", "x"]
    assert tree.names(tree.ancestors_at(1)) == ["a", "a", "c", "r"]
    assert tree.names(tree.ancestors_at(2)) == ["r", "r", "b", "r"]
    assert tree.names(tree.ancestors_at(9)) == ["r"] * 4
    assert parents_of(tree) == SMALL
    assert tree.root == 7


@given(trees())
def test_paths_climb_to_the_root(tree):
    assert tree.paths[0].tolist() == list(range(tree.n_leaves))
    assert (tree.paths[-1] == tree.root).all()
    for level in range(len(tree.paths) + 1):
        assert tree.ancestors_at(level).tolist() == tree.paths[min(level, len(tree.paths) - 1)].tolist()
    for leaf in range(tree.n_leaves):
        for low, high in zip(tree.paths[:-1, leaf], tree.paths[1:, leaf], strict=True):
            assert high == (low if low == tree.root else tree.parent[low])


@given(trees(), st.data())
def test_sums_are_exact_beyond_what_floats_hold(tree, data):
    values = data.draw(st.lists(st.integers(0, 2**56), min_size=tree.n_leaves, max_size=tree.n_leaves))
    sums = tree.sum_up(np.array(values, dtype=np.int64))
    assert sums.tolist() == [sum(values[i] for i in below(tree, n)) for n in range(tree.n_nodes)]


def literal_cut(tree: Hierarchy, stop: list[bool]) -> list[int]:
    """Going down from the root, stop at the first marked node."""
    found, todo = [], [tree.root]
    while todo:
        node = todo.pop()
        if stop[node] or tree.height[node] == 0:
            found.append(node)
        else:
            todo += tree.children(node).tolist()
    return sorted(found)


@given(trees(), st.data())
def test_cuts(tree, data):
    stop = data.draw(st.lists(st.booleans(), min_size=tree.n_nodes, max_size=tree.n_nodes))
    cut = tree.cut_of_marks(np.array(stop))
    assert cut.tolist() == literal_cut(tree, stop)
    zone = tree.zone_of_leaf(cut[::-1])  # in any order
    assert all(leaf in below(tree, int(zone[leaf])) for leaf in range(tree.n_leaves))
    assert set(zone.tolist()) == set(cut.tolist())
    part = data.draw(st.sets(st.sampled_from(cut.tolist()), min_size=1))
    whole = tree.complete(sorted(part))
    assert part <= set(whole.tolist())
    tree.zone_of_leaf(whole)
    for extra in set(whole.tolist()) - part:  # none could be replaced by its parent
        assert below(tree, int(tree.parent[extra])) & set().union(*(below(tree, p) for p in part))


def test_what_is_no_cut_is_refused():
    tree = small()
    assert tree.names(tree.zone_of_leaf([4, 6, 3])) == ["a", "a", "b", "x"]
    for wrong in ([], [4, 6], [4, 6, 3, 3], [7, 4], [0, 1, 4, 6, 3], [4, 5, 6, 3]):
        with pytest.raises(odk.InputError, match="cut must hold exactly one zone above every leaf"):
            tree.zone_of_leaf(wrong)
    assert tree.names(tree.complete([4])) == ["x", "a", "b"]
    assert tree.names(tree.complete([7])) == ["r"]
    assert tree.names(tree.complete([0])) == ["p", "q", "x", "b"]


@given(trees(), st.data())
def test_a_subtree_is_the_tree_of_what_is_left(tree, data):
    seen = np.array(data.draw(st.lists(st.booleans(), min_size=tree.n_leaves, max_size=tree.n_leaves)))
    if not seen.any():
        with pytest.raises(odk.InputError, match=r"leaves \(none\)"):
            tree.subtree(seen)
        return
    part, number = tree.subtree(seen)
    check_invariants(part)
    assert part.names(range(part.n_nodes)) == tree.names(number)
    assert number[: part.n_leaves].tolist() == np.flatnonzero(seen).tolist()  # leaves keep their order
    left = set(np.flatnonzero(seen).tolist())
    full = [n for n in range(tree.n_nodes) if below(tree, n) >= left]
    top = min(full, key=lambda n: int(tree.height[n]))  # the finest node that covers all
    wanted = {n for n in range(tree.n_nodes) if below(tree, n) & left and below(tree, n) <= below(tree, top)}
    wanted -= set(full) - {top}
    assert set(number.tolist()) == wanted
    for node in range(part.n_nodes - 1):
        assert number[part.parent[node]] == tree.parent[number[node]]
    if tree.kind == "h3":
        again = Hierarchy.from_cells(part.ids[: part.n_leaves])
        assert again.ids.tolist() == part.ids.tolist()
        assert again.parent.tolist() == part.parent.tolist()
    assert tree.restrict(part.names(range(part.n_leaves))).ids.tolist() == part.ids.tolist()


def test_restricting_to_what_is_no_leaf_is_refused():
    with pytest.raises(odk.InputError, match=r"zone \('a'\) must be a leaf of the hierarchy; 2 are not"):
        small().restrict(["p", "b", "a"])
    one = small().restrict(["s"])
    assert one.names([0]) == ["s"]
    assert one.n_nodes == 1
    assert one.levels == (slice(0, 1),)


# --- H3 -----------------------------------------------------------------------------------------------------------
@given(h3_leaves())
def test_a_tree_of_cells_is_that_of_h3(leaves):
    tree = Hierarchy.from_cells(leaves)
    assert tree.names(range(tree.n_leaves)) == sorted(leaves)
    for node in range(tree.n_nodes - 1):
        above = tree.label(int(tree.parent[node]))
        assert above == (
            h3.cell_to_parent(tree.label(node)) if tree.parent[node] != tree.root or above != "root" else "root"
        )
    if tree.label(tree.root) == "root":
        assert len({h3.get_base_cell_number(c) for c in leaves}) > 1
        assert tree.ids[-1] == 0
    else:
        assert len({h3.cell_to_parent(c, h3.get_resolution(tree.label(tree.root))) for c in leaves}) == 1
        assert tree.n_nodes == 1 or len(tree.children(tree.root)) > 1  # the finest that covers all
    res = h3.get_resolution(leaves[0])
    sizes = [h3.cell_to_children_size(tree.label(n), res) for n in range(tree.n_nodes) if tree.ids[n]]
    base = sum(h3.cell_to_children_size(tree.label(n), res) for n in tree.children(tree.root).tolist())
    assert tree.descendant_size().tolist() == (sizes if tree.ids[-1] else [*sizes, base])
    assert (tree.descendant_size() >= tree.size).all()


def test_one_cell_is_a_tree():
    tree = Hierarchy.from_cells(["8a1fb464000ffff"] * 2)
    assert (tree.n_nodes, tree.n_leaves, tree.root, tree.label(0)) == (1, 1, 0, "8a1fb464000ffff")
    assert tree.zone_of_leaf([0]).tolist() == [0]
    assert tree.cut_of_marks(np.array([False])).tolist() == [0]
    assert tree.paths.tolist() == [[0]]
    assert tree.descendant_size().tolist() == [1]
    assert tree.children(0).tolist() == []
    check_invariants(tree)


def test_base_cells_are_joined_by_a_virtual_root():
    east, west = h3.latlng_to_cell(-17.0, 179.999, 3), h3.latlng_to_cell(-17.0, -160.0, 3)
    tree = Hierarchy.from_cells([east, west])
    assert tree.label(tree.root) == "root"
    assert tree.n_nodes == 2 * 4 + 1
    assert tree.size[tree.root] == 2
    assert abs(tree.lon[tree.root]) > 160  # between them, not on the other side of the earth


def test_cells_of_two_resolutions_are_refused():
    with pytest.raises(odk.InputError, match=r"cells' resolutions \(9, 10\) must be one and the same"):
        Hierarchy.from_cells(["8a1fb464000ffff", h3.cell_to_parent("8a1fb464000ffff")])
    with pytest.raises(odk.InputError, match=r"leaves \(none\)"):
        Hierarchy.from_cells([])


# --- tables ---------------------------------------------------------------------------------------------------------
@given(zone_tables())
def test_a_table_comes_back(parents):
    tree = table_tree(parents)
    again = parents_of(tree)
    roots = [name for name, up in parents.items() if up is None]
    if len(roots) > 1:
        assert again.pop("root") is None
        again = {name: None if up == "root" else up for name, up in again.items()}
    assert again == parents
    assert sorted(tree.names(range(tree.n_leaves))) == sorted(set(parents) - set(parents.values()))


def test_roots_parents_and_names_of_a_table():
    tree = Hierarchy.from_table(["a", "b", "c", "d"], ["x", "x", "", float("nan")])
    assert tree.label(tree.root) == "root"
    assert set(tree.names(tree.children(tree.root))) == {"x", "c", "d"}
    own = Hierarchy.from_table(["a", "top"], ["top", "top"])  # its own parent: a root
    assert own.names(range(2)) == ["a", "top"]
    taken = Hierarchy.from_table(["root", "b"], [None, pd.NA])
    assert taken.label(taken.root) == "root*"
    table = pd.DataFrame({"zone": [1, 2, 3], "parent": [None, 1, 1]})  # pandas makes floats of these parents
    numbers = Hierarchy.from_table(table["zone"], table["parent"])
    assert numbers.names(range(3)) == ["2", "3", "1"]


@pytest.mark.parametrize(
    ("zones", "parents", "words"),
    [
        ([], [], r"zone table \(no rows\)"),
        (["a", "a"], ["r", "r"], r"zone \('a', row 2\) must have a name, and stand once"),
        (["a", ""], ["r", "r"], r"zone \('', row 2\) must have a name"),
        (["a", "b"], ["b", "a"], r"circle: zone \('a'\) has no root above it"),
        (["a", "b", "c", "d"], ["b", "a", None, "c"], r"zone \('a'\) must not be above itself"),
        (["a", "b"], ["r"], r"parents \(1\) must be as many as zones \(2\)"),
    ],
)
def test_tables_that_are_no_tree_are_refused(zones, parents, words):
    with pytest.raises(odk.InputError, match=words):
        Hierarchy.from_table(zones, parents)


def test_a_long_circle_beside_a_root_is_found():
    n = 50_000
    with pytest.raises(odk.InputError, match="must not be above itself"):
        Hierarchy.from_table(["r", *(f"z{i}" for i in range(n))], [None, *(f"z{(i + 1) % n}" for i in range(n))])


def test_centres_of_inner_zones_are_the_mean_of_their_leaves():
    lat = {"p": 1.0, "q": 3.0, "s": 10.0, "x": 20.0}
    lon = {"p": 179.0, "q": -179.0, "s": 170.0, "x": 175.0}  # a lies across the antimeridian
    names = list(SMALL)
    nan = float("nan")
    tree = Hierarchy.from_table(
        names, list(SMALL.values()), lat=[lat.get(n, nan) for n in names], lon=[lon.get(n, nan) for n in names]
    )
    at = {tree.label(n): (tree.lat[n], tree.lon[n]) for n in range(tree.n_nodes)}
    assert at["a"] == (pytest.approx(2.0), pytest.approx(-180.0))
    assert at["b"] == at["c"] == (pytest.approx(10.0), pytest.approx(170.0))
    assert at["r"] == (pytest.approx(8.5), pytest.approx(176.25))  # (179 + 181 + 170 + 175) / 4


def test_a_leaf_without_a_centre_spoils_no_other():
    names, nan = list(SMALL), float("nan")
    lat = [{"p": 1.0, "x": 20.0, "s": 10.0}.get(n, nan) for n in names]
    tree = Hierarchy.from_table(names, list(SMALL.values()), lat=lat, lon=lat)
    at = {tree.label(n): tree.lat[n] for n in range(tree.n_nodes)}
    assert np.isnan(at["q"])
    assert at["a"] == pytest.approx(1.0)  # of those that have one
    assert at["b"] == pytest.approx(10.0)
    assert at["r"] == pytest.approx(31 / 3)
    bare = small()
    assert np.isnan(bare.lat).all()


# --- Ward -----------------------------------------------------------------------------------------------------------
def test_ward_joins_neighbours_first():
    # Two pairs of neighbours, far apart: {a, b} and {c, d} merge before all.
    tree = Hierarchy.from_ward(["a", "c", "b", "d"], [0, 10, 0.1, 10.1], [0, 10, 0.1, 10.1])
    groups = {frozenset(tree.names(range(tree.first[n], tree.first[n] + tree.size[n]))) for n in range(4, 7)}
    assert groups == {frozenset("ab"), frozenset("cd"), frozenset("abcd")}
    assert tree.kind == "ward"
    assert (tree.n_children[4:] == 2).all()


def test_ward_across_the_antimeridian():
    lon = [179.9, -179.9, 170.0, 170.2]
    tree = Hierarchy.from_ward(["a", "b", "c", "d"], [0, 0, 0, 0], lon)
    groups = {frozenset(tree.names(range(tree.first[n], tree.first[n] + tree.size[n]))) for n in range(4, 6)}
    assert groups == {frozenset("ab"), frozenset("cd")}


def test_ward_of_one_zone_and_what_is_refused():
    one = Hierarchy.from_ward(["a"], [1.0], [2.0])
    assert (one.n_nodes, one.label(0), one.lat[0]) == (1, "a", 1.0)
    with pytest.raises(odk.InputError, match="distinct names"):
        Hierarchy.from_ward(["a", "a"], [1, 2], [1, 2])
    with pytest.raises(odk.InputError, match="finite"):
        Hierarchy.from_ward(["a", "b"], [1, float("nan")], [1, 2])
    many = np.zeros(MAX_WARD + 1)
    with pytest.raises(odk.InputError, match=r"zones of a clustering \(15,001\) must be at most 15,000"):
        Hierarchy.from_ward([str(i) for i in range(len(many))], many, many)
    with pytest.raises(odk.InputError, match="must be of H3 cells"):
        one.descendant_size()


@given(cases())
def test_both_axes_of_a_matrix_are_trees_of_what_was_observed(case):
    for tree, end in ((case.matrix.origins, "origin"), (case.matrix.destinations, "destination")):
        check_invariants(tree)
        assert set(tree.names(range(tree.n_leaves))) == {getattr(row, end) for row in case.rows}
        assert tree.n_nodes == 1 or len(tree.children(tree.root)) > 1
