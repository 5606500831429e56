"""`confidence`: ask about the module that trusts itself least, whatever the question costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.what.base import SELECTORS, Selection, Situation, first_best, none_left, only


@SELECTORS.register
@dataclass(frozen=True)
class Confidence:
    """Selects the open module of lowest confidence. A module's value is its confidence."""

    name: ClassVar[str] = "confidence"

    def select(self, situation: Situation) -> Selection:
        """The least confident open module."""
        confidences = situation.belief.confidences
        module = first_best(confidences, situation.open)
        if module is None:
            return none_left(situation)
        reason = f"'{situation.name(module)}' has the lowest confidence, {confidences[module]:.3g}."
        return Selection(module, reason, only(confidences, situation.open))
