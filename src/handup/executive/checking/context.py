"""What the parts of the validator share: what is checked, against what, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handup.core import BadExpression
from handup.executive.checking.abilities import Abilities
from handup.executive.language import Expression
from handup.executive.problem import Place, Problem
from handup.executive.reading import MAX_PROBLEMS, OPS
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipes, Step, TaskStep
from handup.executive.recovery import Recovery

RunStep = ActionStep | TaskStep | OpStep


class Enough(Exception):
    """There are as many problems as anybody wants to read. Never leaves the validator."""


class Context:
    """One pass of the validator.

    Args:
        recipes: What is checked.
        recoveries: What is checked with it.
        abilities: What the robot brings; None if that is not known.
    """

    def __init__(self, recipes: Recipes, recoveries: Sequence[Recovery], abilities: Abilities | None) -> None:
        self.recipes = recipes
        self.recoveries = recoveries
        self.abilities = abilities
        self.problems: list[Problem] = []

    def add(self, place: Place, cause: str, hint: str) -> None:
        """Note a problem.

        Raises:
            Enough: There are too many.
        """
        self.problems.append(Problem(place, cause, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            raise Enough


def name_of(step: RunStep) -> str:
    """What a step runs."""
    if isinstance(step, ActionStep):
        return step.action
    return step.task if isinstance(step, TaskStep) else step.op


def every(steps: Sequence[Step]) -> Iterator[Step]:
    """All steps, those of choices and loops included, in the order of the file."""
    for step in steps:
        yield step
        if isinstance(step, ChoiceStep):
            yield from every(step.if_true)
            yield from every(step.if_false)
        elif isinstance(step, LoopStep):
            yield from every(step.body)


def expressions_of(step: Step) -> Iterator[Expression]:
    """What a step computes itself."""
    if isinstance(step, (ChoiceStep, LoopStep)):
        yield step.condition
    else:
        yield from step.params.values()


def sets_of(step: RunStep) -> tuple[str, ...]:
    """The variables that a step sets: those it names; counting by `name` sets that one where it names none."""
    if not step.var and isinstance(step, OpStep) and step.op in OPS and "name" in OPS[step.op].one_of:
        counted = counted_name(step)
        return () if counted is None else (counted,)
    return step.var


def counted_name(step: RunStep) -> str | None:
    """The variable that an increment or decrement counts by its name."""
    name = step.params.get("name")
    if not isinstance(step, OpStep) or name is None or not name.constant:
        return None
    value = name.value({})
    return value if isinstance(value, str) else None


def constant_of(condition: Expression) -> bool | None:
    """Whether a condition that reads nothing holds; None where it depends on something, or has no value."""
    if condition.names:
        return None
    try:
        return bool(condition.value({}))
    except BadExpression:
        return None
