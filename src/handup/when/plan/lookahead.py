"""Look-ahead on draws from the posterior: for large gate graphs, uncertain outcomes and experts who err.

States are drawn from the posterior (all of them, weighted, where there are few). For each first step, the rest of
the plan is the best schedule of executions along one sequence of questions; an expert who errs may be asked twice
about a module. The first answer splits the draws, so the plan reacts to it, but not to later ones.
With an expert who errs, a second plan is played out on the draws and the better one counts: after a failure ask along
the sequence until a module is found to have been wrong, then act. Every decision plans anew.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from handup.policy.circuit import Circuit
from handup.when.plan.problem import Bits, Cloud, PlanProblem, Values, Vector

FEW = 16
"""Most modules for which the sequence is picked question by question, and each is tried first."""
FRONT = 2
"""Number of modules picked one by one and tried first, where there are more; the others follow by one ranking."""
REPEATS = 2
"""Most questions about one module within a plan, with an expert who errs."""
PLAYED_OUT = 64
"""Most modules for which the second plan is played out."""
HUNTED = 6
"""Number of first questions that are tried with the played-out plan."""
ROUNDS = 24
"""Most steps that are played out; what goes on then counts as given up."""
MOST = 128
"""Most modules that a plan can ask about."""
RELAXED = 0.25
"""Weight of the gain that a question has when half of the other faults are also repaired."""


def plan_ahead(problem: PlanProblem, random: np.random.Generator) -> Values:
    """Return the expected costs by first step."""
    costs, circuit = problem.costs, problem.belief.graph.circuit
    candidates = _candidates(problem)
    errs = bool((costs.expert[candidates] < 1.0).any())
    cloud = Cloud.of(problem, len(candidates) * (REPEATS if errs else 1), random)
    sequence = _sequence(problem, cloud, circuit, candidates, random)
    ask = np.full(len(problem.askable), np.nan)
    hunt = _Hunt(problem, cloud, sequence) if errs and len(candidates) <= PLAYED_OUT else None
    tried = candidates if len(candidates) <= FEW else sequence[:FRONT]
    hunted = set(sequence[:HUNTED].tolist())
    for first in dict.fromkeys(tried.tolist()):
        at = int(np.flatnonzero(sequence == first)[0])
        schedule = _Schedule(problem, cloud, np.concatenate(([first], np.delete(sequence, at))))
        was_right = cloud.unpack(cloud.states[first])
        value = float(costs.ask_price[first])
        for shown in (was_right, ~was_right):
            weights = cloud.weights * shown
            value += float(weights.sum()) * schedule.value_after_first(weights)
        ask[first] = min(value, hunt.value(first)) if hunt is not None and first in hunted else value
    fail = float(cloud.weights @ ~cloud.unpack(circuit.evaluate(cloud.states)))
    act = math.inf
    if not problem.belief.acting_is_futile:
        act = fail * (costs.act_price + _Schedule(problem, cloud, sequence).value_after_failure())
        act = act if hunt is None else min(act, hunt.value(None))
    if problem.belief.graph.diagram is not None and problem.belief.inference.method == "exact":
        return problem.values(act, ask, "look-ahead", exact=False)
    wrong = 1.0 - cloud.unpack(cloud.states) @ cloud.weights
    return Values(act, ask, problem.yield_value, 1.0 - fail, wrong, "look-ahead", exact=False)


def _candidates(problem: PlanProblem) -> NDArray[np.intp]:
    """Return the modules to plan with: all that may be asked about, or of very many the least confident per price."""
    costs = problem.costs
    askable = np.flatnonzero(problem.askable & (costs.expert > 0.0))
    if len(askable) <= MOST:
        return askable
    promise = (1.0 - problem.belief.confidences[askable]) / np.maximum(costs.ask_price[askable], 1e-9)
    return np.sort(askable[np.argsort(-promise, kind="stable")[:MOST]])


def _sequence(
    problem: PlanProblem, cloud: Cloud, circuit: Circuit, candidates: NDArray[np.intp], random: np.random.Generator
) -> NDArray[np.intp]:
    """Return the sequence of questions, each the one that gains most success per price after those before it.

    A module that is only one of several faults gains nothing by itself, so gains also count, at a lower weight, on
    draws in which a random half of the faults is repaired.
    """
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
    """Return the rise in success when one candidate is answered, on `base` with the candidate's state of `states`."""
    columns = np.arange(len(candidates))
    rows = np.repeat(base[:, None, :], len(candidates), axis=1)
    if base is states:
        fails = ~circuit.evaluate(base)
    else:
        rows[candidates, columns] = states[candidates]
        fails = ~circuit.evaluate(rows)
    rows[candidates, columns] = answers
    return np.asarray(cloud.unpack(fails & circuit.evaluate(rows)) @ cloud.weights)


