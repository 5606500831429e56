"""Keeps a state level with the journal: takes entries in, makes snapshots, starts from one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from handup.core import BadRecord, StoreUnavailable
from handup.desk.events import QuestionEvent
from handup.desk.record import Record
from handup.desk.state import DeskState, apply, replay
from handup.journal import Entry, Journal, JournalErased

SNAPSHOT = "desk"
Reader = Callable[[int], Iterator[Entry]]
Noticed = Callable[[DeskState, DeskState, Entry], None]
"""What is called with the state before and after each entry, in order, each once."""
_log = logging.getLogger("handup.desk")


class Following:
    """The state of a desk in this process. Threads may share it; it never holds its lock while it reads or writes.

    Args:
        journal: What it follows. It starts with the last snapshot that can be read, and what came after it.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.noticed: Noticed | None = None
        self._lock = threading.Lock()
        self._state = self._from_snapshot()
        self._kept = self._state.seq
        self._rebuilt = 0
        self.catch_up()

    @property
    def state(self) -> DeskState:
        """The state as this process last saw it."""
        return self._state

    def _from_snapshot(self) -> DeskState:
        kept = self.journal.snapshot(SNAPSHOT)
        if kept is None:
            return DeskState()
        try:
            return DeskState.from_json(kept.state)
        except BadRecord:
            _log.warning("the desk's snapshot cannot be read; the journal is replayed instead")
            return DeskState()

    def catch_up(self, read: Reader | None = None) -> DeskState:
        """Take in what was written since, by any process. Where somebody was erased, build the state again.

        Args:
            read: How to read on; inside a transaction, its own way.
        """
        read = read or self.journal.read
        entries = list(read(self._state.seq))
        fresh = replay(read(0)) if any(isinstance(each.event, JournalErased) for each in entries) else None
        return self.take_in(entries, fresh)

    def take_in(self, entries: Sequence[Entry], fresh: DeskState | None = None) -> DeskState:
        """The state after entries that follow it without a gap; those that it knows already are left out."""
        with self._lock:
            state = self._state
            for entry in entries:
                if entry.seq > state.seq:
                    after = apply(state, entry)
                    if self.noticed is not None:
                        self.noticed(state, after, entry)
                    state = after
            if fresh is not None and fresh.seq >= state.seq:
                state = fresh  # built again without what was erased
                self._rebuilt += 1
            self._state = state
            return state

    def recalled(self, question: str, entries: Iterable[Entry] | None = None) -> Record | None:
        """A question that the state has dropped, from its own entries; None where there is none."""
        found = self.journal.read(key=question) if entries is None else entries
        return replay(each for each in found if isinstance(each.event, QuestionEvent)).records.get(question)

    def keep(self, after: int) -> None:
        """Make a snapshot where so many entries have come since the last one. Without one nothing is lost but time."""
        if self._state.seq - self._kept < after:
            return
        try:
            rebuilt = -1
            while rebuilt != self._rebuilt:  # somebody was erased meanwhile: not with their name
                state, rebuilt = self._state, self._rebuilt
                self.journal.save_snapshot(SNAPSHOT, state.seq, state.to_json())
                self._kept = state.seq
                self.catch_up()
        except StoreUnavailable as error:
            _log.warning("no snapshot of the desk was made: %s", error)
