"""A notice, and the protocol of the ways (ntfy, MQTT, e-mail, …) on which it leaves the machine."""

from __future__ import annotations

import hashlib
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from handup.core.checks import one_line
from handup.desk.record import span

SOON_S = 120.0
"""Time in seconds before its deadline from which a question is urgent."""
LONGEST_TITLE = 120
LONGEST_WORDS = 500
SEQUENCE_LETTERS = 32


class Urgency(StrEnum):
    """Urgency of a question, computed from the time that is left for an answer."""

    NORMAL = "normal"
    """It waits until somebody answers."""
    SOON = "soon"
    """It has a deadline."""
    URGENT = "urgent"
    """Its deadline is less than `SOON_S` away."""

    @classmethod
    def of(cls, left_s: float | None) -> Urgency:
        """Return the urgency of a question with so much time left; None is for a question without a deadline."""
        if left_s is None:
            return cls.NORMAL
        return cls.URGENT if left_s < SOON_S else cls.SOON


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Notice to one person that a robot waits for their answer.

    It names the robot and the urgency. It holds no words of the question unless the person allowed them, no name, and
    no picture.

    Args:
        question: Id of the question. It stays on this machine.
        opened_s: Time at which the question was put to the person.
        robot: Name of the robot.
        address: Place of the person on this way: a topic or an e-mail address; empty where the way needs none.
        left_s: Time left for an answer in seconds; None where there is no deadline.
        reminder: 0 for the first notice, then the number of the reminder.
        words: Prompt of the question, where the person allowed it; else empty.
        link: Address of the page; empty where the server has no public address.
    """

    question: str
    opened_s: float
    robot: str
    address: str = ""
    left_s: float | None = None
    reminder: int = 0
    words: str = ""
    link: str = ""

    @property
    def urgency(self) -> Urgency:
        """Urgency of the question."""
        return Urgency.of(self.left_s)

    @property
    def title(self) -> str:
        """First line for a person."""
        robot = self.robot[:LONGEST_TITLE]
        return f"{robot} is still waiting for you" if self.reminder else f"{robot} has a question"

    @property
    def text(self) -> str:
        """Sentences for a person; without the link."""
        time = "There is no hurry." if self.left_s is None else f"It can wait for {span(self.left_s)}."
        return f"{one_line(self.words)[:LONGEST_WORDS]}\n{time}" if self.words else time

    @property
    def sequence(self) -> str:
        """Name that a notice shares with its reminders, from which nothing can be read."""
        return hashlib.sha256(f"{self.question} {self.opened_s!r}".encode()).hexdigest()[:SEQUENCE_LETTERS]


class NotTold(Exception):
    """A notice that surely did not go out.

    Args:
        why: Reason in plain words. It is kept in the journal for ever: no address, no name, no secret.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class PerhapsTold(NotTold):
    """A notice of which nobody knows whether it went out: the line broke after it was handed over."""


@runtime_checkable
class Notifier(Protocol):
    """A way on which people are told of questions while no page is open.

    Each notifier is used by one thread, which may take its time: neither the desk nor a stop waits for it.
    """

    way: str
    """Name of the way, as in `Person.channels`."""

    def tell(self, notice: Notice) -> None:
        """Send one notice, within the notifier's own time limit.

        Raises:
            NotTold: It surely did not go out. It is sent again later.
            PerhapsTold: Nobody knows whether it did. It is not sent again.
        """
        ...

    def update(self, told: Mapping[str, Sequence[Notice]], gone: Sequence[Notice]) -> None:
        """Show which notices hold, and take back others. A way that cannot do either does nothing.

        Called at the start, after each change, and again where it failed.

        Args:
            told: Notices that went out and still hold, by robot; robots without any are listed too.
            gone: Notices that went out and no longer hold, as the question was answered or went to somebody else.

        Raises:
            NotTold: It could not be shown.
        """
        ...

    def close(self) -> None:
        """End it, within its time limit."""
        ...


@contextmanager
def time_limit(seconds: float, cut: Callable[[], object]) -> Iterator[None]:
    """Cut a connection that takes longer than this in all.

    The timeout of a socket holds for each read, so it does not stop a server that sends one byte at a time.

    Args:
        seconds: The longest time.
        cut: Function that cuts the connection. It is called in another thread.
    """

    def end() -> None:
        with suppress(OSError, AttributeError):  # it is not open yet, or not any more
            cut()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def reason(error: Exception, timeout_s: float) -> str:
    """Return the reason of a failed connection in words that hold no address and no secret."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return "the server's certificate is not trusted"
    if isinstance(error, OSError) and error.strerror and not isinstance(error, TimeoutError | ssl.SSLError):
        return f"no connection to the server: {error.strerror}"
    if isinstance(error, TimeoutError):
        return f"the server did not answer within {timeout_s:g} s"
    return f"the server ended the connection, or did not answer within {timeout_s:g} s"
