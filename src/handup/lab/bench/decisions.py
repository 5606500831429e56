"""Times of decisions, beside a textbook formulation of the same rule in the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from handup.core import Action, Costs, Option
from handup.lab.bench import textbook
from handup.lab.bench.harness import Columns, Row, median_us
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.what import SELECTORS, BinaryTree, BruteForce, Hybrid, Mip, Selector, Situation
from handup.what.mip import Solver
from handup.when import Joint, Troubleshoot
from handup.when.plan import gates as gate_planner
from handup.when.plan import series

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
        tree = partial(textbook.full_tree_dijkstra, situation) if modules <= 10 else None
        plain = partial(textbook.one_by_one, situation) if modules <= 1_000 else None
        for name, baseline, theirs in (
            ("topo", "loop", partial(textbook.first_open, situation)),
            ("confidence", "loop", partial(textbook.lowest, situation)),
            ("graph", "networkx Dijkstra", partial(textbook.layered_graph_dijkstra, situation, 1.0)),
            ("binary-tree", "networkx Dijkstra", tree),
            ("brute-force", "one by one", plain),
        ):
            ours = partial(_select_afresh, SELECTORS.make(name, {}), situation)
            yield partial(_measure, name, "chain", modules, ours, baseline, theirs)
    for modules in (10, 30):
        situation = _situation(gates(modules, seed))
        plain = partial(textbook.one_by_one, situation) if modules <= 10 else None
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
        decide = partial(decide_afresh, belief, Costs.of(graph.query_costs))
        yield partial(_measure, "troubleshoot", structure, 100, decide)
    belief, costs = asks_everybody(people=5, supports=4, modules=6)
    joint = partial(_weigh_afresh, belief, costs)
    loop = partial(textbook.best_question, belief, costs)
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


def _weigh_afresh(belief: Belief, costs: Costs) -> object:
    """Decide whom to ask without anything that an earlier call may have left in the belief."""
    return Joint().decide(replace(belief), costs, 0.0)


def decide_afresh(belief: Belief, costs: Costs) -> object:
    """Decide without anything that an earlier call may have left in the belief or the planners."""
    series.plan_series.cache_clear()
    gate_planner.plan_gates.cache_clear()
    return Troubleshoot().decide(replace(belief), costs, 0.0)
