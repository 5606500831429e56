"""A channel to a person at a terminal: one question at a time, in plain words, with a stop that never waits."""

from __future__ import annotations

import math
import os
import queue
import secrets
import shlex
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rich.console import Console

from handup.core import HandupError, Reply, ReplyKind, StoreUnavailable, Value
from handup.desk.conversation import COMMANDS, Conversation, Gone, Said, said_back
from handup.desk.keyboard import Keyboard, Typing
from handup.desk.record import Receipt, ReceiptStatus, Record
from handup.desk.screen import Screen, person_console
from handup.desk.status import Status
from handup.desk.words import what_counts

if TYPE_CHECKING:
    from handup.desk.desk import Desk

DEVICE = "terminal"
TRIES = 3
"""So often a reply is sent where the store does not take it."""
WATCH_S = 1.0
NOT_STOPPED = "The robot was NOT stopped: use its own stop button."
LEFT_WORDS = """\
Left open; nothing is lost. This did not stop the robot. To stop it, use its own stop button, type s at the next \
question, or run in another shell:"""
_BEFORE_PERSON = (Status.OPEN, Status.CLAIMED)


class How(StrEnum):
    """How a question at the terminal ended."""

    REPLIED = "replied"
    GONE = "gone"
    """It was settled elsewhere, or is not this person's any more."""
    LEFT = "left"
    """The person left it open: end of input."""
    INTERRUPTED = "interrupted"
    """The person left it open with Ctrl-C."""
    TIMED_OUT = "timed-out"
    """The time given to `put` was up; it is still open."""


@dataclass(frozen=True)
class Ended:
    """How a question at the terminal ended, and what the desk said to the reply."""

    how: How
    receipt: Receipt | None = None


