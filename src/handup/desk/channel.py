"""How questions reach people: the protocol of channels, and who tells them, again where one failed without harm."""

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
from handup.core.journal import LogEntry
from handup.desk.events import Opened
from handup.desk.projection import Projection
from handup.desk.record import ReceiptStatus, Record
from handup.desk.state import DeskState
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
"""What a channel may raise: it is logged and told again, and the others are told all the same. Anything else, such as
KeyboardInterrupt, reaches whoever called the desk; what was written stays written."""
Said = Value | ReplyKind | Reply | None
"""What the function may say: an answer's value, another reply, one with all its fields, or nothing yet."""
FIRST_PAUSE_S = 1.0
"""So long after a channel failed it is told again; twice as long after each further time."""
LONGEST_PAUSE_S = 300.0
MOST_TRIES = 100
"""So often a channel is told the same thing; with the pauses, for about eight hours."""
_log = logging.getLogger("handup.desk")


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
    """What one channel is still to be told, in the order of the journal; one thread at a time tells it."""

    channel: Channel
    notices: deque[_Notice] = field(default_factory=deque)
    again: dict[str, _Notice] = field(default_factory=dict)
    """What it failed at, by question; told again unless something newer about that question comes."""
    showing: set[str] = field(default_factory=set)
    busy: bool = False


class Notifier:
    """Collects what channels should know and tells them.

    Notices are collected under the desk's lock, in the order of the journal. Whichever thread comes to `tell` tells
    the channels that nobody is telling just now. So what one channel is told is in order, and a slow channel keeps
    no other one waiting. A channel that calls the desk back from `show` only adds to the notices: nothing nests.

    Args:
        desk: Whose channels they are.
        channels: Whom to tell.
        projection: What the desk knows in this process.
    """

    def __init__(self, desk: Desk, channels: Sequence[Channel], projection: Projection) -> None:
        self.channels = tuple(channels)
        self._lines = [_Line(each) for each in self.channels]
        self._desk = desk
        self._projection = projection
        self._inside = projection.inside
        self._lock = threading.Lock()
        self._here = threading.local()
        self._strangers: set[str] = set()

    def start(self) -> None:
        """Show what is open already."""
        for record in self._projection.state.waiting:
            if record.status in BEFORE:
                self._add(_Notice(show=True, record=record))

    def note(self, old: Record | None, new: Record | None, entry: LogEntry) -> None:
        """See what an entry, and its question before and after it, means for the channels."""
        if not self.channels or new is None:
            return
        if old is not None and old.status in BEFORE and new.status not in BEFORE:
            self._add(_Notice(show=False, record=new))
        elif isinstance(entry.event, Opened):
            self._add(_Notice(show=True, record=new))

    def met(self, state: DeskState) -> None:
        """Show what is open for somebody whom the desk did not know before, and does now."""
        for record in state.waiting if self._strangers else ():
            if record.id in self._strangers and record.turn in state.people and record.status in BEFORE:
                self._add(_Notice(show=True, record=record))

    def _add(self, notice: _Notice) -> None:
        with self._inside, self._lock:
            for line in self._lines:
                line.notices.append(notice)

    def tell(self) -> None:
        """Tell all that is to be told. What a channel raises is logged, and told to it again after a pause."""
        if not self._lines or getattr(self._here, "busy", False):
            return
        self._here.busy = True
        try:
            while (line := self._next_line()) is not None:
                try:
                    while (notice := self._next_notice(line)) is not None:
                        self._one(line, notice)
                finally:
                    line.busy = False
        finally:
            self._here.busy = False

    def _next_line(self) -> _Line | None:
        """A channel that has to be told something and that nobody is telling."""
        now_s = self._projection.now_s()
        with self._inside, self._lock:
            for line in self._lines:
                if not line.busy and (line.notices or any(each.due_s <= now_s for each in line.again.values())):
                    line.busy = True
                    return line
        return None

    def _next_notice(self, line: _Line) -> _Notice | None:
        now_s = self._projection.now_s()
        with self._inside, self._lock:
            while True:
                if line.notices:
                    notice = line.notices.popleft()
                    line.again.pop(notice.record.id, None)
                else:
                    due = next((each for each in line.again.values() if each.due_s <= now_s), None)
                    if due is None:
                        return None
                    notice = line.again.pop(due.record.id)
                now = self._projection.state.records.get(notice.record.id, notice.record)
                if self._concerns(line, notice, now):
                    return replace(notice, record=now) if notice.show else notice

    def _concerns(self, line: _Line, notice: _Notice, now: Record) -> bool:
        id_ = now.id
        if not notice.show:
            self._strangers.discard(id_)
            return id_ in line.showing
        was = notice.record
        if now.status not in BEFORE or (now.turn, now.opened_s) != (was.turn, was.opened_s):
            return False  # it has gone elsewhere in the meantime
        person = self._projection.state.people.get(was.turn or "")
        if person is None:
            if id_ not in self._strangers:
                self._strangers.add(id_)
                _log.warning("question '%s' is open, but this desk does not know the person whom it is for", id_)
            return False  # shown once somebody says who that is
        self._strangers.discard(id_)
        if person.channels and line.channel.name not in person.channels:
            return False
        line.showing.add(id_)
        return True

    def _one(self, line: _Line, notice: _Notice) -> None:
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
        """When a channel that goes by the desk's clock replies next, or one that failed is told again, if ever."""
        times = [each.next_s for each in self.channels if isinstance(each, Timed)]
        with self._inside, self._lock:
            again = [each.due_s for line in self._lines if not line.busy for each in line.again.values()]
        return min((each for each in (*times, *again) if each is not None), default=math.inf)

    def deliver(self) -> None:
        """Let the channels that go by the desk's clock reply."""
        for channel in self.channels:
            if isinstance(channel, Timed):
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
