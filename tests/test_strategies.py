"""The random problems that all other tests stand on: varied enough, and always well-formed."""

from hypothesis import given, settings

from tests.strategies import KINDS, cases, problems


@given(problems())
def test_every_problem_is_one_that_an_algorithm_may_be_given(problem):
    matrix, guard, budget = problem
    guard.check(matrix)
    assert matrix.n_pairs >= 2
    assert set(budget.allowed(matrix, guard)) == set(guard.budget_measures)


@given(cases())
def test_a_case_and_its_matrix_say_the_same(case):
    assert case.matrix.total_trips == len(case.rows)
    assert case.matrix.total_population == sum(round(row.weight * 1_000_000) for row in case.rows)
    assert case.matrix.has_persons == case.persons


def test_the_odd_ones_do_occur():
    seen = dict.fromkeys(
        (*KINDS, "virtual root", "uneven", "single child", "one leaf", "many leaves", "persons twice"), 0
    )

    @settings(max_examples=300)
    @given(cases())
    def collect(case):
        tree = case.matrix.origins
        found = {
            case.kind: True,
            "virtual root": case.kind == "h3" and tree.ids[-1] == 0,
            "uneven": len(set(tree.depth[: tree.n_leaves])) > 1,
            "single child": (tree.n_children == 1).any(),
            "one leaf": tree.n_leaves == 1,
            "many leaves": tree.n_leaves > 5,
            "persons twice": case.persons and case.matrix.n_persons < len(case.rows),
        }
        for name, holds in found.items():
            seen[name] += bool(holds)

    collect()
    assert min(seen.values()) >= 10, seen
