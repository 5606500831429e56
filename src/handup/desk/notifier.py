"""Tells channels what became of questions, outside all locks, in order, again where a channel failed."""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from handup.core import Person
from handup.core.journal import LogEntry
from handup.desk.channel import CHANNEL_FAILS, Channel, Timed
from handup.desk.events import Opened
from handup.desk.projection import Inside
from handup.desk.record import Record
from handup.desk.state import DeskState
from handup.desk.status import Status

if TYPE_CHECKING:
    from handup.desk.desk import Desk

SHOWN = (Status.OPEN, Status.CLAIMED)
FIRST_PAUSE_S = 1.0
"""So long after a channel failed it is told again; twice as long after each further time."""
LONGEST_PAUSE_S = 300.0
MOST_TRIES = 100
"""So often a channel is told the same thing; with the pauses, for about eight hours."""
Who = Callable[[str], Person | None]
"""Finds a person by name."""
_log = logging.getLogger("handup.desk")


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
        channels: Whom to tell.
        who: Whom the desk knows.
        now_s: The desk's time.
        inside: Where to say that this thread must not come in again.
    """

    def __init__(self, channels: Sequence[Channel], who: Who, now_s: Callable[[], float], inside: Inside) -> None:
        self.channels = tuple(channels)
        self._lines = [_Line(each) for each in self.channels]
        self._who = who
        self._now_s = now_s
        self._inside = inside
        self._lock = threading.Lock()
        self._here = threading.local()
        self._strangers: set[str] = set()

    def start(self, state: DeskState) -> None:
        """Show what is open already."""
        for record in state.waiting:
            if record.status in SHOWN:
                self._add(_Notice(show=True, record=record))

    def note(self, old: Record | None, new: Record | None, entry: LogEntry) -> None:
        """See what an entry, and its question before and after it, means for the channels."""
        if not self.channels or new is None:
            return
        if old is not None and old.status in SHOWN and new.status not in SHOWN:
            self._add(_Notice(show=False, record=new))
        elif isinstance(entry.event, Opened):
            self._add(_Notice(show=True, record=new))

    def met(self, state: DeskState) -> None:
        """Show what is open for somebody whom the desk did not know before, and does now."""
        for record in state.waiting if self._strangers else ():
            if record.id in self._strangers and record.turn in state.people and record.status in SHOWN:
                self._add(_Notice(show=True, record=record))

    def _add(self, notice: _Notice) -> None:
        with self._inside, self._lock:
            for line in self._lines:
                line.notices.append(notice)

    def tell(self, desk: Desk) -> None:
        """Tell all that is to be told. What a channel raises is logged, and told to it again after a pause."""
        if not self._lines or getattr(self._here, "busy", False):
            return
        self._here.busy = True
        try:
            while (line := self._next_line()) is not None:
                try:
                    while (notice := self._next_notice(line, desk)) is not None:
                        self._one(line, notice, desk)
                finally:
                    line.busy = False
        finally:
            self._here.busy = False

    def _next_line(self) -> _Line | None:
        """A channel that has to be told something and that nobody is telling."""
        now_s = self._now_s()
        with self._inside, self._lock:
            for line in self._lines:
                if not line.busy and (line.notices or any(each.due_s <= now_s for each in line.again.values())):
                    line.busy = True
                    return line
        return None

    def _next_notice(self, line: _Line, desk: Desk) -> _Notice | None:
        now_s = self._now_s()
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
                now = desk.known(notice.record.id) or notice.record
                if self._concerns(line, notice, now):
                    return replace(notice, record=now) if notice.show else notice

    def _concerns(self, line: _Line, notice: _Notice, now: Record) -> bool:
        id_ = now.id
        if not notice.show:
            self._strangers.discard(id_)
            return id_ in line.showing
        was = notice.record
        if now.status not in SHOWN or (now.turn, now.opened_s) != (was.turn, was.opened_s):
            return False  # it has gone elsewhere in the meantime
        person = self._who(was.turn or "")
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

    def _one(self, line: _Line, notice: _Notice, desk: Desk) -> None:
        try:
            if notice.show:
                line.channel.show(notice.record, desk)
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
        with self._inside, self._lock:
            self._later(line, replace(notice, tries=tries))

    def _later(self, line: _Line, notice: _Notice) -> None:
        pause_s = min(FIRST_PAUSE_S * 2.0 ** (notice.tries - 1), LONGEST_PAUSE_S)
        line.again[notice.record.id] = replace(notice, due_s=self._now_s() + pause_s)

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
