"""`query-for-all`: ask about everything before the first try. The baseline that shows what asking less saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.what import Selector, Situation, Topo
from handup.when.base import WHENS, Choice, asked


@WHENS.register
@dataclass(frozen=True)
class QueryForAll:
    """Asks about every module once, in the selector's order, and in topological order where it names none."""

    name: ClassVar[str] = "query-for-all"

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask while a module is open."""
        if not situation.open.any():
            return Choice(False, "Acting: every module has been asked about or may not be now.")
        selection = selector.select(situation)
        if selection.module is None:
            selection = Topo().select(situation)
        return asked(selection)
