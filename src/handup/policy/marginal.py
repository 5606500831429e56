"""How success hangs on each module: its probability with that module right, and with it wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handup.policy.belief import Belief
from handup.policy.diagram import SUCCEEDS, Diagram
from handup.policy.graph import ModuleGraph

Vector = NDArray[np.float64]
SAMPLES = 1 << 14


def reliability_if_right(belief: Belief) -> tuple[float, Vector, Vector]:
    """What the forward pass says of success: now, with each module right, and with each module wrong.

    Exact on series graphs in one vectorised pass and elsewhere by one pass up and one down the decision diagram;
    from `SAMPLES` common draws where the graph is too tangled for that.
    """
    graph, chances = belief.graph, belief.confidences
    if graph.is_series:
        with np.errstate(divide="ignore"):
            logs = np.log(chances)
        before = np.concatenate(([0.0], logs[:-1].cumsum()))
        after = np.concatenate((logs[:0:-1].cumsum()[::-1], [0.0]))
        return float(np.exp(before[-1] + logs[-1])), np.exp(before + after), np.zeros(len(chances))
    if graph.diagram is not None:
        return _on_diagram(graph.diagram, chances.tolist())
    return _on_samples(graph, chances, belief.seed)


def reliability_of(graph: ModuleGraph, chances: Vector, *, seed: int = 0) -> float:
    """Probability of success for any chances of the modules."""
    if graph.is_series:
        with np.errstate(divide="ignore"):
            return float(np.exp(np.log(chances).sum()))
    if graph.diagram is not None:
        return _upwards(graph.diagram, chances.tolist())[graph.diagram.root]
    draws = np.random.default_rng(seed).random((len(chances), SAMPLES)) < chances[:, None]
    return float(np.bitwise_count(graph.circuit.evaluate(np.packbits(draws, axis=1))).sum() / SAMPLES)


def _upwards(diagram: Diagram, chances: Sequence[float]) -> list[float]:
    """For each node, the probability of success from there on."""
    up = [0.0] * len(diagram)
    up[SUCCEEDS] = 1.0
    for node in range(2, len(diagram)):
        chance = chances[diagram.module[node]]
        up[node] = (1.0 - chance) * up[diagram.if_wrong[node]] + chance * up[diagram.if_right[node]]
    return up


def _on_diagram(diagram: Diagram, chances: Sequence[float]) -> tuple[float, Vector, Vector]:
    up = _upwards(diagram, chances)
    reach = [0.0] * len(diagram)
    reach[diagram.root] = 1.0
    slope = [0.0] * len(chances)
    for node in range(diagram.root, 1, -1):
        module, here = diagram.module[node], reach[node]
        if here == 0.0:
            continue
        low, high = diagram.if_wrong[node], diagram.if_right[node]
        reach[low] += here * (1.0 - chances[module])
        reach[high] += here * chances[module]
        slope[module] += here * (up[high] - up[low])
    now = up[diagram.root]
    steep, chance_vector = np.array(slope), np.array(chances)
    return now, now + (1.0 - chance_vector) * steep, now - chance_vector * steep


def _on_samples(graph: ModuleGraph, chances: Vector, seed: int) -> tuple[float, Vector, Vector]:
    draws = np.random.default_rng(seed).random((len(chances), SAMPLES)) < chances[:, None]
    packed = np.packbits(draws, axis=1)
    forced = np.repeat(packed[:, None, :], len(chances), axis=1)
    each = np.arange(len(chances))
    results = []
    for value in (0xFF, 0x00):
        forced[each, each] = value
        results.append(np.bitwise_count(graph.circuit.evaluate(forced)).sum(axis=1) / SAMPLES)
    now = float(np.bitwise_count(graph.circuit.evaluate(packed)).sum() / SAMPLES)
    return now, results[0], results[1]
