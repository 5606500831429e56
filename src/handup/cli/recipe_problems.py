"""What is wrong with recipes, on the terminal: all of it, each with file, line, column and a next step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console

from handup.cli.output import err
from handup.core import BadRecipe
from handup.executive.problem import Problem


def print_problems(problems: Iterable[Problem], console: Console) -> None:
    """One line for each."""
    for each in problems:
        console.print(str(each), markup=False, soft_wrap=True)


@contextmanager
def all_problems() -> Iterator[None]:
    """Have everything told that is wrong with some files, where an error alone would tell the first mistake only.

    Raises:
        BadRecipe: With the one problem and its column; where there are several, with their number, after each was told.
    """
    try:
        yield
    except BadRecipe as error:
        if not error.problems:
            raise
        first, *more = error.problems
        if not more:
            raise BadRecipe(f"{first.place}: {first.cause}", hint=first.hint, problems=error.problems) from None
        print_problems(error.problems, err)
        raise BadRecipe(
            f"there are {len(error.problems)} problems in the files",
            hint="Correct what is told above; 'handup recipe check' tells it, too.",
            problems=error.problems,
        ) from None
