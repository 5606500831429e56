"""How long decisions take, beside a textbook formulation of the same rule in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from handup.core import Costs
from handup.lab import textbook
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.what import SELECTORS, BinaryTree, BruteForce, Hybrid, Mip, Selector, Situation
from handup.what.mip import Solver
from handup.when import Troubleshoot
from handup.when.plan import gates as gate_planner
from handup.when.plan import series

SIZES = (10, 100, 1_000, 10_000)
BUDGET_S = 0.2
MOST_REPEATS = 2_000


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measurement.

    Args:
        selector: What decides.
        structure: "chain", or "gates" for a random mix of and and or.
        modules: How many.
        us: Median time of one decision in microseconds.
        baseline: The textbook formulation, where one is feasible at this size.
        baseline_us: Its median time.
        ratio: How many times longer it takes.
    """

    selector: str
    structure: str
    modules: int
    us: float
    baseline: str | None
    baseline_us: float | None
    ratio: float | None

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return asdict(self)


@dataclass(frozen=True)
class Case:
    """Something to measure, with its textbook formulation where there is one."""

    selector: str
    structure: str
    modules: int
    ours: Callable[[], object]
    baseline: str | None = None
    theirs: Callable[[], object] | None = None

    def measure(self) -> Row:
        """Time both, ours first."""
        us = median_us(self.ours)
        baseline_us = None if self.theirs is None else median_us(self.theirs)
        return Row(
            selector=self.selector,
            structure=self.structure,
            modules=self.modules,
            us=us,
            baseline=self.baseline if self.theirs is not None else None,
            baseline_us=baseline_us,
            ratio=None if baseline_us is None else baseline_us / us,
        )


def cases(seed: int = 0) -> Iterator[Case]:
    """Everything that `handup bench decisions` measures."""
    for modules in SIZES:
        situation = _situation(chain(modules, seed))
        ours = {name: partial(_select_afresh, SELECTORS.make(name, {}), situation) for name in SELECTORS.names()}
        yield Case("topo", "chain", modules, ours["topo"], "loop", partial(textbook.first_open, situation))
        yield Case("confidence", "chain", modules, ours["confidence"], "loop", partial(textbook.lowest, situation))
        layered = partial(textbook.layered_graph_dijkstra, situation, 1.0)
        yield Case("graph", "chain", modules, ours["graph"], "networkx Dijkstra", layered)
        tree = partial(textbook.full_tree_dijkstra, situation) if modules <= 10 else None
        yield Case("binary-tree", "chain", modules, ours["binary-tree"], "networkx Dijkstra", tree)
        plain = partial(textbook.one_by_one, situation) if modules <= 1_000 else None
        yield Case("brute-force", "chain", modules, ours["brute-force"], "one by one", plain)
    for modules in (10, 30):
        situation = _situation(gates(modules, seed))
        plain = partial(textbook.one_by_one, situation) if modules <= 10 else None
        brute_force, hybrid = (partial(_select_afresh, selector, situation) for selector in (BruteForce(), Hybrid()))
        yield Case("brute-force", "gates", modules, brute_force, "one by one", plain)
        yield Case("hybrid", "gates", modules, hybrid)
    for modules in (10, 15):
        situation = _situation(chain(modules, seed, cost=0.03))
        scip = partial(_select_afresh, Mip(Solver.SCIP), situation)
        yield Case("mip", "chain", modules, partial(_select_afresh, Mip(), situation), "SCIP", scip)
        yield Case("binary-tree", "chain", modules, partial(_select_afresh, BinaryTree(), situation), "SCIP", scip)
    for structure, graph in (("chain", chain(100, seed)), ("gates", gates(100, seed))):
        belief = Belief.of(graph).after_execution(False)
        yield Case("troubleshoot", structure, 100, partial(decide_afresh, belief, Costs.of(graph.query_costs)))


def chain(modules: int, seed: int, *, cost: float = 0.35) -> ModuleGraph:
    """A chain with a few modules of low confidence and costs that differ, so that no two decisions are tied."""
    random = np.random.default_rng(seed)
    confidences = np.where(random.random(modules) < 0.3, 0.2, 0.9)
    costs = cost * random.uniform(0.6, 1.4, modules)
    return ModuleGraph.chain(
        Module(f"m{index}", float(confidence), float(cost))
        for index, (confidence, cost) in enumerate(zip(confidences, costs, strict=True))
    )


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


def median_us(decide: Callable[[], object]) -> float:
    """Median time of a call, over as many as fit a small budget; one before to warm up."""
    decide()
    times: list[float] = []
    while not times or (sum(times) < BUDGET_S and len(times) < MOST_REPEATS):
        start = time.perf_counter()
        decide()
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e6


def _situation(graph: ModuleGraph) -> Situation:
    belief = Belief.of(graph)
    return Situation(belief, Costs.of(graph.query_costs), ~belief.answered)


def _select_afresh(selector: Selector, situation: Situation) -> object:
    """Select without anything that an earlier call may have left in the belief or the situation."""
    return selector.select(Situation(replace(situation.belief), situation.costs, situation.open))


def decide_afresh(belief: Belief, costs: Costs) -> object:
    """Decide without anything that an earlier call may have left in the belief or the planners."""
    series.plan_series.cache_clear()
    gate_planner.plan_gates.cache_clear()
    return Troubleshoot().decide(replace(belief), costs, 0.0)
