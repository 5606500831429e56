"""The journal, as far as the rooms below it need one; `handup.journal.Journal` is an `EventLog`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from handup.core.protocols import Clock

T = TypeVar("T")


class LogPosition(Protocol):
    """Place in a log."""

    @property
    def seq(self) -> int:
        """Number of the entry there."""
        ...


class LogEntry(LogPosition, Protocol):
    """Event in its place in a log."""

    @property
    def at_s(self) -> float:
        """Time at which it was written."""
        ...

    @property
    def run(self) -> str:
        """The run it belongs to."""
        ...

    @property
    def key(self) -> str:
        """The question or the action that it is about."""
        ...

    @property
    def kind(self) -> str:
        """The kind of event."""
        ...

    @property
    def event(self) -> object:
        """The event."""
        ...


class LogReader(Protocol):
    """Source of entries."""

    def read(
        self, after: int = 0, *, run: str | None = None, key: str | None = None, limit: int | None = None
    ) -> Iterator[LogEntry]:
        """Yield the entries beyond `after`, in order."""
        ...


class LogWriter(LogReader, Protocol):
    """One transaction."""

    @property
    def head(self) -> LogPosition:
        """The last entry, with what was written here."""
        ...

    def append(self, event: object, *, run: str = "", key: str = "") -> LogEntry:
        """Add one entry."""
        ...


class RunClaim(Protocol):
    """Claim of this program, and no other, to drive a run."""

    def check(self) -> None:
        """Make sure of it, or raise."""
        ...


class EventLog(LogReader, Protocol):
    """Append-only log of events."""

    @property
    def clock(self) -> Clock:
        """The clock its times come from."""
        ...

    def head(self) -> LogPosition:
        """Return its last entry's place."""
        ...

    def writing(self) -> AbstractContextManager[LogWriter]:
        """Begin one exclusive transaction, durable when it is left."""
        ...

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait for an entry beyond `after`."""
        ...

    def holding(self, run: str) -> AbstractContextManager[RunClaim]:
        """Claim a run, so that one program drives it."""
        ...

    def patiently(self, do: Callable[[], T], for_s: float) -> T:
        """Do something, again and again while the store is unavailable, for so many real seconds."""
        ...
