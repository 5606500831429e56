"""Times of decisions, beside a textbook formulation of the same rule in the same run.

The formulations are the paper's selectors, and the joint decision, written down literally; the tests hold ours to their
answers. They are slow on purpose: networkx Dijkstra on the drawn graphs, one reliability at a time, all 2^N states, a
loop over every pair of options. Use the selectors in `handup.what` and the strategies in `handup.when` for deciding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import Action, Costs, MissingExtra, Option
from handup.lab.bench.harness import Columns, Row, median_us
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.what import SELECTORS, BinaryTree, BruteForce, Hybrid, Mip, Selector, Situation
from handup.what.base import TIE, first_best
from handup.what.mip import Solver
from handup.when import Joint, Strategy, Troubleshoot
from handup.when.plan import gates as gate_planner
from handup.when.plan import series

try:
    import networkx
except ImportError:
    raise MissingExtra.of("lab", "A textbook formulation") from None

START, END = "start", "end"
SIZES = (10, 100, 1_000, 10_000)
COLUMNS: Columns = (
    ("selector", "selector", "{}"),
    ("structure", "structure", "{}"),
    ("modules", "modules", "{:,}"),
    ("µs", "us", "{:,.1f}"),
    ("textbook", "baseline", "{}"),
    ("textbook µs", "baseline_us", "{:,.0f}"),
    ("ratio", "ratio", "{:,.1f}×"),
)
CLOSING = "Median of repeated calls in this process; the policies are synthetic."


def measures(seed: int = 0) -> Iterator[Callable[[], Row]]:
    """Yield everything that `handup bench decisions` measures: selectors, then troubleshoot and joint."""
    for modules in SIZES:
        situation = _situation(chain(modules, seed))
        tree = partial(full_tree_dijkstra, situation) if modules <= 10 else None
        plain = partial(one_by_one, situation) if modules <= 1_000 else None
        for name, baseline, theirs in (
            ("topo", "loop", partial(first_open, situation)),
            ("confidence", "loop", partial(lowest, situation)),
            ("graph", "networkx Dijkstra", partial(layered_graph_dijkstra, situation, 1.0)),
            ("binary-tree", "networkx Dijkstra", tree),
            ("brute-force", "one by one", plain),
        ):
            ours = partial(_select_afresh, SELECTORS.make(name, {}), situation)
            yield partial(_measure, name, "chain", modules, ours, baseline, theirs)
    for modules in (10, 30):
        situation = _situation(gates(modules, seed))
        plain = partial(one_by_one, situation) if modules <= 10 else None
        brute_force, hybrid = (partial(_select_afresh, selector, situation) for selector in (BruteForce(), Hybrid()))
        yield partial(_measure, "brute-force", "gates", modules, brute_force, "one by one", plain)
        yield partial(_measure, "hybrid", "gates", modules, hybrid)
    for modules in (10, 15):
        situation = _situation(chain(modules, seed, cost=0.03))
        scip = partial(_select_afresh, Mip(Solver.SCIP), situation)
        for name, selector in (("mip", Mip()), ("binary-tree", BinaryTree())):
            yield partial(_measure, name, "chain", modules, partial(_select_afresh, selector, situation), "SCIP", scip)
    for structure, graph in (("chain", chain(100, seed)), ("gates", gates(100, seed))):
        belief = Belief.of(graph).after_execution(False)
        decide = partial(decide_afresh, Troubleshoot(), belief, Costs.of(graph.query_costs))
        yield partial(_measure, "troubleshoot", structure, 100, decide)
    belief, costs = asks_everybody(people=5, supports=4, modules=6)
    joint = partial(decide_afresh, Joint(), belief, costs)
    loop = partial(best_question, belief, costs)
    yield partial(_measure, "joint", "5 people × 4 supports", 6, joint, "plain loop", loop)


def _measure(selector: str, structure: str, modules: int, ours: Callable[[], object], baseline: str | None = None,
             theirs: Callable[[], object] | None = None) -> Row:  # fmt: skip
    """Time a decision, then the textbook formulation where one is feasible at this size; medians in microseconds."""
    row: dict[str, Any] = {"selector": selector, "structure": structure, "modules": modules, "us": median_us(ours)}
    if theirs is None:
        return {**row, "baseline": None, "baseline_us": None, "ratio": None}
    baseline_us = median_us(theirs)
    return {**row, "baseline": baseline, "baseline_us": baseline_us, "ratio": baseline_us / row["us"]}


def chain(modules: int, seed: int, *, cost: float = 0.35) -> ModuleGraph:
    """A chain with a few modules of low confidence and costs that differ, so that no two decisions are tied."""
    random = np.random.default_rng(seed)
    confidences = np.where(random.random(modules) < 0.3, 0.2, 0.9).tolist()
    costs = (cost * random.uniform(0.6, 1.4, modules)).tolist()
    return ModuleGraph.chain(map(Module, (f"m{index}" for index in range(modules)), confidences, costs))


def gates(modules: int, seed: int) -> ModuleGraph:
    """A random graph of and-gates and or-gates in which each module takes earlier ones with probability 0.3."""
    random = np.random.default_rng(seed)
    built: list[Module] = []
    for index in range(modules):
        inputs = [f"m{earlier}" for earlier in range(index) if random.random() < 0.3]
        if index and not inputs:
            inputs = [f"m{random.integers(index)}"]
        if index == modules - 1:
            fed = {name for module in built for name in module.inputs}
            inputs = [module.name for module in built if module.name not in fed]
        gate = Gate.AND if random.random() < 0.5 else Gate.OR
        built.append(Module(f"m{index}", float(random.choice((0.9, 0.5))), 0.32, tuple(inputs), gate))
    return ModuleGraph(built)


def _situation(graph: ModuleGraph) -> Situation:
    belief = Belief.of(graph)
    return Situation(belief, Costs.of(graph.query_costs), ~belief.answered)


def _select_afresh(selector: Selector, situation: Situation) -> object:
    """Select without anything that an earlier call may have left in the belief or the situation."""
    return selector.select(Situation(replace(situation.belief), situation.costs, situation.open))


def asks_everybody(people: int, supports: int, modules: int) -> tuple[Belief, Costs]:
    """Return a belief after a failure, and costs with a question about each module to everybody with every support."""
    graph = ModuleGraph.chain(Module(f"m{index}", 0.4 + 0.09 * index, 0.3) for index in range(modules))
    options = [
        Option(
            action=Action.ASK,
            module=module,
            person=f"person {person}",
            support=f"support {support}",
            answers=0.3 + 0.1 * person,
            right=0.9 - 0.07 * person + 0.02 * support,
            seconds=30.0 + 10.0 * person,
            cost=0.2 + 0.05 * support,
        )
        for module in graph.names
        for person in range(people)
        for support in range(supports)
    ]
    costs = Costs.of(graph.query_costs).offering(options, graph.names, step_s=60.0, stake=3.0, harm=0.3)
    return Belief.of(graph).after_execution(False), costs


def decide_afresh(strategy: Strategy, belief: Belief, costs: Costs) -> object:
    """Decide without anything that an earlier call may have left in the belief or the planners."""
    series.plan_series.cache_clear()
    gate_planner.plan_gates.cache_clear()
    return strategy.decide(replace(belief), costs, 0.0)


def first_open(situation: Situation) -> int | None:
    """TopoQuery: walk along the modules until one is open."""
    return next((module for module, is_open in enumerate(situation.open.tolist()) if is_open), None)


def lowest(situation: Situation) -> int | None:
    """ConfidenceQuery: walk along the modules and keep the least confident open one."""
    best: int | None = None
    confidences = situation.belief.confidences.tolist()
    for module, is_open in enumerate(situation.open.tolist()):
        if is_open and (best is None or confidences[module] < confidences[best]):
            best = module
    return best


def layered_graph_dijkstra(situation: Situation, epsilon: float) -> int | None:
    """The paper's GraphQuery (section 4.3) on its layered graph; ε weighs questions against uncertainty.

    Each module has a success vertex, which a question leads to at a cost of ε·q + (1 - c_e), and a failure vertex,
    which acting without one risks at a cost of 1 - c. Modules that are not open have no question. Where the shortest
    path asks nothing, the open module of least penalty ε·q - (c_e - c) is meant. A question must be shorter by more
    than `TIE`.
    """
    query, expert, confidences = situation.costs.query, situation.costs.expert, situation.belief.confidences
    layered = networkx.DiGraph()
    reached: list[object] = [START]
    for module in range(len(confidences)):
        success, failure = (module, "success"), (module, "failure")
        for vertex in reached:
            layered.add_edge(vertex, failure, weight=1.0 - confidences[module])
            if situation.open[module]:
                # TIE is no part of the paper: it keeps rounding from deciding between equally long paths.
                layered.add_edge(vertex, success, weight=epsilon * query[module] + (1.0 - expert[module]) + TIE)
        reached = [success, failure] if situation.open[module] else [failure]
    for vertex in reached:
        layered.add_edge(vertex, END, weight=0.0)
    path = networkx.dijkstra_path(layered, START, END)
    for module, state in path[1:-1]:
        if state == "success":
            return int(module)
    return first_best(epsilon * query - (expert - confidences), situation.open)


def full_tree_dijkstra(situation: Situation) -> int | None:
    """The paper's BinaryTreeQuery (section 4.2) on its full tree.

    A vertex is what was decided about the modules so far. With x the chance that each decision leaves a module with
    (c_e asked, c not), its edge costs (1-w)(1-x) times the product of the earlier ones, plus w·q for a question. The
    costs of a path from the root to a leaf then add up to Eq. 2, for any c_e; with c_e = 1 they are the paper's. Which
    of equally short paths is taken is networkx's choice.
    """
    costs, confidences = situation.costs, situation.belief.confidences
    tree = networkx.DiGraph()
    level: dict[tuple[bool, ...], float] = {(): 1.0}
    for module in range(len(confidences)):
        below: dict[tuple[bool, ...], float] = {}
        for vertex, right_so_far in level.items():
            for asked in (False, True) if situation.open[module] else (False,):
                chance = float(costs.expert[module] if asked else confidences[module])
                risk = (1.0 - costs.w) * (1.0 - chance) * right_so_far
                load = costs.w * float(costs.query[module]) if asked else 0.0
                tree.add_edge(vertex, (*vertex, asked), weight=load + risk)
                below[*vertex, asked] = right_so_far * chance
        level = below
    for leaf in level:
        tree.add_edge(leaf, END, weight=0.0)
    path = networkx.dijkstra_path(tree, (), END)
    leaf = path[-2]
    return leaf.index(True) if True in leaf else None


def one_by_one(situation: Situation) -> int | None:
    """The paper's Brute-Force (section 4.1): Eq. 4 for each question by a reliability evaluation of its own.

    Upstream first among equals; None where asking nothing is strictly better or no module is open.
    """
    successes = _successes(situation.belief.graph)
    values = np.full(len(situation.open), np.inf)
    for module in np.flatnonzero(situation.open):
        values[module] = _objective(situation, [int(module)], successes)
    best = first_best(values, situation.open)
    nothing = _objective(situation, [], successes)
    return None if best is None or nothing < values[best] - TIE else best


def best_question(belief: Belief, costs: Costs) -> tuple[float, Option]:
    """Return the question of least expected cost by the rule of `joint`, and that cost, in a loop over all pairs."""
    steps = []
    for option in costs.options:
        position = belief.graph.index(option.module or "")
        right, wrong = (belief.after_answer(position, changed=None, expert=known).reliability for known in (1.0, 0.0))
        solves = option.answers * (option.right * right + (1.0 - option.right) * wrong)
        steps.append((option, costs.price_of(option) + option.answers * (1.0 - option.right) * costs.harm, solves))
    success = belief.reliability
    act = (1.0 - success) * (costs.act_price + costs.yield_price)
    best = (math.inf, costs.options[0])
    for option, fixed, solves in steps:
        other = min(act, costs.yield_price)
        for rest, price, chance in steps:
            if (rest.module, rest.person) != (option.module, option.person):
                other = min(other, price + (1.0 - chance) * costs.yield_price)
        if fixed + (1.0 - solves) * other < best[0] - TIE:
            best = (fixed + (1.0 - solves) * other, option)
    return best


def _objective(situation: Situation, asked: list[int], successes: NDArray[np.bool_] | None) -> float:
    """Return Eq. 4 for a set of questions."""
    costs, chances = situation.costs, situation.belief.confidences.copy()
    chances[asked] = costs.expert[asked]
    if successes is None:
        reliability = float(math.prod(chances.tolist()))
    else:
        weights = np.ones(1)
        for chance in chances:
            weights = np.multiply.outer(weights, (1.0 - chance, chance)).ravel()
        reliability = float(weights[successes].sum())
    return costs.w * float(costs.query[asked].sum()) + (1.0 - costs.w) * (1.0 - reliability)


def _successes(graph: ModuleGraph) -> NDArray[np.bool_] | None:
    """Success in each of the 2^N states, the first module's state changing slowest; None: all must work."""
    if graph.is_series:
        return None
    numbers = np.arange(1 << len(graph))
    states = np.array([(numbers >> (len(graph) - 1 - module)) & 1 for module in range(len(graph))], dtype=np.uint8)
    return graph.circuit.evaluate(states).astype(np.bool_)
