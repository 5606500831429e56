"""A run in the journal: what was told is written before it counts for anything that cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_args

from handup.core import BadRecord, IllegalCall, StoreUnavailable
from handup.executive.events import Acted, Begun, Note, Over, Reloaded, ReloadRefused, Started, Told, Void
from handup.executive.events import Asked as Put
from handup.recover import Book
from handup.recover.sides import Line

OWN = "task."
"""How the kinds of a run's own entries begin; the desk writes others beside them."""
Entry = Told | Note | Started | Reloaded | ReloadRefused | Put
_TOLD = get_args(Told)


@dataclass(frozen=True, kw_only=True)
class Written:
    """What the journal holds of a run.

    Args:
        started: How it began; None where there is nothing.
        told: What the machine was told, with the reloads in between, oldest first.
        over: How it ended.
        asked: The questions that were put, oldest first.
    """

    started: Started | None = None
    told: tuple[Told | Reloaded, ...] = ()
    over: Over | None = None
    asked: tuple[Put, ...] = ()


class Logbook:
    """The entries of one run: read once, then added to.

    What is added waits until `flush`, so that steps which may be repeated are written many at a time. Flush before
    anything is done that cannot be repeated, and before anybody relies on what was said.

    Args:
        book: The journal.
        run: The run's id.
    """

    def __init__(self, book: Book, run: str) -> None:
        self.book = book
        self.run = run
        self._seq = 0
        self._waiting: list[Entry] = []
        self._in_doubt: tuple[object, ...] = ()

    def __len__(self) -> int:
        return len(self._waiting)

    def read(self) -> Written:
        """What is there already.

        Raises:
            BadRecord: It has no beginning.
        """
        told: list[Told | Reloaded] = []
        asked: list[Put] = []
        started, over = None, None
        for entry in self._own(self.book.read(run=self.run)):
            self._seq = entry.seq
            match entry.event:
                case Started() as event:
                    started = event
                case Over() as event:
                    over = event
                case Put() as event:
                    asked.append(event)
                case Reloaded() as event:
                    told.append(event)
                case event if isinstance(event, _TOLD):
                    told.append(event)
        if started is None and self._seq:
            raise BadRecord(f"run '{self.run}' has no beginning", hint="Verify the journal.")
        return Written(started=started, told=tuple(told), over=over, asked=tuple(asked))

    def add(self, *events: Entry) -> None:
        """Have something written with the next `flush`."""
        self._waiting += events

    def flush(self) -> None:
        """Write what waits, all of it or nothing; durable when this returns.

        Raises:
            IllegalCall: Another program has written to the run.
            StoreUnavailable: It cannot be written now; what waits still does.
        """
        if not self._waiting:
            return
        events, seq = tuple(self._waiting), self._seq
        try:
            with self.book.writing() as pen:
                found = self._own(pen.read(seq, run=self.run))
                if found and self._in_doubt == events == tuple(entry.event for entry in found):
                    seq = found[-1].seq  # an earlier try had counted, though the store could not say so
                elif found:
                    raise IllegalCall(
                        f"another program drives run '{self.run}'", hint="Let one program drive a run; end this one."
                    )
                else:
                    for event in events:
                        seq = pen.append(event, run=self.run, key=self._key(event)).seq
        except StoreUnavailable:
            self._in_doubt = events
            raise
        self._seq, self._in_doubt = seq, ()
        self._waiting.clear()

    def _key(self, event: Entry) -> str:
        return f"{self.run}/act/{event.number}" if isinstance(event, Begun | Acted | Void) else ""

    @staticmethod
    def _own(entries: Iterable[Line]) -> list[Line]:
        return [entry for entry in entries if entry.kind.startswith(OWN)]


def plain(value: Any) -> Any:
    """A copy of plain data, so that nobody changes it later: tuples as lists, as the journal would give it back.

    Raises:
        BadRecord: It is no plain data.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {_key_of(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    raise BadRecord(
        f"{type(value).__name__} is no plain data", hint="Give None, truth, numbers, texts, lists and maps of these."
    )


def _key_of(key: object) -> str:
    if not isinstance(key, str):
        raise BadRecord(f"a map has the key {key!r}", hint="Use texts as keys.")
    return key


def in_words(problems: Iterable[object]) -> tuple[str, ...]:
    """Problems as lines of text, for the journal."""
    return tuple(str(each)[:1000] for each in list(problems)[:100])
