"""Mistakes in recipes, recovery files and databases: where each one stands, and all of them in one error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from handup.core import BadRecipe


@dataclass(frozen=True)
class Place:
    """A place in a recipe, a recovery file or a database.

    Args:
        file: Its name as it was given.
        line: Counted from 1.
        column: Counted from 1.
    """

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


NOWHERE = Place()
"""Of what was made by a program."""


@dataclass(frozen=True)
class Problem:
    """What is wrong, where, and what to do about it.

    Args:
        place: Where it stands.
        cause: One sentence, without a full stop at the end.
        hint: What to do next.
    """

    place: Place
    cause: str
    hint: str

    def __str__(self) -> str:
        where = f"{self.place}: " if str(self.place) else ""
        return f"{where}{self.cause}. {self.hint}"


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Each problem once: file by file as they first come, then by line and column."""
    once = tuple(dict.fromkeys(problems))
    files = {name: index for index, name in enumerate(dict.fromkeys(each.place.file for each in once))}
    return tuple(sorted(once, key=lambda each: (files[each.place.file], each.place.line, each.place.column)))


def refuse(problems: Iterable[Problem]) -> None:
    """Do nothing if there is no problem.

    Raises:
        BadRecipe: With the first problem as its cause, and all of them.
    """
    found = in_order(problems)
    if not found:
        return
    first = found[0]
    more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
    raise BadRecipe(
        f"{first.cause}{more}",
        hint=first.hint,
        file=first.place.file or None,
        line=first.place.line or None,
        problems=found,
    )
