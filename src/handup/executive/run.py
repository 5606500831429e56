"""Run of a task: a machine, and its entries in the journal. A run that the journal knows goes on where it stopped.

Every event is written before it counts for anything that cannot be taken back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from handup.core import BadRecord, IllegalCall
from handup.executive import events
from handup.executive.action import plain
from handup.executive.machine import Looked, Machine, MachinePhase, Reload
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery
from handup.executive.run_settings import RunSettings
from handup.executive.sources import Sources
from handup.journal.run_log import RunLog

if TYPE_CHECKING:
    from handup.journal import Journal, Writer
    from handup.journal.run_claim import Hold

OWN = "task."
"""Prefix of the kinds of a run's own entries."""
FLUSH_S = 0.2
"""Longest time that events of repeatable actions wait to be written, in real seconds, while actions begin."""
ERASED = "Somebody who had answered was erased, and without what they said the run cannot go on. Begin a new one."


class Run:
    """A task for an executive, and the place where its run is kept.

    With a journal everything is written: before an action begins that may not be repeated, that it begins; after it,
    how it ended; everything else in batches. Make a `Run` with the same id again, and it stands where the last program
    ended: with its variables, beliefs, attempts and limits. It goes on with the recipes that it had, whatever the
    files say now. Where somebody was erased whose answer had given it a value, it does not go on: it ends as `erased`,
    and nothing is begun.

    Args:
        recipes: The tasks.
        recoveries: The rules.
        settings: Limits; those that it began with where the journal knows the run.
        params: Inputs of the task.
        task: The task to run; the main one where left out.
        sources: The files that these were read from. They are kept in the journal; without them a program that goes on
            must bring the same recipes and recoveries again.
        book: The journal; nothing is kept without one.
        run: The run's id.

    Raises:
        BadSetting: There is no such task, or it takes other inputs.
        BadRecord: The id belongs to another run, or what is written of it does not fit these recipes.
    """

    def __init__(
        self,
        recipes: Recipes,
        recoveries: Sequence[Recovery] = (),
        *,
        settings: RunSettings | None = None,
        params: Mapping[str, Any] | None = None,
        task: str | None = None,
        sources: Sources | None = None,
        book: Journal | None = None,
        run: str = "run",
    ) -> None:
        self.id = run
        self.recoveries = tuple(recoveries)
        self.sources = sources
        self.problems: tuple[str, ...] = ()
        """Mistakes in the files that were read anew last; empty where there were none."""
        self.waiting_for = ""
        """Id of the question that is open; empty where none is."""
        self._main, self._params = task or recipes.main, plain(dict(params or {}))
        self._book = None if book is None else Logbook(book, run)
        written = Written() if self._book is None else self._book.read()
        self.known = written.started is not None
        """True when the journal knew the run before."""
        if written.started is not None:
            settings = self._refuse_another(written.started, settings)
            if written.started.sources:
                self.sources = Sources.from_json(written.started.sources)
                recipes, self.recoveries = self.sources.parsed()
                task = written.started.main
        self.machine = Machine(recipes, self.recoveries, settings, params, task=task)
        self._claim: Hold | None = None
        self._due = False
        self._since = time.monotonic()
        self._asked = {asked.question: asked for asked in written.asked}
        self._doubt = 0
        self._followers: list[Callable[[events.Entry], object]] = []
        self._replay(written)
        written.told.clear()  # the machine has them
        self._written = written

    @classmethod
    def of(cls, sources: Sources, **rest: Any) -> Run:
        """Return a run of the recipes in some files; the other arguments are those of `Run`.

        Raises:
            BadRecipe: With everything that is wrong in the files.
        """
        recipes, recoveries = sources.parsed()
        return cls(recipes, recoveries, sources=sources, **rest)

    def _refuse_another(self, started: events.Started, settings: RunSettings | None) -> RunSettings:
        if (started.main, started.params) != (self._main, self._params):
            raise BadRecord(
                f"run '{self.id}' began with another task or other inputs",
                hint="Give this one a run id of its own, or go on with what it began with.",
            )
        stored = RunSettings.from_json(started.settings)
        if settings not in (None, stored):
            raise BadRecord(
                f"run '{self.id}' began with other settings", hint="Leave them out, or give this one an id of its own."
            )
        return stored

    def _replay(self, written: Written) -> None:
        try:
            for event in written.told:
                self.machine.tell(again := retold(event))
                if isinstance(event, events.Reloaded) and isinstance(again, Reload):
                    self.sources, self.recoveries = Sources.from_json(event.sources), again.recoveries
        except IllegalCall as error:
            raise BadRecord(
                f"what the journal holds of run '{self.id}' does not fit the recipes ({error.cause})",
                hint="Go on with the recipes, recoveries and settings that it began with.",
            ) from None
        if written.over is not None and self.machine.phase is MachinePhase.LOOKING:
            self.machine.tell(Looked(at_s=written.over.at_s))
        elif written.erased and written.over is not None:
            self.machine.tell(events.TaskStopped(why=written.over.reason, ending=written.over.ending))
        # The replay made the notes of the journal again: drop them.
        if self.known:
            self.machine.notes()

    # -- beginning ---------------------------------------------------------------------------------------------------

    def claim(self, stack: ExitStack) -> None:
        """Claim the run for this program for as long as the stack lasts.

        Raises:
            IllegalCall: Another program has it.
        """
        if self._book is not None:
            self._claim = stack.enter_context(self._book.log.claim())

    def begin(self, now_s: float, *, stood_still: bool = False) -> bool:
        """Write that the run begins, or that it goes on.

        Args:
            now_s: The time.
            stood_still: Whether the clock stood still while no program ran, as that of a simulated world does.

        Returns:
            True when an action was under way whose outcome nobody knows.
        """
        if self._written.over is not None or not self._noted:
            return False
        if not self.known:
            self._write(
                events.Started(
                    sources={} if self.sources is None else self.sources.to_json(),
                    main=self._main,
                    params=self._params,
                    settings=self.machine.settings.to_json(),
                    at_s=now_s,
                ),
                *self.machine.notes(),
            )
        elif self._written.erased:
            self.tell(events.TaskStopped(why=ERASED, ending=events.Ending.ERASED, at_s=now_s))
        else:
            # Up to a batch of starts may be lost, so numbers go on behind them: no number is used twice.
            self._doubt = self.machine.settings.batch
            away_s = 0.0 if stood_still else max(0.0, now_s - self._written.last_s)
            self.tell(events.Resumed(number=self.machine.number + self._doubt, at_s=now_s, away_s=away_s))
        self.flush()
        return self.machine.phase is MachinePhase.ACTING

    def forget(self, now_s: float) -> None:
        """End the run, since somebody was erased whose words are in it, and drop the entries that wait.

        Call this when `flush`, or a method that calls it, raised `Erased`.
        """
        assert self._book is not None
        self._book.waiting.clear()
        if (finished := self.machine.finished) is None:
            self.tell(events.TaskStopped(why=ERASED, ending=events.Ending.ERASED, at_s=now_s))
        else:
            self._book.add(events.Over(ending=finished.ending, reason=finished.reason, at_s=now_s))
        self.flush()

    # -- on the way --------------------------------------------------------------------------------------------------

    def tell(self, event: events.Told | Looked) -> None:
        """Tell the machine, and write it down, but for a last look that saw nothing: the end that follows says so."""
        self.machine.tell(event)
        if self._noted:
            self._write(*(() if isinstance(event, Looked) else (event,)), *self.machine.notes())

    def follow(self, told: Callable[[events.Entry], object]) -> None:
        """Call a function with each event that is noted of this run from now on, with or without a journal.

        Args:
            told: Called with each event as it happens, before it is durable. It must return soon.
        """
        self._followers.append(told)

    @property
    def _noted(self) -> bool:
        """True when somebody takes note of what happens; otherwise the machine keeps its own notes."""
        return self._book is not None or bool(self._followers)

    def _write(self, *entries: events.Entry) -> None:
        if self._book is not None:
            self._book.add(*entries)
        for follower in self._followers:
            for event in entries:
                follower(event)

    def doubtful(self, repeatable: bool) -> bool:
        """Return whether the action that begins now may have had its effect: up to a batch of starts may be lost.

        Only starts of repeatable actions are ever lost, and nobody knows which ones: the run may go another way
        this time, so an action that may not be repeated ends no doubt.
        """
        doubt = repeatable and self._doubt > 0
        self._doubt -= doubt
        return doubt

    def before(self, repeatable: bool) -> None:
        """Make durable what must be before an action begins."""
        if self._book is None:
            return
        full = len(self._book.waiting) >= self.machine.settings.batch - 1 or time.monotonic() - self._since > FLUSH_S
        if not repeatable or self._due or full:
            self.flush()
        if not repeatable and self._claim is not None:
            self._claim.check()

    def after(self, repeatable: bool) -> None:
        """Note that an action ended; one that may not be repeated is made durable before the next one begins."""
        self._due |= not repeatable

    def asked(self, put: events.TaskAsked) -> None:
        """Write down that a question is put. One that the journal knows is not written again."""
        if self.was_asked(put.question) is None:
            self._asked[put.question] = put
            self._write_now(put)

    def was_asked(self, question: str) -> events.TaskAsked | None:
        """Return the entry of a question, by this program or one before it; None where it was not put yet."""
        return self._asked.get(question)

    def reloaded(self, sources: Sources, recipes: Recipes, recoveries: tuple[Recovery, ...], now_s: float) -> None:
        """Take new recipes and recoveries, which hold from here on."""
        self.machine.tell(Reload(recipes=recipes, recoveries=recoveries))
        self.sources, self.recoveries, self.problems = sources, recoveries, ()
        self._write_now(events.Reloaded(sources=sources.to_json(), at_s=now_s))

    def refused(self, refused: events.ReloadRefused) -> None:
        """Keep the old recipes and recoveries, since the new ones are wrong; `problems` says why."""
        self.problems = refused.problems
        self._write_now(refused)

    def _write_now(self, event: events.Entry) -> None:
        if self._noted:
            self._write(event, *self.machine.notes())
            self.flush()

    def flush(self) -> None:
        """Make durable what was told so far."""
        if self._book is not None:
            self._book.flush()
        self._due = False
        self._since = time.monotonic()


