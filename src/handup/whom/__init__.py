"""Whom to ask: the options of a moment, with hard limits and abilities of people; and routers for the desk.

A router says which people may answer a question, and in which order they are asked. Here are its protocol, the simplest
router, and `check_router`, which authors run on a router of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from handup.core import BadSetting, Person, Question, QuestionKind, Role, UnknownName
from handup.core.contract import Contract
from handup.whom.abilities import KindAbilities, need_of
from handup.whom.desk_options import DeskOptions, at_desk
from handup.whom.hard_limits import HardLimit, LimitSettings, PersonNow, limit_of, unfair
from handup.whom.options import Options, RecoveryRecord, Willing

__all__ = [
    "DeskOptions", "HardLimit", "InOrder", "KindAbilities", "LimitSettings", "Options", "PersonNow", "RecoveryRecord",
    "Router", "Willing", "at_desk", "check_router", "limit_of", "need_of", "unfair",
]  # fmt: skip
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
    """Rule of whom to ask. The desk calls it once for each question, when it comes in, and records the result.

    A router does not know the open questions, and the desk applies the limits. A router that weighs the load, the
    place or the skill of people takes these in its own constructor. Run `check_router` on it.
    """

    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        """Return the names of the people who may answer. The first is asked first; *someone else* leads to the next.

        Args:
            question: The question; where `question.to` names people, nobody else may be in the audience.
            people: The people whom the desk knows.
            now_s: Present time in seconds.

        Raises:
            UnknownName: The question is for a person whom the desk does not know.
        """
        ...


@dataclass(frozen=True)
class InOrder:
    """Router to the people whom the question names, or else to everybody, in the order of the list.

    A bystander is not asked for a permission, unless the question names them.
    """

    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        """Return the names of the people who may answer, in order.

        Raises:
            UnknownName: The question names a person whom the desk does not know.
        """
        known = [person.name for person in people]
        strangers = [name for name in question.to if name not in known]
        if strangers:
            hint = f"It knows: {', '.join(known) or 'nobody'}."
            raise UnknownName.of("a question", f"'{strangers[0]}'", "be for people whom the desk knows", hint=hint)
        if not question.to and question.rule.explicit:
            return tuple(person.name for person in people if person.role is not Role.BYSTANDER)
        return tuple(dict.fromkeys(question.to or known))


def check_router(router: Router) -> None:
    """Run a router through the contract that handup's own keeps.

    Raises:
        ContractViolation: An audience is wrong; the message names the question and the mistake.
    """
    contract = Contract(f"router {type(router).__name__}")
    known = {person.name for person in EXAMPLE_PEOPLE}
    for name, question in EXAMPLE_QUESTIONS.items():
        for now_s in (0.0, 1.8e9):
            audience = router.audience(question, EXAMPLE_PEOPLE, now_s)
            named = isinstance(audience, tuple) and audience
            contract.keeps(named, f"names nobody for {name}", "Return a tuple of at least one name.")
            once = len(set(audience)) == len(audience)
            contract.keeps(once, f"names a person twice for {name}", "Name each person once.")
            contract.keeps(set(audience) <= known, f"names a stranger for {name}", "Name only people of the argument.")
            addressed = not question.to or set(audience) <= set(question.to)
            contract.keeps(addressed, f"goes beyond {name}", "Keep to question.to where it names people.")
            again = router.audience(question, EXAMPLE_PEOPLE, now_s)
            hint = "Decide only from the arguments and a fixed seed."
            contract.keeps(again == audience, f"changes its answer for {name}", hint)
    with suppress(BadSetting):
        router.audience(Question("Which one?", to=("nobody-knows-me",)), EXAMPLE_PEOPLE, 0.0)
        contract.keeps(False, "takes a question for a stranger", "Raise UnknownName and name the known people.")
