"""`until-confident`: ask until the policy is likely enough to succeed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.core import BadSetting
from handup.what import Selector, Situation
from handup.what.base import TIE
from handup.when.base import WHENS, Choice, asked, nothing_to_ask


@WHENS.register
@dataclass(frozen=True)
class UntilConfident:
    """Asks, at least once before every try, until r̂ > τ.

    r̂ is what the forward pass says: like all the paper's algorithms this one learns nothing from a failed
    execution.

    Args:
        tau: The success probability that is enough.
    """

    name: ClassVar[str] = "until-confident"
    tau: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= self.tau <= 1.0:
            raise BadSetting(f"tau is {self.tau:g}", hint="Give a probability from 0 to 1.")

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask while the forward pass is not confident enough."""
        reliability = situation.belief.forward.reliability
        if situation.belief.progress.asks_since_act and reliability > self.tau + TIE:
            return Choice(False, f"Acting: success has probability {reliability:.3g}, above {self.tau:g}.")
        selection = selector.select(situation)
        if selection.module is None:
            return nothing_to_ask(selection)
        return asked(selection, f"Success has probability {reliability:.3g} without it.")
