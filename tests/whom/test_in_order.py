"""The list router, and the contract that every router keeps."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from handup.core import BadSetting, ContractViolation, Person, Question
from handup.whom import InOrder, check_router

PEOPLE = tuple(Person(name=name) for name in ("ana", "ben", "cem"))


def test_everybody_in_the_order_of_the_list() -> None:
    assert InOrder().audience(Question("Which?"), PEOPLE, 0.0) == ("ana", "ben", "cem")


def test_only_those_whom_the_question_names_in_its_order() -> None:
    assert InOrder().audience(Question("Which?", to=("cem", "ana")), PEOPLE, 0.0) == ("cem", "ana")


def test_a_stranger_is_refused_and_the_known_are_named() -> None:
    with pytest.raises(BadSetting, match="ana, ben, cem"):
        InOrder().audience(Question("Which?", to=("dan",)), PEOPLE, 0.0)


def test_it_keeps_the_contract() -> None:
    check_router(InOrder())


class Nobody:
    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        return ()


class Twice:
    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        return ("ana", "ana")


class Stranger:
    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        return ("dan",)


class Deaf:
    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        return tuple(person.name for person in people)


class Fickle:
    def __init__(self) -> None:
        self.calls = 0

    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        self.calls += 1
        names = question.to or tuple(person.name for person in people)
        return names if self.calls % 2 else names[::-1]


class Careless:
    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        known = [person.name for person in people]
        return tuple(name for name in question.to or known if name in known) or ("ana",)


@pytest.mark.parametrize(
    ("router", "why"),
    [
        (Nobody(), "nobody"),
        (Twice(), "twice"),
        (Stranger(), "stranger"),
        (Deaf(), "beyond"),
        (Fickle(), "changes its answer"),
        (Careless(), "takes a question for a stranger"),
    ],
)
def test_what_breaks_the_contract_is_named(router: Nobody, why: str) -> None:
    with pytest.raises(ContractViolation, match=why):
        check_router(router)
