"""`hybrid`: the paper's wish for mixed redundancy (section 9), made concrete.

Each block of needed modules proposes its best set for the product objective (Eq. 2), each block of redundant ones
its best set for the sum objective (Eq. 3). Which of these sets to ask is settled by Eq. 4 with the exact success
probability: greedily from none upwards and from all downwards, the better of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from handup.policy import Gate
from handup.policy.blocks import Block, blocks_of
from handup.what.base import SELECTORS, TIE, Selection, Situation, none_left, questions
from handup.what.binary_tree import best_prefix
from handup.what.graph import Graph
from handup.what.objective import set_value


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
