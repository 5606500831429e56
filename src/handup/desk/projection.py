"""Projection of the journal into the desk's state: takes entries in, makes snapshots, starts from one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from handup.core import BadRecord, StoreUnavailable
from handup.desk.events import QuestionEvent
from handup.desk.question_state import DeskState, Fold, replay
from handup.desk.record import Record, may_be_id
from handup.journal import Entry, Journal, JournalErased

SNAPSHOT = "desk"
ATTEMPTS = 3
"""Most comparisons of snapshot and replay, where a person was erased in the meantime."""
Reader = Callable[[int], Iterator[Entry]]
Noticed = Callable[[Record | None, Record | None, Entry], None]
"""Listener for each entry, with its question before and after it, in order and once."""
Changed = Callable[[DeskState, DeskState, Sequence[Entry]], None]
"""Listener for changes, with the state before and after some entries, in order and once, when the state can be read."""
_log = logging.getLogger("handup.desk")


class Inside:
    """Flag of each thread: True inside code of the desk that must not be entered again, as by a signal handler."""

    def __init__(self) -> None:
        self._this_thread = threading.local()

    def __enter__(self) -> None:
        self._this_thread.depth = getattr(self._this_thread, "depth", 0) + 1

    def __exit__(self, *_: object) -> None:
        self._this_thread.depth -= 1

    def __bool__(self) -> bool:
        return getattr(self._this_thread, "depth", 0) > 0


class Projection:
    """The state of a desk in this process. Threads may share it; it never holds its lock while it reads or writes.

    Names and words that were erased in the journal up to an entry are not in the state at that entry.

    Args:
        journal: The journal to follow. The state starts from the last readable snapshot and the entries after it.

    Attributes:
        inside: Flag that a thread sets while it must not come in again.
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
        """Return the journal's time, which never runs backwards here."""
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
        """Take in new entries of any process. After an erasure, build the state again.

        That takes as long as the journal is, so catch up before a transaction as well as inside it.

        Args:
            read: Function that reads entries; inside a transaction, the writer's. The journal's where it is None.
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
        """Return the new entries, and the state replayed from the first entry, without anything that was erased.

        A long journal is read in batches. A person who was erased between two of them is still in the first ones, so
        all is read again then. An erasure after the last batch is noticed when the state catches up next.
        """
        while True:
            known = self.journal.head().seq
            since = min(known, self._state.seq)
            last: list[Entry] = []
            fresh = replay(_keeping(read(0), since, last))
            if not _erased([entry for entry in last if entry.seq > known]):
                return last, fresh

    def take_in(self, entries: Sequence[Entry], fresh: DeskState | None = None) -> DeskState:
        """Take in entries that follow the state without a gap, and return the state after them.

        Args:
            entries: New entries; those that are in the state already are left out.
            fresh: State after the last of these entries, where it was replayed from the first entry.
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
        """Return a question that the state dropped, rebuilt from its own entries; None where it has none."""
        if not may_be_id(question):
            return None
        entries = self.journal.read(key=question) if entries is None else entries
        return replay(entry for entry in entries if isinstance(entry.event, QuestionEvent)).records.get(question)

    def keep(self, after: int) -> None:
        """Save a snapshot if at least `after` entries have come since the last one. It makes the next start faster."""
        if self._state.seq - self._kept < after:
            return
        try:
            rebuilt = -1
            while rebuilt != self._rebuilt:  # a person was erased meanwhile: save it again without their name
                rebuilt, state = self._rebuilt, self._state
                self.journal.save_snapshot(SNAPSHOT, state.seq, state.to_json())
                self._kept = state.seq
                self.catch_up()
        except StoreUnavailable as error:
            _log.warning("no snapshot of the desk was made: %s", error)


def _erased(entries: Iterable[Entry]) -> bool:
    return any(isinstance(entry.event, JournalErased) for entry in entries)


def _keeping(entries: Iterable[Entry], after: int, kept: list[Entry]) -> Iterator[Entry]:
    """Yield the entries as they come, and collect those beyond number `after` in `kept`."""
    for entry in entries:
        if entry.seq > after:
            kept.append(entry)
        yield entry


@dataclass(frozen=True, kw_only=True)
class ReplayComparison:
    """Comparison of a state replayed from the first entry with one replayed from a snapshot.

    Args:
        snapshot_seq: Number of the snapshot's entry; None where there is no usable snapshot.
        differs: Names of the state's fields that differ.
    """

    snapshot_seq: int | None = None
    differs: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """True if the two states are equal."""
        return not self.differs


def compared(journal: Journal, state: DeskState) -> ReplayComparison:
    """Compare a state replayed from the first entry with that of the stored snapshot and the entries after it.

    Robots may go on writing meanwhile. Where a person was erased during the comparison, it is repeated.

    Args:
        journal: The journal of both.
        state: The state replayed from the first entry.
    """
    for _ in range(ATTEMPTS):
        comparison = _compared(journal, state)
        if comparison.same or not _erased(journal.read(state.seq)):
            break
        state = replay(journal.read(limit=state.seq))
    return comparison


def _compared(journal: Journal, state: DeskState) -> ReplayComparison:
    kept = journal.snapshot(SNAPSHOT)
    if kept is None or kept.seq > state.seq:
        return ReplayComparison()
    try:
        early = DeskState.from_json(kept.state)
    except BadRecord:
        return ReplayComparison()  # a desk does not use this snapshot either, but replays the journal
    tail = list(journal.read(kept.seq, limit=state.seq - kept.seq))
    if _erased(tail):
        return ReplayComparison()  # nor this one
    ours, theirs = state.to_json(), replay(tail, early).to_json()
    return ReplayComparison(
        snapshot_seq=kept.seq, differs=tuple(name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name))
    )
