"""A desk that is on another machine: `handup.run` drives a robot there as it would on a desk of its own."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeVar

from handup.client.client import Client
from handup.client.link import RobotLink
from handup.core import IllegalCall, Question, ServerUnreachable
from handup.desk import Receipt, Record
from handup.desk.events import RemoteSettled, RemoteStopped
from handup.journal import Journal

T = TypeVar("T")
LOOK_S = 2.0
"""While it waits for an answer, a robot looks so often whether it was stopped."""


class RemoteDesk:
    """The desk of a server, for `handup.run`, with a journal of the robot's own for its session.

    The session's steps are in the local journal, the questions and answers at the server. While the server is not
    heard, whatever is wanted of the desk waits: the robot holds. A stop that the link hears is written in the local
    journal, so it ends the run also if the program is started again. A stop that was said *and* lifted while this
    robot had no link is not heard of, but by the questions that it took back.

    Args:
        client: Asks and waits.
        link: Says whether the robot may move.
        journal: Where the session is kept; open it with `clock=link.clock`, since deadlines are the server's times.
    """

    def __init__(self, client: Client, link: RobotLink, journal: Journal) -> None:
        self.journal = journal
        self._client = client
        self._link = link
        self._told: set[str] = set()
        self._last_stop = 0
        self._stops = link.stops_heard - link.stopped  # one that still holds is ours to write down
        for entry in journal.read(run=""):
            if isinstance(entry.event, RemoteStopped):
                self._last_stop = entry.seq

    @property
    def stopped(self) -> bool:
        """Whether somebody said stop. Waits while nobody can tell, because the server is not heard."""
        self._link.hold(only_heard=True)
        self._note_stops()
        return self._link.stopped

    def stopped_since(self, seq: int) -> bool:
        """Whether this robot heard a stop after an entry of its journal, also where it was lifted since."""
        self._note_stops()
        return self._last_stop > seq

    def _note_stops(self) -> None:
        heard = self._link.stops_heard
        if heard != self._stops:
            self._last_stop = self.journal.append(RemoteStopped())[0].seq
            self._stops = heard

    def now_s(self) -> float:
        """The time of the journal's clock, which never runs backwards."""
        return max(self.journal.clock.now_s(), self.journal.head().at_s)

    def ask(self, question: Question, *, run: str, step: str, attempt: int = 1, load: float = 0.0) -> Record:
        """Put a question at the server."""
        return self._surely(lambda: self._client.ask(question, run=run, step=step, attempt=attempt, load=load))

    def wait(self, question: str, timeout_s: float | None = None) -> Record | None:
        """Wait until a question is settled, or everything is stopped."""
        until = math.inf if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left_s = until - time.monotonic()
            found = self._client.wait(question, min(max(left_s, 0.0), LOOK_S))
            if found is not None:
                return self._noted(found)
            if self.stopped:
                return self.record(question)
            if left_s <= LOOK_S:
                return None

    def record(self, question: str) -> Record | None:
        """The question as it is."""
        return self._noted(self._surely(lambda: self._client.record(question)))

    def withdraw(self, question: str, why: str) -> Receipt:
        """Take a question back."""
        return self._surely(lambda: self._client.withdraw(question, why))

    def tick(self) -> None:
        """Nothing: the server sees to what is due."""

    def free_from_s(self, now_s: float) -> float:
        """From when somebody may be asked: at once, since the server holds what does not fit; never while stopped."""
        return math.inf if self._link.stopped else now_s

    def _noted(self, record: Record | None) -> Record | None:
        """Write down, once, that a question was settled: the run counts its rests from there."""
        if record is not None and record.settled and record.id not in self._told:
            self._told.add(record.id)
            if not any(isinstance(each.event, RemoteSettled) for each in self.journal.read(key=record.id)):
                self.journal.append(RemoteSettled(status=str(record.status)), key=record.id)
        return record

    def _surely(self, do: Callable[[], T]) -> T:
        """Do something, however long the server is away meanwhile."""
        while True:
            try:
                return do()
            except ServerUnreachable:
                if not self._link.hold(only_heard=True):
                    raise IllegalCall("a robot's link was closed", hint="Keep it open while the run lasts.") from None
