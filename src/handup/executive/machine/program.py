"""Recipes and recoveries made ready to run: every step knows its path, so that running takes no lookups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipe, Recipes, Step, TaskStep
from handup.executive.recovery import Recovery

if TYPE_CHECKING:
    from handup.executive.language import Expression

Path = tuple[int, ...]


class Kind(IntEnum):
    """What a step does."""

    ACTION = 0
    OP = 1
    TASK = 2
    CHOICE = 3
    LOOP = 4


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One step, ready to run.

    Args:
        kind: What it does.
        path: Indices from the task's steps down to it. The steps of a choice are counted through: those for false
            come after those for true.
        name: Of the action, op or task; `choice` or `loop`.
        step: As it was read.
        params: What it is given.
        var: What it gives.
        condition: Of a choice or loop.
        body: What a loop repeats, or what a choice does when true.
        other: What a choice does when false.
        most: So often a loop may go round.
        counted: Whether that is how often it is to go round: its condition reads nothing, so it never changes.
    """

    kind: Kind
    path: Path
    name: str
    step: Step
    params: tuple[tuple[str, Expression], ...] = ()
    var: tuple[str, ...] = ()
    condition: Expression | None = None
    body: tuple[Line, ...] = ()
    other: tuple[Line, ...] = ()
    most: int = 0
    counted: bool = False


Lines = tuple[Line, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A recipe, ready to run."""

    recipe: Recipe
    lines: Lines


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A recovery, ready to run. `order` is its place in the files."""

    recovery: Recovery
    attempt: Lines
    branches: tuple[Lines, ...]
    order: int


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Everything that a machine runs."""

    recipes: Recipes
    tasks: Mapping[str, Task]
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, recipes: Recipes, recoveries: Iterable[Recovery]) -> Program:
        """Make recipes and recoveries ready."""
        return cls(
            recipes=recipes,
            tasks={name: Task(recipe, lines_of(recipe.steps)) for name, recipe in recipes.tasks.items()},
            rules=tuple(
                Rule(each, lines_of(each.attempt), tuple(lines_of(branch.steps) for branch in each.branches), order)
                for order, each in enumerate(recoveries)
            ),
        )


def lines_of(steps: Iterable[Step], around: Path = (), first: int = 0) -> Lines:
    """Steps in their order, ready to run."""
    return tuple(_line(step, (*around, index)) for index, step in enumerate(steps, start=first))


def _line(step: Step, path: Path) -> Line:
    match step:
        case ActionStep():
            return Line(Kind.ACTION, path, step.action, step, tuple(step.params.items()), step.var)
        case TaskStep():
            return Line(Kind.TASK, path, step.task, step, tuple(step.params.items()), step.var)
        case OpStep():
            return Line(Kind.OP, path, step.op, step, tuple(step.params.items()), step.var)
        case ChoiceStep():
            yes = lines_of(step.if_true, path)
            no = lines_of(step.if_false, path, len(yes))
            return Line(Kind.CHOICE, path, "choice", step, condition=step.condition, body=yes, other=no)
        case LoopStep():
            body = lines_of(step.body, path)
            counted = not step.condition.names
            return Line(
                Kind.LOOP, path, "loop", step, condition=step.condition, body=body, most=step.most, counted=counted
            )
