"""The exact plan for any gate graph of a few modules, with a true expert.

A failure is remembered by what it says about own states. Each module is in one of three conditions: not asked about
(2), asked about and right at the time of the last failure (1), asked about since and found to have been wrong
then (0). A later failure implies the earlier ones, because answers only ever make modules right. So a state is a
ternary number and the count of executions, and one table of 3^n failure probabilities, made by averaging over one
module after the other, serves every belief that can come up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from handup.when.plan.problem import StepCosts, Vector

MAX_MODULES = 8
OVER = 1e-9
UNASKED = 2


@dataclass(frozen=True)
class GateProblem:
    """A gate policy at one moment, over the modules that are not known to be right.

    Args:
        chances: Their confidences.
        prices: Cost of asking about each; infinite where that is not allowed.
        times: Time of asking about each.
        fails: For each combination of own states (module i is bit i), whether acting now fails.
        seen: The same for the evidence so far: 1 where the combination agrees with it.
        act_price: Cost of a failed execution.
        act_time: Its time.
        rate: Cost of a unit of time.
        time_left: Until the horizon.
    """

    chances: tuple[float, ...]
    prices: tuple[float, ...]
    times: tuple[float, ...]
    fails: bytes
    seen: bytes
    act_price: float
    act_time: float
    rate: float
    time_left: float


@dataclass(frozen=True)
class _Codes:
    """The ternary numbers of n digits, the state of each after acting, and the order in which to solve them."""

    digits: NDArray[np.intp]
    asked: NDArray[np.intp]
    settled: NDArray[np.intp]
    levels: tuple[NDArray[np.intp], ...]


@lru_cache(maxsize=16)
def _codes(modules: int) -> _Codes:
    numbers = np.arange(3**modules)
    digits = np.array([numbers // 3**module % 3 for module in range(modules)], dtype=np.intp).reshape(
        modules, 3**modules
    )
    asked = (digits != UNASKED).sum(axis=0)
    settled = sum(
        (np.where(digit == 0, 1, digit) * 3**module for module, digit in enumerate(digits)),
        start=np.zeros(len(numbers), dtype=np.intp),
    )
    levels = tuple(np.flatnonzero(asked == count) for count in range(modules + 1))
    return _Codes(digits, asked, settled, levels)


@lru_cache(maxsize=1024)
def plan_gates(problem: GateProblem) -> StepCosts:
    """Solve by dynamic programming, from "all asked about" back to now."""
    modules = len(problem.chances)
    codes = _codes(modules)
    fails, seen = (_averaged(table, problem.chances) for table in (problem.fails, problem.seen))
    acts = modules + 2
    spent = np.array(problem.times) @ (codes.digits != UNASKED) + np.zeros(len(codes.asked))
    left = problem.time_left - spent[:, None] - problem.act_time * np.arange(acts)
    give_up = problem.rate * np.maximum(left, 0.0)
    before, after = give_up.copy(), give_up.copy()  # without and with a failure since now
    fails_again = fails[codes.settled]
    for level in reversed(codes.levels):
        # `after` is solved first, since acting in `before` leads there.
        for table, weight in ((after, fails), (before, seen)):
            for module in range(modules):
                if math.isinf(problem.prices[module]):
                    continue
                at = level[codes.digits[module, level] == UNASKED]
                table[at] = np.minimum(table[at], _ask(problem, module, table, weight, at))
            fail = _ratio(fails_again[level], weight[level])
            acting = fail * (problem.act_price + after[codes.settled[level], 1:])
            table[level, :-1] = np.minimum(table[level, :-1], acting)
            table[level] = np.where(left[level] <= OVER, 0.0, table[level])
    start = np.array([3**modules - 1])
    ask = tuple(
        float(_ask(problem, module, before, seen, start)[0, 0]) if math.isfinite(problem.prices[module]) else math.nan
        for module in range(modules)
    )
    fail_now = float(_ratio(fails_again[start], seen[start])[0, 0])
    act = math.inf if fail_now >= 1.0 - OVER and modules else fail_now * (problem.act_price + after[start[0], 1])
    return StepCosts(float(act), ask)


def _averaged(table: bytes, chances: tuple[float, ...]) -> Vector:
    """Return a table over all ternary codes: the values at the known states, averaged over the unasked ones."""
    values = np.frombuffer(table, dtype=np.uint8).astype(np.float64).reshape((2,) * len(chances) or (1,))
    for module, chance in enumerate(chances):
        axis = len(chances) - 1 - module
        wrong, right = np.take(values, 0, axis), np.take(values, 1, axis)
        values = np.stack((wrong, right, (1.0 - chance) * wrong + chance * right), axis)
    return values.reshape(-1)


def _ask(problem: GateProblem, module: int, table: Vector, weight: Vector, at: NDArray[np.intp]) -> Vector:
    """Return the expected cost of asking about an unasked module, which shows its own state and makes it right."""
    was_wrong, was_right = at - 2 * 3**module, at - 3**module
    wrong = _ratio((1.0 - problem.chances[module]) * weight[was_wrong], weight[at])
    return np.asarray(problem.prices[module] + wrong * table[was_wrong] + (1.0 - wrong) * table[was_right])


def _ratio(joint: Vector, condition: Vector) -> Vector:
    """Return a conditional probability as a column; 1 where the condition is impossible."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(condition > 0.0, np.minimum(joint / condition, 1.0), 1.0)[:, None]
