"""People from a file, with file and line in every error, and the name of the person at this terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from handup.core import BadSetting, ConflictingSettings, HandupError, Malformed, Person
from handup.core.files import read_text
from handup.core.yaml_document import (
    Listing,
    Node,
    Scalar,
    YamlLimits,
    YamlMap,
    in_words,
    is_nothing,
    raising,
    read_yaml,
)
from handup.desk import Desk
from handup.journal import Journal

LIMITS = YamlLimits(size=1024 * 1024, values=50_000, depth=10, text=10_000)
NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")
T = TypeVar("T")
HINT = "Write for example: [{name: Ada, role: caregiver, limits: {per_hour: 6}}]."


def load_people(path: Path | None) -> tuple[Person, ...]:
    """Return the people of a YAML or JSON file: a list, each with a `name` and maybe other fields of `Person`.

    Without a file there is nobody.

    Raises:
        BadSetting: The file cannot be read, or does not describe people; with the line.
    """
    return () if path is None else read_people(path, Person.from_json, lambda person: person.name)


def read_people(path: Path, made: Callable[[Any], T], name_of: Callable[[T], str]) -> tuple[T, ...]:
    """Return what a file says about each person, in its order.

    Args:
        path: The file, with a list of records.
        made: Function that makes an object from the record of one person.
        name_of: Function that returns the person's name from such an object.

    Raises:
        BadSetting: The file cannot be read, or does not describe people; with the line.
    """
    try:
        text = read_text(path, LIMITS.size, error=BadSetting)
        return _people(read_yaml(text, raising(BadSetting), limits=LIMITS, start=HINT), made, name_of)
    except HandupError as error:
        raise BadSetting(error.cause, hint=error.hint, file=str(path), line=error.line) from None


def people_named(journal: Journal, names: Iterable[str]) -> tuple[Person, ...]:
    """Return people by name, with the limits that the journal has for them.

    A person whom the journal does not know can be asked one question at a time, without further limits.
    """
    known = Desk(journal).state.people
    plain = (Person(name=name) for name in names)
    return tuple(known.get(person.name, person) for person in plain)


def user_name() -> str:
    """Return the name of the person at this terminal, as far as the system knows it; else "person"."""
    name = " ".join((os.environ.get("USER") or os.environ.get("USERNAME") or "").split())
    return name if name.isprintable() and 0 < len(name) <= 200 else "person"


def _people(root: Node, made: Callable[[Any], T], name_of: Callable[[T], str]) -> tuple[T, ...]:
    if isinstance(root, YamlMap) and set(root.entries) == {"people"}:
        root = root.entries["people"].value
    if not isinstance(root, Listing) or not root.items:
        got = "an empty list" if isinstance(root, Listing) else in_words(root)
        raise Malformed(f"the file must hold a list of people, got {got}", hint=HINT)
    found: dict[str, T] = {}
    for item in root.items:
        try:
            person = made(_plain(item))
            name = name_of(person)
            if name in found:
                cause = f"every person must have another name, and '{name}' stands twice"
                raise ConflictingSettings(cause, hint="Give everybody a name of their own.")
        except HandupError as error:
            raise BadSetting(error.cause, hint=error.hint, line=item.line) from None
        found[name] = person
    return tuple(found.values())


def _plain(node: Node) -> Any:
    """Return a node as plain data: numbers where they stand without quotes."""
    if isinstance(node, Scalar):
        if is_nothing(node):
            return None
        return float(node.text) if node.plain and NUMBER.fullmatch(node.text) else node.text
    if isinstance(node, Listing):
        return [_plain(item) for item in node.items]
    return {key: _plain(entry.value) for key, entry in node.entries.items()}
