"""Pairs on one given policy, where all episodes go in step.

The paper's pairs look at confidences and answers given, not at what the answers said, nor at failures. On one policy
the episodes that still go on have therefore all done the same, and one decision serves them all.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from handup.core import Action, ContractViolation, Costs
from handup.lab.batch import ACT, Indices, Running, Terms
from handup.lab.costs import Vector
from handup.lab.world import Truths
from handup.policy import Belief, ModuleGraph
from handup.what import Selection, Selector, Situation
from handup.when import Pair


@dataclass(eq=False)
class Remembering:
    """A selector that is asked once for each set of answers and costs; querying algorithms share what it said.

    Args:
        selector: Any selector of handup's own, on one policy.
    """

    selector: Selector
    found: dict[tuple[bytes, bytes], Selection] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The selector's."""
        return self.selector.name

    def select(self, situation: Situation) -> Selection:
        """What it says, or said."""
        known = situation.belief.answered.tobytes(), situation.costs.query.tobytes()
        if known not in self.found:
            self.found[known] = self.selector.select(situation)
        return self.found[known]


class InStep:
    """A decider that decides once for all running episodes.

    Args:
        graph: The policy of all episodes.
        pair: A selector and a querying algorithm of handup's own.
        terms: The episodes' terms.
        memory: Choices by situation, kept from block to block.
    """

    def __init__(self, graph: ModuleGraph, pair: Pair, terms: Terms, memory: dict[Hashable, int]) -> None:
        self.belief = Belief.of(graph)
        self.pair = pair
        self.terms = terms
        self.memory = memory

    def choose(self, running: Running, time_left: int) -> Indices:
        """The same for every running episode."""
        belief = self.belief
        # Episodes in step have borne the same, so changing costs are the same for all of them.
        query = belief.graph.query_costs if self.terms.costs is None else running.query_costs[:, 0]
        tried = belief.progress.acts > 0, belief.progress.asks_since_act > 0
        situation = belief.graph, belief.answered.tobytes(), tried, query.tobytes()
        if situation not in self.memory:
            self.memory[situation] = self._decide(time_left, query)
        return np.full(len(running.episode), self.memory[situation])

    def told(self, episodes: Indices, modules: Indices, changed: Truths) -> None:
        """What the answers changed differs between the episodes; the pair does not look at it."""
        self.belief = self.belief.after_answer(int(modules[0]), changed=None, expert=self.terms.expert)

    def failed(self, episodes: Indices) -> None:
        """Those that go on have all failed."""
        if len(episodes):
            self.belief = self.belief.after_execution(False)

    def _decide(self, time_left: int, query: Vector) -> int:
        graph, terms = self.belief.graph, self.terms
        costs = Costs.of(query, expert=terms.expert, w=terms.w, time_left=time_left)
        decision = self.pair.decide(self.belief, costs, 0.0)
        if decision.action is Action.ASK and decision.module is not None:
            return graph.index(decision.module)
        if decision.action is Action.ACT:
            return ACT
        raise ContractViolation(
            f"'{self.pair.name}' says '{decision.action}' where it may ask and act", hint="Run check_strategy on it."
        )
