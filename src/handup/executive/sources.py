"""Files of a run with their texts: they are kept in the journal, and read anew between steps."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from handup.core import BadRecord
from handup.executive.problem import Problem, in_order, refuse
from handup.executive.reader import scan_database, scan_recipes, scan_recoveries, text_of
from handup.executive.recipe import Recipe, Recipes
from handup.executive.recovery import Recovery
from handup.executive.validator import Abilities, check

KINDS = ("recipes", "recoveries", "database")
"""Kinds of files, as a record of them names them."""


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """Content of some files as far as it could be read, and the problems.

    Args:
        recipes: With their database; None where one of these files could not be read to its end.
        recoveries: None as for the recipes.
        problems: Everything that could not be read, in the order of the files.
    """

    recipes: Recipes | None
    recoveries: tuple[Recovery, ...] | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Texts of a run by the names of their files.

    Args:
        recipes: Recipes, in order; a run begins with the first one's main task.
        recoveries: Recoveries, in order.
        database: The database, or none.
    """

    recipes: Mapping[str, str]
    recoveries: Mapping[str, str] = field(default_factory=dict)
    database: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, recipes: Iterable[str], recoveries: Iterable[str] = (), database: str | None = None) -> Sources:
        """Read files.

        Raises:
            BadRecipe: One cannot be read.
        """
        return cls(
            recipes={name: text_of(name) for name in map(str, recipes)},
            recoveries={name: text_of(name) for name in map(str, recoveries)},
            database={} if database is None else {str(database): text_of(database)},
        )

    def again(self) -> Sources:
        """Read the same files as they are now.

        Raises:
            BadRecipe: One cannot be read any more.
        """
        return self.read(self.recipes, self.recoveries, next(iter(self.database), None))

    @cached_property
    def scanned(self) -> Scanned:
        """Content of the files as far as it can be read, and all problems."""
        recipes, problems = scan_recipes(self.recipes)
        recoveries, more = scan_recoveries(self.recoveries)
        problems += more
        for name, text in self.database.items():
            database, more = scan_database(text, name)
            problems += more
            recipes = None if recipes is None or database is None else replace(recipes, database=database)
        return Scanned(recipes=recipes, recoveries=recoveries, problems=in_order(problems))

    def parsed(self) -> tuple[Recipes, tuple[Recovery, ...]]:
        """Return recipes and recoveries. `checked` also tests if they fit together and fit the robot.

        Raises:
            BadRecipe: With everything that cannot be read, in all files.
        """
        content = self.scanned
        refuse(content.problems)
        assert content.recipes is not None
        assert content.recoveries is not None
        return content.recipes, content.recoveries

    def checked(
        self, abilities: Abilities | None = None, *, under_way: Iterable[Recipe] = ()
    ) -> tuple[Recipes, tuple[Recovery, ...]]:
        """Return recipes and recoveries that are right, for a run that begins, or goes on with them.

        Args:
            abilities: Actions and monitors of the robot, if known.
            under_way: Remaining steps of a run that goes on with them.

        Raises:
            BadRecipe: With all problems: what cannot be read, and what does not fit.
        """
        content = self.scanned
        refuse(
            check(content.recipes, content.recoveries, abilities=abilities, known=content.problems, under_way=under_way)
        )
        assert content.recipes is not None
        assert content.recoveries is not None
        return content.recipes, content.recoveries

    def to_json(self) -> dict[str, dict[str, list[str]]]:
        """Return a plain record that keeps the order."""
        return {
            kind: {"names": list(texts), "texts": list(texts.values())}
            for kind, texts in ((kind, getattr(self, kind)) for kind in KINDS)
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Mapping[str, list[str]]]) -> Sources:
        """Read a record that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, or no such record.
        """
        try:
            kinds = {kind: dict(zip(record[kind]["names"], record[kind]["texts"], strict=True)) for kind in KINDS}
        except (KeyError, TypeError, ValueError):
            raise BadRecord("the files of a run are damaged", hint="Verify the journal.") from None
        return cls(**kinds)


class Files:
    """Watcher of the files of a run: for a developer who changes them while the robot works.

    Args:
        sources: Files as they were read.
        every_s: Least time between two looks at them, in real seconds.
    """

    def __init__(self, sources: Sources, *, every_s: float = 0.2) -> None:
        self._sources = sources
        self._every_s = every_s
        self._looked = time.monotonic()
        self._seen = self._stamps()

    def news(self) -> Sources | None:
        """Return the files as they are now, if one of them was written since the last look.

        Raises:
            BadRecipe: One cannot be read.
        """
        if time.monotonic() - self._looked < self._every_s:
            return None
        self._looked = time.monotonic()
        seen = self._stamps()
        if seen == self._seen:
            return None
        # Noted before reading, so that a file with a mistake is reported once, not at every look.
        self._seen = seen
        return self._sources.again()

    def _stamps(self) -> list[tuple[int, int] | None]:
        """Return time and size of each file; None if it is not there, as while an editor replaces it."""
        names = [*self._sources.recipes, *self._sources.recoveries, *self._sources.database]
        return [(stat.st_mtime_ns, stat.st_size) if (stat := _stat(name)) else None for name in names]


def _stat(name: str) -> os.stat_result | None:
    try:
        return Path(name).stat()
    except OSError:
        return None
