"""Look-ahead on draws from the posterior: for experts who err, uncertain outcomes and large gate graphs.

States are drawn from the exact posterior (all of them, weighted, where there are few). For each first step, the
rest of the plan is the best schedule of executions along one order of questions. What a question shows splits the
draws, so the first step is adaptive; the rest is not. Every decision plans anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.policy import Belief
from handup.policy.circuit import Circuit
from handup.policy.sampling import draw
from handup.when.plan.problem import Problem, Values

Vector = NDArray[np.float64]
Bits = NDArray[np.uint8]
ENUMERATED = 10
"""With so few modules in doubt all their states are listed instead of drawn."""
DRAWS = 512
FRONT = 4
"""How many modules are tried as the first question where there are many; all where there are few."""
FEW = 16
RELAXED = 0.25
"""Weight of the gain that a fix has when half of the other faults are also repaired."""


@dataclass(frozen=True)
class Cloud:
    """Own states with weights that sum to one, and what an answer about each module would make of it.

    Args:
        states: One row per module, packed bits along the draws.
        answers: The same after an answer.
        weights: One per draw.
    """

    states: Bits
    answers: Bits
    weights: Vector

    def unpack(self, bits: Bits) -> NDArray[np.bool_]:
        """Bits along the last axis as truth values, one per draw."""
        return np.unpackbits(bits, axis=-1, count=len(self.weights)).astype(np.bool_)

    @classmethod
    def of(cls, problem: Problem, random: np.random.Generator) -> Cloud:
        """Draw a cloud from the posterior."""
        belief, expert = problem.belief, problem.costs.expert
        states, weights = _enumerated(belief) if _is_listed(belief) else _drawn(belief, random)
        if (expert[problem.askable] < 1.0).any() or len(weights) > 1 << ENUMERATED:
            cumulative = np.cumsum(weights)
            points = (np.arange(DRAWS * 2) + random.random()) / (DRAWS * 2)
            states = states[:, np.searchsorted(cumulative, points * cumulative[-1])]
            weights = np.full(DRAWS * 2, 1.0 / (DRAWS * 2))
        answers = random.random(states.shape) < expert[:, None]
        return cls(np.packbits(states, axis=1), np.packbits(answers, axis=1), weights)


def plan_ahead(problem: Problem, random: np.random.Generator) -> Values:
    """Expected costs by first step."""
    costs, circuit = problem.costs, problem.belief.graph.circuit
    cloud = Cloud.of(problem, random)
    now = float(cloud.weights @ ~cloud.unpack(circuit.evaluate(cloud.states)))
    candidates = np.flatnonzero(problem.askable & (costs.expert > 0.0))
    order = _order(problem, cloud, circuit, candidates, random)
    ask = np.full(len(problem.askable), np.nan)
    front = order if len(order) <= FEW else order[:FRONT]
    for first in front:
        schedule = _Schedule(problem, cloud, np.concatenate(([first], order[order != first])))
        was_right = cloud.unpack(cloud.states[first])
        value = float(costs.ask_price[first])
        for shown in (was_right, ~was_right):
            weights = cloud.weights * shown
            value += float(weights.sum()) * schedule.value_after_first(weights)
        ask[first] = value
    act = math.inf
    if not problem.belief.acting_is_futile:
        act = now * (costs.act_price + _Schedule(problem, cloud, order).value_after_failure())
    return Values(act, ask, problem.yield_value, "look-ahead", exact=False)


def _is_listed(belief: Belief) -> bool:
    in_doubt = sum(0.0 < chance < 1.0 for row in belief.chances for chance in row)
    return in_doubt <= ENUMERATED


def _enumerated(belief: Belief) -> tuple[NDArray[np.bool_], Vector]:
    """Every combination of the states in doubt, with its posterior probability."""
    open_versions = [
        (module, version)
        for module, row in enumerate(belief.chances)
        for version, chance in enumerate(row)
        if 0.0 < chance < 1.0
    ]
    combinations = np.arange(1 << len(open_versions))
    state = {key: (combinations >> index & 1).astype(np.bool_) for index, key in enumerate(open_versions)}
    log_weight = np.zeros(len(combinations))
    for module, version in open_versions:
        chance = belief.chances[module][version]
        log_weight += np.where(state[module, version], math.log(chance), math.log1p(-chance))

    def rows(versions: tuple[int, ...]) -> NDArray[np.bool_]:
        known = [np.full(len(combinations), row[version] >= 1.0) for row, version in zip(belief.chances, versions, strict=True)]
        return np.array([state.get((module, version), known[module]) for module, version in enumerate(versions)])

    for execution in belief.executions:
        success = belief.graph.circuit.evaluate(rows(execution.versions).view(np.uint8)).astype(np.bool_)
        log_weight += np.where(success, execution.log_if_right, execution.log_if_wrong)
    return rows(belief.versions), _normalised(log_weight)


def _drawn(belief: Belief, random: np.random.Generator) -> tuple[NDArray[np.bool_], Vector]:
    """Draws from a proposal with the posterior's marginals, weighted; plain rejection where those are unknown."""
    if belief.inference.method != "exact":
        states = draw(
            belief.graph.circuit, belief.chances, belief.executions, belief.versions,
            random=random, wanted=DRAWS, most=1 << 15,
        )[:DRAWS].T  # fmt: skip
        if states.shape[1]:
            return states, np.full(states.shape[1], 1.0 / states.shape[1])
    prior = belief.confidences
    proposal = np.where((prior > 0.0) & (prior < 1.0), np.clip(1.0 - belief.wrong, 0.02, 0.98), prior)
    states = random.random((len(prior), DRAWS)) < proposal[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(proposal > 0.0, np.log(prior) - np.log(proposal), 0.0)
        wrong = np.where(proposal < 1.0, np.log1p(-prior) - np.log1p(-proposal), 0.0)
    log_weight = np.where(states, right[:, None], wrong[:, None]).sum(axis=0)
    for execution in belief.executions:
        rows = states.copy()
        for module, version in enumerate(execution.versions):
            if version != belief.versions[module]:
                rows[module] = random.random(DRAWS) < belief.chances[module][version]
        success = belief.graph.circuit.evaluate(rows.view(np.uint8)).astype(np.bool_)
        log_weight += np.where(success, execution.log_if_right, execution.log_if_wrong)
    if not np.isfinite(log_weight).any():
        log_weight = np.zeros(DRAWS)
    return states, _normalised(log_weight)


def _normalised(log_weight: Vector) -> Vector:
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())


