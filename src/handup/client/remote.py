"""Desk on another machine, with which `handup.run` drives a robot as it would with a desk of its own."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeVar

from handup.client.client import Client
from handup.client.link import RobotLink
from handup.core import BadRequest, IllegalCall, NothingThere, Question, ServerUnreachable
from handup.core.panels import Phase
from handup.desk import Receipt, Record
from handup.desk.events import RemoteSettled, RemoteStopped
from handup.journal import Journal

T = TypeVar("T")
LOOK_S = 2.0
"""Seconds between two checks by which a waiting robot learns that it was stopped."""


class RemoteDesk:
    """Desk of a server, for `handup.run`, with a journal of the robot's own for its session.

    The session's steps are in the local journal, the questions and answers at the server. While nothing is heard of the
    server, every method waits, and the robot stands still. A stop that the link hears is written in the local journal,
    so it ends the run also if the program is started again. A stop that was pressed *and* lifted while this robot had
    no link shows only in the questions that it withdrew.

    Args:
        client: Client that asks and waits.
        link: Link that says if the robot may move.
        journal: Journal of the session; open it with `clock=link.clock`, since deadlines are the server's times.
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
        """True while a stop holds. Waits while that is unknown, because the server is not heard."""
        self._link.hold(only_heard=True)
        self._note_stops()
        return self._link.stopped

    def stopped_since(self, seq: int) -> bool:
        """Tell whether this robot heard a stop after an entry of its journal, also where it was lifted since."""
        self._note_stops()
        return self._last_stop > seq

    def _note_stops(self) -> None:
        heard = self._link.stops_heard
        if heard != self._stops:
            self._last_stop = self.journal.append(RemoteStopped())[0].seq
            self._stops = heard

    def now_s(self) -> float:
        """Return the time of the journal's clock, which never runs backwards."""
        return max(self.journal.clock.now_s(), self.journal.head().at_s)

    def ask(self, question: Question, *, run: str, step: str, attempt: int = 1, load: float = 0.0) -> Record:
        """Put a question at the server."""
        return self._surely(lambda: self._client.ask(question, run=run, step=step, attempt=attempt, load=load))

    def wait(self, question: str, timeout_s: float | None = None) -> Record | None:
        """Wait until a question is settled, or everything is stopped."""
        until = math.inf if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left_s = until - time.monotonic()
            record = self._client.wait(question, min(max(left_s, 0.0), LOOK_S))
            if record is not None:
                return self._noted(record)
            if self.stopped:
                return self.record(question)
            if left_s <= LOOK_S:
                return None

    def record(self, question: str) -> Record | None:
        """Return the question in its present state; None where there is none."""
        return self._noted(self._surely(lambda: self._client.record(question)))

    def withdraw(self, question: str, why: str) -> Receipt:
        """Take a question back."""
        return self._surely(lambda: self._client.withdraw(question, why))

    def hand_on(self, question: str, to: str) -> Receipt:
        """Hand a question on to another of its people. Whoever had it may still answer.

        Raises:
            IllegalCall: The server is older than this and cannot.
        """
        try:
            return self._surely(lambda: self._client.hand_on(question, to))
        except (NothingThere, BadRequest):  # it has no such address
            cause = "the server cannot hand questions on; it is older than this robot's program"
            raise IllegalCall(cause, hint="Update the server, or leave out the options.") from None

    def show(self, phase: Phase, doing: str | None = None) -> None:
        """Show people the phase of the run."""
        self._link.phase(phase, doing)

    def tick(self) -> None:
        """Do nothing: the server handles deadlines."""

    def free_from_s(self, now_s: float) -> float:
        """Return the time from which people may be asked: now, as the server holds questions; never while stopped."""
        return math.inf if self._link.stopped else now_s

    def _noted(self, record: Record | None) -> Record | None:
        """Write down, once, that a question was settled: the run counts its pauses between questions from there."""
        if record is not None and record.settled and record.id not in self._told:
            self._told.add(record.id)
            if not any(isinstance(entry.event, RemoteSettled) for entry in self.journal.read(key=record.id)):
                self.journal.append(RemoteSettled(status=str(record.status)), key=record.id)
        return record

    def _surely(self, do: Callable[[], T]) -> T:
        """Call a function again and again until the server is there."""
        while True:
            try:
                return do()
            except ServerUnreachable:
                if not self._link.hold(only_heard=True):
                    raise IllegalCall("a robot's link was closed", hint="Keep it open while the run lasts.") from None
