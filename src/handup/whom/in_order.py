"""The simplest router: people in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handup.core import BadSetting, Person, Question


@dataclass(frozen=True)
class InOrder:
    """Asks those whom the question names, or else everybody, in the order of the list."""

    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        """Who may answer, in order.

        Raises:
            BadSetting: The question names somebody whom the desk does not know.
        """
        known = [person.name for person in people]
        strangers = [name for name in question.to if name not in known]
        if strangers:
            raise BadSetting(
                f"the question is for '{strangers[0]}', whom the desk does not know",
                hint=f"It knows: {', '.join(known) or 'nobody'}.",
            )
        return tuple(dict.fromkeys(question.to or known))
