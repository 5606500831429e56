"""The exact plan for policies in which every module is needed, with a true expert.

A failure means that some module not asked about is wrong; asking about a wrong one explains it, and then nothing
is known about the others but their confidences. So a state is the set of modules asked about, whether there is an
unexplained failure, and the time. Modules of equal confidence and cost are interchangeable: only the number of each
kind matters, and a hundred modules of two kinds are as easy as a dozen of twelve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from handup.when.plan.problem import StepCosts, Vector

MAX_CELLS = 1 << 17
"""Largest table of the exact plan: combinations of asked-about modules times executions."""
MAX_ACTS = 100
"""Most executions that are planned for; no plan of up to so many modules needs more."""
OVER = 1e-9
FRONT = 4
"""Number of modules tried as the first to be asked about along an order; one where there are more than `MANY`."""
MANY = 500


@dataclass(frozen=True)
class ModuleKind:
    """Interchangeable modules."""

    chance: float
    price: float
    time: float
    count: int


@dataclass(frozen=True)
class SeriesProblem:
    """A series policy at one moment.

    Args:
        kinds: The modules that may still be asked about.
        log_rest: Log-probability that all others that are not known to be right are right.
        failed: Whether there is a failure that nothing known explains.
        act_price: Cost of a failed execution.
        act_time: Its time.
        rate: Cost of a unit of time.
        time_left: Until the horizon.
    """

    kinds: tuple[ModuleKind, ...]
    log_rest: float
    failed: bool
    act_price: float
    act_time: float
    rate: float
    time_left: float

    @property
    def states(self) -> int:
        """Number of combinations of asked-about modules."""
        return math.prod(kind.count + 1 for kind in self.kinds)

    @property
    def cells(self) -> int:
        """Size of the tables."""
        return self.states * (min(sum(kind.count for kind in self.kinds), MAX_ACTS) + 2)

    @property
    def is_exact(self) -> bool:
        """True if `plan_series` finds the optimum: there are not more modules than executions planned for."""
        return sum(kind.count for kind in self.kinds) <= MAX_ACTS


@lru_cache(maxsize=4096)
def plan_series(problem: SeriesProblem) -> StepCosts:
    """Solve by dynamic programming, from "all asked about" back to now."""
    kinds, states = problem.kinds, problem.states
    sizes = [kind.count + 1 for kind in kinds]
    strides = [math.prod(sizes[:index]) for index in range(len(kinds))]
    asked = np.array([np.arange(states) // stride % size for stride, size in zip(strides, sizes, strict=True)])
    asked = asked.reshape(len(kinds), states)
    total = asked.sum(axis=0)
    acts = min(int(total.max(initial=0)), MAX_ACTS) + 2
    spent = np.array([kind.time for kind in kinds]) @ asked + np.zeros(states)
    left = problem.time_left - spent[:, None] - problem.act_time * np.arange(acts)
    give_up = problem.rate * np.maximum(left, 0.0)
    log_right = np.full(states, problem.log_rest)
    for kind, count in zip(kinds, asked, strict=True):
        remaining = kind.count - count
        log_chance = math.log(kind.chance) if kind.chance > 0.0 else -math.inf
        log_right[remaining > 0] += remaining[remaining > 0] * log_chance
    fail = 0.0 - np.expm1(log_right)
    price = np.array([kind.price for kind in kinds])[:, None, None]
    wrong_chance = np.array([1.0 - kind.chance for kind in kinds])[:, None]
    steps = np.array(strides, dtype=np.intp)[:, None]
    counts = np.array([kind.count for kind in kinds])[:, None]
    calm, alarmed = give_up.copy(), give_up.copy()

    def asking(rows: NDArray[np.intp], columns: int) -> tuple[Vector, Vector]:
        """Return the cost of asking about a module of each kind, with no failure to explain and with one."""
        left_over = asked[:, rows] < counts
        then = np.where(left_over, rows + steps, rows)
        free = np.where(left_over[:, :, None], price, np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            wrong = np.where(fail[rows] > 0.0, np.minimum(wrong_chance / fail[rows], 1.0), 1.0)[:, :, None]
        # A wrong module explains the failure, a right one leaves it to the others.
        explained, unexplained = calm[then, :columns], alarmed[then, :columns]
        return free + explained, free + wrong * explained + (1.0 - wrong) * unexplained

    for level in range(int(total.max(initial=0)), -1, -1):
        rows = np.flatnonzero(total == level)
        columns = min(level + 2, acts)  # 0 to level + 1 executions, as between two of them there is a question
        if kinds:
            ask_calm, ask_alarmed = asking(rows, columns)
            calm[rows, :columns] = np.minimum(calm[rows, :columns], ask_calm.min(axis=0))
            alarmed[rows, :columns] = np.minimum(alarmed[rows, :columns], ask_alarmed.min(axis=0))
        acting = fail[rows, None] * (problem.act_price + alarmed[rows, 1:columns])
        calm[rows, : columns - 1] = np.minimum(calm[rows, : columns - 1], acting)
        for table in (calm, alarmed):
            table[rows] = np.where(left[rows] <= OVER, 0.0, table[rows])
    ask_calm, ask_alarmed = asking(np.zeros(1, dtype=np.intp), 1)
    act = math.inf if problem.failed else float(fail[0] * (problem.act_price + alarmed[0, 1]))
    return StepCosts(act, tuple((ask_alarmed if problem.failed else ask_calm)[:, 0, 0].tolist()))


def plan_ordered(problem: SeriesProblem) -> StepCosts:
    """Solve along a fixed order, for long policies; kinds must be single modules.

    As `plan_series`, but modules are asked about in one order only, so a state needs only the number asked about. The
    order is by the chance of being wrong per price of asking, linear or logarithmic (the better of the two), and each
    of the first few modules is tried in front.
    """
    chance = np.array([kind.chance for kind in problem.kinds])
    price = np.array([kind.price for kind in problem.kinds])
    with np.errstate(divide="ignore"):
        orders = [np.argsort(price / benefit, kind="stable") for benefit in (1.0 - chance, -np.log(chance))]
    act, ask = math.inf, np.full(len(chance), np.nan)
    for order in orders:
        act = min(act, _along(problem, order)[0])
        for first in order[: FRONT if len(order) <= MANY else 1]:
            moved = np.concatenate(([first], order[order != first]))
            ask[first] = np.fmin(ask[first], _along(problem, moved)[1])
    return StepCosts(act, tuple(ask.tolist()))


def _along(problem: SeriesProblem, order: NDArray[np.intp]) -> tuple[float, float]:
    """Return the expected cost of acting first, and of asking about the order's first module."""
    ask_first = math.nan
    kinds = [problem.kinds[index] for index in order]
    modules = len(kinds)
    log_chance = [math.log(kind.chance) if kind.chance > 0.0 else -math.inf for kind in kinds]
    log_right = np.append(np.cumsum(log_chance[::-1])[::-1], 0.0) + problem.log_rest
    fail = 0.0 - np.expm1(log_right)
    spent = np.append(0.0, np.cumsum([kind.time for kind in kinds]))
    left = problem.time_left - spent[:, None] - problem.act_time * np.arange(min(modules, MAX_ACTS) + 2)
    calm = problem.rate * np.maximum(left, 0.0)
    alarmed = calm.copy()
    # A row of the tables is a number of modules asked about, a column a number of executions.
    for asked in range(modules, -1, -1):
        if asked < modules:
            kind = kinds[asked]
            wrong = min((1.0 - kind.chance) / fail[asked], 1.0) if fail[asked] > 0.0 else 1.0
            explained = wrong * calm[asked + 1] + (1.0 - wrong) * alarmed[asked + 1]
            np.minimum(alarmed[asked], kind.price + explained, out=alarmed[asked])
            np.minimum(calm[asked], kind.price + calm[asked + 1], out=calm[asked])
            if asked == 0:
                ask_first = kind.price + float((explained if problem.failed else calm[1])[0])
        acting = fail[asked] * (problem.act_price + alarmed[asked, 1:])
        np.minimum(calm[asked, :-1], acting, out=calm[asked, :-1])
        over = left[asked] <= OVER
        calm[asked, over] = alarmed[asked, over] = 0.0
    act_first = math.inf if problem.failed else float(fail[0] * (problem.act_price + alarmed[0, 1]))
    return act_first, ask_first
