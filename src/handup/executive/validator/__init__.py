"""The validator: it finds everything wrong with recipes and recoveries in one pass, before anything moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from handup.executive.problem import NOWHERE, Problem, in_order, refuse
from handup.executive.reader.values import MAX_PROBLEMS, collector_resting
from handup.executive.recipe import Recipe, Recipes, expressions_of
from handup.executive.recovery import Recovery
from handup.executive.validator.recoveries import check_recoveries
from handup.executive.validator.steps import (
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

__all__ = ["Abilities", "Declared", "abilities_of", "check", "require"]

IN_A_TASK = frozenset({"failure", "tried"})
"""Roots of names that a task cannot read."""
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
    """Return all problems, in the order of the files.

    Args:
        recipes: With their database. None if a file could not be read to its end: then only `known` is returned.
        recoveries: Recoveries that go with them; None as for the recipes.
        abilities: Actions and monitors of the robot. If None, names, inputs and codes of actions are not checked.
        known: Problems that the reader found already; they are returned with the rest.
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
    """Refuse to run what is wrong. For texts, `Sources.checked` also reports what is wrong in them.

    Raises:
        BadRecipe: With every problem.
    """
    refuse(check(recipes, recoveries, abilities=abilities))


def _still_fits(context: Context, task: Recipe) -> None:
    """Note what a task that is under way still needs, and the new recipes no longer have."""
    earlier, before = set(context.problems), len(context.problems)
    check_steps(context, task.steps)
    for expression in expressions_of(task.steps):
        check_expression(context, expression, task.params)
    context.problems[before:] = [
        Problem(problem.place, f"'{task.name}' is under way, and {problem.cause}", f"{problem.hint} {UNDER_WAY_HINT}")
        for problem in context.problems[before:]
        if problem not in earlier
    ]
