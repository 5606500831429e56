"""The simplest router: people in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handup.core import BadSetting, Person, Question, QuestionKind, Role


@dataclass(frozen=True)
class InOrder:
    """Asks those whom the question names, or else everybody, in the order of the list.

    A bystander gives no permission for somebody else, unless the question names them.
    """

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
        if not question.to and question.kind is QuestionKind.PERMISSION:
            return tuple(person.name for person in people if person.role is not Role.BYSTANDER)
        return tuple(dict.fromkeys(question.to or known))
