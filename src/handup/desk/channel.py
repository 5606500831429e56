"""How questions reach people: the protocol of channels, and what may go wrong in one without harm to the desk."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from handup.core import BadAnswer, HandupError, Reply, ReplyKind, Value
from handup.desk.record import ReceiptStatus, Record

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
Said = Value | ReplyKind | Reply | None
"""What the function may say: an answer's value, another reply, one with all its fields, or nothing yet."""


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


class Callback:
    """Calls a function with each question that is put to somebody, and passes on what it returns.

    The function is called in the thread that opened the question; one that takes long keeps that thread waiting. Let
    it return None to answer later through `desk.reply`; then the question stays open.

    Args:
        ask: The function.
        name: What the channel is called in `Person.channels`.
        taken: Called with each question that no longer needs an answer.
    """

    def __init__(
        self, ask: Callable[[Record], Said], *, name: str = "callback", taken: Callable[[Record], None] | None = None
    ) -> None:
        self.name = name
        self._ask = ask
        self._taken = taken

    def show(self, record: Record, desk: Desk) -> None:
        """Ask the function, and reply for whoever is asked.

        Raises:
            BadAnswer: The function returned what the question does not allow; it stays open.
        """
        said = self._ask(record)
        if said is None:
            return
        receipt = desk.reply(said if isinstance(said, Reply) else self._reply(record, said))
        if receipt.status is ReceiptStatus.INVALID:
            raise BadAnswer(
                f"the callback '{self.name}' gave no answer to '{record.id}' ({receipt.message.rstrip('.')})",
                hint="Return a value that the question allows, or None.",
            )

    def taken(self, record: Record) -> None:
        """Tell the program that a question no longer needs an answer."""
        if self._taken is not None:
            self._taken(record)

    def close(self) -> None:
        """Nothing is held open."""

    def _reply(self, record: Record, said: Value | ReplyKind) -> Reply:
        # A kind of reply is also a text, which could be an answer: the enum decides.
        kind = said if isinstance(said, ReplyKind) else ReplyKind.ANSWER
        value = None if isinstance(said, ReplyKind) else said
        by = record.turn or record.audience[0]
        token = secrets.token_hex(16)
        return Reply(question=record.id, kind=kind, by=by, token=token, value=value, device=self.name)
