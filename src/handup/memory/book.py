"""The journal, as far as a memory needs it; `handup.journal.Journal` is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol


class Line(Protocol):
    """An entry."""

    @property
    def seq(self) -> int:
        """Its number."""
        ...

    @property
    def at_s(self) -> float:
        """When it was written."""
        ...

    @property
    def run(self) -> str:
        """The run it belongs to."""
        ...

    @property
    def kind(self) -> str:
        """The kind of event."""
        ...

    @property
    def event(self) -> object:
        """The event."""
        ...


class Place(Protocol):
    """Where a journal ends."""

    @property
    def seq(self) -> int:
        """The number of its last entry."""
        ...


class Reads(Protocol):
    """What reads entries."""

    def __call__(
        self, after: int = 0, *, run: str | None = None, key: str | None = None, limit: int | None = None
    ) -> Iterator[Line]:
        """Entries beyond `after`, in order."""
        ...


class Pen(Protocol):
    """One transaction."""

    @property
    def head(self) -> Place:
        """Where the journal ends, with what was written here."""
        ...

    def read(
        self, after: int = 0, *, run: str | None = None, key: str | None = None, limit: int | None = None
    ) -> Iterator[Line]:
        """Entries beyond `after`, in order."""
        ...

    def append(self, event: object, *, run: str = "", key: str = "") -> Line:
        """Add one entry."""
        ...


class Book(Protocol):
    """The journal."""

    def read(
        self, after: int = 0, *, run: str | None = None, key: str | None = None, limit: int | None = None
    ) -> Iterator[Line]:
        """Entries beyond `after`, in order."""
        ...

    def writing(self) -> AbstractContextManager[Pen]:
        """One exclusive transaction, durable when it is left."""
        ...

    def head(self) -> Place:
        """Where it ends."""
        ...
