"""`hybrid`: the paper's wish for mixed redundancy (section 9), made concrete.

Each block of needed modules proposes its best set for the product objective (Eq. 2), each block of redundant ones
its best set for the sum objective (Eq. 3). Which of these sets to ask is settled by Eq. 4 with the exact success
probability: greedily from none upwards and from all downwards, the better of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import numpy as np

from handup.policy import Gate, ModuleGraph
from handup.what.base import SELECTORS, TIE, Selection, Situation, none_left, questions
from handup.what.binary_tree import best_prefix
from handup.what.objective import set_value
from handup.what.single import Graph


@SELECTORS.register
@dataclass(frozen=True)
class Hybrid:
    """Selects the upstream-most module of the best combination of the blocks' sets; none where nothing is better.

    A module's value is Eq. 4 for asking its block's set alone.

    Args:
        epsilon: For or-blocks, as in `graph`.
    """

    name: ClassVar[str] = "hybrid"
    epsilon: float | None = None

    def __post_init__(self) -> None:
        Graph(self.epsilon)  # refuses what is no weight

    def select(self, situation: Situation) -> Selection:
        """The first module of the best combination of block sets."""
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
    """The better of a greedy walk up from none and one down from all; of equals the larger."""
    everything = frozenset(range(proposals))
    larger = _walk(
        objective, frozenset(), lambda chosen: [chosen | {index} for index in sorted(everything - chosen)], TIE
    )
    smaller = _walk(objective, everything, lambda chosen: [chosen - {index} for index in sorted(chosen)], -TIE)
    lowest = min(objective(larger), objective(smaller))
    return max((each for each in (larger, smaller) if objective(each) <= lowest + TIE), key=len)


def _walk(
    objective: Callable[[frozenset[int]], float],
    start: frozenset[int],
    steps: Callable[[frozenset[int]], Sequence[frozenset[int]]],
    slack: float,
) -> frozenset[int]:
    """Take the best step while it is better than standing still; `slack` says what a tie counts as."""
    chosen, value = start, objective(start)
    while following := steps(chosen):
        best = min(following, key=objective)
        if objective(best) > value + slack:
            break
        chosen, value = best, objective(best)
    return chosen


@dataclass(frozen=True)
class Block:
    """Modules of one kind that hang together, upstream first."""

    gate: Gate
    members: tuple[int, ...]


@lru_cache(maxsize=64)
def blocks_of(graph: ModuleGraph) -> tuple[Block, ...]:
    """Every module in exactly one block, the block of the upstream-most module first.

    A module stands in an or-block when everything that takes its output is an or-gate over several inputs, together
    with the other inputs of that gate; all others stand in and-blocks, together with their and-neighbours.
    """
    or_groups, and_groups = list(_or_groups(graph)), list(_and_groups(graph))
    needed = {module for group in and_groups for module in group.inputs}
    redundant = {module for group in or_groups for module in group.inputs} - needed
    parent = list(range(len(graph)))
    for group in or_groups:
        _join(parent, [module for module in group.inputs if module in redundant])
    for group in and_groups:
        _join(parent, [module for module in (*group.inputs, *group.taker) if module not in redundant])
    found: dict[int, list[int]] = {}
    for module in range(len(graph)):
        found.setdefault(_root(parent, module), []).append(module)
    return tuple(Block(Gate.OR if members[0] in redundant else Gate.AND, tuple(members)) for members in found.values())


@dataclass(frozen=True)
class _Group:
    """The modules that one gate takes, and the module whose gate it is, where it has one."""

    inputs: tuple[int, ...]
    taker: tuple[int, ...] = ()


def _or_groups(graph: ModuleGraph) -> Iterable[_Group]:
    """The modules that directly feed one or-gate of several inputs."""
    if graph.success is not None:
        for gate, children in graph.circuit.gates:
            if gate is Gate.OR:
                yield _Group(tuple(child for child in children if child < len(graph)))
    else:
        for module in graph.modules:
            if module.gate is Gate.OR and len(module.inputs) > 1:
                yield _Group(tuple(graph.index(name) for name in module.inputs))


def _and_groups(graph: ModuleGraph) -> Iterable[_Group]:
    """The modules that one and-gate joins, directly or through and-gates below it."""
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
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


def _join(parent: list[int], nodes: list[int]) -> None:
    for node in nodes[1:]:
        first, second = sorted((_root(parent, nodes[0]), _root(parent, node)))
        parent[second] = first