class _Schedule:
    """The best moments to act while asking in one sequence, and the expected cost from any point on.

    Acting is weighed after each of the first `FEW` questions and after every few later on.
    """

    def __init__(self, problem: PlanProblem, cloud: Cloud, sequence: NDArray[np.intp]) -> None:
        costs = problem.costs
        later = np.arange(len(sequence), FEW, -max(1, len(sequence) // FEW))[::-1]
        points = np.concatenate((np.arange(min(FEW, len(sequence)) + 1), later))
        states = np.repeat(cloud.states[:, None, :], len(points), axis=1)
        for question, module in enumerate(sequence):
            states[module, points > question] = cloud.answers(question, costs.expert[[module]])
        fails = ~cloud.unpack(problem.belief.graph.circuit.evaluate(states))
        self._fails = fails.astype(np.float32)
        self._weights = cloud.weights
        self._spent = np.append(0.0, np.cumsum(costs.ask_price[sequence]))[points]
        time = np.append(0.0, np.cumsum(costs.ask_time[sequence]))[points]
        self._give_up = costs.time_price * np.maximum(costs.time_left - time - costs.act_time, 0.0)
        self._give_up_after_first = costs.time_price * max(costs.time_left - float(time[1:2].sum()), 0.0)
        self._act_price = costs.act_price

    def value_after_failure(self) -> float:
        """Return the expected cost after acting now has failed."""
        return float(self._after_failures(self._weights)[0])

    def value_after_first(self, weights: Vector) -> float:
        """Return the expected cost after the first question, among the draws that remain possible."""
        total = weights.sum()
        if total <= 0.0:
            return 0.0
        after = self._after_failures(weights)
        fail = self._fails[1:] @ weights / total
        acting = self._spent[1:] - self._spent[1] + fail * (self._act_price + after[1:])
        return float(min(acting.min(), self._give_up_after_first))

    def _after_failures(self, weights: Vector) -> Vector:
        """Return, for each point of the schedule, the expected cost after acting there has failed."""
        # Entry (i, j): the weight of the draws that fail at point i and again at the later point j.
        both = (self._fails * weights.astype(np.float32)) @ self._fails.T
        value = self._give_up.copy()
        for point in range(len(value) - 2, -1, -1):
            if both[point, point] <= 0.0:
                continue
            fail = both[point, point + 1 :] / both[point, point]
            acting = self._spent[point + 1 :] - self._spent[point] + fail * (self._act_price + value[point + 1 :])
            value[point] = min(value[point], acting.min())
        return value


class _Hunt:
    """The second plan, on all draws at once: after a failure ask along the sequence until a wrong module is found."""

    def __init__(self, problem: PlanProblem, cloud: Cloud, sequence: NDArray[np.intp]) -> None:
        self._costs = problem.costs
        self._circuit = problem.belief.graph.circuit
        self._cloud = cloud
        self._sequence = np.array(list(dict.fromkeys(sequence.tolist())), dtype=np.intp)
        self._alarmed = problem.belief.is_stuck

    def value(self, first: int | None) -> float:
        """Return the expected cost of asking about a module first, or of acting first where it is None."""
        costs, cloud = self._costs, self._cloud
        states = cloud.unpack(cloud.states)
        draws = np.arange(len(cloud.weights))
        spent, time = np.zeros(len(draws)), np.zeros(len(draws))
        alarmed = np.full(len(draws), self._alarmed and first is not None)
        position = np.zeros(len(draws), dtype=np.intp)
        going = np.ones(len(draws), dtype=np.bool_)
        for turn in range(ROUNDS):
            asking = going & alarmed
            acting = going & ~alarmed
            modules = self._sequence[position % max(len(self._sequence), 1)]
            if turn == 0 and first is not None:
                asking, acting = going, np.zeros_like(going)
                modules = np.full(len(draws), first)
            success = self._circuit.evaluate(states.view(np.uint8)).view(np.bool_) & acting
            failure = acting & ~success
            spent += np.where(asking, costs.ask_price[modules], 0.0) + costs.act_price * failure
            time += np.where(asking, costs.ask_time[modules], 0.0) + costs.act_time * acting
            was_right = states[modules, draws]
            answers = cloud.luck[turn % len(cloud.luck)] < costs.expert[modules]
            states[modules, draws] = np.where(asking, answers, was_right)
            fault = asking & ~was_right
            position = np.where(failure | fault, 0, position + asking)
            alarmed = (alarmed & ~fault) | failure
            going &= ~success & (time < costs.time_left)
            if not going.any():
                break
        left = np.maximum(costs.time_left - time, 0.0) * going
        return float(cloud.weights @ (spent + costs.time_price * left))
