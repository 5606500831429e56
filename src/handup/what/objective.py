"""The paper's Eq. 4: what questions cost, plus what failing costs, with the exact success probability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handup.core import objective_of
from handup.policy.marginal import reliability_if_right, reliability_of
from handup.what.base import Situation


def set_value(situation: Situation, asked: Sequence[int] | NDArray[np.intp]) -> float:
    """Eq. 4 for asking a set of questions at once."""
    members = np.asarray(asked, dtype=np.intp)
    costs, chances = situation.costs, situation.belief.confidences.copy()
    chances[members] = costs.expert[members]
    reliability = reliability_of(situation.belief.graph, chances, seed=situation.belief.seed)
    return objective_of(costs.w, float(costs.query[members].sum()), 1.0 - reliability)


def single_question_values(situation: Situation) -> tuple[NDArray[np.float64], float]:
    """Eq. 4 for asking about each module alone, and for asking nothing.

    Success is linear in each module's chance, so one pass over the policy gives all of them.
    """
    costs = situation.costs
    reliability, if_right, if_wrong = reliability_if_right(situation.belief)
    asked = costs.expert * if_right + (1.0 - costs.expert) * if_wrong
    return objective_of(costs.w, costs.query, 1.0 - asked), objective_of(costs.w, 0.0, 1.0 - reliability)
