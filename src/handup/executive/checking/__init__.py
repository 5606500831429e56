"""The validator: what is wrong with recipes and recoveries before anything moves, all of it in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from handup.executive.checking.recoveries import check_recoveries
from handup.executive.checking.steps import (
    Abilities,
    Context,
    Declared,
    Enough,
    abilities_of,
    check_expression,
    check_flow,
    check_loops,
    check_recursion,
    check_steps,
)
from handup.executive.problem import NOWHERE, Problem, in_order, refuse
from handup.executive.reading.values import MAX_PROBLEMS, collector_resting
from handup.executive.recipe import Recipe, Recipes, expressions_of
from handup.executive.recovery import Recovery

__all__ = ["Abilities", "Declared", "abilities_of", "check", "require"]

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
        read_by_rules = {name[1] for rule in recoveries for name in rule.names if name[0] == "var"}
        for recipe in recipes.tasks.values():
            check_steps(context, recipe.steps)
            check_loops(context, recipe.steps)
            for expression in expressions_of(recipe.steps):
                check_expression(context, expression, recipe.params, closed=IN_A_TASK)
            check_flow(context, recipe, read_by_rules)
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


def _still_fits(context: Context, task: Recipe) -> None:
    """Note what a task that is under way still needs, and the recipes do not have any more."""
    told, before = set(context.problems), len(context.problems)
    check_steps(context, task.steps)
    for expression in expressions_of(task.steps):
        check_expression(context, expression, task.params)
    context.problems[before:] = [
        Problem(each.place, f"'{task.name}' is under way, and {each.cause}", f"{each.hint} {UNDER_WAY_HINT}")
        for each in context.problems[before:]
        if each not in told
    ]
