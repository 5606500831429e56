"""Recoveries as data: files beside the recipe, which name the failures that they help with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from handup.core import ResumeHint
from handup.executive.events import Ending
from handup.executive.problem import NOWHERE, FilePlace
from handup.executive.recipe import Step, expressions_of

if TYPE_CHECKING:
    from handup.executive.language import Expression


@dataclass(frozen=True, kw_only=True)
class RecoveryCondition:
    """Failures that a recovery is for. A field that is left out matches everything.

    Args:
        path: A pattern of task names and the leaf, with slashes; `*` is one name, `**` any number of them, such as
            `**/pick/grasp`.
        codes: Codes of the leaf.
        least: Least number of aborts of the leaf step.
        most: Largest number of aborts; None for no bound.
        belief: A condition on beliefs, on `failure` (its fields, params, goal) and on `tried` (results of `attempt`).
        contradiction: A belief on which script and monitor must disagree.
        place: Place in the file.
    """

    path: str = "**"
    codes: tuple[str, ...] = ()
    least: int = 1
    most: int | None = None
    belief: Expression | None = None
    contradiction: str | None = None
    place: FilePlace = NOWHERE


@dataclass(frozen=True, kw_only=True)
class Branch:
    """Steps that a recovery takes in one case, and how the task goes on after them.

    Args:
        condition: Expression on `tried`, `failure`, `beliefs` under which this branch is taken; None is always.
        steps: Actions and tasks, with parameters computed from the failure.
        hint: How the task goes on.
        level: Name of the task at which it goes on: the innermost one of that name in the failure's path. None is the
            task whose step failed.
        ends: Ending of the run, if the hint is `none` and no level is named: `Ending.DONE` if the failure is no
            fault but the end of the work, such as that the time is up.
        place: Place in the file.
    """

    condition: Expression | None = None
    steps: tuple[Step, ...] = ()
    hint: ResumeHint = ResumeHint.NONE
    level: str | None = None
    ends: Ending = Ending.FAILED
    place: FilePlace = NOWHERE


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """One rule: the failures that it is for, and what it does about them.

    Args:
        name: Its name, unique in a run.
        when: The failures it is for.
        attempt: Immediate steps (`try` in YAML) whose result may choose the branch.
        branches: In order; the first whose condition holds is taken. If none does, the recovery did not help.
        limit: Most uses for one step until that step has worked, also over a `retry` further up.
        helps: A condition that must hold for it to be worth trying.
        place: Place in the file.
        about: Description for people, one sentence.
    """

    name: str
    when: RecoveryCondition
    attempt: tuple[Step, ...] = ()
    branches: tuple[Branch, ...] = ()
    limit: int = 1
    helps: Expression | None = None
    place: FilePlace = NOWHERE
    about: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """Immediate steps, then those of the branches."""
        return (*self.attempt, *(step for branch in self.branches for step in branch.steps))

    @property
    def conditions(self) -> tuple[Expression, ...]:
        """Conditions that choose the recovery, and its branches."""
        conditions = (self.when.belief, self.helps, *(branch.condition for branch in self.branches))
        return tuple(condition for condition in conditions if condition is not None)

    @property
    def names(self) -> frozenset[tuple[str, ...]]:
        """Everything that its conditions and steps read, such as `("beliefs", "robot_at")`."""
        expressions = (*self.conditions, *expressions_of(self.steps))
        return frozenset().union(*(expression.names for expression in expressions))
