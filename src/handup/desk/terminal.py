"""A channel to a person at a terminal: one question at a time, in plain words, with a stop at any moment."""

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

from handup.core import (
    BadAnswer,
    HandupError,
    Question,
    Reply,
    ReplyKind,
    StoreUnavailable,
    Value,
    check_value,
    in_words,
)
from handup.core.checks import one_line
from handup.desk.record import Receipt, ReceiptStatus, Record, what_counts
from handup.desk.screen import (
    ELSE_KEY,
    HELP_KEY,
    NOT_NOW_KEY,
    STOP_KEY,
    TRY_KEY,
    Keyboard,
    Screen,
    help_on,
    how_to_answer,
    takes_enter,
)
from handup.desk.status import BEFORE

if TYPE_CHECKING:
    from handup.desk.desk import Desk

DEVICE = "terminal"
TRIES = 3
"""Number of attempts to send a reply that the store refuses."""
WATCH_S = 1.0
NOT_STOPPED = "The robot was NOT stopped: use its own stop button."
LEFT_WORDS = """\
Left open; nothing is lost. This did not stop the robot. To stop it, use its own stop button, type s at the next \
question, or run in another shell:"""
COMMANDS = {
    STOP_KEY: ReplyKind.STOP,
    "stop": ReplyKind.STOP,
    NOT_NOW_KEY: ReplyKind.NOT_NOW,
    "not now": ReplyKind.NOT_NOW,
    ELSE_KEY: ReplyKind.SOMEONE_ELSE,
    "someone else": ReplyKind.SOMEONE_ELSE,
    TRY_KEY: ReplyKind.LET_ROBOT_TRY,
    "let the robot try": ReplyKind.LET_ROBOT_TRY,
}
AS_IT_IS = "="
"""Mark before an answer that would be a command without it."""
WORDS_OF_TWO = {"yes": ("y", "yes"), "no": ("no",), "done": ("d", "done"), "cannot": ("c", "cannot", "can't")}
"""Words that are understood for the kinds of two options. Never `n` for no: it means not now."""


class Gone(Exception):
    """The question went away while the person was typing."""


class StandingReply(Exception):
    """The person gave a reply other than an answer."""

    def __init__(self, kind: ReplyKind) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass
class Conversation:
    """Dialogue until there is a value that the question allows. A wrong key is explained and costs nothing.

    Args:
        question: The question.
        screen: Output to the person.
        typing: Input of lines.
        gone: Function that returns True when the question went away.
        by: The person who answers.
    """

    question: Question
    screen: Screen
    typing: Keyboard
    gone: Callable[[], bool]
    by: str
    _warned: bool = False

    def value(self) -> Value:
        """Return the person's answer.

        Raises:
            Said: They gave a reply other than an answer.
            Gone: The question went away.
            EOFError: They left.
        """
        while True:
            try:
                return check_value(self.question, self._once())
            except BadAnswer as error:
                self.say(error.sentence)

    def _once(self) -> object:
        question, shape = self.question, self.question.rule.shape
        line = self.line(shape.label(question) or f"Your answer, {self.by}")
        if not line.strip():
            return self._guess()
        if line.startswith(AS_IT_IS):
            line = line[len(AS_IT_IS) :]
        elif question.choices:
            line = self._choice(line)
        return shape.typed(question, line, self)

    def say(self, text: str, *, indent: int = 0) -> None:
        """Show a paragraph."""
        self.screen.say(text, indent=indent)

    def _guess(self) -> Value:
        guess = self.question.guess
        if guess is None:
            raise BadAnswer("nothing was typed", hint=how_to_answer(self.question))
        if not takes_enter(self.question):
            raise BadAnswer("Enter gives no permission", hint=how_to_answer(self.question))
        return guess

    def _choice(self, line: str) -> str:
        """Return the option that a line means; the line itself where it means none and free text is allowed."""
        question, typed = self.question, " ".join(line.split()).casefold()
        if typed.isdecimal() and typed.isascii():
            if not 1 <= int(typed[:9]) <= len(question.choices):
                raise BadAnswer(f"there is no number {typed[:20]}", hint=how_to_answer(question))
            return question.choices[int(typed) - 1]
        for choice in question.choices:
            if typed == one_line(choice).casefold() or typed in WORDS_OF_TWO.get(choice, ()):
                return choice
        if question.rule.shape.open:
            return line
        raise BadAnswer(f"'{one_line(line)[:60]}' is none of the choices", hint=how_to_answer(question))

    def line(self, label: str) -> str:
        """Return the next line that is no command.

        Raises:
            Said: It is a command for a reply.
            Gone: The question went away.
            EOFError: The person left.
        """
        while True:
            self.screen.prompt(label)
            line = self.typing.line(self.gone)
            if line is None:
                raise Gone
            if not self.typing.live:
                self.screen.newline()  # input from a program shows no line end on the screen
            typed = " ".join(line.split()).casefold()
            if typed in {HELP_KEY, "help"}:
                self.screen.say(help_on(self.question))
                self.screen.keys(self.question)
                continue
            kind = COMMANDS.get(typed)
            if kind is None:
                return line
            if typed == NOT_NOW_KEY and self._means_no():
                continue
            if kind is ReplyKind.LET_ROBOT_TRY and (only_people := self.question.rule.only_people):
                self.screen.say(only_people)
                continue
            raise StandingReply(kind)

    def _means_no(self) -> bool:
        """Return True, once, if n may have meant no; the second time it counts as not now."""
        if self._warned or "no" not in self.question.rule.two:
            return False
        self._warned = True
        self.screen.say("n is 'not now'. Type n again for that; for 'no' type 2.")
        return True


