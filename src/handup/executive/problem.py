"""Problems in recipes, recovery files and databases: the place of each, and one error with all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from handup.core import BadRecipe


@dataclass(frozen=True)
class FilePlace:
    """A place in a recipe, a recovery file or a database.

    Args:
        file: Name of the file, as it was given.
        line: Counted from 1.
        column: Counted from 1.
    """

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


NOWHERE = FilePlace()
"""Place of what a program made."""


@dataclass(frozen=True)
class Problem:
    """One problem: where it is, what is wrong, and what to do about it.

    Args:
        place: Place of the mistake.
        cause: One sentence, without a full stop at the end.
        hint: What to do next.
    """

    place: FilePlace
    cause: str
    hint: str

    def __str__(self) -> str:
        where = f"{self.place}: " if str(self.place) else ""
        return f"{where}{self.cause}. {self.hint}"


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return each problem once: file by file as they first come, then by line and column."""
    once = tuple(dict.fromkeys(problems))
    files = {name: index for index, name in enumerate(dict.fromkeys(problem.place.file for problem in once))}
    return tuple(
        sorted(once, key=lambda problem: (files[problem.place.file], problem.place.line, problem.place.column))
    )


def refuse(problems: Iterable[Problem]) -> None:
    """Do nothing if there is no problem.

    Raises:
        BadRecipe: With the first problem as its cause, and all of them.
    """
    ordered = in_order(problems)
    if not ordered:
        return
    first = ordered[0]
    more = f" ({len(ordered) - 1} more)" if len(ordered) > 1 else ""
    raise BadRecipe(
        f"{first.cause}{more}",
        hint=first.hint,
        file=first.place.file or None,
        line=first.place.line or None,
        problems=ordered,
    )
