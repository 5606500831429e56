"""Channels on which questions reach people: their protocol, and the queues of notices, which repeat failed ones."""

from __future__ import annotations

import logging
import math
import secrets
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from handup.core import BadAnswer, HandupError, Reply, ReplyKind, Value
from handup.core.log_entry import LogEntry
from handup.desk.events import Opened
from handup.desk.projection import Projection
from handup.desk.question_state import DeskState
from handup.desk.record import ReceiptStatus, Record
from handup.desk.status import BEFORE

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
"""Errors that a channel may raise: they are logged, the notice is repeated, and other channels are told all the same.
Anything else, such as KeyboardInterrupt, reaches the caller of the desk; what was written stays written."""
Said = Value | ReplyKind | Reply | None
"""Result of a callback's function: an answer's value, another reply, one with all its fields, or nothing yet."""
FIRST_PAUSE_S = 1.0
"""Pause in seconds after a channel failed for the first time; it doubles each further time."""
LONGEST_PAUSE_S = 300.0
MOST_TRIES = 100
"""Most attempts at one notice; with the pauses they take about eight hours."""
_log = logging.getLogger("handup.desk")


@runtime_checkable
class Channel(Protocol):
    """A way to people: a terminal, a page, a simulated person, a function.

    The desk calls a channel once the entry is durable, outside all locks, from any thread that uses the desk: one
    thread at a time, in the order of the journal. A slow channel keeps only itself and that thread waiting. It may
    call the desk back from `show`. A notice that it failed at is repeated, with longer and longer pauses, as long as
    it is still true. After a restart open questions are shown again.
    """

    name: str

    def show(self, record: Record, desk: Desk) -> None:
        """Put a question to the person whose turn it is (`record.turn`).

        Called once each time the question is opened, and again if it raised an error.
        """
        ...

    def taken(self, record: Record) -> None:
        """Take a question off the screen: it was settled, put off, taken back, or has gone to somebody else."""
        ...

    def close(self) -> None:
        """Close the channel, with its desk."""
        ...


@runtime_checkable
class TimedChannel(Protocol):
    """A channel that replies by the desk's own clock, such as simulated people. `Desk.wait` lets it deliver."""

    @property
    def next_s(self) -> float | None:
        """Time of its next reply; None where it has none."""
        ...

    def deliver(self) -> object:
        """Give the desk the replies that are due."""
        ...


class Callback:
    """A channel that calls a function with each question that is put to somebody, and replies with its result.

    The function is called in the thread that opened the question; a slow one keeps that thread waiting. It may return
    None and answer later through `desk.reply`; the question stays open until then.

    Args:
        ask: The function.
        name: Name of the channel in `Person.channels`.
        taken: Called with each question that no longer needs an answer.
    """

    def __init__(
        self, ask: Callable[[Record], Said], *, name: str = "callback", taken: Callable[[Record], None] | None = None
    ) -> None:
        self.name = name
        self._ask = ask
        self._taken = taken

    def show(self, record: Record, desk: Desk) -> None:
        """Call the function, and reply for the person who is asked.

        Raises:
            BadAnswer: The question does not allow the function's result; it stays open.
        """
        result = self._ask(record)
        if result is None:
            return
        receipt = desk.reply(result if isinstance(result, Reply) else self._reply(record, result))
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
        """Do nothing: a callback holds nothing open."""

    def _reply(self, record: Record, result: Value | ReplyKind) -> Reply:
        # A kind of reply is also a text, which could be an answer: the enum decides.
        kind = result if isinstance(result, ReplyKind) else ReplyKind.ANSWER
        value = None if isinstance(result, ReplyKind) else result
        by = record.turn or record.audience[0]
        token = secrets.token_hex(16)
        return Reply(question=record.id, kind=kind, by=by, token=token, value=value, device=self.name)


@dataclass(frozen=True, kw_only=True)
class _Notice:
    show: bool
    record: Record
    tries: int = 0
    due_s: float = -math.inf

    @property
    def what(self) -> str:
        return "show" if self.show else "take back"


@dataclass(eq=False)
class _Line:
    """Queue of notices for one channel, in the order of the journal; one thread at a time works on it."""

    channel: Channel
    notices: deque[_Notice] = field(default_factory=deque)
    again: dict[str, _Notice] = field(default_factory=dict)
    """Notices that it failed at, by question; repeated unless a newer one about that question comes."""
    showing: set[str] = field(default_factory=set)
    busy: bool = False


