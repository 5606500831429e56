"""Recipes, recoveries and databases from YAML, with file, line and column in every mistake.

`read_…` takes files and `parse_…` texts; both raise one error with everything that is wrong. `scan_…` gives what can be
read of texts, and the problems. `checking` tests if recipes and recoveries fit each other and the robot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from handup.core import BadRecipe
from handup.core.files import read_text
from handup.core.yaml_document import Unreadable
from handup.executive.problem import Problem, refuse
from handup.executive.reader.recipes import scan_recipes
from handup.executive.reader.recoveries import scan_recoveries
from handup.executive.reader.values import DEFAULT_MOST, MAX_BYTES, MAX_PROBLEMS, FileReader, collector_resting
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery

__all__ = [
    "DEFAULT_MOST",
    "MAX_PROBLEMS",
    "parse_database",
    "parse_recipes",
    "parse_recoveries",
    "read_database",
    "read_recipes",
    "read_recoveries",
    "scan_database",
    "scan_recipes",
    "scan_recoveries",
    "text_of",
]

File = str | Path


def read_recipes(files: Iterable[File], *, database: File | None = None) -> Recipes:
    """Read tasks from YAML files.

    Args:
        files: In order: a run begins with the first `main` that one of them names, or else with the first task of the
            first file.
        database: File with the values of the names of the environment.

    Raises:
        BadRecipe: With everything that is wrong in all of them.
    """
    recipes = parse_recipes({str(file): text_of(file) for file in files})
    return recipes if database is None else replace(recipes, database=read_database(database))


def read_recoveries(files: Iterable[File]) -> tuple[Recovery, ...]:
    """Read recoveries from YAML files; raises the same error as `read_recipes`."""
    return parse_recoveries({str(file): text_of(file) for file in files})


def read_database(file: File) -> dict[str, Any]:
    """Read the names of an environment and their values from a YAML file; raises the same error as `read_recipes`."""
    return parse_database(text_of(file), str(file))


def parse_recipes(texts: Mapping[str, str]) -> Recipes:
    """Read recipes from texts, keyed by the name of their file: for a reload, or from a journal."""
    recipes, problems = scan_recipes(texts)
    refuse(problems)
    assert recipes is not None  # or there would be a problem
    return recipes


def parse_recoveries(texts: Mapping[str, str]) -> tuple[Recovery, ...]:
    """Read recoveries from texts, keyed by the name of their file."""
    recoveries, problems = scan_recoveries(texts)
    refuse(problems)
    return recoveries or ()


def parse_database(text: str, file: str = "<text>") -> dict[str, Any]:
    """Read a database from a text."""
    database, problems = scan_database(text, file)
    refuse(problems)
    return database or {}


@collector_resting()
def scan_database(text: str, file: str) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """Return the database in the text of a file, None if it cannot be read to its end, and all problems."""
    reader, database = FileReader(file), None
    with suppress(Unreadable):
        table = reader.file_table(reader.root(text), holds="the data")
        if table is not None:
            database = {key: reader.data(entry.value) for key, entry in table.entries.items() if key != "format"}
    return database, tuple(reader.problems)


def text_of(file: File) -> str:
    """Return the text of a file.

    Raises:
        BadRecipe: It is missing, a directory, unreadable, too large, or no UTF-8.
    """
    return read_text(file, MAX_BYTES, error=BadRecipe)
