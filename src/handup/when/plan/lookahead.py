"""Look-ahead on draws from the posterior: for large gate graphs, uncertain outcomes and experts who err.

States are drawn from the posterior (all of them, weighted, where there are few). For each first step, the rest of
the plan is the best schedule of executions along one sequence of questions; an expert who errs may be asked twice
about a module. What the first question shows splits the draws, so the first step is adaptive; the rest is not.
Every decision plans anew.
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
"""With so few states in doubt all their combinations are listed instead of drawn."""
DRAWS = 1024
FEW = 16
"""Up to so many modules the sequence is picked question by question and each is tried first."""
FRONT = 2
"""With more, only so many are picked one by one and tried first; the others follow by one ranking."""
REPEATS = 2
"""How often an expert who errs may be asked about one module within a plan."""
RELAXED = 0.25
"""Weight of the gain that a question has when half of the other faults are also repaired."""


@dataclass(frozen=True)
class Cloud:
    """Own states with weights that sum to one.

    Args:
        states: One row per module, packed bits along the draws.
        weights: One per draw.
        luck: One row per question of a plan, uniform numbers: an answer is right where they are below the expert's
            confidence.
    """

    states: Bits
    weights: Vector
    luck: Vector

    def unpack(self, bits: Bits) -> NDArray[np.bool_]:
        """Bits along the last axis as truth values, one per draw."""
        return np.unpackbits(bits, axis=-1, count=len(self.weights)).astype(np.bool_)

    def answers(self, question: int, experts: Vector) -> Bits:
        """What the answers to a plan's n-th question are, for experts of different confidence."""
        return np.packbits(self.luck[question] < experts[:, None], axis=1)

    @classmethod
    def of(cls, problem: Problem, questions: int, random: np.random.Generator) -> Cloud:
        """Draw a cloud from the posterior."""
        belief = problem.belief
        many = DRAWS if len(belief.graph) <= 2 * FEW else DRAWS // 4
        states, weights = _enumerated(belief) if _is_listed(belief) else _drawn(belief, many, random)
        if (problem.costs.expert[problem.askable] < 1.0).any():
            cumulative = np.cumsum(weights)
            points = (np.arange(many) + random.random()) / many
            states = states[:, np.searchsorted(cumulative, points * cumulative[-1])]
            weights = np.full(many, 1.0 / many)
        luck = random.random((max(questions, 1), len(weights)))
        return cls(np.packbits(states, axis=1), weights, luck)


def plan_ahead(problem: Problem, random: np.random.Generator) -> Values:
    """Expected costs by first step."""
    costs, circuit = problem.costs, problem.belief.graph.circuit
    candidates = np.flatnonzero(problem.askable & (costs.expert > 0.0))
    errs = bool((costs.expert[candidates] < 1.0).any())
    cloud = Cloud.of(problem, len(candidates) * (REPEATS if errs else 1), random)
    sequence = _sequence(problem, cloud, circuit, candidates, random)
    ask = np.full(len(problem.askable), np.nan)
    tried = candidates if len(candidates) <= FEW else sequence[:FRONT]
    for first in dict.fromkeys(tried.tolist()):
        at = int(np.flatnonzero(sequence == first)[0])
        schedule = _Schedule(problem, cloud, np.concatenate(([first], np.delete(sequence, at))))
        was_right = cloud.unpack(cloud.states[first])
        value = float(costs.ask_price[first])
        for shown in (was_right, ~was_right):
            weights = cloud.weights * shown
            value += float(weights.sum()) * schedule.value_after_first(weights)
        ask[first] = value
    fail = float(cloud.weights @ ~cloud.unpack(circuit.evaluate(cloud.states)))
    act = math.inf
    if not problem.belief.is_stuck:
        act = fail * (costs.act_price + _Schedule(problem, cloud, sequence).value_after_failure())
    wrong = 1.0 - cloud.unpack(cloud.states) @ cloud.weights
    return Values(act, ask, problem.yield_value, 1.0 - fail, wrong, "look-ahead", exact=False)


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


