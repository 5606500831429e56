"""Recipes and recoveries made ready to run, and the choice of the rule for a failure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from handup.executive.failure import Failure
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipes, RunStep, Step, TaskStep
from handup.executive.recovery import Recovery, RecoveryCondition

if TYPE_CHECKING:
    from handup.executive.language import Expression

Path = tuple[int, ...]


class StepKind(StrEnum):
    """Kind of a step."""

    ACTION = "action"
    OP = "op"
    TASK = "task"
    CHOICE = "choice"
    LOOP = "loop"


_KINDS = {ActionStep: StepKind.ACTION, OpStep: StepKind.OP, TaskStep: StepKind.TASK}


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One step, ready to run.

    Args:
        kind: Kind of the step.
        path: Indices from the task's steps down to it. The steps of a choice are counted through: those for false
            come after those for true.
        name: Name of the action, op or task; or `choice` or `loop`.
        step: The step as it was read.
        params: Expressions of its inputs, by name.
        var: Names of the variables that it sets.
        condition: Condition of a choice or loop.
        body: Steps that a loop repeats, or that a choice runs if true.
        other: Steps that a choice runs if false.
    """

    kind: StepKind
    path: Path
    name: str
    step: Step
    params: tuple[tuple[str, Expression], ...] = ()
    var: tuple[str, ...] = ()
    condition: Expression | None = None
    body: tuple[Line, ...] = ()
    other: tuple[Line, ...] = ()


Lines = tuple[Line, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RecoveryRule:
    """Recovery, ready to run."""

    recovery: Recovery
    attempt: Lines
    branches: tuple[Lines, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Everything that a machine runs: the recipes, the lines of each task by its name, and the rules."""

    recipes: Recipes
    lines: Mapping[str, Lines]
    rules: tuple[RecoveryRule, ...]

    @classmethod
    def of(cls, recipes: Recipes, recoveries: Iterable[Recovery]) -> Program:
        """Make recipes and recoveries ready."""
        return cls(
            recipes=recipes,
            lines={name: lines_of(recipe.steps) for name, recipe in recipes.tasks.items()},
            rules=tuple(
                RecoveryRule(
                    recovery, lines_of(recovery.attempt), tuple(lines_of(branch.steps) for branch in recovery.branches)
                )
                for recovery in recoveries
            ),
        )


def lines_of(steps: Iterable[Step], around: Path = (), first: int = 0) -> Lines:
    """Return steps ready to run, in order."""
    return tuple(_line(step, (*around, index)) for index, step in enumerate(steps, start=first))


def _line(step: Step, path: Path) -> Line:
    match step:
        case RunStep():
            return Line(_KINDS[type(step)], path, step.name, step, tuple(step.params.items()), step.var)
        case ChoiceStep():
            yes = lines_of(step.if_true, path)
            no = lines_of(step.if_false, path, len(yes))
            return Line(StepKind.CHOICE, path, "choice", step, condition=step.condition, body=yes, other=no)
        case LoopStep():
            return Line(StepKind.LOOP, path, "loop", step, condition=step.condition, body=lines_of(step.body, path))


# -- which rule is for a failure ---------------------------------------------------------------------------------------

Holds = Callable[[object], bool]
"""Function that returns whether an expression holds in the scope of a failure."""


@lru_cache(maxsize=4096)
def _names(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.split("/"))


def path_matches(pattern: str, path: str) -> bool:
    """Return whether a path of names fits a pattern: `*` is one name, `**` any number of them, none included."""
    parts = _names(pattern)
    places = first_places(parts)
    for name in path.split("/"):
        places = places_after(parts, places, name)
    return len(parts) in places


def first_places(pattern: Sequence[str]) -> frozenset[int]:
    """Return the places of a pattern that are reached before the first name of a path."""
    return _skipped(pattern, {0})


def places_after(pattern: Sequence[str], places: frozenset[int], name: str) -> frozenset[int]:
    """Return the places of a pattern that are reached with one more name of a path; its length if all of it fits."""
    after = set()
    for place in places:
        if place < len(pattern):
            if pattern[place] == "**":
                # It takes in this name, and stays open for more.
                after.add(place)
            elif pattern[place] in ("*", name):
                after.add(place + 1)
    return _skipped(pattern, after)


def _skipped(pattern: Sequence[str], places: set[int]) -> frozenset[int]:
    """Return these places and those behind every `**` that follows, which may stand for nothing."""
    for place in sorted(places):
        at = place
        while at < len(pattern) and pattern[at] == "**":
            at += 1
            places.add(at)
    return frozenset(places)


def specificity(when: RecoveryCondition) -> tuple[int, int, int, int]:
    """Return how narrow a rule is. The larger one, compared place by place, goes first.

    1. How many names its path spells out: a rule for `**/pick/grasp` goes before one for `**/grasp`.
    2. Whether it names codes.
    3. Whether it counts aborts.
    4. On how many beliefs it looks: a condition, a contradiction.
    """
    literal = sum(name not in ("*", "**") for name in _names(when.path))
    counts = when.least > 1 or when.most is not None
    return literal, bool(when.codes), counts, (when.belief is not None) + (when.contradiction is not None)


def fits(when: RecoveryCondition, failure: Failure, holds: Holds) -> bool:
    """Return whether a failure is one of those that a rule names."""
    aborts = failure.levels[-1].aborts
    return (
        (not when.codes or failure.code in when.codes)
        and when.least <= aborts
        and (when.most is None or aborts <= when.most)
        and path_matches(when.path, failure.path)
        and (when.contradiction is None or when.contradiction in failure.contradictions)
        and (when.belief is None or holds(when.belief))
    )


def choose(
    rules: Sequence[RecoveryRule], failure: Failure, *, uses: Mapping[str, int], busy: Collection[str], holds: Holds
) -> RecoveryRule | None:
    """Return the recovery for a failure: the most specific one that is left, and among equals each in turn.

    Left is a rule that fits, that has been used for this step less often than its limit, that is not at work already
    (a recovery does not recover from itself), and whose `helps` holds. Equals take turns: the one that was used least
    for this step goes first, and of these the first in the files.

    Args:
        rules: All rules.
        failure: The failure.
        uses: Number of uses of each rule for this step, by name.
        busy: Names of the rules at work.
        holds: Function that returns whether an expression holds now.
    """
    left = (
        rule
        for rule in rules
        if uses.get(rule.recovery.name, 0) < rule.recovery.limit
        and rule.recovery.name not in busy
        and fits(rule.recovery.when, failure, holds)
        and (rule.recovery.helps is None or holds(rule.recovery.helps))
    )
    return max(left, key=lambda rule: (specificity(rule.recovery.when), -uses.get(rule.recovery.name, 0)), default=None)
