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
    calm, alarmed = give_up.copy(), give_up.copy()
    for level in range(int(total.max(initial=0)), -1, -1):
        here = np.flatnonzero(total == level)
        for kind, stride, count in zip(kinds, strides, asked, strict=True):
            at = here[count[here] < kind.count]
            calm[at] = np.minimum(calm[at], kind.price + calm[at + stride])
            alarmed[at] = np.minimum(alarmed[at], _ask_alarmed(kind, fail[at], calm[at + stride], alarmed[at + stride]))
        calm[here, :-1] = np.minimum(calm[here, :-1], fail[here, None] * (problem.act_price + alarmed[here, 1:]))
        for table in (calm, alarmed):
            table[here] = np.where(left[here] <= OVER, 0.0, table[here])
    if problem.failed:
        ask = tuple(
            float(_ask_alarmed(kind, fail[:1], calm[stride : stride + 1], alarmed[stride : stride + 1])[0, 0])
            for kind, stride in zip(kinds, strides, strict=True)
        )
        return SeriesValues(math.inf, ask)
    ask = tuple(float(kind.price + calm[stride, 0]) for kind, stride in zip(kinds, strides, strict=True))
    return SeriesValues(float(fail[0] * (problem.act_price + alarmed[0, 1])), ask)


def _ask_alarmed(kind: Kind, fail: Vector, calm: Vector, alarmed: Vector) -> Vector:
    """Asking with an unexplained failure: wrong explains it, right leaves it to the others."""
    with np.errstate(divide="ignore", invalid="ignore"):
        wrong = np.where(fail > 0.0, np.minimum((1.0 - kind.chance) / fail, 1.0), 1.0)[:, None]
    return np.asarray(kind.price + wrong * calm + (1.0 - wrong) * alarmed)