def _drawn(belief: Belief, many: int, random: np.random.Generator) -> tuple[NDArray[np.bool_], Vector]:
    """Draws from a proposal with the posterior's marginals, weighted; plain rejection where those are unknown."""
    if belief.graph.diagram is None or belief.inference.method != "exact":
        states = draw(
            belief.graph.circuit, belief.chances, belief.executions, belief.versions,
            random=random, wanted=many, most=1 << 14,
        )[:many].T  # fmt: skip
        if states.shape[1]:
            return states, np.full(states.shape[1], 1.0 / states.shape[1])
        marginals = belief.confidences
    else:
        marginals = 1.0 - belief.wrong
    prior = belief.confidences
    proposal = np.where((prior > 0.0) & (prior < 1.0), np.clip(marginals, 0.02, 0.98), prior)
    states = random.random((len(prior), many)) < proposal[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(proposal > 0.0, np.log(prior) - np.log(proposal), 0.0)
        wrong = np.where(proposal < 1.0, np.log1p(-prior) - np.log1p(-proposal), 0.0)
    log_weight = np.where(states, right[:, None], wrong[:, None]).sum(axis=0)
    for execution in belief.executions:
        rows = states.copy()
        for module, version in enumerate(execution.versions):
            if version != belief.versions[module]:
                rows[module] = random.random(many) < belief.chances[module][version]
        success = belief.graph.circuit.evaluate(rows.view(np.uint8)).astype(np.bool_)
        log_weight += np.where(success, execution.log_if_right, execution.log_if_wrong)
    if not np.isfinite(log_weight).any():
        log_weight = np.zeros(many)
    return states, _normalised(log_weight)


def _normalised(log_weight: Vector) -> Vector:
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())


def _sequence(
    problem: Problem, cloud: Cloud, circuit: Circuit, candidates: NDArray[np.intp], random: np.random.Generator
) -> NDArray[np.intp]:
    """Questions by how much success each gains among the failures that are left, per price."""
    costs = problem.costs
    length = len(cloud.luck) if len(candidates) else 0
    repaired = np.packbits(random.random((len(cloud.states), len(cloud.weights))) < 0.5, axis=1)
    price = np.maximum(costs.ask_price, 1e-9)
    states, sequence = cloud.states.copy(), list[int]()
    times_left = dict.fromkeys(candidates.tolist(), length // max(len(candidates), 1))
    while len(sequence) < length:
        left = np.array([module for module, times in times_left.items() if times], dtype=np.intp)
        answers = cloud.answers(len(sequence), costs.expert[left])
        score = _gains(cloud, circuit, states, states, left, answers)
        score += RELAXED * _gains(cloud, circuit, states | repaired, states, left, answers)
        ranked = left[np.argsort(-score / price[left], kind="stable")]
        if len(candidates) > FEW and len(sequence) >= FRONT:
            rest = ranked.tolist()
            sequence.extend((rest * REPEATS)[: length - len(sequence)])
            break
        picked = int(ranked[0])
        sequence.append(picked)
        states[picked] = answers[np.flatnonzero(left == picked)[0]]
        times_left[picked] -= 1
    return np.array(sequence, dtype=np.intp)


def _gains(
    cloud: Cloud, circuit: Circuit, base: Bits, states: Bits, candidates: NDArray[np.intp], answers: Bits
) -> Vector:
    """How much more likely success gets when one module is answered; its own state counts as it is."""
    each = np.arange(len(candidates))
    rows = np.repeat(base[:, None, :], len(candidates), axis=1)
    if base is states:
        fails = ~circuit.evaluate(base)
    else:
        rows[candidates, each] = states[candidates]
        fails = ~circuit.evaluate(rows)
    rows[candidates, each] = answers
    return np.asarray(cloud.unpack(fails & circuit.evaluate(rows)) @ cloud.weights)


class _Schedule:
    """The best times to act while asking in one sequence: what it costs from any point on."""

    def __init__(self, problem: Problem, cloud: Cloud, sequence: NDArray[np.intp]) -> None:
        costs = problem.costs
        states = np.repeat(cloud.states[:, None, :], len(sequence) + 1, axis=1)
        for question, module in enumerate(sequence):
            states[module, question + 1 :] = cloud.answers(question, costs.expert[[module]])
        fails = ~cloud.unpack(problem.belief.graph.circuit.evaluate(states))
        self._fails = fails.astype(np.float32)
        self._weights = cloud.weights
        self._spent = np.append(0.0, np.cumsum(costs.ask_price[sequence]))
        time = np.append(0.0, np.cumsum(costs.ask_time[sequence]))
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
        both = (self._fails * weights.astype(np.float32)) @ self._fails.T
        value = self._give_up.copy()
        for asked in range(len(value) - 2, -1, -1):
            if both[asked, asked] <= 0.0:
                continue
            fail = both[asked, asked + 1 :] / both[asked, asked]
            acting = self._spent[asked + 1 :] - self._spent[asked] + fail * (self._act_price + value[asked + 1 :])
            value[asked] = min(value[asked], acting.min())
        return value
