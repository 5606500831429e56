"""Selectors that weigh sets of modules without a solver: `binary-tree` on chains, `hybrid` on mixed redundancy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from handup.core import objective_of
from handup.policy import Gate, ModuleGraph
from handup.what.base import SELECTORS, TIE, Selection, Situation, none_left, questions
from handup.what.objective import set_value
from handup.what.single import Graph

LEAST = 1e-300
"""Stand-in for a confidence of 0, whose logarithm would be infinite; no objective can tell the two apart."""


@dataclass(frozen=True)
class PrefixPlan:
    """The best set of questions for the product objective.

    Args:
        members: Positions of the set, cheapest gain first; empty: ask nothing.
        values: For each module in a useful order, the objective of the prefix that ends with it; nan elsewhere.
        nothing: The objective of asking nothing.
    """

    members: NDArray[np.intp]
    values: NDArray[np.float64]
    nothing: float


def best_prefix(situation: Situation, among: NDArray[np.bool_], within: NDArray[np.bool_] | None = None) -> PrefixPlan:
    """Return the optimal set for Eq. 2.

    Args:
        situation: The belief and the costs.
        among: Mask of the modules that may be asked about.
        within: Mask of the modules that the product runs over; all where not given.
    """
    costs = situation.costs
    logs = np.log(np.maximum(situation.belief.confidences, LEAST))
    gains = np.log(np.maximum(costs.expert, LEAST)) - logs
    useful = (among & (gains > 0.0)).nonzero()[0]
    query, gains = costs.query[useful], gains[useful]
    order = (query / gains).argsort(kind="stable")
    log_product = np.empty(len(order) + 1)
    log_product[0] = (logs if within is None else logs[within]).sum()
    log_product[1:] = log_product[0] + gains[order].cumsum()
    paid = np.zeros(len(order) + 1)
    paid[1:] = query[order].cumsum()
    objective = objective_of(costs.w, paid, 1.0 - np.exp(log_product))
    # Searching from the end finds the longest of equally good prefixes.
    length = len(order) - int((objective[::-1] <= objective.min() + TIE).argmax())
    modules = useful[order]
    values = np.full(len(logs), np.nan)
    values[modules] = objective[1:]
    return PrefixPlan(modules[:length], values, float(objective[0]))


@SELECTORS.register
@dataclass(frozen=True)
class BinaryTree:
    """The paper's BinaryTreeQuery: selects the first module, in topological order, of the best set of questions.

    The best set is that of Eq. 2, the product of confidences; where it is empty, none is selected. A module's value is
    the objective of the cheapest-gain-first prefix that ends with it. Of equally good prefixes the longest is taken, so
    asking nothing wins only strictly.

    The paper builds a tree of 2^N leaves and runs Dijkstra on it. The objective is w·Σq plus a concave function of
    Σ log(c_e/c) over the asked set, so its minimum lies at a corner: a prefix of the modules sorted by
    q / log(c_e/c). That is one sort. The literal tree is kept as a test oracle.
    """

    name: ClassVar[str] = "binary-tree"

    def select(self, situation: Situation) -> Selection:
        """Return the upstream-most member of the optimal set."""
        if not situation.open.any():
            return none_left(situation)
        plan = best_prefix(situation, situation.open)
        if not len(plan.members):
            reason = "Asking nothing is the best set of questions."
            return Selection(None, reason, plan.values, plan.nothing)
        module = int(plan.members.min())
        reason = f"'{situation.name(module)}' is the first of the best set of {questions(len(plan.members))}."
        return Selection(module, reason, plan.values, plan.nothing)


@SELECTORS.register
@dataclass(frozen=True)
class Hybrid:
    """The paper's wish for mixed redundancy (section 9): selects from the best combination of the blocks' sets.

    Each block of needed modules proposes its best set for the product objective (Eq. 2), each block of redundant ones
    its best set for the sum objective (Eq. 3). Which of these sets to ask is settled by Eq. 4 with the exact success
    probability: greedily from none upwards and from all downwards, the better of the two. The upstream-most module of
    them is selected; none where nothing is better. A module's value is Eq. 4 for asking its block's set alone.

    Args:
        epsilon: Weight of a question against uncertainty in or-blocks, as in `graph`.
    """

    name: ClassVar[str] = "hybrid"
    epsilon: float | None = None

    def __post_init__(self) -> None:
        Graph(self.epsilon)  # checks the weight

    def select(self, situation: Situation) -> Selection:
        """Return the first module of the best combination of block sets."""
        if not situation.open.any():
            return none_left(situation)
        proposals = [
            proposed for block in blocks_of(situation.belief.graph) if (proposed := self._set(situation, block))
        ]

        @cache
        def objective(chosen: frozenset[int]) -> float:
            return set_value(situation, [module for index in chosen for module in proposals[index]])

        nothing = objective(frozenset())
        values = np.full(len(situation.open), np.nan)
        for index, members in enumerate(proposals):
            values[list(members)] = objective(frozenset({index}))
        best = _combine(objective, len(proposals))
        if not best:
            reason = "No block's questions are worth asking together with the others."
            return Selection(None, reason, values, nothing)
        asked = sorted(module for index in best for module in proposals[index])
        reason = (
            f"'{situation.name(asked[0])}' is the first of {questions(len(asked))}, which bring the expected cost "
            f"from {nothing:.3g} to {objective(best):.3g}."
        )
        return Selection(asked[0], reason, values, nothing)

    def _set(self, situation: Situation, block: Block) -> tuple[int, ...]:
        inside = np.zeros(len(situation.open), dtype=np.bool_)
        inside[list(block.members)] = True
        if block.gate is Gate.AND:
            return tuple(best_prefix(situation, situation.open & inside, inside).members.tolist())
        epsilon = Graph(self.epsilon).weight(situation.costs)
        worth = situation.open & inside & (epsilon * situation.costs.query < situation.gain - TIE)
        return tuple(np.flatnonzero(worth).tolist())


def _combine(objective: Callable[[frozenset[int]], float], proposals: int) -> frozenset[int]:
    """Return the better of a greedy walk up from none and one down from all; of equals the larger."""
    everything = frozenset(range(proposals))
    larger = _walk(
        objective, frozenset(), lambda chosen: [chosen | {index} for index in sorted(everything - chosen)], TIE
    )
    smaller = _walk(objective, everything, lambda chosen: [chosen - {index} for index in sorted(chosen)], -TIE)
    lowest = min(objective(larger), objective(smaller))
    return max((chosen for chosen in (larger, smaller) if objective(chosen) <= lowest + TIE), key=len)


def _walk(
    objective: Callable[[frozenset[int]], float],
    start: frozenset[int],
    steps: Callable[[frozenset[int]], Sequence[frozenset[int]]],
    slack: float,
) -> frozenset[int]:
    """Take the best step as long as it raises the objective by at most `slack`, and return where that ends."""
    chosen, value = start, objective(start)
    while following := steps(chosen):
        best = min(following, key=objective)
        if objective(best) > value + slack:
            break
        chosen, value = best, objective(best)
    return chosen


@dataclass(frozen=True)
class Block:
    """Neighbouring modules that are all needed, or all redundant; upstream first."""

    gate: Gate
    members: tuple[int, ...]


@lru_cache(maxsize=64)
def blocks_of(graph: ModuleGraph) -> tuple[Block, ...]:
    """Return blocks that hold every module exactly once, the block of the upstream-most module first.

    A module stands in an or-block when everything that takes its output is an or-gate over several inputs, together
    with the other inputs of that gate; all others stand in and-blocks, together with their and-neighbours.
    """
    or_groups, and_groups = list(_or_groups(graph)), list(_and_groups(graph))
    needed = {module for group in and_groups for module in group.inputs}
    redundant = {module for group in or_groups for module in group.inputs} - needed
    parent = list(range(len(graph)))  # a forest of union-find: modules with one root are in one block
    for group in or_groups:
        _join(parent, [module for module in group.inputs if module in redundant])
    for group in and_groups:
        _join(parent, [module for module in (*group.inputs, *group.taker) if module not in redundant])
    blocks: dict[int, list[int]] = {}
    for module in range(len(graph)):
        blocks.setdefault(_root(parent, module), []).append(module)
    return tuple(Block(Gate.OR if members[0] in redundant else Gate.AND, tuple(members)) for members in blocks.values())


@dataclass(frozen=True)
class _Group:
    """The modules that one gate takes, and the module whose gate it is, where it has one."""

    inputs: tuple[int, ...]
    taker: tuple[int, ...] = ()


def _or_groups(graph: ModuleGraph) -> Iterable[_Group]:
    """Yield the modules that directly feed each or-gate of several inputs."""
    if graph.success is not None:
        for gate, children in graph.circuit.gates:
            if gate is Gate.OR:
                yield _Group(tuple(child for child in children if child < len(graph)))
    else:
        for module in graph.modules:
            if module.gate is Gate.OR and len(module.inputs) > 1:
                yield _Group(tuple(graph.index(name) for name in module.inputs))


def _and_groups(graph: ModuleGraph) -> Iterable[_Group]:
    """Yield the modules that each and-gate joins, directly or through and-gates below it."""
    if graph.success is not None:
        leaves: list[tuple[int, ...]] = [(leaf,) for leaf in range(len(graph))]
        for gate, children in graph.circuit.gates:
            joined = tuple(leaf for child in children for leaf in leaves[child])
            leaves.append(joined if gate is Gate.AND else ())
            if gate is Gate.AND:
                yield _Group(joined)
    else:
        for position, module in enumerate(graph.modules):
            if module.gate is Gate.AND or len(module.inputs) < 2:
                yield _Group(tuple(graph.index(name) for name in module.inputs), (position,))


def _root(parent: list[int], node: int) -> int:
    """Return the root of a node's tree, and make the way to it shorter."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


def _join(parent: list[int], nodes: list[int]) -> None:
    for node in nodes[1:]:
        first, second = sorted((_root(parent, nodes[0]), _root(parent, node)))
        parent[second] = first
