"""Recipes and recoveries made in a few words, and a driver that runs a machine with scripted actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

from handup.core import ResumeHint
from handup.executive.events import ActionEnded, Begun, Note, TaskAnswered, TaskUnanswered
from handup.executive.language import Expression, literal, parse
from handup.executive.machine import AskPerson, Finished, Input, LastLook, Looked, Machine, RunAction
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipe, Recipes, Step, TaskStep
from handup.executive.recovery import Branch, Recovery, RecoveryCondition

ROOTS = ("params.", "var.", "database.", "beliefs.", "failure.", "tried.")


def given(values: Mapping[str, Any]) -> dict[str, Expression]:
    """As in a file: a text that begins with a root is a reference."""
    return {
        name: parse(value) if isinstance(value, str) and value.startswith(ROOTS) else literal(value)
        for name, value in values.items()
    }


def action(name: str, /, var: Iterable[str] = (), **params: Any) -> ActionStep:
    return ActionStep(name=name, params=given(params), var=tuple(var))


def task(name: str, /, var: Iterable[str] = (), **params: Any) -> TaskStep:
    return TaskStep(name=name, params=given(params), var=tuple(var))


def op(name: str, /, var: Iterable[str] = (), **params: Any) -> OpStep:
    return OpStep(name=name, params=given(params), var=tuple(var))


def choice(condition: str, yes: Iterable[Step] = (), no: Iterable[Step] = ()) -> ChoiceStep:
    return ChoiceStep(condition=parse(condition), if_true=tuple(yes), if_false=tuple(no))


def loop(condition: str, *body: Step, most: int = 10) -> LoopStep:
    return LoopStep(condition=parse(condition), body=body, most=most)


def recipe(name: str, *steps: Step, params: Iterable[str] = (), var: Iterable[str] = ()) -> Recipe:
    return Recipe(name=name, params=tuple(params), var=tuple(var), steps=steps)


def recipes(*tasks: Recipe, database: Mapping[str, Any] | None = None) -> Recipes:
    return Recipes(main=tasks[0].name, tasks={each.name: each for each in tasks}, database=database or {})


def rule(
    name: str,
    path: str = "**",
    *steps: Step,
    resume: ResumeHint = ResumeHint.CONTINUE,
    level: str | None = None,
    codes: Iterable[str] = (),
    least: int = 1,
    most: int | None = None,
    belief: str | None = None,
    contradiction: str | None = None,
    attempt: Iterable[Step] = (),
    branches: Iterable[Branch] = (),
    limit: int = 1,
    helps: str | None = None,
) -> Recovery:
    when = RecoveryCondition(
        path=path,
        codes=tuple(codes),
        least=least,
        most=most,
        belief=None if belief is None else parse(belief),
        contradiction=contradiction,
    )
    return Recovery(
        name=name,
        when=when,
        attempt=tuple(attempt),
        branches=tuple(branches) or (Branch(steps=steps, hint=resume, level=level),),
        limit=limit,
        helps=None if helps is None else parse(helps),
    )


def branch(
    condition: str | None, *steps: Step, resume: ResumeHint = ResumeHint.CONTINUE, level: str | None = None
) -> Branch:
    return Branch(condition=None if condition is None else parse(condition), steps=steps, hint=resume, level=level)


Does = Callable[[RunAction], ActionEnded]
Says = Callable[[AskPerson], TaskAnswered | TaskUnanswered]


def done(command: RunAction, **results: Any) -> ActionEnded:
    return ActionEnded(number=command.number, ok=True, results=results)


def aborted(command: RunAction, code: str = "broken", **fields: Any) -> ActionEnded:
    return ActionEnded(number=command.number, ok=False, code=code, why="It broke.", fields=fields)


class Script:
    """Actions by what they do: each has a list of outcomes, used up in turn, and the last one stays.

    An outcome is True, a code, or a mapping of results.
    """

    def __init__(self, **plans: Iterable[bool | str | Mapping[str, Any]]) -> None:
        self.plans = {name: list(outcomes) for name, outcomes in plans.items()}
        self.ran: list[str] = []
        self.commands: list[RunAction] = []

    def __call__(self, command: RunAction) -> ActionEnded:
        self.ran.append(command.action)
        self.commands.append(command)
        plan = self.plans.get(command.action, [True])
        outcome = plan.pop(0) if len(plan) > 1 else plan[0]
        if isinstance(outcome, str):
            return aborted(command, outcome)
        return done(command, **({} if isinstance(outcome, bool) else outcome))


def drive(machine: Machine, does: Does, says: Says | None = None) -> tuple[Finished, list[Input]]:
    """Run to the end. Gives what it was told, too."""
    told: list[Input] = []

    def tell(event: Input) -> None:
        told.append(event)
        machine.tell(event)

    while True:
        match machine.next():
            case Finished() as finished:
                return finished, told
            case LastLook():
                tell(Looked())
            case RunAction() as command:
                tell(Begun(number=command.number, action=command.action))
                tell(does(command))
            case AskPerson() as asked:
                tell(says(asked) if says is not None else TaskUnanswered(number=asked.number))


def noted(machine: Machine, kind: type[Note]) -> list[Any]:
    return [each for each in machine.notes() if isinstance(each, kind)]


def state_of(machine: Machine) -> dict[str, Any]:
    """Copy everything that matters for what comes next: equal states go on equally."""
    state = machine
    beliefs = state.beliefs
    frames = [
        {
            "name": frame.name,
            "params": dict(frame.params),
            "var": dict(frame.var),
            "at": [(cursor.index, cursor.rounds) for cursor in frame.cursors],
            "tally": deepcopy(frame.tally),
            "tried": None if frame.repair is None else dict(frame.repair.tried),
            "branch": None if frame.repair is None else frame.repair.branch,
        }
        for frame in state.frames
    ]
    counted = ("started", "floor", "starts", "steps", "failures", "questions", "now_s", "phase", "command")
    return {
        "frames": frames,
        "beliefs": (beliefs.assertions, beliefs.unheard),
        "task_aborts": dict(state.task_aborts),
        "passed": set(state.passed),
        **{name: getattr(state, name) for name in counted},
    }
