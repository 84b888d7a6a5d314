"""ATG as 001 writes it: algorithms 1 to 4 by recursion, in fractions, on one whole destination tree per origin."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tests.oracles.plain import MICRO, Plain, Tree, Trip

Flow = tuple[str, str]


def get_pruning(tree: Tree, node: str, cost: Callable[[str], Fraction]) -> tuple[Fraction, list[str]]:
    """Algorithm 1."""
    aggregated = cost(node)
    if node not in tree.children:
        return aggregated, [node]
    split, zones = Fraction(0), []
    for child in tree.children[node]:
        error, below = get_pruning(tree, child, cost)
        split += error
        zones += below
    return (split, zones) if split < aggregated else (aggregated, [node])


@dataclass(frozen=True)
class Outcome:
    """Published flows, the multiplier, and what the pruning costs."""

    cells: dict[Flow, list[Trip]]
    dropped: list[Trip]
    penalty: Fraction | None
    alpha: int
    sigma: int


class Atg:
    """Algorithm 2 up to the origins; the rest for a given λ, or for the budget (algorithms 3 and 4)."""

    def __init__(self, problem: Plain, v_target: Fraction) -> None:
        self.problem = problem
        self.o_tree, self.d_tree = problem.origins, problem.destinations
        unit = MICRO if problem.lead == "population" else 1

        def cost(node: str) -> Fraction:
            out = problem.value(problem.lead, [t for t in problem.trips if t.origin in self.o_tree.under[node]])
            return (v_target - Fraction(out, unit)) ** 2

        self.origins = get_pruning(self.o_tree, self.o_tree.root, cost)[1]
        self.cache: dict[Flow, list[Trip]] = {}

    def flow(self, o: str, d: str) -> list[Trip]:
        if (o, d) not in self.cache:
            inside = self.o_tree.under[o], self.d_tree.under[d]
            self.cache[o, d] = [t for t in self.problem.trips if t.origin in inside[0] and t.destination in inside[1]]
        return self.cache[o, d]

    def penalties(self, o: str, d: str) -> tuple[int, int]:
        """α and σ (equations 3.1 and 3.2), for any protection."""
        trips = self.flow(o, d)
        volume = self.problem.value(self.problem.lead, trips)
        if self.problem.publishable(trips):
            return (self.o_tree.size(o) + self.d_tree.size(d)) * volume, 0
        return 0, volume

    def prune(self, penalty: Fraction | None) -> Outcome:
        """The best pruning of all trees together for λ; None stands for a λ above every number: least (σ, α)."""

        def evaluate(o: str, d: str) -> tuple[int, int, list[Flow]]:
            alpha, sigma = self.penalties(o, d)
            if d not in self.d_tree.children or not self.problem.publishable(self.flow(o, d)):
                return alpha, sigma, [(o, d)]
            below = [evaluate(o, child) for child in self.d_tree.children[d]]
            a, s = sum(b[0] for b in below), sum(b[1] for b in below)
            better = (s, a) < (sigma, alpha) if penalty is None else a + penalty * s < alpha + penalty * sigma
            return (a, s, [f for b in below for f in b[2]]) if better else (alpha, sigma, [(o, d)])

        parts = [evaluate(o, self.d_tree.root) for o in self.origins]
        flows = [f for part in parts for f in part[2]]
        cells = {f: self.flow(*f) for f in flows if self.problem.publishable(self.flow(*f))}
        kept = {id(t) for trips in cells.values() for t in trips}
        dropped = [t for t in self.problem.trips if id(t) not in kept]
        return Outcome(cells, dropped, penalty, sum(p[0] for p in parts), sum(p[1] for p in parts))

    def dual(self) -> Outcome | None:
        """Algorithm 3, its upper end replaced by the pruning of least (σ, α); None where even that does not fit."""
        right = self.prune(None)
        if not self.problem.fits(right.dropped):
            return None
        left = self.prune(Fraction(0))
        if self.problem.fits(left.dropped):
            return left
        while True:
            middle = self.prune(Fraction(right.alpha - left.alpha, left.sigma - right.sigma))
            on_a_line = middle.alpha + middle.penalty * middle.sigma == left.alpha + middle.penalty * left.sigma
            if on_a_line:  # neighbours: ties aggregate, so this is the right-hand pruning, which fits
                assert self.problem.fits(middle.dropped)
                return middle
            if self.problem.fits(middle.dropped):
                right = middle
            else:
                left = middle

    def soft(self, penalty: Fraction) -> tuple[Outcome | None, bool]:
        """The outcome, and whether λ had to be raised."""
        found = self.prune(penalty)
        if self.problem.fits(found.dropped):
            return found, False
        return self.dual(), True

    def imbalance(self, outcome: Outcome) -> int:
        lead = self.problem.lead
        volume = {f: self.problem.value(lead, trips) for f, trips in outcome.cells.items()}
        return abs(sum((self.o_tree.size(o) - self.d_tree.size(d)) * v for (o, d), v in volume.items()))


def grid(problem: Plain, n: int = 24) -> list[int]:
    """SPEC 2.4: geometric from k to V, whole units."""
    unit = MICRO if problem.lead == "population" else 1
    k = problem.guards.get(problem.lead, problem.guards.get("persons", 1) * unit) / unit
    total = problem.value(problem.lead, problem.trips) / unit
    low = max(1.0, k)
    high = max(low, total)
    return sorted({round(low * (high / low) ** (i / (n - 1))) for i in range(n)})


def best_target(problem: Plain, run: Callable[[Atg], Outcome | None]) -> tuple[int, Outcome]:
    """The value of the grid for which Σ|o|v and Σ|d|v are closest, the smaller where several are."""
    best = None
    for v_target in grid(problem):
        atg = Atg(problem, Fraction(v_target))
        outcome = run(atg)
        if outcome is not None:
            key = (atg.imbalance(outcome), v_target)
            if best is None or key < best[0]:
                best = (key, outcome)
    assert best is not None
    return best[0][1], best[1]
