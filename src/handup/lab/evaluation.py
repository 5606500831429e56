"""Exact average cost of a strategy: every state, answer and outcome followed with its probability.

For policies of up to a dozen modules. The batch simulator is for larger ones; this is what it can be checked against.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.core import Action, Costs, NotSolvable, default_horizon
from handup.policy import Belief, ModuleGraph
from handup.when import Strategy

MAX_MODULES = 12
NEGLIGIBLE = 1e-12
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Expected:
    """Averages over an episode: J, not divided by time, and numbers of questions and of all executions."""

    objective: float = 0.0
    recovered: float = 0.0
    questions: float = 0.0
    executions: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A strategy on a policy, with an expert who answers as the model says.

    Args:
        strategy: What decides.
        graph: The policy; its confidences are taken as true probabilities.
        expert: Probability that an answer is right.
        w: Weight of load against time.
        horizon: Steps; `default_horizon` where not given.
    """

    strategy: Strategy
    graph: ModuleGraph
    expert: float = 1.0
    w: float = 0.5
    horizon: int | None = None

    def run(self) -> Expected:
        """Follow every branch.

        Raises:
            NotSolvable: The policy has more than `MAX_MODULES` modules.
        """
        modules = len(self.graph)
        if modules > MAX_MODULES:
            raise NotSolvable(f"{modules} modules have too many states", hint=f"Take at most {MAX_MODULES}.")
        states = (np.arange(1 << modules) >> np.arange(modules)[:, None] & 1).astype(np.uint8)
        chances = np.where(states, self.graph.confidences[:, None], 1.0 - self.graph.confidences[:, None])
        succeeds = self.graph.circuit.evaluate(states).astype(np.bool_)
        left = default_horizon(modules) if self.horizon is None else self.horizon
        return Expected(*self._follow(Belief.of(self.graph), chances.prod(axis=0), succeeds, left).tolist())

    def _follow(self, belief: Belief, mass: Vector, succeeds: NDArray[np.bool_], left: int) -> Vector:
        """Return the numbers of `Expected` from here on, weighted by the mass: the probability of each state here."""
        total = float(mass.sum())
        if total < NEGLIGIBLE or left <= 0:
            return np.zeros(4)
        costs = Costs.of(self.graph.query_costs, expert=self.expert, w=self.w, time_left=left)
        decision = self.strategy.decide(belief, costs, 0.0)
        if decision.action is Action.ASK and decision.module is not None:
            module = self.graph.index(decision.module)
            found = np.array([total * float(costs.ask_price[module]), 0.0, total, 0.0])
            for was_right in (False, True):
                after = self._answered(mass, module, was_right)
                known = belief.after_answer(module, changed=not was_right, expert=self.expert)
                found += self._follow(known, after, succeeds, left - 1)
            return found
        if decision.action is Action.ACT:
            failed = np.where(succeeds, 0.0, mass)
            fail = float(failed.sum())
            here = np.array([fail * costs.act_price, total - fail, 0.0, total])
            return here + self._follow(belief.after_execution(False), failed, succeeds, left - 1)
        return np.array([total * costs.time_price * left, 0.0, 0.0, 0.0])

    def _answered(self, mass: Vector, module: int, was_right: bool) -> Vector:
        """The part of the mass in which the module was right or wrong, with the module drawn anew."""
        state = np.arange(len(mass))
        part = np.where((state >> module & 1) == was_right, mass, 0.0)
        together = part + part[state ^ (1 << module)]
        return np.asarray(np.where(state >> module & 1, self.expert, 1.0 - self.expert) * together)
