"""One thread that follows the journal and brings what changed into the event loop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from handup.core import DamagedJournal, HandupError
from handup.desk import Desk, DeskState, Record
from handup.journal import Entry, Journal
from handup.server.access import Access

WATCH_S = 0.25
"""So long it waits at a time, so that it can end."""
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


class Follower:
    """Watches the desk for everybody in this process.

    Args:
        journal: What to follow.
        desk: Whose time to keep.
        access: Who may come in.
        tell: Called with news, from this thread.
        damaged: Called once, from this thread, where the journal turns out to be damaged; then it ends.
    """

    def __init__(
        self,
        journal: Journal,
        desk: Desk,
        access: Access,
        tell: Callable[[News], None],
        damaged: Callable[[DamagedJournal], None],
    ) -> None:
        self._journal, self._desk, self._access = journal, desk, access
        self._tell, self._damaged = tell, damaged
        self._ending = threading.Event()
        self._seq = desk.state.seq
        self._thread = threading.Thread(target=self._run, name="handup server follower", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End; waits a moment for it."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def _run(self) -> None:
        unavailable = False
        while not self._ending.is_set():
            try:
                self._desk.watch(WATCH_S)
                self._look()
                unavailable = False
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

    def _look(self) -> None:
        entries = tuple(self._journal.read(self._seq))
        if not entries:
            return
        state = self._desk.state
        ended = self._access.take(entries)
        self._seq = entries[-1].seq
        self._tell(News(records=_changed(entries, state), entries=entries, state=state, access=ended))


def _changed(entries: Sequence[Entry], state: DeskState) -> tuple[Record, ...]:
    keys = dict.fromkeys(entry.key for entry in entries)
    return tuple(state.records[key] for key in keys if key in state.records)
