"""Recipes as data: what should happen if nothing fails. `reading/` reads them, `machine/` runs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from handup.executive.problem import NOWHERE, FilePlace

if TYPE_CHECKING:
    from handup.executive.language import Expression

FORMAT = 1
"""Version of the format of recipe, recovery and database files. A file states it under `format`."""


@dataclass(frozen=True, kw_only=True)
class RunStep:
    """A step that runs something: an action, another task or an op.

    Args:
        name: Name of the action, task or op.
        params: Expression of each of its inputs; a literal is an expression too.
        var: Those of its results that become variables of the task around it.
        place: Place in the file.
    """

    name: str
    params: Mapping[str, Expression] = field(default_factory=dict)
    var: tuple[str, ...] = ()
    place: FilePlace = NOWHERE


class ActionStep(RunStep):
    """Run a primitive, by its name in the registry or in the world."""


class TaskStep(RunStep):
    """Run another recipe."""


class OpStep(RunStep):
    """A small operation on data, such as assign or increment; `machine/steps.py` has them all."""


@dataclass(frozen=True, kw_only=True)
class ChoiceStep:
    """Take one of two ways, by a condition. Either may be empty."""

    condition: Expression
    if_true: tuple[Step, ...] = ()
    if_false: tuple[Step, ...] = ()
    place: FilePlace = NOWHERE


@dataclass(frozen=True, kw_only=True)
class LoopStep:
    """Repeat steps while a condition holds, at most `most` times.

    Args:
        condition: Condition, tested before each round.
        body: Steps of a round.
        most: Largest number of rounds.
        stated: True if the file says `most`. If not, the validator must see that the loop comes to an end.
        place: Place in the file.
    """

    condition: Expression
    body: tuple[Step, ...]
    most: int
    stated: bool = True
    place: FilePlace = NOWHERE


Step = ActionStep | TaskStep | OpStep | ChoiceStep | LoopStep


def every(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield all steps, those of choices and loops included, in the order of the file."""
    for step in steps:
        yield step
        if isinstance(step, ChoiceStep):
            yield from every((*step.if_true, *step.if_false))
        elif isinstance(step, LoopStep):
            yield from every(step.body)


def expressions_of(steps: Iterable[Step]) -> Iterator[Expression]:
    """Yield everything that steps compute, in the order of the file."""
    for step in every(steps):
        if isinstance(step, RunStep):
            yield from step.params.values()
        else:
            yield step.condition


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One task: inputs, steps and outputs.

    Args:
        name: Name by which other tasks call it.
        params: Its inputs.
        var: Its outputs: variables that must be set when it is done.
        steps: Steps, in order.
        place: Place in the file.
        about: Description for people, one sentence.
    """

    name: str
    params: tuple[str, ...] = ()
    var: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    place: FilePlace = NOWHERE
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Recipes:
    """All tasks of one run.

    Args:
        main: The task that a run begins with.
        tasks: All tasks, by name.
        database: The names of one environment and what they stand for: plain data.
    """

    main: str
    tasks: Mapping[str, Recipe]
    database: Mapping[str, Any] = field(default_factory=dict)