class ChannelNotices:
    """Queues of notices for all channels, worked on by the threads that use the desk.

    Notices are collected under the desk's lock, in the order of the journal. A thread that comes to `tell` works on
    the queues that no other thread is working on. So each channel gets its notices in order, and a slow channel keeps
    no other one waiting. A channel that calls the desk back from `show` only adds to the notices: nothing nests.

    Args:
        desk: The desk of the channels.
        channels: The channels.
        projection: The desk's state in this process.
    """

    def __init__(self, desk: Desk, channels: Sequence[Channel], projection: Projection) -> None:
        self.channels = tuple(channels)
        self._lines = [_Line(channel) for channel in self.channels]
        self._desk = desk
        self._projection = projection
        self._inside = projection.inside
        self._lock = threading.Lock()
        self._this_thread = threading.local()
        self._strangers: set[str] = set()
        """Ids of open questions for people whom the desk does not know yet."""

    def start(self) -> None:
        """Show the questions that are open already."""
        for record in self._projection.state.waiting:
            if record.status in BEFORE:
                self._add(_Notice(show=True, record=record))

    def note(self, old: Record | None, new: Record | None, entry: LogEntry) -> None:
        """Queue the notice that follows from an entry, given its question before and after it."""
        if not self.channels or new is None:
            return
        if old is not None and old.status in BEFORE and new.status not in BEFORE:
            self._add(_Notice(show=False, record=new))
        elif isinstance(entry.event, Opened):
            self._add(_Notice(show=True, record=new))

    def met(self, state: DeskState) -> None:
        """Show the open questions of people whom the desk has come to know."""
        for record in state.waiting if self._strangers else ():
            if record.id in self._strangers and record.turn in state.people and record.status in BEFORE:
                self._add(_Notice(show=True, record=record))

    def _add(self, notice: _Notice) -> None:
        with self._inside, self._lock:
            for line in self._lines:
                line.notices.append(notice)

    def tell(self) -> None:
        """Pass on all notices. An error of a channel is logged, and the notice repeated after a pause."""
        # A channel that calls the desk back comes here again in the same thread: the outer call passes its notices on.
        if not self._lines or getattr(self._this_thread, "busy", False):
            return
        self._this_thread.busy = True
        try:
            while (line := self._next_line()) is not None:
                try:
                    while (notice := self._next_notice(line)) is not None:
                        self._pass_on(line, notice)
                finally:
                    line.busy = False
        finally:
            self._this_thread.busy = False

    def _next_line(self) -> _Line | None:
        """Return a queue with something due that no thread works on, and mark it as busy; None where there is none."""
        now_s = self._projection.now_s()
        with self._inside, self._lock:
            for line in self._lines:
                if not line.busy and (line.notices or any(notice.due_s <= now_s for notice in line.again.values())):
                    line.busy = True
                    return line
        return None

    def _next_notice(self, line: _Line) -> _Notice | None:
        """Return the next notice that is still true, with its question as it is now; None where none is due."""
        now_s = self._projection.now_s()
        with self._inside, self._lock:
            while True:
                if line.notices:
                    notice = line.notices.popleft()
                    line.again.pop(notice.record.id, None)
                else:
                    due = next((failed for failed in line.again.values() if failed.due_s <= now_s), None)
                    if due is None:
                        return None
                    notice = line.again.pop(due.record.id)
                now = self._projection.state.records.get(notice.record.id, notice.record)
                if self._concerns(line, notice, now):
                    return replace(notice, record=now) if notice.show else notice

    def _concerns(self, line: _Line, notice: _Notice, now: Record) -> bool:
        """Return True if a notice is still true and is for this channel."""
        id_ = now.id
        if not notice.show:
            self._strangers.discard(id_)
            return id_ in line.showing
        was = notice.record
        if now.status not in BEFORE or (now.turn, now.opened_s) != (was.turn, was.opened_s):
            return False  # answered, put off or with another person in the meantime
        person = self._projection.state.people.get(was.turn or "")
        if person is None:
            if id_ not in self._strangers:
                self._strangers.add(id_)
                _log.warning("question '%s' is open, but this desk does not know the person whom it is for", id_)
            return False  # shown once the person is introduced
        self._strangers.discard(id_)
        if person.channels and line.channel.name not in person.channels:
            return False
        line.showing.add(id_)
        return True

    def _pass_on(self, line: _Line, notice: _Notice) -> None:
        try:
            if notice.show:
                line.channel.show(notice.record, self._desk)
            else:
                line.channel.taken(notice.record)
        except CHANNEL_FAILS as error:
            self._failed(line, notice, error)
        else:
            if not notice.show:
                line.showing.discard(notice.record.id)

    def _failed(self, line: _Line, notice: _Notice, error: Exception) -> None:
        tries, name, id_ = notice.tries + 1, line.channel.name, notice.record.id
        if tries >= MOST_TRIES:
            _log.error("channel '%s' could not %s question '%s' %d times: given up", name, notice.what, id_, tries)
            if not notice.show:
                line.showing.discard(id_)
            return
        if tries == 1:
            _log.exception("channel '%s' could not %s question '%s'; it is tried again", name, notice.what, id_)
        else:
            _log.warning("channel '%s' could not %s question '%s' (try %d): %s", name, notice.what, id_, tries, error)
        pause_s = min(FIRST_PAUSE_S * 2.0 ** (tries - 1), LONGEST_PAUSE_S)
        with self._inside, self._lock:
            line.again[id_] = replace(notice, tries=tries, due_s=self._projection.now_s() + pause_s)

    def next_s(self) -> float:
        """Return the time of the next reply of a timed channel or of the next repeated notice; infinity if none."""
        times = [channel.next_s for channel in self.channels if isinstance(channel, TimedChannel)]
        with self._inside, self._lock:
            again = [notice.due_s for line in self._lines if not line.busy for notice in line.again.values()]
        return min((at_s for at_s in (*times, *again) if at_s is not None), default=math.inf)

    def deliver(self) -> None:
        """Let the timed channels reply."""
        for channel in self.channels:
            if isinstance(channel, TimedChannel):
                try:
                    channel.deliver()
                except CHANNEL_FAILS:
                    _log.exception("channel '%s' could not deliver", channel.name)

    def close(self) -> None:
        """Close the channels."""
        for channel in self.channels:
            try:
                channel.close()
            except CHANNEL_FAILS:
                _log.exception("channel '%s' could not be closed", channel.name)
