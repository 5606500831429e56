"""The plan where few tries are left, or where a mistake may look like a success: small policies of any gates.

Before each try a set of questions is chosen, the next set on what the failure shows, and so on for up to three tries.
All sets of up to four questions are weighed on the exact joint probabilities of the own states. What the first question
shows is waited for; later answers only put things right. Every decision plans anew.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from handup.when.plan.cloud import Cloud, Vector
from handup.when.plan.problem import Problem, Values

MOST_MODULES = 8
CANDIDATES = 4
"""So many modules may be asked about in a plan: of more, those that are likeliest to be wrong for their price."""
STAGES = 3
"""So many tries are planned for; what fails then counts as given up."""


def takes_on(problem: Problem) -> bool:
    """Whether this plan knows more of the problem than the others do."""
    costs = problem.costs
    few = costs.tries is not None and costs.tries <= STAGES
    return len(problem.askable) <= MOST_MODULES and (few or bool(costs.unseen.any() and costs.unseen_cost > 0.0))


def plan_tries(problem: Problem, random: np.random.Generator) -> Values:
    """Expected costs by first step."""
    course, costs = _Course(problem), problem.costs
    joint = _joint(problem, random)
    tries = STAGES if costs.tries is None else min(costs.tries, STAGES)
    ask = np.full(len(problem.askable), np.nan)
    for place, module in enumerate(course.candidates):
        value = float(costs.ask_price[module])
        for shown in (course.right[module], ~course.right[module]):
            after = course.after_asking(place, joint * shown)
            value += float(course.rest(after[None], np.array([costs.time_left - costs.ask_time[module]]), tries)[0])
        ask[module] = value
    act = float(course.acting(joint[None], np.array([costs.time_left]), tries)[0, 0]) if tries else math.inf
    return problem.values(act, ask, "tries", exact=False)


class _Course:
    """Everything that does not change from try to try; sets of questions are counted in binary, the empty one first."""

    def __init__(self, problem: Problem) -> None:
        belief, self._costs = problem.belief, problem.costs
        modules = len(belief.graph)
        open_modules = np.flatnonzero(problem.askable & (self._costs.expert > 0.0))
        promise = belief.wrong[open_modules] / np.maximum(self._costs.ask_price[open_modules], 1e-9)
        self.candidates = np.sort(open_modules[np.argsort(-promise, kind="stable")[:CANDIDATES]])
        self.right = (np.arange(1 << modules) >> np.arange(modules)[:, None] & 1).astype(np.bool_)
        good = belief.graph.circuit.evaluate(self.right.astype(np.uint8)).astype(np.bool_)
        hidden = 1.0 - np.where(self.right, 1.0, 1.0 - self._costs.unseen[:, None]).prod(axis=0)
        self._unseen = np.where(good, 0.0, hidden)
        self._seen = np.where(good, 0.0, 1.0 - hidden)
        sets = np.array(list(product((0, 1), repeat=len(self.candidates))), dtype=np.intp)[:, ::-1]
        self._answering = [_answered(modules, self.candidates[row == 1], self._costs.expert) for row in sets]
        self._prices = sets @ self._costs.ask_price[self.candidates]
        self._times = sets @ self._costs.ask_time[self.candidates]

    def after_asking(self, place: int, joint: Vector) -> Vector:
        """Joint probabilities after an answer about one of the candidates."""
        return np.asarray(joint @ self._answering[1 << place])

    def rest(self, joints: Vector, left: Vector, tries: int) -> Vector:
        """Expected cost from here on, for each row of unnormalised joint probabilities with its time left."""
        giving_up = (1.0 - self._costs.w) * np.maximum(left, 0.0) * joints.sum(axis=1)
        if tries == 0:
            return np.asarray(giving_up)
        return np.asarray(np.minimum(giving_up, self.acting(joints, left, tries).min(axis=1)))

    def acting(self, joints: Vector, left: Vector, tries: int) -> Vector:
        """The same for asking each set of questions and acting then."""
        costs = self._costs
        states = np.stack([joints @ each for each in self._answering], axis=1)
        failed = states * self._seen
        then = left[:, None] - self._times
        after = self.rest(failed.reshape(-1, failed.shape[-1]), (then - costs.act_time).ravel(), tries - 1)
        value = self._prices * joints.sum(axis=1)[:, None] + costs.unseen_cost * (states @ self._unseen)
        value += costs.act_price * failed.sum(axis=-1) + after.reshape(then.shape)
        return np.where((then > 0.0) | (self._times == 0.0), value, np.inf)


def _answered(modules: int, asked: NDArray[np.intp], expert: Vector) -> Vector:
    """What answers do to joint probabilities, as a matrix: what was asked about is right as often as its expert is."""
    matrix: Vector = np.ones((1, 1))
    for module in range(modules):
        chance = expert[module]
        one = np.array([[1.0 - chance, chance]] * 2) if module in asked else np.eye(2)
        matrix = np.asarray(np.kron(one, matrix), dtype=np.float64)
    return matrix


def _joint(problem: Problem, random: np.random.Generator) -> Vector:
    """The probability of each combination of own states, as they are now."""
    states, weights = Cloud.possible(problem.belief, random)
    place = (states.astype(np.intp) << np.arange(len(states))[:, None]).sum(axis=0)
    return np.asarray(np.bincount(place, weights, minlength=1 << len(states)), dtype=np.float64)
