"""People from a file, with file and line in every error, and who sits at this terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from handup.core import BadSetting, HandupError, Person
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
HINT = "Write for example: [{name: Ada, role: caregiver, limits: {per_hour: 6}}]."


def load_people(path: Path | None) -> tuple[Person, ...]:
    """People from a YAML or JSON file: a list, each with `name` and, where wanted, `role`, `channels` and `limits`.

    Where no file is given there is nobody.

    Raises:
        BadSetting: The file cannot be read, or does not describe people; with the line.
    """
    if path is None:
        return ()
    try:
        text = read_text(path, LIMITS.size, error=BadSetting)
        return _people(read_yaml(text, raising(BadSetting), limits=LIMITS, start=HINT))
    except HandupError as error:
        raise BadSetting(error.cause, hint=error.hint, file=str(path), line=error.line) from None


def people_named(journal: Journal, names: Iterable[str]) -> tuple[Person, ...]:
    """People by name, as the journal knows them, so that nobody's limits change because somebody names them here.

    Whom it does not know can be asked one question at a time, whenever there is one.
    """
    known = Desk(journal).state.people
    plain = (Person(name=name) for name in names)
    return tuple(known.get(person.name, person) for person in plain)


def user_name() -> str:
    """Who sits at this terminal, as far as the system knows."""
    name = " ".join((os.environ.get("USER") or os.environ.get("USERNAME") or "").split())
    return name if name.isprintable() and 0 < len(name) <= 200 else "person"


def _people(root: Node) -> tuple[Person, ...]:
    if isinstance(root, YamlMap) and set(root.entries) == {"people"}:
        root = root.entries["people"].value
    if not isinstance(root, Listing) or not root.items:
        raise BadSetting(f"this is {in_words(root)}, not a list of people", hint=HINT)
    found: dict[str, Person] = {}
    for item in root.items:
        try:
            person = Person.from_json(_plain(item))
            if person.name in found:
                raise BadSetting(f"'{person.name}' stands twice", hint="Give everybody a name of their own.")
        except HandupError as error:
            raise BadSetting(error.cause, hint=error.hint, line=item.line) from None
        found[person.name] = person
    return tuple(found.values())


def _plain(node: Node) -> Any:
    """A node as plain data: numbers where they stand without quotes."""
    if isinstance(node, Scalar):
        if is_nothing(node):
            return None
        return float(node.text) if node.plain and NUMBER.fullmatch(node.text) else node.text
    if isinstance(node, Listing):
        return [_plain(each) for each in node.items]
    return {key: _plain(entry.value) for key, entry in node.entries.items()}