class How(StrEnum):
    """Outcome of a question at the terminal."""

    REPLIED = "replied"
    GONE = "gone"
    """It was settled elsewhere, or is for another person by now."""
    LEFT = "left"
    """The person left it open by ending the input."""
    INTERRUPTED = "interrupted"
    """The person left it open with Ctrl-C."""
    TIMED_OUT = "timed-out"
    """The time given to `put` was up; it is still open."""


class Terminal:
    """Questions to a person at a terminal.

    As a channel of a desk it asks in a thread of its own, so that the robot's program goes on. A program that has
    nothing else to do calls `put`, which returns when the person has replied.

    Args:
        by: The person at the terminal; where it is empty, everybody who is asked.
        console: Terminal for output; standard error where it is None.
        typing: Input of lines; standard input where it is None.
        name: Name of the channel in `Person.channels`.
        leaving: Called when the person leaves a question, instead of the message that nothing is lost. It may raise.
    """

    def __init__(
        self,
        by: str = "",
        *,
        console: Console | None = None,
        typing: Keyboard | None = None,
        name: str = DEVICE,
        leaving: Callable[[How], object] | None = None,
    ) -> None:
        self.name = name
        self._by, self._leaving = by, leaving
        self._screen = Screen(console)
        self._typing = typing or Keyboard()
        self._shown: queue.SimpleQueue[tuple[Record, Desk] | None] = queue.SimpleQueue()
        self._before: set[tuple[str, float | None]] = set()
        """Questions that are before the person or queue for them: id and time of opening."""
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def show(self, record: Record, desk: Desk) -> None:
        """Queue a question for the person, behind earlier ones. Returns at once."""
        if self._by and record.turn != self._by:
            return
        self._before.add(_key(record))
        self._shown.put((record, desk))
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name=f"handup {self.name}", daemon=True)
            self._thread.start()

    def taken(self, record: Record) -> None:
        """Take back a question that is settled or gone elsewhere; the person is told if it is before them."""
        self._before.discard(_key(record))

    def close(self) -> None:
        """Ask nothing more. Open questions stay open. Safe to call twice."""
        self._closed.set()
        self._shown.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=1.0)

    def put(self, record: Record, desk: Desk, *, timeout_s: float | None = None) -> How:
        """Put one question to the person and wait until they have replied, left, or it went away.

        Args:
            record: The question.
            desk: The desk that gets the reply.
            timeout_s: Longest wait in real seconds; for ever where it is None.

        Raises:
            StoreUnavailable: The reply could not be written in several attempts; the question stays open.
        """
        by = self._by or record.turn or record.audience[0]
        until = math.inf if timeout_s is None else time.monotonic() + timeout_s
        self._before.add(_key(record))

        def over() -> bool:
            return time.monotonic() >= until or self._is_gone(record, desk)

        try:
            self._typing.drop()
            self._screen.question(record, by)
            talk = Conversation(record.question, self._screen, self._typing, over, by)
            while True:
                kind, value = ReplyKind.ANSWER, None
                try:
                    value = talk.value()
                except StandingReply as said:
                    kind = said.kind
                except Gone:
                    return self._gone(record, desk)
                except (EOFError, KeyboardInterrupt) as left:
                    return self._left(desk, left)
                receipt = self._reply(record, desk, by, kind, value)
                if receipt.status is not ReceiptStatus.INVALID:
                    return How.REPLIED if receipt.accepted else How.GONE
        finally:
            self._before.discard(_key(record))

    def stand_by(
        self, record: Record, desk: Desk, come: Callable[[Record], bool], *, timeout_s: float | None = None
    ) -> How | None:
        """Wait for a question that is not before this person; meanwhile `s` and Enter stop the robot.

        Args:
            record: The question.
            desk: The desk of the question, which gets a stop.
            come: Function that returns True, given the question as it is, when the wait is over. A stop ends it too.
            timeout_s: Longest wait in real seconds; for ever where it is None.

        Returns:
            The outcome where the person stopped the robot or left; None otherwise.

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
                self._reply(record, desk, by, ReplyKind.STOP, None)
                return How.REPLIED
            self._screen.say("It is not before you yet. To STOP the robot, type s and press Enter.")

    def _reply(self, record: Record, desk: Desk, by: str, kind: ReplyKind, value: Value | None) -> Receipt:
        token = secrets.token_hex(16)
        reply = Reply(question=record.id, kind=kind, by=by, token=token, value=value, device=self.name)
        receipt = self._sent(desk, reply)
        now = receipt.record
        if receipt.accepted:
            if value is not None:
                self._screen.say(f"Your answer: {in_words(record.question, value)}")
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

    def _left(self, desk: Desk, left: BaseException) -> How:
        how = How.INTERRUPTED if isinstance(left, KeyboardInterrupt) else How.LEFT
        self._screen.newline()
        if self._leaving is not None:
            self._leaving(how)
        else:
            self._screen.say(LEFT_WORDS)
            self._screen.command(f"handup answer --stop --store {shlex.quote(desk.journal.store)}")
        return how

    def _sent(self, desk: Desk, reply: Reply) -> Receipt:
        """Send a reply, and the same again while the store is away for a moment: it counts once."""
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
        return now is None or now.status not in BEFORE or now.turn != record.turn

    def _gone(self, record: Record, desk: Desk) -> How:
        self._screen.newline()
        self._typing.drop()
        if self._closed.is_set():
            return How.GONE
        if not self._is_gone(record, desk):
            self._screen.say("The time to wait is up; the question stays open.")
            return How.TIMED_OUT
        now = desk.record(record.id)
        reason = "" if now is None else f" {what_counts(now) or now.told}"
        self._screen.say(f"This question needs no answer from you any more.{reason}")
        return How.GONE

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


class Left(Exception):
    """The person left a question, and the input has ended. Not among `CHANNEL_FAILS`, so it ends the asking program."""


class ForegroundTerminal(Terminal):
    """A terminal that asks in the thread that waits for the answer, so that the robot ends when its person leaves.

    Args:
        by: The person at the terminal.
    """

    def __init__(self, by: str) -> None:
        super().__init__(by, leaving=_leave)
        self._asked: dict[str, tuple[Record, Desk]] = {}

    def say(self, line: str) -> None:
        """Write a line without wrapping it."""
        self._screen.console.print(line, markup=False, soft_wrap=True)

    def prepared(self, record: Record) -> Record:
        """Return a question as it is shown."""
        return record

    @property
    def next_s(self) -> float | None:
        """Time of the next delivery: at once, where a question waits."""
        return 0.0 if self._asked else None

    def show(self, record: Record, desk: Desk) -> None:
        """Note a question, which `deliver` puts to the person."""
        self._asked[record.id] = (record, desk)

    def deliver(self) -> None:
        """Put the noted questions to the person, one by one, until they have replied.

        Raises:
            Left: The input has ended.
            KeyboardInterrupt: The person pressed Ctrl-C.
        """
        while self._asked:
            question, (record, desk) = next(iter(self._asked.items()))
            try:
                record = self.prepared(record)
            except HandupError as error:  # it is asked as it is: only typing may keep the robot waiting
                self.say(str(error))
            try:
                self.put(record, desk)
            except HandupError as error:  # the reply could not be written: the question is put again
                self.say(str(error))
                return
            self._asked.pop(question, None)

    def taken(self, record: Record) -> None:
        """Forget a question that was settled, or put off."""
        self._asked.pop(record.id, None)
        super().taken(record)


def _leave(how: How) -> None:
    if how is How.INTERRUPTED:
        raise KeyboardInterrupt
    raise Left
