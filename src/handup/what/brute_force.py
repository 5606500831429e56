"""`brute-force`: the single question that lowers Eq. 4 most, with the exact success probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.what.base import SELECTORS, TIE, Selection, Situation, first_best, none_left, only
from handup.what.objective import single_question_values


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
