"""All checks in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from handup.executive.checking.abilities import Abilities
from handup.executive.checking.context import Context, Enough, every, expressions_of
from handup.executive.checking.endless import check_loops, check_recursion
from handup.executive.checking.flow import check_flow
from handup.executive.checking.recoveries import check_recoveries, read_by
from handup.executive.checking.references import check_expression
from handup.executive.checking.steps import check_steps
from handup.executive.problem import NOWHERE, Problem, in_order, refuse
from handup.executive.reading import MAX_PROBLEMS
from handup.executive.reading.resting import collector_resting
from handup.executive.recipe import Recipe, Recipes
from handup.executive.recovery import Recovery

IN_A_TASK = frozenset({"failure", "tried"})
"""What a task cannot read."""
UNDER_WAY_HINT = "Keep what it needs until it is over."


@collector_resting()
def check(
    recipes: Recipes | None,
    recoveries: Sequence[Recovery] | None = (),
    *,
    abilities: Abilities | None = None,
    known: Iterable[Problem] = (),
    under_way: Iterable[Recipe] = (),
) -> tuple[Problem, ...]:
    """Everything that is wrong, in the order of the files.

    Args:
        recipes: With their database. None where a file could not be read to its end: what is known is told then.
        recoveries: That go with them; None as for the recipes.
        abilities: What the robot brings. Where it is not known, names, inputs and codes of actions are not checked.
        known: What the reader found already, to be told with the rest.
        under_way: Tasks of a run that goes on with these recipes: what they still have to do must fit, too.
    """
    if recipes is None or recoveries is None:
        return in_order(known)
    context = Context(recipes, recoveries, abilities)
    context.problems += known
    try:
        elsewhere = read_by(recoveries)
        for recipe in recipes.tasks.values():
            check_steps(context, recipe.steps)
            check_loops(context, recipe.steps)
            _references(context, recipe)
            check_flow(context, recipe, elsewhere)
        check_recursion(context)
        check_recoveries(context)
        for recipe in under_way:
            _still_fits(context, recipe)
    except Enough:
        cause = f"there are {MAX_PROBLEMS} problems or more, and the rest is not told"
        context.problems.append(Problem(NOWHERE, cause, "Mend these first."))
    return in_order(context.problems)


def require(recipes: Recipes, recoveries: Sequence[Recovery] = (), *, abilities: Abilities | None = None) -> None:
    """Refuse to run what is wrong. For texts, `Sources.checked` tells what is wrong in them as well.

    Raises:
        BadRecipe: With every problem.
    """
    refuse(check(recipes, recoveries, abilities=abilities))


def _references(context: Context, recipe: Recipe) -> None:
    for step in every(recipe.steps):
        for expression in expressions_of(step):
            check_expression(context, expression, recipe.params, closed=IN_A_TASK)


def _still_fits(context: Context, task: Recipe) -> None:
    """Note what a task that is under way still needs, and the recipes do not have any more."""
    told, before = set(context.problems), len(context.problems)
    check_steps(context, task.steps)
    for step in every(task.steps):
        for expression in expressions_of(step):
            check_expression(context, expression, task.params, closed=frozenset())
    context.problems[before:] = [
        Problem(each.place, f"'{task.name}' is under way, and {each.cause}", f"{each.hint} {UNDER_WAY_HINT}")
        for each in context.problems[before:]
        if each not in told
    ]
