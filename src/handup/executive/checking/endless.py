"""What would never end: loops without a bound, tasks that call themselves on every way; and too many in each other."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from handup.executive.checking.context import Context, constant_of, every, sets_of
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipe, Step, TaskStep
from handup.executive.settings import MAX_TASKS

LOOP_HINT = "Add most: N; or let its condition look at 'aborts', or at a variable that its body sets."


def check_loops(context: Context, steps: Sequence[Step]) -> None:
    """Note loops for which nobody says when they end."""
    for step in every(steps):
        if isinstance(step, LoopStep) and not step.stated and not _makes_progress(step):
            context.add(step.place, "nothing bounds this loop", LOOP_HINT)


def _makes_progress(loop: LoopStep) -> bool:
    names = loop.condition.names
    if constant_of(loop.condition) is False or ("aborts",) in names:
        return True
    asked = {name[1] for name in names if name[0] == "var"}
    return any(
        asked & set(sets_of(step)) for step in every(loop.body) if isinstance(step, (ActionStep, TaskStep, OpStep))
    )


def check_recursion(context: Context) -> None:
    """Note calls of tasks that lead back to themselves on every way, or too deep.

    A task can end if there is a way through its steps on which every task that is called can end; which ones can is
    found from those that call nothing upwards. What is left calls itself without a guard.
    """
    tasks = context.recipes.tasks
    ending = _ending(tasks)
    for name, recipe in tasks.items():
        if name not in ending:
            for step in every(recipe.steps):
                if isinstance(step, TaskStep) and step.task in tasks and step.task not in ending:
                    cause = f"task '{name}' calls '{step.task}' on every way, and that never comes to an end"
                    context.add(step.place, cause, "Put the call into a choice or a loop.")
        elif ending[name] == MAX_TASKS + 1:
            deepest = max(_always(recipe), key=lambda step: ending.get(step.task, 0))
            cause = f"with '{name}' more than {MAX_TASKS} tasks stand in each other, so it can never be done"
            context.add(deepest.place, cause, "Let fewer tasks do nothing but call another one.")


def _always(recipe: Recipe) -> list[TaskStep]:
    """The calls that stand in no choice and in no loop."""
    return [step for step in recipe.steps if isinstance(step, TaskStep)]


def _ending(tasks: Mapping[str, Recipe]) -> dict[str, int]:
    """The tasks that can end, each with how many stand in each other there at least, itself included.

    Each is looked at again only when one that it waits for turns out to end.
    """
    callers: dict[str, set[str]] = {}
    for name, recipe in tasks.items():
        for step in every(recipe.steps):
            if isinstance(step, TaskStep):
                callers.setdefault(step.task, set()).add(name)
    ending: dict[str, int] = {}
    waiting = list(tasks)
    while waiting:
        name = waiting.pop()
        if name not in ending and any(_ends(tasks[name].steps, tasks, ending)):
            ending[name] = 1 + max((ending.get(step.task, 0) for step in _always(tasks[name])), default=0)
            waiting += callers.get(name, ())
    return ending


class _Ends(NamedTuple):
    """How steps can end: by going on behind them, by an abort."""

    on: bool
    out: bool


def _ends(steps: Sequence[Step], tasks: Mapping[str, Recipe], ending: Container[str]) -> _Ends:
    out = False
    for step in steps:
        one = _end(step, tasks, ending)
        out = out or one.out
        if not one.on:
            return _Ends(on=False, out=out)
    return _Ends(on=True, out=out)


def _end(step: Step, tasks: Mapping[str, Recipe], ending: Container[str]) -> _Ends:
    if isinstance(step, OpStep):
        return _Ends(on=step.op != "abort", out=step.op == "abort")
    if isinstance(step, TaskStep):
        return _Ends(on=step.task not in tasks or step.task in ending, out=False)
    if isinstance(step, ActionStep):
        return _Ends(on=True, out=False)
    known = constant_of(step.condition)
    if isinstance(step, ChoiceStep):
        yes = _Ends(on=False, out=False) if known is False else _ends(step.if_true, tasks, ending)
        no = _Ends(on=False, out=False) if known is True else _ends(step.if_false, tasks, ending)
        return _Ends(on=yes.on or no.on, out=yes.out or no.out)
    body = _Ends(on=True, out=False) if known is False else _ends(step.body, tasks, ending)
    return _Ends(on=body.on or not known, out=body.out)
