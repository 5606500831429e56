"""Rules of fields: each checks what stands in a field of a dataclass, and says the same in JSON Schema.

A field is described once, where it is declared: `why: Annotated[str, Text(MAX_PROMPT)] = ""`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from handup.core.checks import (
    MAX_NAME,
    Error,
    check_list,
    check_name,
    check_number,
    check_person,
    check_share,
    check_text,
    shown,
)

Schema = dict[str, Any]
NOTHING: Schema = {"type": "null"}
NO_NAME: Schema = {"pattern": r"[\u0000-\u001f\u007f-\u009f]|^\s|\s$"}
"""Schema of texts that are no name. Only `check_name` refuses every unprintable character."""


class FieldRule(ABC):
    """The rule of one field.

    Attributes:
        called: Name of the field in messages; empty where the field's own name is clear enough.
    """

    called: str

    @abstractmethod
    def check(self, what: str, value: Any, error: Error) -> Any:
        """Return the tidy value; raise an error in plain words where it breaks the rule."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """Rule as JSON Schema, as far as that can express it."""

    def __get_pydantic_json_schema__(self, core: object, handler: object) -> Schema:
        return self.schema


@dataclass(frozen=True)
class Text(FieldRule):
    """A text of limited length.

    Args:
        most: The most characters.
        filled: Whether it must not be blank.
        called: The field in messages.
    """

    most: int
    filled: bool = False
    called: str = ""

    def check(self, what: str, value: Any, error: Error) -> str:
        """The text."""
        return check_text(what, value, self.most, error=error, empty=not self.filled)

    @property
    def schema(self) -> Schema:
        """A string of this length."""
        return {"type": "string", "maxLength": self.most, **({"pattern": r"\S"} if self.filled else {})}


@dataclass(frozen=True)
class Name(FieldRule):
    """A name: one line, not empty, no space at its ends.

    Args:
        most: The most characters.
        person: Whether it is a person's, kept in the one form of Unicode, NFC.
        called: The field in messages.
    """

    most: int = MAX_NAME
    person: bool = False
    called: str = ""

    def check(self, what: str, value: Any, error: Error) -> str:
        """The name."""
        return (check_person if self.person else check_name)(what, value, self.most, error=error)

    @property
    def schema(self) -> Schema:
        """A string that is a name."""
        return {"type": "string", "minLength": 1, "maxLength": self.most, "not": NO_NAME}


@dataclass(frozen=True)
class Number(FieldRule):
    """A finite number.

    Args:
        least: The smallest; any where it is None.
        called: The field in messages.
    """

    least: float | None = None
    called: str = ""

    def check(self, what: str, value: Any, error: Error) -> float:
        """The number."""
        number = check_number(what, value, error=error)
        if self.least is not None and number < self.least:
            raise error(f"{what} must be at least {self.least:g}, got {number:g}", hint="Give a larger number.")
        return number

    @property
    def schema(self) -> Schema:
        """A number, within its limit."""
        return {"type": "number", **({} if self.least is None else {"minimum": self.least})}


@dataclass(frozen=True)
class Share(FieldRule):
    """A number from 0 to 1."""

    called: str = ""

    def check(self, what: str, value: Any, error: Error) -> float:
        """The number."""
        return check_share(what, value, error=error)

    @property
    def schema(self) -> Schema:
        """A number from 0 to 1."""
        return {"type": "number", "minimum": 0, "maximum": 1}


@dataclass(frozen=True)
class OneOf(FieldRule):
    """A word of an enum."""

    words: type[StrEnum]
    called: str = ""

    def check(self, what: str, value: Any, error: Error) -> StrEnum:
        """The word."""
        if not isinstance(value, str) or value not in tuple(self.words):
            cause = f"{what} must be one of {', '.join(self.words)}, got {shown(value)}"
            raise error(cause, hint="Use one of these words.")
        return self.words(value)

    @property
    def schema(self) -> Schema:
        """One of the words."""
        return {"enum": [str(word) for word in self.words]}


@dataclass(frozen=True)
class Many(FieldRule):
    """A list, kept as a tuple.

    Args:
        entry: The rule of each entry.
        most: The most entries.
        unique: Whether no two of them may be the same.
        called: The field in messages.
    """

    entry: FieldRule
    most: int
    unique: bool = False
    called: str = ""

    def check(self, what: str, value: Any, error: Error) -> tuple[Any, ...]:
        """The entries."""
        entries = check_list(what, value, self.most, error=error)
        checked = tuple(self.entry.check(f"an entry of {what}", entry, error) for entry in entries)
        if self.unique and len(set(checked)) != len(checked):
            raise error(f"{what} names something twice", hint="Name each once.")
        return checked

    @property
    def schema(self) -> Schema:
        """A list of this length."""
        unique = {"uniqueItems": True} if self.unique else {}
        return {"type": "array", "items": self.entry.schema, "maxItems": self.most, **unique}


@cache
def rules_of(record_class: Any) -> Mapping[str, tuple[FieldRule, bool]]:
    """Return the rules of a dataclass by field, each with True where None is allowed. Not every field has a rule."""
    rules = {}
    for name, hint in get_type_hints(record_class, include_extras=True).items():
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        for part in parts:
            extras = get_args(part)[1:] if get_origin(part) is Annotated else ()
            rule = next((extra for extra in extras if isinstance(extra, FieldRule)), None)
            if rule is not None:
                rules[name] = (rule, type(None) in parts)
    return rules


def check_rules(instance: Any, what: str, error: Error) -> None:
    """Check every field of a frozen dataclass that has a rule, and put the tidy value in its place."""
    for name, (rule, optional) in rules_of(instance.__class__).items():
        value = getattr(instance, name)
        if not (optional and value is None):
            object.__setattr__(instance, name, rule.check(rule.called or f"{name} of {what}", value, error))


def properties_of(record_class: Any) -> dict[str, Schema]:
    """Return the fields of a dataclass that have a rule, as properties of a JSON object."""
    return {
        name: {"anyOf": [NOTHING, rule.schema]} if optional else rule.schema
        for name, (rule, optional) in rules_of(record_class).items()
    }


def object_of(properties: Mapping[str, Schema], required: list[str]) -> Schema:
    """Return the schema of a JSON object with these properties and no others."""
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


def needed_of(record_class: Any) -> list[str]:
    """Return the fields of a dataclass that have no default."""
    declared = fields(record_class)
    return [field.name for field in declared if field.default is MISSING and field.default_factory is MISSING]


def schema_of(record_class: Any) -> Schema:
    """Return the JSON Schema of a dataclass whose fields all have a rule."""
    return object_of(properties_of(record_class), needed_of(record_class))
