"""The plan for policies in which every module is needed, with an expert who may be wrong.

An answer shows whether the module had been right and makes it right with probability e. A failure says: some
module not asked about since is wrong. Of several unexplained failures the oldest says most, because the fewest
modules are left in it. So a state is three numbers: how many modules were ever asked about, how many of those are
still suspected, and the time. New modules are taken in one order, by chance of being wrong per price.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.when.plan.problem import Vector

FRONT = 4
"""Number of modules that are tried as the first new one to be asked about, where there are few."""
FEW = 30
"""Most new modules that count as few; with more only the first of the order is tried."""
MOST = 50
"""Most new modules in a plan, and a quarter of its most steps of time. Time beyond these counts as lost."""


@dataclass(frozen=True)
class Askable:
    """Modules that may be asked about, as parallel arrays.

    Args:
        chances: Probability that each is right, before the failure is looked at.
        experts: Probability that an answer about it is right.
        prices: Cost of asking about it.
        steps: Time of asking about it, in whole steps.
    """

    chances: Vector
    experts: Vector
    prices: Vector
    steps: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.chances)

    def __getitem__(self, index: NDArray[np.intp]) -> Askable:
        return Askable(self.chances[index], self.experts[index], self.prices[index], self.steps[index])


@dataclass(frozen=True)
class ErringProblem:
    """A series policy at one moment.

    Args:
        new: Modules never asked about.
        asked: Modules asked about before.
        suspect: Mask of those that may be to blame for the unexplained failure.
        log_fixed: Log-probability that all modules are right that may not be asked about.
        log_fixed_suspects: The same for those of them that may be to blame.
        failed: True if there is a failure that nothing known explains.
        act_price: Cost of a failed execution.
        act_steps: Time of an execution, in whole steps.
        rate: Cost of a step.
        steps_left: Whole steps until the horizon.
        rest: Cost of the fraction of a step that is left beside them.
    """

    new: Askable
    asked: Askable
    suspect: NDArray[np.bool_]
    log_fixed: float
    log_fixed_suspects: float
    failed: bool
    act_price: float
    act_steps: int
    rate: float
    steps_left: int
    rest: float = 0.0


@dataclass(frozen=True)
class ErringValues:
    """Expected cost of acting, of asking about each new module, and of asking about each again (nan: not weighed)."""

    act: float
    ask_new: Vector
    ask_again: Vector


def plan_erring(problem: ErringProblem) -> ErringValues:
    """Solve by dynamic programming along the order, with each of its first modules tried in front."""
    ratio = (1.0 - problem.new.chances) / np.maximum(problem.new.prices, 1e-9)
    order = np.argsort(-ratio, kind="stable")
    base = _Walk(problem, order)
    ask_new = np.full(len(order), np.nan)
    for first in order[: FRONT if len(order) <= FEW else 1]:
        moved = base if first == order[0] else _Walk(problem, np.concatenate(([first], order[order != first])))
        ask_new[first] = moved.ask_new()
    return ErringValues(base.act(), ask_new, base.ask_again())


class _Walk:
    """Tables over time, new modules asked about, and suspects among those ever asked about."""

    def __init__(self, problem: ErringProblem, order: NDArray[np.intp]) -> None:
        self._problem = problem
        self._new = problem.new[order[:MOST]]
        self._everyone = np.arange(len(self._new) + 1) + len(problem.asked)
        self._suspects = int(problem.suspect.sum())
        self._steps_left = min(problem.steps_left, 4 * MOST)
        self._beyond = problem.rate * (problem.steps_left - self._steps_left) + problem.rest
        prices = np.concatenate((problem.asked.prices, self._new.prices))
        steps = np.concatenate((problem.asked.steps, self._new.steps))
        experts = np.concatenate((problem.asked.experts, self._new.experts))
        self._again_price = float(prices.mean()) if len(prices) else math.inf
        self._again_steps = max(1, round(float(steps.mean()))) if len(steps) else 1
        again = float(experts.mean()) if len(experts) else 1.0  # suspects are counted, not told apart
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self._new.chances)
            unplanned = float(np.log(problem.new.chances[order[MOST:]]).sum())
            unasked = np.append(logs[::-1].cumsum()[::-1], 0.0) + unplanned
            answered = np.append(0.0, np.log(self._new.experts).cumsum()) + np.log(problem.asked.chances).sum()
            counted = np.append(0.0, np.full(self._everyone[-1], np.log(again))).cumsum()
            self._fail = 0.0 - np.expm1(unasked + answered + problem.log_fixed)
            self._blame = 0.0 - np.expm1(unasked[:, None] + problem.log_fixed_suspects + counted)
        self._wrong_new = _share(1.0 - np.append(self._new.chances, 1.0)[:, None], self._blame)
        self._wrong_again = _share(1.0 - again, self._blame)
        self._solve()

    def _solve(self) -> None:
        problem, new = self._problem, self._new
        count = len(new)
        # Calm: no failure to explain. Alarmed: a failure that some wrong module must explain.
        self._calm = np.full((self._steps_left + 1, count + 1), self._beyond)
        self._alarmed = np.full((self._steps_left + 1, count + 1, self._everyone[-1] + 1), self._beyond)
        position = np.arange(1, count + 1)
        for left in range(1, self._steps_left + 1):
            calm, alarmed = self._calm[left], self._alarmed[left]
            calm[:] = alarmed[:] = problem.rate * left + self._beyond
            if count:
                then = np.maximum(left - new.steps, 0)
                explained = self._calm[then, position]
                wrong = self._wrong_new[:-1]
                asking = new.prices[:, None] + wrong * explained[:, None]
                asking += (1.0 - wrong) * self._alarmed[then, position]
                np.minimum(alarmed[:-1], asking, out=alarmed[:-1])
                np.minimum(calm[:-1], new.prices + explained, out=calm[:-1])
            before = max(left - self._again_steps, 0)
            wrong = self._wrong_again[:, 1:]
            asking = self._again_price + wrong * self._calm[before][:, None]
            asking += (1.0 - wrong) * self._alarmed[before][:, :-1]
            np.minimum(alarmed[:, 1:], asking, out=alarmed[:, 1:])
            before = max(left - problem.act_steps, 0)
            after = self._alarmed[before, np.arange(count + 1), self._everyone]
            np.minimum(calm, self._fail * (problem.act_price + after), out=calm)

    def act(self) -> float:
        """Return the expected cost of acting first."""
        if self._problem.failed:
            return math.inf
        then = max(self._steps_left - self._problem.act_steps, 0)
        return float(self._fail[0] * (self._problem.act_price + self._alarmed[then, 0, self._everyone[0]]))

    def ask_new(self) -> float:
        """Return the expected cost of asking about the order's first module first."""
        then = max(self._steps_left - int(self._new.steps[0]), 0)
        price = float(self._new.prices[0])
        if not self._problem.failed:
            return price + float(self._calm[then, 1])
        wrong = float(self._wrong_new[0, self._suspects])
        right = float(self._alarmed[then, 1, self._suspects])
        return price + wrong * float(self._calm[then, 1]) + (1.0 - wrong) * right

    def ask_again(self) -> Vector:
        """Return the expected cost of asking first about each asked module again; only suspects are worth it."""
        asked = self._problem.asked
        values = np.full(len(asked), np.nan)
        if not self._problem.failed:
            return values
        for index in np.flatnonzero(self._problem.suspect):
            then = max(self._steps_left - int(asked.steps[index]), 0)
            wrong = float(_share(1.0 - asked.chances[index], self._blame[0, self._suspects]))
            right = float(self._alarmed[then, 0, self._suspects - 1])
            values[index] = float(asked.prices[index]) + wrong * float(self._calm[then, 0]) + (1.0 - wrong) * right
        return values


def _share(joint: Vector | float, condition: Vector | float) -> Vector:
    """Return a conditional probability; 1 where the condition is impossible."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(condition) > 0.0, np.minimum(np.divide(joint, condition), 1.0), 1.0)
