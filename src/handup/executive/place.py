"""Where in a file something stands, so that every mistake can be shown where it was made."""

from __future__ import annotations

from dataclasses import dataclass


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
