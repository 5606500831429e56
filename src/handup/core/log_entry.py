"""Interface of a journal entry, as far as pure code needs it; `handup.journal.Entry` has it."""

from __future__ import annotations

from typing import Protocol


class LogEntry(Protocol):
    """Event in its place in a log."""

    @property
    def seq(self) -> int:
        """Number of the entry."""

    @property
    def at_s(self) -> float:
        """Time at which it was written."""

    @property
    def run(self) -> str:
        """The run it belongs to."""

    @property
    def key(self) -> str:
        """The question or the action that it is about."""

    @property
    def kind(self) -> str:
        """The kind of event."""

    @property
    def event(self) -> object:
        """The event."""
