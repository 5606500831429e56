"""Problems of one file, collected while it is read."""

from __future__ import annotations

from handup.core.yaml_document import Limits, Node, Unreadable, read_yaml
from handup.executive.problem import Place, Problem
from handup.executive.reading.words import MAX_BYTES, MAX_PROBLEMS

LIMITS = Limits(size=MAX_BYTES, values=150_000, depth=50, text=10_000)
"""Of a file. Each choice or loop needs three or four levels."""


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
            Unreadable: There are too many.
        """
        self.problems.append(Problem(self.place(line, column), cause, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            cause = f"there are {MAX_PROBLEMS} problems up to here, and the rest is not read"
            self.problems.append(Problem(self.place(line, column), cause, "Check that it is the right file."))
            raise Unreadable

    def read(self, text: str) -> Node:
        """Return the root of the file's text.

        Raises:
            Unreadable: There is nothing to read. The reason is noted.
        """
        return read_yaml(text, self.add, limits=LIMITS, start="Start with 'format: 1'.")
