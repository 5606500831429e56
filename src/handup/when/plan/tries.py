"""The plan where few tries are left, or where a mistake may look like a success: small policies of any gates.

Before each try a set of questions is chosen, the next set by what the failure shows, and so on for up to three tries.
All sets of a few modules are weighed on the joint probabilities of the own states. These are exact where at most ten
states are in doubt, counting old versions of modules that failures speak of; with more they come from a thousand
draws. The plan reacts to the first answer; later answers only put things right. Every decision plans anew.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.when.plan.problem import Cloud, PlanProblem, Values, Vector

MOST_MODULES = 8
CANDIDATES: Mapping[int, int] = {0: 0, 1: 8, 2: 6, 3: 4}
"""Most modules that a plan may ask about, by the number of tries: those whose mistakes cost most for the price of a
question. Before a last try all questions may be needed."""
STAGES = 3
"""Most tries that are planned for; what fails then counts as given up."""
FREE = 1e-9
"""Least price of a question, in place of none."""

Sets = NDArray[np.intp]
"""Sets of questions, counted in binary: the first candidate is 1, the second 2, both are 3."""


def takes_on(problem: PlanProblem) -> bool:
    """Return True if this plan sees more of the problem than the others do: few tries left, or unseen mistakes."""
    costs = problem.costs
    few = costs.tries is not None and costs.tries <= STAGES
    return len(problem.askable) <= MOST_MODULES and (few or bool(costs.unseen.any() and costs.unseen_cost > 0.0))


def plan_tries(problem: PlanProblem, random: np.random.Generator) -> Values:
    """Return the expected costs by first step."""
    costs, joint = problem.costs, _joint(problem, random)
    tries = STAGES if costs.tries is None else min(costs.tries, STAGES)
    course = _Course(problem, CANDIDATES[tries])
    ask = np.full(len(problem.askable), np.nan)
    if len(course.candidates):
        ask[course.candidates] = costs.ask_price[course.candidates] + course.after_asking(joint, tries)
    act = course.acting(joint, tries) if tries else math.inf
    return problem.values(act, ask, "tries", exact=False)


@dataclass(frozen=True)
class _Nodes:
    """Moments that a plan may come to.

    Args:
        joints: A row of joint probabilities for each, which sum to the probability of coming to this moment.
        left: Its time left.
        asked: The modules that may not be asked about again.
    """

    joints: Vector
    left: Vector
    asked: Sets


class _Course:
    """The tables of a plan that do not change from try to try, and the recursion over tries."""

    def __init__(self, problem: PlanProblem, limit: int) -> None:
        belief, self._costs = problem.belief, problem.costs
        costs, modules = problem.costs, len(belief.graph)
        self.candidates = _candidates(problem, limit)
        self._right = (np.arange(1 << modules) >> np.arange(modules)[:, None] & 1).astype(np.bool_)
        good = belief.graph.circuit.evaluate(self._right.astype(np.uint8)).astype(np.bool_)
        hidden = 1.0 - np.where(self._right, 1.0, 1.0 - costs.unseen[:, None]).prod(axis=0)
        self._seen = np.where(good, 0.0, 1.0 - hidden)
        price = costs.act_price * self._seen + costs.unseen_cost * np.where(good, 0.0, hidden)
        self._failing, self._trying = (self._expected(values) for values in (self._seen, price))
        self._sets = np.arange(1 << len(self.candidates))
        within = self._sets[:, None] >> np.arange(len(self.candidates)) & 1
        self._prices, self._times = (within @ cost[self.candidates] for cost in (costs.ask_price, costs.ask_time))
        self._over = np.zeros_like(self._sets) if costs.ask_again else self._sets
        lasting = np.flatnonzero(~costs.outdated_by_acting[self.candidates])
        self._lasting = int((1 << lasting).sum())

    def acting(self, joint: Vector, tries: int) -> float:
        """Return the expected cost of acting now."""
        left = np.array([self._costs.time_left - self._costs.act_time])
        failed = _Nodes((joint * self._seen)[None], left, np.zeros(1, dtype=np.intp))
        return float(joint @ self._trying[0] + self._rest(failed, tries - 1)[0])

    def after_asking(self, joint: Vector, tries: int) -> Vector:
        """Return, for each candidate, the expected cost after asking about it, when its answer is known."""
        shown = [
            _answered(joint * right, module, float(self._costs.expert[module]))
            for module in self.candidates
            for right in (self._right[module], ~self._right[module])
        ]
        left = self._costs.time_left - self._costs.ask_time[self.candidates]
        asked = self._over[1 << np.arange(len(self.candidates))]
        value = self._rest(_Nodes(np.array(shown), left.repeat(2), asked.repeat(2)), tries)
        return np.asarray(value.reshape(-1, 2).sum(axis=1))

    def _rest(self, nodes: _Nodes, tries: int) -> Vector:
        """Return the expected cost from each moment on, times the probability of coming to it."""
        weight = nodes.joints.sum(axis=1)
        giving_up = self._costs.time_price * np.maximum(nodes.left, 0.0) * weight
        if tries == 0:
            return np.asarray(giving_up)
        then = nodes.left[:, None] - self._times
        may = ((then > 0.0) | (self._times == 0.0)) & (nodes.asked[:, None] & self._sets == 0)
        value = self._prices * weight[:, None] + nodes.joints @ self._trying.T
        value[may] += self._after_failing(nodes, then - self._costs.act_time, may, tries - 1)
        return np.asarray(np.minimum(giving_up, np.where(may, value, np.inf).min(axis=1)))

    def _after_failing(self, nodes: _Nodes, left: Vector, may: NDArray[np.bool_], tries: int) -> Vector:
        """Return the same after each set of questions that may be asked and a try that fails, as one flat vector."""
        if tries == 0:
            failed = (nodes.joints @ self._failing.T)[may]
            return np.asarray(self._costs.time_price * np.maximum(left[may], 0.0) * failed)
        states = nodes.joints[:, None]
        for module in self.candidates:
            after = _answered(states, module, float(self._costs.expert[module]))
            states = np.concatenate([states, after], axis=1)
        asked = (nodes.asked[:, None] | self._over) & self._lasting
        return self._rest(_Nodes(states[may] * self._seen, left[may], asked[may]), tries)

    def _expected(self, values: Vector) -> Vector:
        """Return the mean of a value of each state after the answers to each set of questions, a row per set."""
        means = values[None]
        for module in self.candidates:
            # The axis of length 2 is the module's own state, wrong or right. Its sets follow those without it.
            chance, pairs = float(self._costs.expert[module]), means.reshape(len(means), -1, 2, 1 << module)
            mean = (1.0 - chance) * pairs[:, :, :1] + chance * pairs[:, :, 1:]
            means = np.concatenate([means, np.broadcast_to(mean, pairs.shape).reshape(means.shape)])
        return means


def _candidates(problem: PlanProblem, limit: int) -> NDArray[np.intp]:
    """Return the modules that questions are planned about, those of the costliest mistakes per price."""
    costs = problem.costs
    cost = problem.belief.wrong * (costs.act_price + costs.unseen * costs.unseen_cost)
    promise = cost / np.maximum(costs.ask_price, FREE)
    open_modules = np.flatnonzero(problem.askable & (costs.expert > 0.0))
    return np.sort(open_modules[np.argsort(-promise[open_modules], kind="stable")[:limit]])


def _answered(joints: Vector, module: int, expert: float) -> Vector:
    """Return joint probabilities after an answer: the module is then right with the expert's probability."""
    pairs = joints.reshape(*joints.shape[:-1], -1, 2, 1 << module)
    both = pairs.sum(axis=-2, keepdims=True)
    return np.asarray(np.concatenate([(1.0 - expert) * both, expert * both], axis=-2).reshape(joints.shape))


def _joint(problem: PlanProblem, random: np.random.Generator) -> Vector:
    """Return the probability of each combination of own states, as they are now."""
    states, weights = Cloud.possible(problem.belief, random)
    place = (states.astype(np.intp) << np.arange(len(states))[:, None]).sum(axis=0)
    return np.asarray(np.bincount(place, weights, minlength=1 << len(states)), dtype=np.float64)
