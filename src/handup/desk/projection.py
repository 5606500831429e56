"""Keeps a state level with the journal: takes entries in, makes snapshots, starts from one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from handup.core import BadRecord, StoreUnavailable
from handup.desk.events import QuestionEvent
from handup.desk.record import Record, may_be_id
from handup.desk.state import DeskState, Fold, replay
from handup.journal import Entry, Journal, JournalErased

SNAPSHOT = "desk"
ATTEMPTS = 3
"""So often the two ways are compared where somebody was erased in the meantime."""
Reader = Callable[[int], Iterator[Entry]]
Noticed = Callable[[Record | None, Record | None, Entry], None]
"""What is called with an entry and its question before and after it, in order, each once."""
Changed = Callable[[DeskState, DeskState, Sequence[Entry]], None]
"""What is called with the state before and after some entries, in order, each once, when the state can be read."""
_log = logging.getLogger("handup.desk")


class Inside:
    """Whether this thread is within something of the desk that must not be entered again, by a signal handler say."""

    def __init__(self) -> None:
        self._here = threading.local()

    def __enter__(self) -> None:
        self._here.depth = getattr(self._here, "depth", 0) + 1

    def __exit__(self, *_: object) -> None:
        self._here.depth -= 1

    def __bool__(self) -> bool:
        return getattr(self._here, "depth", 0) > 0


class Projection:
    """The state of a desk in this process. Threads may share it; it never holds its lock while it reads or writes.

    Whatever was erased in the journal up to an entry is not in the state at that entry.

    Args:
        journal: What it follows. It starts with the last snapshot that can be read, and what came after it.

    Attributes:
        inside: Where a thread says that it must not come in again.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.inside = Inside()
        self.noticed: Noticed | None = None
        self.changed: Changed | None = None
        self._lock = threading.Lock()
        self._building = threading.Lock()
        self._state = self._from_snapshot()
        self._kept = self._state.seq
        self._rebuilt = 0
        self.catch_up()

    @property
    def state(self) -> DeskState:
        """The state as this process last saw it."""
        return self._state

    def now_s(self) -> float:
        """The journal's time, which never runs backwards here."""
        return max(self.journal.clock.now_s(), self._state.at_s)

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

        That takes as long as the journal is, so catch up before a transaction as well as inside it.

        Args:
            read: How to read on; inside a transaction, its own way.
        """
        read = read or self.journal.read
        entries = list(read(self._state.seq))
        if not _erased(entries):
            return self.take_in(entries)
        with self.inside, self._building:
            entries = list(read(self._state.seq))  # another thread may have built it meanwhile
            if not _erased(entries):
                return self.take_in(entries)
            return self.take_in(*self._built_again(read))

    def _built_again(self, read: Reader) -> tuple[list[Entry], DeskState]:
        """The state from nothing, without anything that was erased, and the entries of it that are new.

        A long journal is read in pieces. Somebody who was erased between two of them is still in the first ones, so
        it is read again then. Who is erased after the last piece is found by the next one who catches up.
        """
        while True:
            known = self.journal.head().seq
            since = min(known, self._state.seq)
            last: list[Entry] = []
            fresh = replay(_keeping(read(0), since, last))
            if not _erased([entry for entry in last if entry.seq > known]):
                return last, fresh

    def take_in(self, entries: Sequence[Entry], fresh: DeskState | None = None) -> DeskState:
        """The state after entries that follow it without a gap; those that it knows already are left out.

        Args:
            entries: What is new.
            fresh: The state after the last of them, where it was built again.
        """
        if not entries and fresh is None:
            return self._state
        with self.inside:
            with self._lock:
                before = self._state
                new = [entry for entry in entries if entry.seq > before.seq]
                fold = Fold(before)
                for entry in new:
                    old = fold.records.get(entry.key)
                    fold.take(entry)
                    if self.noticed is not None:
                        self.noticed(old, fold.records.get(entry.key), entry)
                state = fold.state()
                if fresh is not None and fresh.seq >= state.seq:
                    state = fresh  # built again without what was erased
                    self._rebuilt += 1
                self._state = state
                if self.changed is not None and new:
                    self.changed(before, state, new)
            return state

    def recalled(self, question: str, entries: Iterable[Entry] | None = None) -> Record | None:
        """A question that the state has dropped, from its own entries; None where there is none."""
        if not may_be_id(question):
            return None
        found = self.journal.read(key=question) if entries is None else entries
        return replay(each for each in found if isinstance(each.event, QuestionEvent)).records.get(question)

    def keep(self, after: int) -> None:
        """Make a snapshot where so many entries have come since the last one. Without one nothing is lost but time."""
        if self._state.seq - self._kept < after:
            return
        try:
            rebuilt = -1
            while rebuilt != self._rebuilt:  # somebody was erased meanwhile: not with their name
                rebuilt, state = self._rebuilt, self._state
                self.journal.save_snapshot(SNAPSHOT, state.seq, state.to_json())
                self._kept = state.seq
                self.catch_up()
        except StoreUnavailable as error:
            _log.warning("no snapshot of the desk was made: %s", error)


def _erased(entries: Iterable[Entry]) -> bool:
    return any(isinstance(each.event, JournalErased) for each in entries)


def _keeping(entries: Iterable[Entry], after: int, kept: list[Entry]) -> Iterator[Entry]:
    """The entries as they come; those beyond a number are kept as well."""
    for entry in entries:
        if entry.seq > after:
            kept.append(entry)
        yield entry


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Whether two ways lead to one state.

    Args:
        snapshot_seq: The entry of the snapshot that the second way began with; None where there is none of use.
        differs: What differs, by the names of the state's fields.
    """

    snapshot_seq: int | None = None
    differs: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether they lead to one state."""
        return not self.differs


def compared(journal: Journal, state: DeskState) -> Comparison:
    """Whether the stored snapshot and the entries after it lead to a state that was replayed from the first entry.

    Robots may write on meanwhile. Where somebody was erased while this read, it replays again.

    Args:
        journal: Where both come from.
        state: What the replay gave.
    """
    for _ in range(ATTEMPTS):
        found = _compared(journal, state)
        if found.same or not _erased(journal.read(state.seq)):
            break
        state = replay(journal.read(limit=state.seq))
    return found


def _compared(journal: Journal, state: DeskState) -> Comparison:
    kept = journal.snapshot(SNAPSHOT)
    if kept is None or kept.seq > state.seq:
        return Comparison()
    try:
        early = DeskState.from_json(kept.state)
    except BadRecord:
        return Comparison()  # a desk replays the journal then, too
    tail = list(journal.read(kept.seq, limit=state.seq - kept.seq))
    if _erased(tail):
        return Comparison()  # and then
    ours, theirs = state.to_json(), replay(tail, early).to_json()
    return Comparison(snapshot_seq=kept.seq, differs=tuple(name for name in ours if ours[name] != theirs[name]))
