"""`workload-aware`: ask while an answer gains more confidence than the question costs the person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.core import BadSetting
from handup.what import Selector, Situation
from handup.what.base import TIE
from handup.when.base import WHENS, Choice, asked, nothing_to_ask


@WHENS.register
@dataclass(frozen=True)
class WorkloadAware:
    """Asks about the selected module unless c_e - c < λ·q, then acts.

    Args:
        lambda_: Weight of a question's cost against the confidence it gains.
    """

    name: ClassVar[str] = "workload-aware"
    lambda_: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.lambda_ < float("inf"):
            raise BadSetting(f"lambda is {self.lambda_:g}", hint="Give a finite number of at least 0.")

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask while the gain covers the cost."""
        selection = selector.select(situation)
        if selection.module is None:
            return nothing_to_ask(selection)
        gain = float(situation.gain[selection.module])
        price = self.lambda_ * float(situation.costs.query[selection.module])
        if gain < price - TIE:
            name = situation.name(selection.module)
            reason = f"Acting: asking about '{name}' would gain {gain:.3g} for a load of {price:.3g}."
            return Choice(False, reason, selection)
        return asked(selection)
