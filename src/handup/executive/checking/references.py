"""Expressions against what they read: parameters, the database, and what is only there in a recovery."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from handup.core import BadExpression
from handup.core.checks import suggestion
from handup.executive.checking.context import Context
from handup.executive.language import Expression


def check_expression(
    context: Context, expression: Expression, params: Collection[str], *, closed: frozenset[str]
) -> None:
    """Note what an expression reads that is not there.

    Args:
        context: Where to note it.
        expression: Which one.
        params: The parameters that can be read.
        closed: Roots that cannot be read here.
    """
    if expression.constant:
        return
    names = expression.names
    if not names:
        _compute(context, expression)
    for root, *keys in sorted(names):
        if root in closed:
            where = "where something was tried before" if root == "tried" else "in recoveries"
            context.add(expression.place, f"'{root}' can only be read {where}", "Use params, var, database or beliefs.")
        elif root == "params" and keys[0] not in params:
            context.add(expression.place, f"there is no parameter '{keys[0]}' here", suggestion(keys[0], params))
        elif root == "database":
            _database(context, expression, tuple(keys))


def _compute(context: Context, expression: Expression) -> None:
    try:
        expression.value({})
    except BadExpression as error:
        context.add(expression.place, error.cause, error.hint)


def _database(context: Context, expression: Expression, keys: tuple[str, ...]) -> None:
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
