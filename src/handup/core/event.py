"""Typed events: what a journal holds. Rooms declare theirs beside the code that writes them; the journal stores any.

A person's name and what is personal are declared with the type, so that the journal can keep them beside its chain of
hashes, where they can be erased without breaking it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from handup.core.errors import BadRecord, ConflictingSettings, MissingSetting, UnknownName

Body = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class EventType:
    """Rule by which one kind of event is written and read.

    Args:
        kind: Its name in the journal, such as `desk.answered`. A contract: never used for anything else.
        version: Version of its fields, from 1; raise it when they change.
        made: Dataclass of the event.
        people: Fields that name a person, or several.
        personal: Fields whose content can be erased, each with the field of `people` that says whose it is.
        upcasts: For each old version, a function that turns its body into one of the next version.
    """

    kind: str
    version: int
    made: type[Any]
    people: tuple[str, ...] = ()
    personal: Mapping[str, str] | None = None
    upcasts: Mapping[int, Callable[[Body], Body]] | None = None

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.made)

    def to_body(self, event: object) -> Body:
        """Return the event as a plain record."""
        return cast(Body, self._adapter.dump_python(event, mode="json"))

    def from_body(self, body: Body, version: int) -> Any:
        """Return the event that a body of this or an older version holds.

        Raises:
            BadRecord: It is of a newer version, or damaged.
        """
        if version > self.version or version < 1:
            raise BadRecord(
                f"an event '{self.kind}' has version {version}, and this handup knows {self.version}",
                hint="Read it with the handup that wrote it, or a newer one.",
            )
        for old in range(version, self.version):
            body = (self.upcasts or {})[old](body)
        try:
            return self._adapter.validate_python(body)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise BadRecord(
                f"an event '{self.kind}' is damaged ({where}: {first['msg']})", hint="Verify the journal."
            ) from None


_BY_KIND: dict[str, EventType] = {}
_BY_CLASS: dict[type[Any], EventType] = {}


def event(
    kind: str,
    *,
    version: int = 1,
    people: tuple[str, ...] = (),
    personal: Mapping[str, str] | None = None,
    upcasts: Mapping[int, Callable[[Body], Body]] | None = None,
) -> Callable[[type[T]], type[T]]:
    """Class decorator: make a frozen dataclass known as a kind of event.

    Personal fields must allow None, which is what they read after an erasure.

    Raises:
        BadSetting: Two classes claim one kind, a named field does not exist, or a version lacks its upcast.
    """

    def declare(event_class: type[T]) -> type[T]:
        known = {field.name for field in fields(cast(Any, event_class))}
        owners = set((personal or {}).values())
        if not (set(people) | set(personal or {}) <= known and owners <= set(people)):
            raise UnknownName(f"event '{kind}' names a field that it does not have", hint="Check people and personal.")
        if kind in _BY_KIND:
            raise ConflictingSettings(f"two events are called '{kind}'", hint="Rename one of them.")
        if set(upcasts or {}) != set(range(1, version)):
            raise MissingSetting(f"event '{kind}' lacks an upcast", hint=f"Give one for each version below {version}.")
        declared = EventType(kind, version, event_class, people, personal, upcasts)
        _BY_KIND[kind] = _BY_CLASS[event_class] = declared
        return event_class

    return declare


def event_type(kind: str) -> EventType:
    """Return the type of a kind of event.

    Raises:
        BadRecord: No room of this handup knows it.
    """
    if kind not in _BY_KIND:
        raise BadRecord(
            f"no event is called '{kind}'",
            hint="It was written by a newer handup, or by a package that is not imported.",
        )
    return _BY_KIND[kind]


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """An event of a room that this program has not imported: a plain record, and no more.

    Args:
        kind: Its kind.
        version: Version of its fields.
        body: Its fields.
    """

    kind: str
    version: int
    body: Body


def event_of(kind: str, version: int, body: Body) -> object:
    """Return the event that was written, or `Unknown` where no event of its room is known.

    So rooms can share a journal.

    Raises:
        BadRecord: Its room is known and lacks this kind, since a newer handup wrote it; or it is damaged.
    """
    room = f"{kind.partition('.')[0]}."
    if kind in _BY_KIND or any(known.startswith(room) for known in _BY_KIND):
        return event_type(kind).from_body(body, version)
    return Unknown(kind=kind, version=version, body=body)


def body_of(made: object) -> Body:
    """Return the plain record of an event that was read, even if its room is unknown."""
    return made.body if isinstance(made, Unknown) else type_of(made).to_body(made)


def type_of(made: object) -> EventType:
    """Return the type of an event.

    Raises:
        UnknownName: Its class was not declared with `@event`.
    """
    if type(made) not in _BY_CLASS:
        raise UnknownName(f"{type(made).__name__} is no event", hint="Declare the class with @event.")
    return _BY_CLASS[type(made)]
