"""The contract of routers, as a check that any author can run on their own class."""

from __future__ import annotations

from collections.abc import Iterator

from handup.core import BadSetting, ContractViolation, Person, Question, QuestionKind, Role
from handup.whom.base import Router

PEOPLE = (
    Person(name="ana", role=Role.RESIDENT),
    Person(name="ben", role=Role.CAREGIVER),
    Person(name="cem", role=Role.OPERATOR),
)


def example_questions() -> Iterator[tuple[str, Question]]:
    """Questions of several sorts, named."""
    yield "a question for anybody", Question("Which one?")
    yield "a permission", Question("May I?", kind=QuestionKind.PERMISSION)
    yield "a question for one person", Question("Which one?", to=("ben",))
    yield "a question for two in order", Question("Which one?", to=("cem", "ana"))


def check_router(router: Router) -> None:
    """Run a router through the contract that handup's own keeps.

    Raises:
        ContractViolation: Naming the question and what is wrong with the audience.
    """
    known = {person.name for person in PEOPLE}
    for name, question in example_questions():
        for now_s in (0.0, 1.8e9):
            audience = router.audience(question, PEOPLE, now_s)
            if not isinstance(audience, tuple) or not audience:
                raise _violation(router, f"names nobody for {name}", "Return a tuple of at least one name.")
            if len(set(audience)) != len(audience):
                raise _violation(router, f"names somebody twice for {name}", "Name everybody once.")
            if not set(audience) <= known:
                raise _violation(router, f"names a stranger for {name}", "Name only people that it is given.")
            if question.to and not set(audience) <= set(question.to):
                raise _violation(router, f"goes beyond {name}", "Keep to question.to where it names people.")
            if router.audience(question, PEOPLE, now_s) != audience:
                raise _violation(router, f"changes its mind about {name}", "Decide from what is given, and a seed.")
    try:
        router.audience(Question("Which one?", to=("nobody-knows-me",)), PEOPLE, 0.0)
    except BadSetting:
        return
    raise _violation(router, "takes a question for a stranger", "Raise BadSetting and name those who are known.")


def _violation(router: Router, what: str, hint: str) -> ContractViolation:
    return ContractViolation(f"router {type(router).__name__} {what}", hint=hint)
