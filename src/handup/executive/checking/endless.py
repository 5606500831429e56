"""What would never end: loops without a bound, and tasks that call themselves on every way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from handup.executive.checking.context import Context, constant_of, every, sets_of
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipe, Step, TaskStep

LOOP_HINT = "Add most: N; or let its condition look at 'aborts', or at a variable that its body sets."


def check_loops(context: Context, steps: Sequence[Step]) -> None:
    """Note loops for which nobody says when they end."""
    for step in every(steps):
        if isinstance(step, LoopStep) and not step.stated and not _makes_progress(step):
            context.add(step.place, "nothing bounds this loop", LOOP_HINT)


def _makes_progress(loop: LoopStep) -> bool:
    names = loop.condition.names()
    if constant_of(loop.condition) is False or ("aborts",) in names:
        return True
    asked = {name[1] for name in names if name[0] == "var"}
    return any(
        asked & set(sets_of(step)) for step in every(loop.body) if isinstance(step, (ActionStep, TaskStep, OpStep))
    )


def check_recursion(context: Context) -> None:
    """Note calls of tasks that lead back to themselves on every way.

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


def _ending(tasks: Mapping[str, Recipe]) -> set[str]:
    """The tasks that can end. Each is looked at again only when one that it waits for turns out to end."""
    callers: dict[str, set[str]] = {}
    for name, recipe in tasks.items():
        for step in every(recipe.steps):
            if isinstance(step, TaskStep):
                callers.setdefault(step.task, set()).add(name)
    ending: set[str] = set()
    waiting = list(tasks)
    while waiting:
        name = waiting.pop()
        if name not in ending and any(_ends(tasks[name].steps, tasks, ending)):
            ending.add(name)
            waiting += callers.get(name, ())
    return ending


class _Ends(NamedTuple):
    """How steps can end: by going on behind them, by an abort."""

    on: bool
    out: bool


def _ends(steps: Sequence[Step], tasks: Mapping[str, Recipe], ending: set[str]) -> _Ends:
    out = False
    for step in steps:
        one = _end(step, tasks, ending)
        out = out or one.out
        if not one.on:
            return _Ends(on=False, out=out)
    return _Ends(on=True, out=out)


def _end(step: Step, tasks: Mapping[str, Recipe], ending: set[str]) -> _Ends:
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
