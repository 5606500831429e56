"""Any strategy in the batch simulator: asked about one episode at a time, with what it is entitled to know.

The same beliefs as `recover.Session` holds. Decisions in situations that have been met before are remembered: a
strategy is pure.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from handup.core import Action, ContractViolation, Costs
from handup.lab.batch import ACT, GIVE_UP, Indices, Running, Terms
from handup.lab.costs import Vector
from handup.lab.world import MOST_ASKED, Block, Truths
from handup.policy import Belief
from handup.when import Pair, Strategy

MOST_REMEMBERED = 200_000


class OneByOne:
    """A decider that asks the strategy itself.

    Args:
        block: The episodes.
        strategy: The method.
        terms: The episodes' terms.
        memory: Decisions by situation, kept from block to block.
    """

    def __init__(self, block: Block, strategy: Strategy, terms: Terms, memory: dict[Hashable, int]) -> None:
        self.strategy = strategy
        self.terms = terms
        self.memory = memory
        self.beliefs = [Belief.of(block.graph(episode)) for episode in range(len(block))]
        self.kinds = [_kind(block, episode) for episode in range(len(block))]

    def choose(self, running: Running, time_left: int) -> Indices:
        """Ask the strategy about each running episode."""
        changing = self.terms.costs is not None
        chosen = [
            self._choose(int(episode), time_left, running.query_costs[:, column] if changing else None)
            for column, episode in enumerate(running.episode)
        ]
        return np.array(chosen, dtype=np.intp)

    def told(self, episodes: Indices, modules: Indices, changed: Truths) -> None:
        """Update the beliefs; after `MOST_ASKED` questions a module is left alone."""
        for episode, module, was_wrong in zip(episodes, modules, changed, strict=True):
            belief = self.beliefs[episode].after_answer(int(module), changed=bool(was_wrong), expert=self.terms.expert)
            if len(belief.chances[module]) > MOST_ASKED:
                belief = belief.blocked(int(module), math.inf)
            self.beliefs[episode] = belief

    def failed(self, episodes: Indices) -> None:
        """Update the beliefs."""
        for episode in episodes:
            self.beliefs[episode] = self.beliefs[episode].after_execution(False)

    def _choose(self, episode: int, time_left: int, costs: Vector | None) -> int:
        belief = self.beliefs[episode]
        situation = self._situation(episode, belief, time_left), None if costs is None else costs.tobytes()
        found = self.memory.get(situation)
        if found is None:
            found = self._decide(belief, time_left, belief.graph.query_costs if costs is None else costs)
            if len(self.memory) < MOST_REMEMBERED:
                self.memory[situation] = found
        return found

    def _situation(self, episode: int, belief: Belief, time_left: int) -> Hashable:
        """Everything the strategy may look at; handup's own pairs look at no failures and at no clock."""
        if is_known_pair(self.strategy):
            progress = belief.progress
            tried = progress.acts > 0, progress.asks_since_act > 0
            return self.kinds[episode], belief.answered.tobytes(), tried
        return self.kinds[episode], belief.chances, belief.executions, belief.progress, time_left

    def _decide(self, belief: Belief, time_left: int, query: Vector) -> int:
        terms = self.terms
        costs = Costs.of(query, expert=terms.expert, w=terms.w, time_left=time_left)
        decision = self.strategy.decide(belief, costs, 0.0)
        match decision.action:
            case Action.ASK if decision.module is not None:
                return belief.graph.index(decision.module)
            case Action.ACT:
                return ACT
            case Action.YIELD:
                return GIVE_UP
            case _:
                raise ContractViolation(
                    f"'{self.strategy.name}' waits in a world where everybody is there",
                    hint="Run check_strategy on it.",
                )


def is_known_pair(strategy: Strategy) -> bool:
    """Whether a strategy is a pair of handup's own rules."""
    return type(strategy) is Pair and all(
        type(part).__module__.startswith("handup.") for part in (strategy.what, strategy.when)
    )


def _kind(block: Block, episode: int) -> Hashable:
    """What episodes with equal decisions share: costs, confidences and, where it matters, the wiring."""
    numbers = block.confidences[:, episode].tobytes(), block.query_costs[:, episode].tobytes()
    if block.wiring is None:
        return (*numbers, block.given)
    return (*numbers, block.wiring.gates, block.wiring.inputs[:, :, episode].tobytes())
