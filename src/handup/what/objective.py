"""The paper's Eq. 4: the cost of questions plus the cost of failing, with the exact success probability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handup.core import objective_of
from handup.policy.belief import Belief
from handup.policy.circuit import SUCCEEDS, Diagram
from handup.policy.graph import ModuleGraph
from handup.what.base import Situation

Vector = NDArray[np.float64]
SAMPLES = 1 << 14
LEAST_SAMPLES = 1 << 8
WORK = 1 << 27
"""Most draws times modules squared: larger policies get fewer draws."""
CHUNK = 64


def set_value(situation: Situation, asked: Sequence[int] | NDArray[np.intp]) -> float:
    """Return Eq. 4 for asking a set of questions at once."""
    members = np.asarray(asked, dtype=np.intp)
    costs, chances = situation.costs, situation.belief.confidences.copy()
    chances[members] = costs.expert[members]
    reliability = reliability_of(situation.belief.graph, chances, seed=situation.belief.seed)
    return objective_of(costs.w, float(costs.query[members].sum()), 1.0 - reliability)


def single_question_values(situation: Situation) -> tuple[NDArray[np.float64], float]:
    """Return Eq. 4 for asking about each module alone, and for asking nothing.

    Success is linear in each module's chance, so one pass over the policy gives all of them.
    """
    costs = situation.costs
    reliability, if_right, if_wrong = reliability_if_right(situation.belief)
    asked = costs.expert * if_right + (1.0 - costs.expert) * if_wrong
    return objective_of(costs.w, costs.query, 1.0 - asked), objective_of(costs.w, 0.0, 1.0 - reliability)


def reliability_if_right(belief: Belief) -> tuple[float, Vector, Vector]:
    """Return the success probability by the forward pass: now, with each module right, and with each module wrong.

    Exact on series graphs in one vectorised pass and elsewhere by one pass up and one down the decision diagram;
    from common draws where the graph is too tangled for that.
    """
    graph, chances = belief.graph, belief.confidences
    if graph.is_series:
        with np.errstate(divide="ignore"):
            logs = np.log(chances)
        # Products of all modules but one, as sums to both sides of it: dividing by its chance would fail at zero.
        before = np.concatenate(([0.0], logs[:-1].cumsum()))
        after = np.concatenate((logs[:0:-1].cumsum()[::-1], [0.0]))
        return float(np.exp(before[-1] + logs[-1])), np.exp(before + after), np.zeros(len(chances))
    if graph.diagram is not None:
        return _on_diagram(graph.diagram, chances.tolist())
    return _on_samples(graph, chances, belief.seed)


def reliability_of(graph: ModuleGraph, chances: Vector, *, seed: int = 0) -> float:
    """Return the probability of success for any chances of the modules."""
    if graph.is_series:
        with np.errstate(divide="ignore"):
            return float(np.exp(np.log(chances).sum()))
    if graph.diagram is not None:
        return _upwards(graph.diagram, chances.tolist())[graph.diagram.root]
    return _success_share(graph, *_draws(chances, seed))


def _upwards(diagram: Diagram, chances: Sequence[float]) -> list[float]:
    """Return, for each node, the probability of success from there on."""
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
    # Success is linear in a module's chance; the slope is what its tests decide, weighed with how often they are made.
    for node in range(diagram.root, 1, -1):
        module, arriving = diagram.module[node], reach[node]
        if arriving == 0.0:
            continue
        low, high = diagram.if_wrong[node], diagram.if_right[node]
        reach[low] += arriving * (1.0 - chances[module])
        reach[high] += arriving * chances[module]
        slope[module] += arriving * (up[high] - up[low])
    now = up[diagram.root]
    steep, chance_vector = np.array(slope), np.array(chances)
    return now, now + (1.0 - chance_vector) * steep, now - chance_vector * steep


def _on_samples(graph: ModuleGraph, chances: Vector, seed: int) -> tuple[float, Vector, Vector]:
    packed, samples = _draws(chances, seed)
    if_right, if_wrong = np.empty(len(chances)), np.empty(len(chances))
    for start in range(0, len(chances), CHUNK):
        modules = np.arange(start, min(start + CHUNK, len(chances)))
        forced = np.repeat(packed[:, None, :], len(modules), axis=1)
        for result, bits in ((if_right, 0xFF), (if_wrong, 0x00)):
            forced[modules, modules - start] = bits
            result[modules] = np.bitwise_count(graph.circuit.evaluate(forced)).sum(axis=1) / samples
    return _success_share(graph, packed, samples), if_right, if_wrong


def _draws(chances: Vector, seed: int) -> tuple[NDArray[np.uint8], int]:
    """Return own states as packed bits, and the number of draws; the same seed gives the same uniform numbers."""
    samples = max(LEAST_SAMPLES, min(SAMPLES, WORK // len(chances) ** 2 // 8 * 8))
    draws = np.random.default_rng(seed).random((len(chances), samples)) < chances[:, None]
    return np.packbits(draws, axis=1), samples


def _success_share(graph: ModuleGraph, packed: NDArray[np.uint8], samples: int) -> float:
    return float(np.bitwise_count(graph.circuit.evaluate(packed)).sum() / samples)
