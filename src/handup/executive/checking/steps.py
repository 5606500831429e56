"""Steps against what there is: their names, inputs and outputs, what their expressions read, and that they end."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from handup.core import BadExpression
from handup.core.checks import suggestion
from handup.executive.checking.context import Context, constant_of, sets_of, variables_in
from handup.executive.language import Expression
from handup.executive.machine.steps import OPS
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipe, RunStep, Step, TaskStep, every
from handup.executive.settings import MAX_TASKS

LOOP_HINT = "Add most: N; or let its condition look at 'aborts', or at a variable that its body sets."


def check_steps(context: Context, steps: Iterable[Step]) -> None:
    """Note unknown actions, tasks and ops, and inputs and outputs that they do not have."""
    for step in every(steps):
        if isinstance(step, ActionStep):
            _action(context, step)
        elif isinstance(step, TaskStep):
            _task(context, step)
        elif isinstance(step, OpStep):
            _op(context, step)


def _action(context: Context, step: ActionStep) -> None:
    if context.abilities is None:
        return
    declared = context.abilities.actions.get(step.name)
    if declared is None:
        hint = suggestion(step.name, context.abilities.actions)
        context.add(step.place, f"there is no action '{step.name}'", hint)
        return
    _inputs(context, step, "action", needs=declared.needs, known=declared.inputs)
    _outputs(context, step, "action", declared.gives)


def _task(context: Context, step: TaskStep) -> None:
    task = context.recipes.tasks.get(step.name)
    if task is None:
        context.add(step.place, f"there is no task '{step.name}'", suggestion(step.name, context.recipes.tasks))
        return
    _inputs(context, step, "task", needs=task.params, known=task.params)
    _outputs(context, step, "task", task.var)


def _op(context: Context, step: OpStep) -> None:
    op = OPS.get(step.name)
    if op is None:
        context.add(step.place, f"there is no op '{step.name}'", suggestion(step.name, OPS))
        return
    _inputs(context, step, "op", needs=op.needs, known=(*op.needs, *op.one_of, *op.may))
    given = [name for name in op.one_of if name in step.params]
    if op.one_of and len(given) != 1:
        listed = " and ".join(f"'{name}'" for name in op.one_of)
        context.add(step.place, f"op '{step.name}' has {len(given)} of {listed}", "Give exactly one of them.")
    if not op.sets and step.var:
        context.add(step.place, f"op '{step.name}' gives nothing, and '{step.var[0]}' waits for it", "Remove 'var'.")
    elif op.sets and len(step.var) != 1 and (step.var or "name" not in step.params):
        cause = f"op '{step.name}' gives one value, and {len(step.var)} variables are named"
        context.add(step.place, cause, "Name one variable, such as var: [count].")
    if "name" in step.params and "name" in op.one_of and not step.params["name"].constant:
        context.add(step.params["name"].place, f"the variable that '{step.name}' counts is computed", "Write its name.")


def _inputs(context: Context, step: RunStep, kind: str, *, needs: Collection[str], known: Collection[str]) -> None:
    for name in needs:
        if name not in step.params:
            cause = f"{kind} '{step.name}' is not given '{name}'"
            context.add(step.place, cause, f"Add params: {{{name}: …}}.")
    for name, value in step.params.items():
        if name not in known:
            context.add(value.place, f"{kind} '{step.name}' takes no '{name}'", suggestion(name, known))


def _outputs(context: Context, step: RunStep, kind: str, gives: Collection[str]) -> None:
    for name in step.var:
        if name not in gives:
            context.add(step.place, f"{kind} '{step.name}' gives no '{name}'", suggestion(name, gives))


# -- what expressions read --------------------------------------------------------------------------------------------


def check_expression(
    context: Context, expression: Expression, params: Collection[str], *, closed: frozenset[str] = frozenset()
) -> None:
    """Note what an expression reads that is not there: of parameters, the database, and roots that are closed here."""
    if expression.constant:
        return
    if not expression.names:
        try:
            expression.value({})
        except BadExpression as error:
            context.add(expression.place, error.cause, error.hint)
    for root, *keys in sorted(expression.names):
        if root in closed:
            where = "where something was tried before" if root == "tried" else "in recoveries"
            context.add(expression.place, f"'{root}' can only be read {where}", "Use params, var, database or beliefs.")
        elif root == "params" and keys[0] not in params:
            context.add(expression.place, f"there is no parameter '{keys[0]}' here", suggestion(keys[0], params))
        elif root == "database":
            _database(context, expression, keys)


def _database(context: Context, expression: Expression, keys: Sequence[str]) -> None:
    found: Any = context.recipes.database
    if not found:
        context.add(expression.place, f"database.{'.'.join(keys)} is read, and there is no database", "Give one.")
        return
    for depth, key in enumerate(keys):
        where = ".".join(("database", *keys[:depth]))
        if not isinstance(found, Mapping):
            context.add(expression.place, f"{where} is no map and has no '{key}'", "Check the database.")
            return
        if key not in found:
            context.add(expression.place, f"{where} has no '{key}'", suggestion(key, found))
            return
        found = found[key]


# -- what would never end: loops without a bound, tasks that call themselves on every way, too many in each other ------


def check_loops(context: Context, steps: Iterable[Step]) -> None:
    """Note loops for which nobody says when they end."""
    for step in every(steps):
        if isinstance(step, LoopStep) and not step.stated and not _makes_progress(step):
            context.add(step.place, "nothing bounds this loop", LOOP_HINT)


def _makes_progress(loop: LoopStep) -> bool:
    if constant_of(loop.condition) is False or ("aborts",) in loop.condition.names:
        return True
    asked = set(variables_in(loop.condition))
    return any(asked & set(sets_of(step)) for step in every(loop.body))


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
                if isinstance(step, TaskStep) and step.name in tasks and step.name not in ending:
                    cause = f"task '{name}' calls '{step.name}' on every way, and that never comes to an end"
                    context.add(step.place, cause, "Put the call into a choice or a loop.")
        elif ending[name] == MAX_TASKS + 1:
            deepest = max(_always(recipe), key=lambda step: ending.get(step.name, 0))
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
                callers.setdefault(step.name, set()).add(name)
    ending: dict[str, int] = {}
    waiting = list(tasks)
    while waiting:
        name = waiting.pop()
        if name not in ending and any(_ends(tasks[name].steps, tasks, ending)):
            ending[name] = 1 + max((ending.get(step.name, 0) for step in _always(tasks[name])), default=0)
            waiting += callers.get(name, ())
    return ending


class _Ends(NamedTuple):
    """How steps can end: by going on behind them, by an abort."""

    on: bool
    out: bool


_NOWHERE = _Ends(on=False, out=False)


def _ends(steps: Sequence[Step], tasks: Mapping[str, Recipe], ending: Container[str]) -> _Ends:
    out = False
    for step in steps:
        ends = _end(step, tasks, ending)
        out = out or ends.out
        if not ends.on:
            return _Ends(on=False, out=out)
    return _Ends(on=True, out=out)


def _end(step: Step, tasks: Mapping[str, Recipe], ending: Container[str]) -> _Ends:
    if isinstance(step, ChoiceStep):
        known = constant_of(step.condition)
        yes = _NOWHERE if known is False else _ends(step.if_true, tasks, ending)
        no = _NOWHERE if known is True else _ends(step.if_false, tasks, ending)
        return _Ends(on=yes.on or no.on, out=yes.out or no.out)
    if isinstance(step, LoopStep):
        known = constant_of(step.condition)
        body = _Ends(on=True, out=False) if known is False else _ends(step.body, tasks, ending)
        return _Ends(on=body.on or not known, out=body.out)
    aborts = isinstance(step, OpStep) and step.name == "abort"
    called = isinstance(step, TaskStep) and step.name in tasks and step.name not in ending
    return _Ends(on=not aborts and not called, out=aborts)
