"""Checks of recoveries against the recipes: can they match anything, and can every branch be taken?

Paths of a recipe tree can be infinitely many, since tasks may call themselves. So the pattern of a recovery is walked
together with the calls: a state is a task and the places of the pattern that have been reached, and there are finitely
many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from handup.core import ResumeHint
from handup.core.checks import suggestion
from handup.executive.events import Ending
from handup.executive.failure import IN_RECOVERY
from handup.executive.machine.program import first_places, places_after
from handup.executive.recipe import OpStep, Recipes, RunStep, Step, TaskStep, every, expressions_of
from handup.executive.recovery import Recovery
from handup.executive.validator.steps import (
    LOOSE_LEAVES,
    MACHINE_CODES,
    Context,
    check_expression,
    check_loops,
    check_steps,
    constant_of,
    sets_of,
    variables_in,
)

NEEDS_TRY = frozenset({"tried"})
"""Roots of names that a recovery without `try` cannot read."""


def check_recoveries(context: Context) -> None:
    """Add the mistakes in recoveries to the findings."""
    if not context.recoveries:
        return
    monitors = () if context.abilities is None else context.abilities.monitors
    tree = tree_of(context.recipes, context.recoveries, monitors)
    written = [part.steps for parts in (context.recipes.tasks.values(), context.recoveries) for part in parts]
    steps = [step for part in written for step in every(part)]
    known = frozenset(step.name for step in steps if isinstance(step, RunStep)) | context.recipes.tasks.keys()
    params = frozenset(name for recipe in context.recipes.tasks.values() for name in recipe.params)
    codes = _codes(context, steps)
    variables = frozenset(name for step in steps for name in sets_of(step))
    for recovery in context.recoveries:
        _path(context, recovery, tree, known)
        for code in recovery.when.codes:
            if codes is not None and code not in codes:
                cause = f"nothing fails with the code '{code}' of '{recovery.name}'"
                context.add(recovery.when.place, cause, suggestion(code, codes))
        _branches(context, recovery)
        check_steps(context, recovery.steps)
        check_loops(context, recovery.steps)
        for expression in (*recovery.conditions, *expressions_of(recovery.steps)):
            check_expression(context, expression, params, closed=frozenset() if recovery.attempt else NEEDS_TRY)
            for name in variables_in(expression):
                if name not in variables:
                    hint = suggestion(name, variables)
                    context.add(expression.place, f"var.{name} is read, and nothing sets it", hint)


def _path(context: Context, recovery: Recovery, tree: Tree, known: frozenset[str]) -> None:
    pattern = recovery.when.path
    if not fits_somewhere(tree, pattern):
        names = [name for name in pattern.split("/") if name not in ("*", "**")]
        strange = next((name for name in names if name not in known), None)
        if context.abilities is None and strange is not None and strange == pattern.split("/")[-1]:
            return  # it may be the name of a monitor, which is not known here
        hint = "Look at the paths with 'handup recipe show'." if strange is None else suggestion(strange, known)
        cause = f"no failure can have the path '{pattern}' of recovery '{recovery.name}'"
        context.add(recovery.when.place, cause, hint)
        return
    tasks = context.recipes.tasks
    for branch in recovery.branches:
        if branch.level is not None and not fits_somewhere(tree, pattern, level=branch.level):
            cause = f"recovery '{recovery.name}' resumes at '{branch.level}', which is never on its path '{pattern}'"
            there = branch.level in tasks
            hint = "Name a task above the step that fails." if there else suggestion(branch.level, tasks)
            context.add(branch.place, cause, hint)


def _codes(context: Context, steps: Iterable[Step]) -> frozenset[str] | None:
    """Return every code that a failure can have; None if that is unknown."""
    if context.abilities is None:
        return None
    codes = set(MACHINE_CODES)
    for declared in context.abilities.actions.values():
        codes.update(declared.codes)
    for raised in context.abilities.monitors.values():
        codes.update(raised)
    for step in steps:
        if isinstance(step, OpStep) and step.name == "abort" and "code" in step.params:
            if not step.params["code"].constant:
                return None
            codes.add(str(step.params["code"].value({})))
    return frozenset(codes)


def _branches(context: Context, recovery: Recovery) -> None:
    over = False
    for branch in recovery.branches:
        always = True if branch.condition is None else constant_of(branch.condition)
        if over or always is False:
            why = "one before it is always taken" if over else "its condition is never true"
            cause = f"a branch of '{recovery.name}' is never taken: {why}"
            context.add(branch.place, cause, "Remove it, or correct 'if'.")
        over = over or bool(always)
        if branch.ends is not Ending.FAILED and (branch.hint is not ResumeHint.NONE or branch.level is not None):
            cause = f"recovery '{recovery.name}' says what the run has ended as, and does not end it"
            context.add(branch.place, cause, "Write 'ends' only beside 'resume: none' without a level.")


# -- the paths that failures can have ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tree:
    """Tree of all paths that a failure can have: which task can stand below which.

    Args:
        top: The task that a run begins with.
        below: For each task, and each recovery as `recovery:NAME`, the tasks that it calls.
        leaves: For each of these, the names at which a path can end.
        recoveries: Names of recoveries; each can stand below every task.
    """

    top: str
    below: Mapping[str, frozenset[str]]
    leaves: Mapping[str, frozenset[str]]
    recoveries: frozenset[str] = frozenset()


def tree_of(recipes: Recipes, recoveries: Sequence[Recovery] = (), monitors: Iterable[str] = ()) -> Tree:
    """Return the tree of all paths: actions, ops and tasks can fail, and monitors can raise a failure anywhere."""
    below, leaves = {}, {}
    inside = {f"{IN_RECOVERY}{recovery.name}": recovery.steps for recovery in recoveries}
    anywhere = frozenset(monitors) | frozenset(LOOSE_LEAVES)
    for name, steps in ({name: recipe.steps for name, recipe in recipes.tasks.items()} | inside).items():
        runs = [step for step in every(steps) if isinstance(step, RunStep)]
        called = frozenset(step.name for step in runs if isinstance(step, TaskStep))
        below[name] = called & recipes.tasks.keys()
        leaves[name] = frozenset(step.name for step in runs) | anywhere
    return Tree(recipes.main, below, leaves, frozenset(inside))


def fits_somewhere(tree: Tree, pattern: str, *, level: str | None = None) -> bool:
    """Return whether some path of the tree fits a pattern.

    Args:
        tree: Tree of the recipes.
        pattern: Names with slashes; `*` is one name, `**` any number of them.
        level: A task that must stand on the path, above its end.
    """
    return any(_search(tree, tuple(pattern.split("/")), level, nested) for nested in (frozenset(), tree.recoveries))


def _search(tree: Tree, pattern: tuple[str, ...], level: str | None, nested: frozenset[str]) -> bool:
    """Return whether a path fits if each name in `nested` can stand below every task."""
    start = (tree.top, places_after(pattern, first_places(pattern), tree.top), level is None or tree.top == level)
    seen, waiting = {start}, [start]
    while waiting:
        name, places, passed = waiting.pop()
        if not places:
            continue
        if passed and any(len(pattern) in places_after(pattern, places, leaf) for leaf in tree.leaves[name]):
            return True
        for child in tree.below[name] | nested:
            state = (child, places_after(pattern, places, child), passed or child == level)
            # Each state is visited once, so tasks that call themselves do not keep the search going.
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return False
