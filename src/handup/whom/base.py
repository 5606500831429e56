"""The protocol of routers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from handup.core import Person, Question


class Router(Protocol):
    """Says whom to ask. The desk calls it once for each question, when it comes in, and writes down what it says.

    A router knows nothing of what is open; limits are the desk's business. One that weighs how loaded, how near or
    how able people are takes that from its own constructor. Run `check_router` on it.
    """

    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        """Who may answer, by name: the first is asked first, *someone else* leads to the next.

        Args:
            question: What is asked; where `question.to` names people, nobody else may be in the audience.
            people: Whom the desk knows.
            now_s: The time.

        Raises:
            BadSetting: The question is for somebody whom the desk does not know.
        """
        ...
