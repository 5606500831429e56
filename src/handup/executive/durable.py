"""A run in the journal: what was told is written before it counts for anything that cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_args

from handup.core import BadRecord
from handup.core.journal import EventLog, LogWriter
from handup.executive.events import Acted, Answered, Begun, Note, Over, Reloaded, ReloadRefused, Started, Told, Void
from handup.executive.events import Asked as Put
from handup.executive.sealing import opened, sealed
from handup.journal.run_log import Erased, RunLog

OWN = "task."
"""How the kinds of a run's own entries begin."""
Entry = Told | Note | Started | Reloaded | ReloadRefused | Put
_TOLD = get_args(Told)


@dataclass(frozen=True, kw_only=True)
class Written:
    """What the journal holds of a run.

    Args:
        started: How it began; None where there is nothing.
        told: What the machine was told, with the reloads in between, oldest first; up to an answer that was erased.
        over: How it ended.
        asked: The questions that were put, oldest first.
        erased: Whether there is such an answer: nobody can tell how the run went on after it.
        last_s: When the last thing happened that has a time.
    """

    started: Started | None = None
    told: tuple[Told | Reloaded, ...] = ()
    over: Over | None = None
    asked: tuple[Put, ...] = ()
    erased: bool = False
    last_s: float = 0.0


class Logbook:
    """The entries of one run: read once, then added to.

    What is added waits until `flush`, so that steps which may be repeated are written many at a time. Flush before
    anything is done that cannot be repeated, and before anybody relies on what was said.

    From the first answer on that gave the run a value, data of later entries may hold what that person said: it is
    theirs, too, and is erased with them.

    Args:
        journal: The journal.
        run: The run's id.
    """

    def __init__(self, journal: EventLog, run: str) -> None:
        self.log = RunLog(journal, run, OWN)
        self._waiting: list[Entry] = []
        self._people: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self._waiting)

    def read(self) -> Written:
        """What is there already.

        Raises:
            BadRecord: It has no beginning.
        """
        told: list[Told | Reloaded] = []
        asked: list[Put] = []
        started, over, erased, last_s = None, None, False, 0.0
        for entry in self.log.read(Started):
            self._hear(entry.event)
            last_s = max(last_s, getattr(entry.event, "at_s", 0.0))
            match opened(entry.event):
                case Started() as event:
                    started = event
                case Over() as event:
                    over = event
                case Put() as event:
                    asked.append(event)
                case _ if erased:
                    pass  # what was told after it was told to a machine that knew more
                case Answered(erased=True):
                    erased = True
                case Reloaded() as event:
                    told.append(event)
                case event if isinstance(event, _TOLD):
                    told.append(event)
        return Written(started=started, told=tuple(told), over=over, asked=tuple(asked), erased=erased, last_s=last_s)

    def add(self, *events: Entry) -> None:
        """Have something written with the next `flush`."""
        for event in events:
            self._waiting.append(sealed(event, self._people))
            self._hear(event)

    def _hear(self, event: object) -> None:
        """Whose words are in the run."""
        if isinstance(event, Answered) and event.about and event.by is not None and event.by not in self._people:
            self._people += (event.by,)

    def drop(self) -> None:
        """Have nothing written of what waits."""
        self._waiting.clear()

    def flush(self) -> None:
        """Write what waits, all of it or nothing; durable when this returns.

        Raises:
            IllegalCall: Another program has written to the run.
            Erased: Somebody was erased whose words are in the run, and perhaps in what waits; nothing was written.
            StoreUnavailable: It cannot be written now; what waits still does.
        """
        if not self._waiting:
            return
        self.log.append(self._waiting, self._key, self._refuse_erased)
        self._waiting.clear()

    def _refuse_erased(self, transaction: LogWriter) -> None:
        """Nothing that a person said is written once more after they were erased."""
        if self._people and (erasure := self.log.erasure(transaction)):
            written = [entry.event for entry in transaction.read(run=self.log.run)]
            named = {getattr(each, "by", None) for each in written}  # the desk has named whoever answered
            self.log.forgotten(erasure)
            unwritten = any(
                isinstance(each, Answered) and each.about and each.by not in named for each in self._waiting
            )
            if unwritten or any(isinstance(each, Answered) and each.erased for each in written):
                raise Erased("somebody was erased who had answered", hint="Go on with the run: it ends by name.")

    def _key(self, event: object) -> str:
        return f"{self.log.run}/act/{event.number}" if isinstance(event, Begun | Acted | Void) else ""


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
