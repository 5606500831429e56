"""Recoveries as data: other files than the recipe, which name the failures they help with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from handup.core import ResumeHint
from handup.executive.events import Ending
from handup.executive.problem import NOWHERE, Place
from handup.executive.recipe import Step, expressions_of

if TYPE_CHECKING:
    from handup.executive.language import Expression


@dataclass(frozen=True, kw_only=True)
class When:
    """Which failures a recovery is for. What is left out matches everything.

    Args:
        path: A pattern of task names and the leaf, with slashes; `*` is one name, `**` any number of them, such as
            `**/pick/grasp`.
        codes: Of the leaf.
        least: The leaf step has aborted at least so often.
        most: And at most so often; None is no bound.
        belief: A condition on beliefs, on `failure` (its fields, params, goal) and on `tried` (results of `attempt`).
        contradiction: A belief on which script and monitor must disagree.
        place: Where it stands.
    """

    path: str = "**"
    codes: tuple[str, ...] = ()
    least: int = 1
    most: int | None = None
    belief: Expression | None = None
    contradiction: str | None = None
    place: Place = NOWHERE


@dataclass(frozen=True, kw_only=True)
class Branch:
    """What to do then, and how to go on.

    Args:
        condition: When this branch is taken: an expression on `tried`, `failure`, `beliefs`; None is always.
        steps: Actions and tasks, with parameters computed from the failure.
        hint: How the task goes on.
        level: The task at which it does: its name; the innermost one of that name in the failure's path. None is the
            task whose step failed.
        ends: What the run has ended as, where the hint is `none` and no level is named: `Ending.DONE` where the failure
            is no fault but the end of the work, such as that the time is up.
        place: Where it stands.
    """

    condition: Expression | None = None
    steps: tuple[Step, ...] = ()
    hint: ResumeHint = ResumeHint.NONE
    level: str | None = None
    ends: Ending = Ending.FAILED
    place: Place = NOWHERE


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """One rule.

    Args:
        name: Its name, unique in a run.
        when: The failures it is for.
        attempt: Immediate steps (`try` in YAML) whose result may choose the branch.
        branches: In order; the first whose condition holds is taken. None of them: this recovery did not help.
        limit: How often it may be used for one step until that step has worked, also over a `retry` further up.
        helps: A condition that must hold for it to be worth trying.
        place: Where it stands.
        about: One sentence for people.
    """

    name: str
    when: When
    attempt: tuple[Step, ...] = ()
    branches: tuple[Branch, ...] = ()
    limit: int = 1
    helps: Expression | None = None
    place: Place = NOWHERE
    about: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The immediate steps, then those of its branches."""
        return (*self.attempt, *(step for branch in self.branches for step in branch.steps))

    @property
    def conditions(self) -> tuple[Expression, ...]:
        """The conditions that choose it, and its branches."""
        conditions = (self.when.belief, self.helps, *(branch.condition for branch in self.branches))
        return tuple(condition for condition in conditions if condition is not None)

    @property
    def names(self) -> frozenset[tuple[str, ...]]:
        """Everything that its conditions and steps read, such as `("beliefs", "robot_at")`."""
        expressions = (*self.conditions, *expressions_of(self.steps))
        return frozenset().union(*(expression.names for expression in expressions))
