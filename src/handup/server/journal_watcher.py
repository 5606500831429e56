"""Brings what changes in the journal into the event loop; one thread looks for what other processes write."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from handup.core import DamagedJournal, HandupError
from handup.desk import Desk, DeskState, Record
from handup.journal import Entry, JournalErased
from handup.server.stops import Guarded
from handup.server.tokens import Access

WATCH_S = 0.25
"""So long it waits at a time, so that it can end."""
REST_S = 0.03
"""So long it rests after it has looked: what this process writes is told without it."""
PAUSE_S = 0.25
"""The pause after the store could not be read."""
_log = logging.getLogger("handup.server")


@dataclass(frozen=True, kw_only=True)
class News:
    """What has changed in the journal.

    Args:
        records: The questions that changed, as they are now, in the order of their last entries.
        entries: What was written.
        state: The desk's state after it.
        access: Whether somebody's access may have ended.
    """

    records: tuple[Record, ...]
    entries: tuple[Entry, ...]
    state: DeskState
    access: bool


class JournalWatcher:
    """Listens to the desk for everybody in this process, and keeps it level with the journal.

    What this process writes is told by the thread that wrote it, without a look into the journal. What others write,
    and what time brings, is found by a thread of its own.

    Args:
        desk: Whose time to keep; what it takes in from now on is told.
        access: Who may come in.
        tell: Called with news, in order, from any thread and under the desk's lock: it must return at once.
        damaged: Called once, from its thread, where the journal is damaged or cannot be followed; then it ends.
    """

    def __init__(
        self,
        desk: Desk,
        access: Access,
        tell: Callable[[News], None],
        damaged: Callable[[DamagedJournal], None],
    ) -> None:
        self._desk, self._access = desk, access
        self._tell, self._damaged = tell, damaged
        self._ending = threading.Event()
        self._erased = threading.Event()
        self._thread = threading.Thread(target=self._guarded, name="handup server follower", daemon=True)
        desk.listeners.append(self._hear)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """End; waits a moment for it."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def _hear(self, _before: DeskState, state: DeskState, entries: Sequence[Entry]) -> None:
        if any(isinstance(entry.event, JournalErased) for entry in entries):
            self._erased.set()
        ended = self._access.take(entries)
        self._tell(News(records=_changed(entries, state), entries=tuple(entries), state=state, access=ended))

    def _run(self) -> None:
        unavailable = False
        while not self._ending.is_set():
            try:
                self._desk.watch(WATCH_S)
                self._see_to_erasures()
                unavailable = False
                self._ending.wait(REST_S)
            except DamagedJournal as error:
                _log.error("the journal is damaged, and everything stops: %s", error)
                self._damaged(error)
                return
            except HandupError as error:
                if self._ending.is_set():
                    return
                if not unavailable:
                    _log.warning("the journal cannot be followed just now: %s", error)
                unavailable = True
                self._ending.wait(PAUSE_S)

    def _guarded(self) -> None:
        """Follow; without this thread nobody would hear of a stop elsewhere, so everything stops where it fails."""
        with Guarded("the journal cannot be followed any more, and everything stops", self._failed):
            self._run()

    def _failed(self, error: Exception) -> None:
        why = f"the journal cannot be followed any more ({type(error).__name__})"
        self._damaged(DamagedJournal(why, hint="Start the server again, and see its log."))

    def _see_to_erasures(self) -> None:
        """Let nobody in any more who was erased; that reads the journal, and so is done here."""
        if not self._erased.is_set():
            return
        self._erased.clear()
        try:
            self._access.build_again()
        except HandupError:
            self._erased.set()
            raise
        self._tell(News(records=(), entries=(), state=self._desk.state, access=True))


def _changed(entries: Sequence[Entry], state: DeskState) -> tuple[Record, ...]:
    keys = dict.fromkeys(entry.key for entry in entries)
    return tuple(state.records[key] for key in keys if key in state.records)
