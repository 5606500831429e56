"""Recoveries against the recipes: do they match anything, and can every branch be taken?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handup.core import ResumeHint
from handup.core.checks import suggestion
from handup.executive.checking.abilities import MACHINE_CODES
from handup.executive.checking.context import Context, constant_of, every, expressions_of, sets_of
from handup.executive.checking.endless import check_loops
from handup.executive.checking.paths import Tree, fits_somewhere, tree_of
from handup.executive.checking.references import check_expression
from handup.executive.checking.steps import check_steps
from handup.executive.events import Ending
from handup.executive.language import Expression
from handup.executive.recipe import ActionStep, OpStep, Step, TaskStep
from handup.executive.recovery import Recovery

HERE = frozenset({"tried"})
"""What a recovery cannot read that tries nothing."""


def read_by(recoveries: Sequence[Recovery]) -> frozenset[str]:
    """The variables that recoveries read; they see those of the task that failed."""
    found = (name for recovery in recoveries for each in expressions_in(recovery) for name in each.names)
    return frozenset(name[1] for name in found if name[0] == "var")


def check_recoveries(context: Context) -> None:
    """Note what is wrong with recoveries."""
    if not context.recoveries:
        return
    monitors = () if context.abilities is None else context.abilities.monitors
    tree = tree_of(context.recipes, context.recoveries, monitors)
    known = frozenset(name for steps in _all_steps(context) for name in _names(steps)) | context.recipes.tasks.keys()
    params = frozenset(name for recipe in context.recipes.tasks.values() for name in recipe.params)
    codes = _codes(context)
    variables = frozenset(name for steps in _all_steps(context) for name in _set_in(steps))
    for recovery in context.recoveries:
        _path(context, recovery, tree, known)
        _code(context, recovery, codes)
        _branches(context, recovery)
        for steps in (recovery.attempt, *(branch.steps for branch in recovery.branches)):
            check_steps(context, steps)
            check_loops(context, steps)
        for expression in expressions_in(recovery):
            check_expression(context, expression, params, closed=frozenset() if recovery.attempt else HERE)
            _variables(context, expression, variables)


def _path(context: Context, recovery: Recovery, tree: Tree, known: frozenset[str]) -> None:
    pattern = recovery.when.path
    if not fits_somewhere(tree, pattern):
        names = [each for each in pattern.split("/") if each not in ("*", "**")]
        strange = next((each for each in names if each not in known), None)
        if context.abilities is None and strange is not None and strange == pattern.split("/")[-1]:
            return  # it may be a monitor's
        hint = "Look at the paths with 'handup recipe show'." if strange is None else suggestion(strange, known)
        context.add(
            recovery.when.place, f"no failure can have the path '{pattern}' of recovery '{recovery.name}'", hint
        )
        return
    for branch in recovery.branches:
        if branch.level is not None and not fits_somewhere(tree, pattern, level=branch.level):
            cause = f"recovery '{recovery.name}' resumes at '{branch.level}', which is never on its path '{pattern}'"
            there = branch.level in context.recipes.tasks
            hint = (
                "Name a task above the step that fails." if there else suggestion(branch.level, context.recipes.tasks)
            )
            context.add(branch.place, cause, hint)


def _code(context: Context, recovery: Recovery, codes: frozenset[str] | None) -> None:
    if codes is None:
        return
    for code in recovery.when.codes:
        if code not in codes:
            context.add(
                recovery.when.place,
                f"nothing fails with the code '{code}' of '{recovery.name}'",
                suggestion(code, codes),
            )


def _codes(context: Context) -> frozenset[str] | None:
    """Every code there is; None where that is not known."""
    if context.abilities is None:
        return None
    found = set(MACHINE_CODES)
    for declared in context.abilities.actions.values():
        found.update(declared.codes)
    for raised in context.abilities.monitors.values():
        found.update(raised)
    for steps in _all_steps(context):
        for step in every(steps):
            if isinstance(step, OpStep) and step.op == "abort" and "code" in step.params:
                if not step.params["code"].constant:
                    return None
                found.add(str(step.params["code"].value({})))
    return frozenset(found)


def _branches(context: Context, recovery: Recovery) -> None:
    over = False
    for branch in recovery.branches:
        always = branch.condition is None or constant_of(branch.condition)
        never = branch.condition is not None and constant_of(branch.condition) is False
        if over or never:
            why = "one before it is always taken" if over else "its condition is never true"
            context.add(
                branch.place, f"a branch of '{recovery.name}' is never taken: {why}", "Remove it, or correct 'if'."
            )
        over = over or bool(always)
        if branch.ends is not Ending.FAILED and (branch.hint is not ResumeHint.NONE or branch.level is not None):
            cause = f"recovery '{recovery.name}' says what the run has ended as, and does not end it"
            context.add(branch.place, cause, "Write 'ends' only beside 'resume: none' without a level.")


def _variables(context: Context, expression: Expression, known: frozenset[str]) -> None:
    for name in sorted(name[1] for name in expression.names if name[0] == "var"):
        if name not in known:
            context.add(expression.place, f"var.{name} is read, and nothing sets it", suggestion(name, known))


def expressions_in(recovery: Recovery) -> Iterator[Expression]:
    """Everything that a recovery computes."""
    conditions = [recovery.when.belief, recovery.helps, *(branch.condition for branch in recovery.branches)]
    yield from (each for each in conditions if each is not None)
    for steps in (recovery.attempt, *(branch.steps for branch in recovery.branches)):
        for step in every(steps):
            yield from expressions_of(step)


def _all_steps(context: Context) -> Iterator[tuple[Step, ...]]:
    for recipe in context.recipes.tasks.values():
        yield recipe.steps
    for recovery in context.recoveries:
        yield recovery.attempt
        for branch in recovery.branches:
            yield branch.steps


def _names(steps: Sequence[Step]) -> Iterator[str]:
    for step in every(steps):
        if isinstance(step, ActionStep):
            yield step.action
        elif isinstance(step, TaskStep):
            yield step.task
        elif isinstance(step, OpStep):
            yield step.op


def _set_in(steps: Sequence[Step]) -> Iterator[str]:
    for step in every(steps):
        if isinstance(step, (ActionStep, TaskStep, OpStep)):
            yield from sets_of(step)
