"""Plain twins of the planner: expectimax by brute force, and a dynamic programme over all states, without pruning."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from handup.intent import QuestionProblem


def expectimax(problem: QuestionProblem, most: int | None = None) -> float:
    """The best value by trying every question in every order, in plain Python."""
    rewards = [list(map(float, row)) for row in problem.rewards]
    likelihood = [[list(map(float, row)) for row in each] for each in problem.questions]
    costs = list(map(float, problem.costs))
    sights = [[1.0] * len(problem.belief)] if problem.seen is None else [list(map(float, row)) for row in problem.seen]
    at_once = [True] * len(rewards) if problem.at_once is None else list(problem.at_once)

    def best(weights: Sequence[float], left: frozenset[int], depth: int) -> float:
        free = [row for row, may in zip(rewards, at_once, strict=True) if may or len(left) < len(costs)]
        value = sum(
            max(sum(w * s * r for w, s, r in zip(weights, sight, row, strict=True)) for row in free) for sight in sights
        )
        if depth:
            for q in left:
                after = sum(
                    best([w * chance for w, chance in zip(weights, row, strict=True)], left - {q}, depth - 1)
                    for row in likelihood[q]
                )
                value = max(value, costs[q] * sum(weights) + problem.discount * after)
        return value

    depth = len(costs) if most is None else most
    return best(list(map(float, problem.belief)), frozenset(range(len(costs))), depth)


def dynamic_programme(problem: QuestionProblem) -> float:
    """The best value from a table of all states of information, filled from the last question to the first.

    For questions with two answers. It shares nothing with the planner: no classes, no bounds, no levels.
    """
    count = len(problem.questions)
    table: dict[tuple[int, ...], float] = {}
    for state in sorted(product((0, 1, 2), repeat=count), key=lambda each: -sum(answer > 0 for answer in each)):
        weights = problem.belief.copy()
        for question, answer in enumerate(state):
            if answer:
                weights = weights * problem.questions[question][answer - 1]
        value = float((problem.rewards @ weights).max())
        for question, answer in enumerate(state):
            if not answer:
                after = sum(table[(*state[:question], known, *state[question + 1 :])] for known in (1, 2))
                value = max(value, float(problem.costs[question]) * float(weights.sum()) + problem.discount * after)
        table[state] = value
    return table[(0,) * count]


def about(goals: int, index: int, right: float = 0.999) -> np.ndarray:
    """A yes-no question about one goal."""
    yes = np.full(goals, 1.0 - right)
    yes[index] = right
    return np.vstack([yes, 1.0 - yes])
