"""`brute-force`: the single question that lowers Eq. 4 most, with the exact success probability.

Success is linear in each module's chance, so one pass over the policy gives what asking each module would be worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from handup.policy.marginal import reliability_if_right
from handup.what.base import SELECTORS, TIE, Selection, Situation, first_best, none_left, only


def single_question_values(situation: Situation) -> tuple[NDArray[np.float64], float]:
    """Eq. 4 for asking about each module alone, and for asking nothing."""
    costs = situation.costs
    reliability, if_right, if_wrong = reliability_if_right(situation.belief)
    asked = costs.expert * if_right + (1.0 - costs.expert) * if_wrong
    return costs.w * costs.query + (1.0 - costs.w) * (1.0 - asked), (1.0 - costs.w) * (1.0 - reliability)


@SELECTORS.register
@dataclass(frozen=True)
class BruteForce:
    """Selects the open module minimising w·q + (1-w)(1 - r̂), or none where asking nothing is strictly better."""

    name: ClassVar[str] = "brute-force"

    def select(self, situation: Situation) -> Selection:
        """The best single question."""
        values, nothing = single_question_values(situation)
        module = first_best(values, situation.open)
        if module is None:
            return none_left(situation)
        best, shown = float(values[module]), only(values, situation.open)
        if nothing < best - TIE:
            reason = f"Asking nothing costs {nothing:.3g}; the best question, '{situation.name(module)}', {best:.3g}."
            return Selection(None, reason, shown, nothing)
        reason = f"Asking about '{situation.name(module)}' lowers the expected cost from {nothing:.3g} to {best:.3g}."
        return Selection(module, reason, shown, nothing)
