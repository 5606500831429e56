"""Run log: entries that one program writes of a run, so that another one can go on where it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar

from handup.core import BadRecord, IllegalCall, StoreUnavailable
from handup.journal.events import ERASED

if TYPE_CHECKING:
    from handup.journal.entry import Entry
    from handup.journal.journal import Journal
    from handup.journal.run_claim import Hold
    from handup.journal.writer import Writer


Log = TypeVar("Log", "Journal", "Writer")
GO_ON = "Read the answers again and tell them again, or go on without them: such a run ends by name."


class Erased(IllegalCall):
    """Somebody was erased meanwhile, and what was to be written may hold their name or what they said.

    Nothing was written. Read the answers again and tell them again, or go on without them.
    """


class RunLog:
    """Entries of one run, which one program reads once and then adds to.

    Append before acting: an entry is durable when `append` returns, and what has no entry did not happen. After a
    crash, whatever was begun and has no outcome is unknown to the program that goes on.

    Args:
        journal: The journal.
        run: The run's id.
        own: Prefix of the kinds of a run's own entries; the desk writes others beside them.
    """

    def __init__(self, journal: Journal, run: str, own: str) -> None:
        self.journal = journal
        self.run = run
        self._own = own
        self.first = self.last = 0
        """Numbers of the run's first and last entries; 0 where there is none."""
        self._seen = 0
        self._in_doubt: tuple[object, ...] = ()

    def read(self, begins: type) -> list[Entry]:
        """Return all entries of the run, and add behind them from now on.

        Args:
            begins: Class of the event with which a run begins.

        Raises:
            BadRecord: The run has entries, and no beginning.
        """
        self._seen = self.journal.head().seq
        entries = self.own(self.journal.read(run=self.run))
        if entries and not any(isinstance(entry.event, begins) for entry in entries):
            raise BadRecord(f"run '{self.run}' has no beginning", hint="Verify the journal.")
        if entries:
            self.first, self.last = entries[0].seq, entries[-1].seq
        return entries

    def claim(self) -> AbstractContextManager[Hold]:
        """Claim the run for this program for as long as a block lasts.

        Raises:
            IllegalCall: Another program has it.
        """
        return self.journal.holding(self.run)

    def append(self, events: Sequence[object], key: Callable[[object], str], forget: Callable[[Writer], bool]) -> None:
        """Write events, all of them or none; durable when this returns.

        Where the store could not say whether an earlier try had counted, the same events are not written twice.

        Args:
            events: The events.
            key: Returns the key of an event.
            forget: Called inside the transaction where somebody was erased meanwhile: builds the state again, and
                returns whether the events may name them or hold what they said.

        Raises:
            IllegalCall: Another program has written to the run.
            Erased: `forget` said so.
            StoreUnavailable: The events cannot be written now.
        """
        batch, first, last = tuple(events), self.first, self.last
        try:
            with self.journal.writing() as transaction:
                written = self.own(transaction.read(last, run=self.run))
                # The store may have kept a try that seemed to fail: then its events are there already.
                if written and self._in_doubt == batch == tuple(entry.event for entry in written):
                    first, last = first or written[0].seq, written[-1].seq
                else:
                    self._refuse_company(written)
                    if self.forgotten(transaction, forget):
                        raise Erased("somebody was erased meanwhile", hint=GO_ON)
                    for event in batch:
                        last = transaction.append(event, run=self.run, key=key(event)).seq
                        first = first or last
        except StoreUnavailable:
            self._in_doubt = batch
            raise
        self.first, self.last, self._in_doubt = first, last, ()

    def check_alone(self) -> None:
        """Make sure that no other program has written to the run.

        Raises:
            IllegalCall: Another one has.
        """
        self._refuse_company(self.own(self.journal.read(self.last, run=self.run)))

    def forgotten(self, log: Log, forget: Callable[[Log], bool]) -> bool:
        """Have the state built again where somebody was erased since the last look; return what came of that.

        Args:
            log: The journal, or a transaction.
            forget: Called with it where somebody was.

        Returns:
            What `forget` returned; False where it was not called.
        """
        news = list(log.read(self._seen, run=""))
        came = any(entry.kind == ERASED for entry in news) and forget(log)
        self._seen = news[-1].seq if news else self._seen
        return came

    def own(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return those entries that are the run's own, without the desk's."""
        return [entry for entry in entries if entry.kind.startswith(self._own)]

    def _refuse_company(self, written: Sequence[Entry]) -> None:
        if written:
            raise IllegalCall(
                f"another program drives run '{self.run}'", hint="Let one program drive a run; end this one."
            )
