"""Whom to ask: routers say who may answer a question, and in which order they are asked.

The protocol, the simplest router, and the contract as a check that any author can run on their own class.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from handup.core import BadSetting, Person, Question, QuestionKind, Role
from handup.core.contract import Contract

__all__ = ["InOrder", "Router", "check_router"]
EXAMPLE_PEOPLE = (
    Person(name="ana", role=Role.RESIDENT),
    Person(name="ben", role=Role.CAREGIVER),
    Person(name="cem", role=Role.OPERATOR),
)
EXAMPLE_QUESTIONS = {
    "a question for anybody": Question("Which one?"),
    "a permission": Question("May I?", kind=QuestionKind.PERMISSION),
    "a question for one person": Question("Which one?", to=("ben",)),
    "a question for two in order": Question("Which one?", to=("cem", "ana")),
}


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
        if not question.to and question.rule.explicit:
            return tuple(person.name for person in people if person.role is not Role.BYSTANDER)
        return tuple(dict.fromkeys(question.to or known))


def check_router(router: Router) -> None:
    """Run a router through the contract that handup's own keeps.

    Raises:
        ContractViolation: Naming the question and what is wrong with the audience.
    """
    contract = Contract(f"router {type(router).__name__}")
    known = {person.name for person in EXAMPLE_PEOPLE}
    for name, question in EXAMPLE_QUESTIONS.items():
        for now_s in (0.0, 1.8e9):
            audience = router.audience(question, EXAMPLE_PEOPLE, now_s)
            somebody = isinstance(audience, tuple) and audience
            contract.keeps(somebody, f"names nobody for {name}", "Return a tuple of at least one name.")
            once = len(set(audience)) == len(audience)
            contract.keeps(once, f"names somebody twice for {name}", "Name everybody once.")
            here = set(audience) <= known
            contract.keeps(here, f"names a stranger for {name}", "Name only people that it is given.")
            meant = not question.to or set(audience) <= set(question.to)
            contract.keeps(meant, f"goes beyond {name}", "Keep to question.to where it names people.")
            again = router.audience(question, EXAMPLE_PEOPLE, now_s)
            contract.keeps(
                again == audience, f"changes its mind about {name}", "Decide from what is given, and a seed."
            )
    with suppress(BadSetting):
        router.audience(Question("Which one?", to=("nobody-knows-me",)), EXAMPLE_PEOPLE, 0.0)
        contract.keeps(False, "takes a question for a stranger", "Raise BadSetting and name those who are known.")