class Terminal:
    """Puts questions to a person at a terminal.

    As a channel of a desk it asks in a thread of its own, so that the robot's program goes on. A program that has
    nothing else to do calls `put`, which returns when the person has replied.

    Args:
        by: Who sits there; where it is empty, whoever is asked.
        console: Where to write; standard error where it is None.
        typing: Where lines come from; standard input where it is None.
        name: What the channel is called in `Person.channels`.
        leaving: Called when the person leaves a question, instead of telling them that nothing is lost. It may raise.
    """

    def __init__(
        self,
        by: str = "",
        *,
        console: Console | None = None,
        typing: Typing | None = None,
        name: str = DEVICE,
        leaving: Callable[[How], object] | None = None,
    ) -> None:
        self.name = name
        self._by, self._leaving = by, leaving
        self._screen = Screen(console or person_console())
        self._typing = typing or Keyboard()
        self._shown: queue.SimpleQueue[tuple[Record, Desk] | None] = queue.SimpleQueue()
        self._before: set[tuple[str, float | None]] = set()
        """What waits for the person or is before them: question and when it was opened."""
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def show(self, record: Record, desk: Desk) -> None:
        """Put a question to the person, after those that came before it. Returns at once."""
        if self._by and record.turn != self._by:
            return
        self._before.add(_key(record))
        self._shown.put((record, desk))
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name=f"handup {self.name}", daemon=True)
            self._thread.start()

    def taken(self, record: Record) -> None:
        """A question is settled or gone elsewhere: the person is told if it is before them."""
        self._before.discard(_key(record))

    def close(self) -> None:
        """Ask nothing more. What is open stays open. Safe to call twice."""
        self._closed.set()
        self._shown.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=1.0)

    def put(self, record: Record, desk: Desk, *, timeout_s: float | None = None) -> Ended:
        """Put one question to the person and wait until they have replied, left, or it went away.

        Args:
            record: The question.
            desk: Where the reply goes.
            timeout_s: How long to wait at most, in real seconds.

        Raises:
            StoreUnavailable: The reply could not be written, also not when tried again; the question stays open.
        """
        self._before.add(_key(record))
        try:
            return self._put(record, desk, timeout_s)
        finally:
            self._before.discard(_key(record))

    def stand_by(
        self, record: Record, desk: Desk, come: Callable[[Record], bool], *, timeout_s: float | None = None
    ) -> Ended | None:
        """Wait until something has come of a question that is not before this person; `s` and Enter stop meanwhile.

        Args:
            record: The question.
            desk: Where a stop goes.
            come: Whether it has come, given the question as it is. A stop ends the waiting too.
            timeout_s: How long to wait at most, in real seconds.

        Returns:
            How it ended where the person stopped the robot or left; None otherwise.

        Raises:
            StoreUnavailable: A stop could not be written.
        """
        by = self._by or record.turn or record.audience[0]
        until = math.inf if timeout_s is None else time.monotonic() + timeout_s

        def over() -> bool:
            desk.tick()
            return time.monotonic() >= until or desk.stopped or come(desk.record(record.id) or record)

        if not self._typing.live or os.name != "posix":
            while not over():
                desk.watch(max(min(WATCH_S, until - time.monotonic()), 0.0))
            return None
        self._screen.say("Meanwhile, to STOP the robot: type s and press Enter.", strong=True)
        while True:
            try:
                line = self._typing.line(over)
            except (EOFError, KeyboardInterrupt) as left:
                return self._left(desk, left)
            if line is None:
                return None
            if COMMANDS.get(" ".join(line.split()).casefold()) is ReplyKind.STOP:
                return Ended(How.REPLIED, self._reply(record, desk, by, ReplyKind.STOP, None))
            self._screen.say("It is not before you yet. To STOP the robot, type s and press Enter.")

    def _put(self, record: Record, desk: Desk, timeout_s: float | None) -> Ended:
        by = self._by or record.turn or record.audience[0]
        until = math.inf if timeout_s is None else time.monotonic() + timeout_s

        def over() -> bool:
            return time.monotonic() >= until or self._is_gone(record, desk)

        self._typing.drop()
        self._screen.question(record, by)
        talk = Conversation(record.question, self._screen, self._typing, over, by)
        while True:
            kind, value = ReplyKind.ANSWER, None
            try:
                value = talk.value()
            except Said as said:
                kind = said.kind
            except Gone:
                return self._gone(record, desk)
            except (EOFError, KeyboardInterrupt) as left:
                return self._left(desk, left)
            receipt = self._reply(record, desk, by, kind, value)
            if receipt.accepted:
                return Ended(How.REPLIED, receipt)
            if receipt.status is not ReceiptStatus.INVALID:
                return Ended(How.GONE, receipt)

    def _reply(self, record: Record, desk: Desk, by: str, kind: ReplyKind, value: Value | None) -> Receipt:
        token = secrets.token_hex(16)
        reply = Reply(question=record.id, kind=kind, by=by, token=token, value=value, device=self.name)
        receipt = self._sent(desk, reply)
        now = receipt.record
        if receipt.accepted:
            if value is not None:
                self._screen.say(said_back(record.question, value))
            self._screen.say(receipt.message, strong=kind is ReplyKind.STOP)
        elif kind is ReplyKind.STOP:
            self._screen.say(f"{NOT_STOPPED} {receipt.message}", strong=True)
        elif now is not None and now.by != by and (counts := what_counts(now)):
            self._screen.say(f"{counts} Yours changed nothing.")
        elif receipt.status is ReceiptStatus.INVALID or value is None:
            self._screen.say(receipt.message)
        else:
            self._screen.say(f"{receipt.message} Your answer changed nothing.")
        return receipt

    def _left(self, desk: Desk, left: BaseException) -> Ended:
        how = How.INTERRUPTED if isinstance(left, KeyboardInterrupt) else How.LEFT
        self._screen.newline()
        if self._leaving is not None:
            self._leaving(how)
            return Ended(how)
        self._screen.say(LEFT_WORDS)
        self._screen.command(f"handup answer --stop --store {shlex.quote(desk.journal.store)}")
        return Ended(how)

    def _sent(self, desk: Desk, reply: Reply) -> Receipt:
        """Send a reply, and the same again where the store is not there for a moment: it counts once."""
        for _ in range(TRIES - 1):
            try:
                return desk.reply(reply)
            except StoreUnavailable as error:
                if reply.kind is ReplyKind.STOP:
                    self._screen.say(f"{NOT_STOPPED} {error.cause}. Trying again.", strong=True)
                else:
                    self._screen.say(f"Not recorded yet ({error.cause}); trying again.")
        try:
            return desk.reply(reply)
        except HandupError as error:
            if reply.kind is ReplyKind.STOP:
                error.cause = f"{NOT_STOPPED} {error.cause}"
            raise

    def _is_gone(self, record: Record, desk: Desk) -> bool:
        if self._closed.is_set() or _key(record) not in self._before:
            return True
        now = desk.record(record.id)
        return now is None or now.status not in _BEFORE_PERSON or now.turn != record.turn

    def _gone(self, record: Record, desk: Desk) -> Ended:
        self._screen.newline()
        self._typing.drop()
        if self._closed.is_set():
            return Ended(How.GONE)
        if not self._is_gone(record, desk):
            self._screen.say("The time to wait is up; the question stays open.")
            return Ended(How.TIMED_OUT)
        now = desk.record(record.id)
        told = "" if now is None else f" {what_counts(now) or now.told}"
        self._screen.say(f"This question needs no answer from you any more.{told}")
        return Ended(How.GONE)

    def _serve(self) -> None:
        while not self._closed.is_set():
            shown = self._shown.get()
            if shown is None:
                return
            record, desk = shown
            try:
                if not self._is_gone(record, desk):
                    self.put(record, desk)
                self._before.discard(_key(record))
            except HandupError as error:
                self._screen.say(f"{error} The question stays open.")


def _key(record: Record) -> tuple[str, float | None]:
    return record.id, record.opened_s