def _order(
    problem: Problem, cloud: Cloud, circuit: Circuit, candidates: NDArray[np.intp], random: np.random.Generator
) -> NDArray[np.intp]:
    """Questions by gain in success per price: picked one after the other where few, by one ranking where many."""
    repaired = np.packbits(random.random((len(cloud.states), len(cloud.weights))) < 0.5, axis=1)
    price = np.maximum(problem.costs.ask_price, 1e-9)
    states, left, order = cloud.states.copy(), candidates, []
    picks = len(candidates) if len(candidates) <= FEW else FRONT
    while len(left):
        score = sum(
            weight * _gains(cloud, circuit, base, left)
            for weight, base in ((1.0, states), (RELAXED, states | repaired))
        )
        ranked = left[np.argsort(-score / price[left], kind="stable")]
        if len(order) + 1 >= picks:
            order.extend(ranked.tolist())
            break
        order.append(int(ranked[0]))
        states[ranked[0]] = cloud.answers[ranked[0]]
        left = left[left != ranked[0]]
    return np.array(order, dtype=np.intp)


def _gains(cloud: Cloud, circuit: Circuit, base: Bits, candidates: NDArray[np.intp]) -> Vector:
    """How much more likely success gets when one module is answered; the module's own state counts as it is."""
    each = np.arange(len(candidates))
    asked = np.repeat(base[:, None, :], len(candidates), axis=1)
    unasked = asked.copy()
    asked[candidates, each] = cloud.answers[candidates]
    unasked[candidates, each] = cloud.states[candidates]
    success = cloud.unpack(circuit.evaluate(asked)) @ cloud.weights
    return np.asarray(success - cloud.unpack(circuit.evaluate(unasked)) @ cloud.weights)


class _Schedule:
    """The best times to act while asking in one order: what it costs from any point on."""

    def __init__(self, problem: Problem, cloud: Cloud, order: NDArray[np.intp]) -> None:
        costs = problem.costs
        states = np.repeat(cloud.states[:, None, :], len(order) + 1, axis=1)
        for position, module in enumerate(order):
            states[module, position + 1 :] = cloud.answers[module]
        self._fails = (~cloud.unpack(problem.belief.graph.circuit.evaluate(states))).astype(np.float64)
        self._weights = cloud.weights
        self._spent = np.append(0.0, np.cumsum(costs.ask_price[order]))
        time = np.append(0.0, np.cumsum(costs.ask_time[order]))
        self._give_up = (1.0 - costs.w) * np.maximum(costs.time_left - time - costs.act_time, 0.0)
        self._act_price = costs.act_price

    def value_after_failure(self) -> float:
        """Expected cost after acting now has failed."""
        return float(self._after_failures(self._weights)[0])

    def value_after_first(self, weights: Vector) -> float:
        """Expected cost after the first question, among the draws that remain possible."""
        total = weights.sum()
        if total <= 0.0:
            return 0.0
        after = self._after_failures(weights)
        fail = self._fails[1:] @ weights / total
        acting = self._spent[1:] - self._spent[1] + fail * (self._act_price + after[1:])
        return float(min(acting.min(), self._give_up[1]))

    def _after_failures(self, weights: Vector) -> Vector:
        """For each number of questions asked: expected cost after acting there has failed."""
        both = (self._fails * weights) @ self._fails.T
        value = self._give_up.copy()
        for asked in range(len(value) - 2, -1, -1):
            if both[asked, asked] <= 0.0:
                continue
            later = slice(asked + 1, None)
            fail = both[asked, later] / both[asked, asked]
            acting = self._spent[later] - self._spent[asked] + fail * (self._act_price + value[later])
            value[asked] = min(value[asked], acting.min())
        return value
