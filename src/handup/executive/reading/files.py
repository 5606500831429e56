"""The door: from files or texts to recipes, recoveries and a database, or to one error with all problems."""

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
from handup.executive.reading.recipes import scan_recipes
from handup.executive.reading.recoveries import scan_recoveries
from handup.executive.reading.values import MAX_BYTES, Notes, check_format, collector_resting, data_in, table_of
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery


@collector_resting()
def scan_database(text: str, file: str) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """A database from the text of a file, None if it cannot be read to its end; and everything that is wrong."""
    notes = Notes(file)
    found: dict[str, Any] | None = None
    with suppress(Unreadable):
        table = table_of(notes.read(text), "the file", notes, hint="Start with 'format: 1', then the data.")
        if table is not None:
            check_format(table, notes)
            found = {key: data_in(entry.value, notes) for key, entry in table.entries.items() if key != "format"}
    return found, tuple(notes.problems)


File = str | Path


def read_recipes(files: Iterable[File], *, database: File | None = None) -> Recipes:
    """Tasks from YAML files. Whether they fit each other and the robot's actions is for `checking`.

    Args:
        files: In an order: a run begins with the first `main` that one of them names, or else with the first task of
            the first one.
        database: The file that grounds the names of the environment.

    Raises:
        BadRecipe: With everything that is wrong in all of them.
    """
    texts = {str(file): text_of(file) for file in files}
    found = parse_recipes(texts)
    return found if database is None else replace(found, database=read_database(database))


def read_recoveries(files: Iterable[File]) -> tuple[Recovery, ...]:
    """Recoveries from YAML files.

    Raises:
        BadRecipe: With everything that is wrong in all of them.
    """
    return parse_recoveries({str(file): text_of(file) for file in files})


def read_database(file: File) -> dict[str, Any]:
    """The names of an environment and what they stand for, from a YAML file.

    Raises:
        BadRecipe: With everything that is wrong in it.
    """
    return parse_database(text_of(file), str(file))


def parse_recipes(texts: Mapping[str, str]) -> Recipes:
    """As `read_recipes`, from texts by the name of their file: for a reload, or from a journal.

    Raises:
        BadRecipe: With everything that is wrong in all of them.
    """
    found, problems = scan_recipes(texts)
    refuse(problems)
    assert found is not None  # or there would be a problem
    return found


def parse_recoveries(texts: Mapping[str, str]) -> tuple[Recovery, ...]:
    """As `read_recoveries`, from texts by the name of their file.

    Raises:
        BadRecipe: With everything that is wrong in all of them.
    """
    found, problems = scan_recoveries(texts)
    refuse(problems)
    return found or ()


def parse_database(text: str, file: str = "<text>") -> dict[str, Any]:
    """As `read_database`, from a text.

    Raises:
        BadRecipe: With everything that is wrong in it.
    """
    found, problems = scan_database(text, file)
    refuse(problems)
    return found or {}


def text_of(file: File) -> str:
    """What stands in a file.

    Raises:
        BadRecipe: It is missing, a directory, unreadable, too large, or no UTF-8.
    """
    return read_text(file, MAX_BYTES, error=BadRecipe)
