"""The exact plan for policies in which every module is needed, with a true expert.

A failure means that some module not asked about is wrong; asking about a wrong one explains it, and then nothing
is known about the others but their confidences. So all that matters is which modules have been asked about,
whether there is an unexplained failure, and the time. Modules of equal confidence and cost are interchangeable:
what counts is how many of each kind have been asked about, and a hundred modules of two kinds are as easy as a
dozen of twelve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
MAX_CELLS = 1 << 17
"""Combinations of asked-about modules times executions that a plan is worth."""
MAX_ACTS = 100
"""Executions beyond this many in one episode are not planned for; no plan of up to so many modules needs them."""
OVER = 1e-9


@dataclass(frozen=True)
class Kind:
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

    kinds: tuple[Kind, ...]
    log_rest: float
    failed: bool
    act_price: float
    act_time: float
    rate: float
    time_left: float

    @property
    def states(self) -> int:
        """How many combinations of asked-about modules there are."""
        return math.prod(kind.count + 1 for kind in self.kinds)

    @property
    def cells(self) -> int:
        """The size of the tables."""
        return self.states * (min(sum(kind.count for kind in self.kinds), MAX_ACTS) + 2)

    @property
    def is_exact(self) -> bool:
        """Whether `plan_series` finds the optimum: there are not more modules than executions planned for."""
        return sum(kind.count for kind in self.kinds) <= MAX_ACTS


@dataclass(frozen=True)
class SeriesValues:
    """Expected cost of acting, and of asking about a module of each kind."""

    act: float
    ask: tuple[float, ...]


@lru_cache(maxsize=4096)
def plan_series(problem: SeriesProblem) -> SeriesValues:
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

    def asking(here: NDArray[np.intp], most: int) -> tuple[Vector, Vector]:
        """Cost of asking about one module of each kind, with no failure to explain and with one."""
        left_over = asked[:, here] < counts
        then = np.where(left_over, here + steps, here)
        free = np.where(left_over[:, :, None], price, np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            wrong = np.where(fail[here] > 0.0, np.minimum(wrong_chance / fail[here], 1.0), 1.0)[:, :, None]
        # A wrong module explains the failure, a right one leaves it to the others.
        explained, unexplained = calm[then, :most], alarmed[then, :most]
        return free + explained, free + wrong * explained + (1.0 - wrong) * unexplained

    for level in range(int(total.max(initial=0)), -1, -1):
        here = np.flatnonzero(total == level)
        most = min(level + 2, acts)  # after so many questions there were fewer executions: each asks for a question
        if kinds:
            ask_calm, ask_alarmed = asking(here, most)
            calm[here, :most] = np.minimum(calm[here, :most], ask_calm.min(axis=0))
            alarmed[here, :most] = np.minimum(alarmed[here, :most], ask_alarmed.min(axis=0))
        acting = fail[here, None] * (problem.act_price + alarmed[here, 1:most])
        calm[here, : most - 1] = np.minimum(calm[here, : most - 1], acting)
        for table in (calm, alarmed):
            table[here] = np.where(left[here] <= OVER, 0.0, table[here])
    ask_calm, ask_alarmed = asking(np.zeros(1, dtype=np.intp), 1)
    act = math.inf if problem.failed else float(fail[0] * (problem.act_price + alarmed[0, 1]))
    return SeriesValues(act, tuple((ask_alarmed if problem.failed else ask_calm)[:, 0, 0].tolist()))
