"""`query-then-execute`: one question before every try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.what import Selector, Situation
from handup.when.base import WHENS, Choice, asked, nothing_to_ask


@WHENS.register
@dataclass(frozen=True)
class QueryThenExecute:
    """One question, one execution, in turn. For policies that are rarely right without help."""

    name: ClassVar[str] = "query-then-execute"

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask exactly one question before each execution."""
        if situation.belief.progress.asks_since_act:
            return Choice(False, "Acting: a question was answered since the last try.")
        selection = selector.select(situation)
        return nothing_to_ask(selection) if selection.module is None else asked(selection)
