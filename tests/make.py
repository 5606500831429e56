"""Small policies and situations for tests that say their numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handup.core import Costs
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.what import Situation


def chain_of(confidences: Sequence[float], query: float | Sequence[float] = 0.32) -> ModuleGraph:
    """m0 feeds m1 feeds m2 …"""
    costs = [query] * len(confidences) if isinstance(query, int | float) else query
    return ModuleGraph.chain(
        Module(f"m{position}", confidence, cost)
        for position, (confidence, cost) in enumerate(zip(confidences, costs, strict=True))
    )


def situation_of(
    graph: ModuleGraph, *, expert: float | Sequence[float] = 1.0, w: float = 0.5, closed: Sequence[str] = ()
) -> Situation:
    """The situation at the start of an episode, except that some modules may not be asked about."""
    open_modules = np.array([name not in closed for name in graph.names])
    return Situation(Belief.of(graph), Costs.of(graph.query_costs, expert=expert, w=w), open_modules)


def crossed_pairs(pairs: int, confidence: float, final: float = 1.0) -> ModuleGraph:
    """One of many pairs must be right, with all firsts before all seconds in order.

    Too wide for a decision diagram from about 20 pairs on, yet simple on paper: the pairs are independent.
    """
    firsts = [Module(f"a{pair}", confidence) for pair in range(pairs)]
    seconds = [Module(f"b{pair}", confidence, inputs=(f"a{pair}",)) for pair in range(pairs)]
    return ModuleGraph(
        [*firsts, *seconds, Module("final", final, inputs=tuple(each.name for each in seconds), gate=Gate.OR)]
    )


def tangle(modules: int, seed: int) -> ModuleGraph:
    """A dense graph of and-gates and or-gates in turn, each over three earlier modules drawn at random."""
    random = np.random.default_rng(seed)
    made: list[Module] = []
    for position in range(modules - 1):
        drawn = random.choice(position, 3, replace=False) if position >= modules // 4 else ()
        gate = Gate.AND if position % 2 else Gate.OR
        inputs = tuple(f"m{each}" for each in drawn)
        made.append(Module(f"m{position}", float(random.uniform(0.3, 0.8)), inputs=inputs, gate=gate))
    taken = {name for module in made for name in module.inputs}
    loose = tuple(module.name for module in made if module.name not in taken)
    return ModuleGraph([*made, Module("final", 0.95, inputs=loose, gate=Gate.OR)])
