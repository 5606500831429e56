"""How questions reach people: the protocol of channels, and what may go wrong in one without harm to the desk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from handup.core import HandupError
from handup.desk.record import Record

if TYPE_CHECKING:
    from handup.desk.desk import Desk

CHANNEL_FAILS = (
    HandupError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What a channel may raise: it is logged and told again, and the others are told all the same. Anything else, such as
KeyboardInterrupt, reaches whoever called the desk; what was written stays written."""


@runtime_checkable
class Channel(Protocol):
    """A way to people: a terminal, a page, a simulated person, a function.

    The desk calls a channel after what it tells is durable, outside all locks, from whichever thread comes by: one
    thread at a time, in the order in which things happened. A channel that takes long keeps only itself and that
    thread waiting. It may call the desk back from `show`. What it failed at is told to it again after a pause, with
    longer and longer pauses, as long as it still holds. After a restart what is open is shown again.
    """

    name: str

    def show(self, record: Record, desk: Desk) -> None:
        """Put a question to the person whose turn it is (`record.turn`).

        Called once for each time it is opened, and again where it raised.
        """
        ...

    def taken(self, record: Record) -> None:
        """Take a question off the screen: it was settled, put off, taken back, or has gone to somebody else."""
        ...

    def close(self) -> None:
        """The desk closes."""
        ...


@runtime_checkable
class Timed(Protocol):
    """A channel that replies by the desk's own clock, such as simulated people. `Desk.wait` sees to it."""

    @property
    def next_s(self) -> float | None:
        """When it has a reply next; None where it has none."""
        ...

    def deliver(self) -> object:
        """Give the desk the replies that are due."""
        ...
