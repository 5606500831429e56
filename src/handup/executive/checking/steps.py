"""Steps against what there is: actions, tasks and ops by name, their inputs and what they give."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from handup.core.checks import suggestion
from handup.executive.checking.context import Context, RunStep, every, name_of
from handup.executive.reading import OPS
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Step, TaskStep


def check_steps(context: Context, steps: Sequence[Step]) -> None:
    """Note unknown actions, tasks and ops, and inputs and outputs that they do not have."""
    for step in every(steps):
        if isinstance(step, ActionStep):
            _action(context, step)
        elif isinstance(step, TaskStep):
            _task(context, step)
        elif isinstance(step, OpStep):
            _op(context, step)
        else:
            assert isinstance(step, (ChoiceStep, LoopStep))


def _action(context: Context, step: ActionStep) -> None:
    if context.abilities is None:
        return
    declared = context.abilities.actions.get(step.action)
    if declared is None:
        hint = suggestion(step.action, context.abilities.actions)
        context.add(step.place, f"there is no action '{step.action}'", hint)
        return
    _inputs(context, step, needs=declared.needs, known=declared.inputs)
    _outputs(context, step, declared.gives)


def _task(context: Context, step: TaskStep) -> None:
    task = context.recipes.tasks.get(step.task)
    if task is None:
        context.add(step.place, f"there is no task '{step.task}'", suggestion(step.task, context.recipes.tasks))
        return
    _inputs(context, step, needs=task.params, known=task.params)
    _outputs(context, step, task.var)


def _op(context: Context, step: OpStep) -> None:
    op = OPS.get(step.op)
    if op is None:
        context.add(step.place, f"there is no op '{step.op}'", suggestion(step.op, OPS))
        return
    _inputs(context, step, needs=op.needs, known=(*op.needs, *op.one_of, *op.may))
    given = [name for name in op.one_of if name in step.params]
    if op.one_of and len(given) != 1:
        context.add(step.place, f"op '{step.op}' has {len(given)} of {_listed(op.one_of)}", "Give exactly one of them.")
    if not op.sets and step.var:
        context.add(step.place, f"op '{step.op}' gives nothing, and '{step.var[0]}' waits for it", "Remove 'var'.")
    elif op.sets and len(step.var) != 1 and (step.var or "name" not in step.params):
        cause = f"op '{step.op}' gives one value, and {len(step.var)} variables are named"
        context.add(step.place, cause, "Name one variable, such as var: [count].")
    if "name" in step.params and "name" in op.one_of and not step.params["name"].constant:
        context.add(step.params["name"].place, f"the variable that '{step.op}' counts is computed", "Write its name.")


def _inputs(context: Context, step: RunStep, *, needs: Collection[str], known: Collection[str]) -> None:
    what = f"{_kind(step)} '{name_of(step)}'"
    for name in needs:
        if name not in step.params:
            context.add(step.place, f"{what} is not given '{name}'", f"Add params: {{{name}: …}}.")
    for name, value in step.params.items():
        if name not in known:
            context.add(value.place, f"{what} takes no '{name}'", suggestion(name, known))


def _outputs(context: Context, step: RunStep, gives: Collection[str]) -> None:
    for name in step.var:
        if name not in gives:
            context.add(step.place, f"{_kind(step)} '{name_of(step)}' gives no '{name}'", suggestion(name, gives))


def _kind(step: RunStep) -> str:
    return "action" if isinstance(step, ActionStep) else "task" if isinstance(step, TaskStep) else "op"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)
