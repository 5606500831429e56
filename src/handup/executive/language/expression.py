"""Expressions: parsed once, computed as often as wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from handup.core import BadExpression
from handup.executive.language.limits import Data
from handup.executive.language.nodes import Constant, Items, Name, Node, Pairs, Scope, names_in
from handup.executive.language.parsing import parse_text
from handup.executive.place import NOWHERE, Place


@dataclass(frozen=True)
class Expression:
    """A value that may depend on parameters, variables, the database, beliefs and a failure.

    Made by `parse` and `literal`.

    Args:
        text: As it stands in the file, for people; a literal in Python's way of writing it.
        root: What was parsed.
        place: Where it stands.
    """

    text: str
    root: Node = field(repr=False)
    place: Place = field(default=NOWHERE, compare=False)

    def value(self, scope: Scope) -> Data:
        """What it comes to.

        Args:
            scope: For each root (`params`, `var`, `database`, `beliefs`, `failure`, `tried`, `aborts`) that can be read
                here, its content. A variable that is not set yet is null, and so is what `beliefs`, `failure` or
                `tried` do not have; everything else that is missing is an error.

        Raises:
            BadExpression: It has no value here, with the place; the task that computes it aborts.
        """
        try:
            return self.root.value(scope)
        except BadExpression as error:
            raise placed(error, self.place) from None

    def names(self) -> frozenset[Name]:
        """What it reads, such as `("var", "candidates")` or `("database", "poses", "table")`."""
        return self._names

    @cached_property
    def _names(self) -> frozenset[Name]:
        return frozenset(names_in(self.root))

    @property
    def constant(self) -> bool:
        """Whether it is written out in the file, so that its value never changes."""
        return isinstance(self.root, Constant)


def parse(text: str, place: Place = NOWHERE) -> Expression:
    """Read an expression.

        parse("len(var.candidates) > 0").value({"var": {"candidates": ["gear"]}})

    Args:
        text: At most `MAX_TEXT` characters.
        place: Of its first character.

    Raises:
        BadExpression: It is none, with the place of the mistake.
    """
    try:
        return Expression(text, parse_text(text), place)
    except BadExpression as error:
        raise placed(error, place) from None


def literal(value: Data, place: Place = NOWHERE) -> Expression:
    """Plain data as an expression that is always this value."""
    return Expression(repr(value), Constant(value), place)


def collected(items: Sequence[Expression], place: Place = NOWHERE) -> Expression:
    """A list whose entries are computed."""
    return Expression(f"[{', '.join(each.text for each in items)}]", Items(tuple(each.root for each in items)), place)


def tabled(entries: Mapping[str, Expression], place: Place = NOWHERE) -> Expression:
    """A map whose values are computed."""
    text = ", ".join(f"{key!r}: {each.text}" for key, each in entries.items())
    return Expression(f"{{{text}}}", Pairs(tuple((key, each.root) for key, each in entries.items())), place)


def placed(error: BadExpression, place: Place) -> BadExpression:
    """The same error, in a file. The column of an error in the text is counted from the text's first character."""
    column = place.column + (error.column - 1 if error.column else 0) if place.line else error.column
    return BadExpression(
        error.cause, hint=error.hint, file=place.file or None, line=place.line or None, column=column or None
    )
