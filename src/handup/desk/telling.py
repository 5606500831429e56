"""Tells channels what became of questions, outside all locks, each thing once."""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from handup.core import Person
from handup.desk.channel import CHANNEL_FAILS, Channel, Timed
from handup.desk.events import Opened
from handup.desk.record import Record
from handup.desk.state import DeskState, Entry
from handup.desk.status import Status

if TYPE_CHECKING:
    from handup.desk.desk import Desk

SHOWN = (Status.OPEN, Status.CLAIMED)
_log = logging.getLogger("handup.desk")


@dataclass(frozen=True)
class _Notice:
    show: bool
    record: Record


class Teller:
    """Collects what channels should know and tells them.

    Notices are collected under the desk's lock, in the order of the journal. They are told by whichever thread comes
    to `tell`; a channel that calls the desk back from `show` only adds to them, so nothing nests.
    """

    def __init__(self, channels: Sequence[Channel], people: Mapping[str, Person]) -> None:
        self.channels = tuple(channels)
        self._people = people
        self._notices: deque[_Notice] = deque()
        self._showing: dict[str, tuple[Channel, ...]] = {}
        self._lock = threading.Lock()
        self._here = threading.local()

    def start(self, state: DeskState) -> None:
        """Show what is open already."""
        with self._lock:
            self._notices.extend(_Notice(True, each) for each in state.waiting if each.status in SHOWN)

    def note(self, before: DeskState, after: DeskState, entry: Entry) -> None:
        """See what an entry means for the channels."""
        old, new = before.records.get(entry.key), after.records.get(entry.key)
        if not self.channels or new is None:
            return
        with self._lock:
            if old is not None and old.status in SHOWN and new.status not in SHOWN:
                self._notices.append(_Notice(False, new))
            elif isinstance(entry.event, Opened):
                self._notices.append(_Notice(True, new))

    def tell(self, desk: Desk) -> None:
        """Tell all that is to be told. What a channel raises is logged, and the others are told all the same."""
        if getattr(self._here, "busy", False):
            return
        self._here.busy = True
        try:
            while True:
                with self._lock:
                    if not self._notices:
                        return
                    notice = self._notices.popleft()
                    channels = self._for(notice, desk)
                for channel in channels:
                    self._one(channel, notice, desk)
        finally:
            self._here.busy = False

    def _for(self, notice: _Notice, desk: Desk) -> tuple[Channel, ...]:
        record = notice.record
        if not notice.show:
            return self._showing.pop(record.id, ())
        now = desk.known(record.id)
        if now is None or now.status not in SHOWN or (now.turn, now.opened_s) != (record.turn, record.opened_s):
            return ()  # it has gone elsewhere in the meantime
        person = self._people.get(record.turn or "")
        wanted = () if person is None else person.channels
        reaching = tuple(each for each in self.channels if person is not None and (not wanted or each.name in wanted))
        self._showing[record.id] = reaching
        return reaching

    def _one(self, channel: Channel, notice: _Notice, desk: Desk) -> None:
        try:
            if notice.show:
                channel.show(notice.record, desk)
            else:
                channel.taken(notice.record)
        except CHANNEL_FAILS:
            what = "show" if notice.show else "take back"
            _log.exception("channel '%s' could not %s question '%s'", channel.name, what, notice.record.id)

    def next_s(self) -> float:
        """When a channel that goes by the desk's clock replies next; infinity where none does."""
        times = [each.next_s for each in self.channels if isinstance(each, Timed)]
        return min((each for each in times if each is not None), default=math.inf)

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
