"""Problems of one file, collected while it is read."""

from __future__ import annotations

from typing import NoReturn

from handup.executive.place import Place
from handup.executive.problem import Problem
from handup.executive.reading.words import MAX_PROBLEMS


class Refused(Exception):
    """Nothing more can be read of this file; why stands in its notes. Never leaves this package."""


class Notes:
    """What is wrong in one file.

    Args:
        file: What to call it.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def place(self, line: int, column: int) -> Place:
        """A place in this file."""
        return Place(self.file, line, column)

    def add(self, line: int, column: int, cause: str, hint: str) -> None:
        """Note a problem, and go on.

        Raises:
            Refused: There are too many.
        """
        self.problems.append(Problem(self.place(line, column), cause, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            cause = f"there are {MAX_PROBLEMS} problems up to here, and the rest is not read"
            self.problems.append(Problem(self.place(line, column), cause, "Check that it is the right file."))
            raise Refused

    def refuse(self, line: int, column: int, cause: str, hint: str) -> NoReturn:
        """Note a problem after which there is nothing more to read.

        Raises:
            Refused: Always.
        """
        self.problems.append(Problem(self.place(line, column), cause, hint))
        raise Refused
