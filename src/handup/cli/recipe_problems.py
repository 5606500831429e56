"""Problems of recipes on the terminal: all of them, each with file, line, column and a next step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from handup.cli.output import err
from handup.core import BadRecipe

if TYPE_CHECKING:
    from handup.executive.problem import Problem

TELLS = "'handup recipe check' tells it, too"


def print_problems(problems: Iterable[Problem], console: Console) -> None:
    """Print each problem in one line."""
    for problem in problems:
        console.print(str(problem), markup=False, soft_wrap=True)


@contextmanager
def all_problems() -> Iterator[None]:
    """Print every problem of files or inputs, where the error alone would name only the first one.

    Raises:
        BadRecipe: There is one problem, which it names with its column; or several, which were printed before.
    """
    try:
        yield
    except BadRecipe as error:
        if not error.problems:
            raise
        first, *more = error.problems
        where = str(first.place)
        if not more:
            cause = f"{where}: {first.cause}" if where else first.cause
            raise BadRecipe(cause, hint=first.hint, problems=error.problems) from None
        print_problems(error.problems, err)
        raise BadRecipe(
            f"there are {len(error.problems)} problems in the {'files' if where else 'inputs'}",
            hint=f"Correct what is told above{'; ' + TELLS if where else ''}.",
            problems=error.problems,
        ) from None
