"""The best plan along a fixed order, for long policies in which every module is needed, with a true expert.

As `series`, but modules are asked about in one order only, so the number asked about is all that matters. The order
is by how likely a module is to be wrong per price of asking, and each of the first few modules is tried in front.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.when.plan.series import MAX_ACTS, OVER, SeriesProblem

Vector = NDArray[np.float64]
FRONT = 4
"""How many modules are tried as the first to be asked about; one where there are more than `MANY`."""
MANY = 500


@dataclass(frozen=True)
class OrderedValues:
    """Expected cost of acting, and of asking about each kind's module; nan where it was not weighed."""

    act: float
    ask: tuple[float, ...]


def plan_ordered(problem: SeriesProblem) -> OrderedValues:
    """The better of two orders; kinds must be single modules."""
    chance = np.array([kind.chance for kind in problem.kinds])
    price = np.array([kind.price for kind in problem.kinds])
    with np.errstate(divide="ignore"):
        orders = [np.argsort(price / benefit, kind="stable") for benefit in (1.0 - chance, -np.log(chance))]
    act, ask = math.inf, np.full(len(chance), np.nan)
    for order in orders:
        act = min(act, _Walk(problem, order).act())
        for first in order[: FRONT if len(order) <= MANY else 1]:
            moved = np.concatenate(([first], order[order != first]))
            ask[first] = np.fmin(ask[first], _Walk(problem, moved).ask())
    return OrderedValues(act, tuple(ask.tolist()))


class _Walk:
    """The plan along one order: tables over (asked about, executions so far)."""

    def __init__(self, problem: SeriesProblem, order: NDArray[np.intp]) -> None:
        self._ask_first = math.nan
        kinds = [problem.kinds[index] for index in order]
        modules = len(kinds)
        log_chance = [math.log(kind.chance) if kind.chance > 0.0 else -math.inf for kind in kinds]
        log_right = np.append(np.cumsum(log_chance[::-1])[::-1], 0.0) + problem.log_rest
        fail = 0.0 - np.expm1(log_right)
        spent = np.append(0.0, np.cumsum([kind.time for kind in kinds]))
        left = problem.time_left - spent[:, None] - problem.act_time * np.arange(min(modules, MAX_ACTS) + 2)
        calm = problem.rate * np.maximum(left, 0.0)
        alarmed = calm.copy()
        for asked in range(modules, -1, -1):
            if asked < modules:
                kind = kinds[asked]
                wrong = min((1.0 - kind.chance) / fail[asked], 1.0) if fail[asked] > 0.0 else 1.0
                explained = wrong * calm[asked + 1] + (1.0 - wrong) * alarmed[asked + 1]
                np.minimum(alarmed[asked], kind.price + explained, out=alarmed[asked])
                np.minimum(calm[asked], kind.price + calm[asked + 1], out=calm[asked])
                if asked == 0:
                    self._ask_first = kind.price + float((explained if problem.failed else calm[1])[0])
            acting = fail[asked] * (problem.act_price + alarmed[asked, 1:])
            np.minimum(calm[asked, :-1], acting, out=calm[asked, :-1])
            over = left[asked] <= OVER
            calm[asked, over] = alarmed[asked, over] = 0.0
        self._act_first = math.inf if problem.failed else float(fail[0] * (problem.act_price + alarmed[0, 1]))

    def act(self) -> float:
        """Expected cost of acting first."""
        return self._act_first

    def ask(self) -> float:
        """Expected cost of asking about the order's first module first."""
        return self._ask_first
