"""What a strategy costs on average, exactly: every state, answer and outcome followed with its probability.

For policies of up to a dozen modules. The batch simulator is for larger ones; this is what it can be checked against.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.core import Action, Costs, NotSolvable
from handup.policy import Belief, ModuleGraph
from handup.when import Strategy

MAX_MODULES = 12
NEGLIGIBLE = 1e-12
Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Expected:
    """Averages over all that can happen in an episode.

    Args:
        objective: J, not divided by time.
        recovered: Probability of recovery.
        questions: Number of questions.
        executions: Number of executions, the successful one included.
    """

    objective: float = 0.0
    recovered: float = 0.0
    questions: float = 0.0
    executions: float = 0.0

    def plus(self, other: Expected) -> Expected:
        """Two disjoint parts together."""
        return Expected(
            objective=self.objective + other.objective,
            recovered=self.recovered + other.recovered,
            questions=self.questions + other.questions,
            executions=self.executions + other.executions,
        )


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A strategy on a policy, with an expert who answers as the model says.

    Args:
        strategy: What decides.
        graph: The policy; its confidences are taken as true probabilities.
        expert: Probability that an answer is right.
        w: Weight of load against time.
        horizon: Steps; twice the number of modules where not given.
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
        left = 2 * modules if self.horizon is None else self.horizon
        return self._follow(Belief.of(self.graph), chances.prod(axis=0), succeeds, left)

    def _follow(self, belief: Belief, mass: Vector, succeeds: NDArray[np.bool_], left: int) -> Expected:
        """Averages from here on, weighted by the mass: the probability of being here in each state."""
        total = float(mass.sum())
        if total < NEGLIGIBLE or left <= 0:
            return Expected()
        costs = Costs.of(self.graph.query_costs, expert=self.expert, w=self.w, time_left=left)
        decision = self.strategy.decide(belief, costs, 0.0)
        if decision.action is Action.ASK and decision.module is not None:
            module = self.graph.index(decision.module)
            found = Expected(objective=total * float(costs.ask_price[module]), questions=total)
            for was_right in (False, True):
                after = self._answered(mass, module, was_right)
                known = belief.after_answer(module, changed=not was_right, expert=self.expert)
                found = found.plus(self._follow(known, after, succeeds, left - 1))
            return found
        if decision.action is Action.ACT:
            failed = np.where(succeeds, 0.0, mass)
            fail = float(failed.sum())
            here = Expected(objective=fail * costs.act_price, recovered=total - fail, executions=total)
            return here.plus(self._follow(belief.after_execution(False), failed, succeeds, left - 1))
        return Expected(objective=total * (1.0 - self.w) * left)

    def _answered(self, mass: Vector, module: int, was_right: bool) -> Vector:
        """The part of the mass in which the module was right or wrong, with the module drawn anew."""
        state = np.arange(len(mass))
        part = np.where((state >> module & 1) == was_right, mass, 0.0)
        together = part + part[state ^ (1 << module)]
        return np.asarray(np.where(state >> module & 1, self.expert, 1.0 - self.expert) * together)
