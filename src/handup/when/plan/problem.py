"""Ask-or-act as a planning problem, and what a planner says of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.core import Costs
from handup.policy import Belief

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """What a planner is given.

    Args:
        belief: What is believed now.
        costs: What things cost, and the time left.
        askable: Which modules may be asked about from now on.
    """

    belief: Belief
    costs: Costs
    askable: NDArray[np.bool_]

    def values(self, act: float, ask: Vector, planner: str, *, exact: bool) -> Values:
        """What a planner found, with success and blame from the belief."""
        belief = self.belief
        act = math.inf if belief.acting_is_futile else act
        return Values(act, ask, self.yield_value, belief.reliability, belief.wrong, planner, exact)

    @property
    def yield_value(self) -> float:
        """Cost of giving up now: all the time that was left."""
        return self.costs.time_price * max(self.costs.time_left, 0.0)


@dataclass(frozen=True)
class Values:
    """Expected cost from here to the end of the episode, by what is done first (lower is better).

    Args:
        act: For acting now; infinite where that is certain to fail and nothing is learnt.
        ask: For asking about each module; nan where it was not weighed.
        give_up: For yielding.
        success: Probability that acting now succeeds.
        wrong: For each module, the probability that its own state is wrong now.
        planner: Which planner said so.
        exact: Whether the numbers are the optimum of the model, or an estimate.
    """

    act: float
    ask: Vector
    give_up: float
    success: float
    wrong: Vector
    planner: str
    exact: bool
