"""`execute-first`: try, and after each failure ask one question before trying again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.what import Selector, Situation
from handup.when.base import WHENS, Choice, asked, nothing_to_ask


@WHENS.register
@dataclass(frozen=True)
class ExecuteFirst:
    """Acts first; then one question, one execution, in turn. Cheap for the person where the robot is mostly right."""

    name: ClassVar[str] = "execute-first"

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask exactly one question between two executions, none before the first."""
        progress = situation.belief.progress
        if progress.acts == 0:
            return Choice(False, "Acting: it has not been tried yet.")
        if progress.asks_since_act:
            return Choice(False, "Acting: a question was answered since the last try.")
        selection = selector.select(situation)
        return nothing_to_ask(selection) if selection.module is None else asked(selection, "The last try failed.")