# -- what the journal holds --------------------------------------------------------------------------------------------

_TOLD = (events.Reloaded, *get_args(events.Told))


@dataclass(kw_only=True)
class Written:
    """Content of a run's journal, as `Logbook.read` returns it.

    Args:
        started: How it began; None where there is nothing.
        told: Events of the machine, with the reloads in between, oldest first; up to an answer that was erased.
        over: How it ended.
        asked: The questions that were put, oldest first.
        erased: Whether an answer was erased: nobody can tell how the run went on after it.
        last_s: Time of the last entry that has one.
    """

    started: events.Started | None = None
    told: list[events.Told | events.Reloaded] = field(default_factory=list)
    over: events.Over | None = None
    asked: list[events.TaskAsked] = field(default_factory=list)
    erased: bool = False
    last_s: float = 0.0


def retold(event: events.Told | events.Reloaded) -> events.Told | Reload:
    """Return what a machine is told of an entry: of a reload the recipes and recoveries."""
    if not isinstance(event, events.Reloaded):
        return event
    recipes, recoveries = Sources.from_json(event.sources).parsed()
    return Reload(recipes=recipes, recoveries=recoveries)


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

    def __init__(self, journal: Journal, run: str) -> None:
        self.log = RunLog(journal, run, OWN)
        self.waiting: list[events.Entry] = []
        self._people: tuple[str, ...] = ()

    def read(self) -> Written:
        """Return what the journal holds of the run.

        Raises:
            BadRecord: The run has no beginning.
        """
        written = Written()
        for entry in self.log.read(events.Started):
            self._hear(entry.event)
            written.last_s = max(written.last_s, getattr(entry.event, "at_s", 0.0))
            match events.opened(entry.event):
                case events.Started() as event:
                    written.started = event
                case events.Over() as event:
                    written.over = event
                case events.TaskAsked() as event:
                    written.asked.append(event)
                case _ if written.erased:
                    pass  # events after it were told to a machine that knew the erased answer
                case events.TaskAnswered(erased=True):
                    written.erased = True
                case event if isinstance(event, _TOLD):
                    written.told.append(event)
        return written

    def add(self, *entries: events.Entry) -> None:
        """Have entries written with the next `flush`."""
        for event in entries:
            self.waiting.append(events.sealed(event, self._people))
            self._hear(event)

    def _hear(self, event: object) -> None:
        """Add whoever gave the run a value to the people whose words are in it."""
        if (
            isinstance(event, events.TaskAnswered)
            and event.about
            and event.by is not None
            and event.by not in self._people
        ):
            self._people += (event.by,)

    def flush(self) -> None:
        """Write what waits, all of it or nothing; durable when this returns.

        Raises:
            IllegalCall: Another program has written to the run.
            Erased: Somebody was erased whose words are in the run, and perhaps in what waits; nothing was written.
            StoreUnavailable: It cannot be written now; what waits still does.
        """
        if self.waiting:
            self.log.append(self.waiting, self._key, self._forget)
            self.waiting.clear()

    def _forget(self, transaction: Writer) -> bool:
        """Return whether an entry that waits may hold words of a person who was erased."""
        if not self._people:
            return False
        written = [entry.event for entry in transaction.read(run=self.log.run)]
        named = {getattr(event, "by", None) for event in written}  # the desk has named whoever answered
        answers = [event for event in self.waiting if isinstance(event, events.TaskAnswered) and event.about]
        unwritten = any(answer.by not in named for answer in answers)
        return unwritten or any(isinstance(event, events.TaskAnswered) and event.erased for event in written)

    def _key(self, event: object) -> str:
        return (
            f"{self.log.run}/act/{event.number}"
            if isinstance(event, events.Begun | events.ActionEnded | events.Void)
            else ""
        )
