"""A house to recover in: a journal on disk, a desk with people, and programs that end when a test says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handup.core import Clock, Person, Reply, ReplyKind, Value
from handup.desk import Desk, Record, SkippingClock
from handup.journal import Entry, Journal, Writer
from handup.journal.store import Store
from handup.recover import Episode, Policy, Settings, run
from handup.recover.unknown_outcome import FAILED, NOT_STARTED, WORKED
from tests.recover.robot import RIGHT, Robot, effects

Says = Callable[[Record, Desk], Value | ReplyKind | None]
Kill = tuple[int, bool]
"""At which write of a program it ends, and whether that write counts."""


class Killed(BaseException):
    """The program ends here. No program can catch it by mistake."""


class FragileJournal(Journal):
    """A journal whose program ends at one of its writes: just before it counts, or just after."""

    def __init__(self, store: Store, clock: Clock) -> None:
        super().__init__(store, clock)
        self.writes = 0
        self.dies_at: Kill | None = None

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        with super().writing() as writer:
            yield writer
            wrote = writer.wrote
            self.writes += wrote
            if wrote and self.dies_at == (self.writes, False):
                raise Killed
        if wrote and self.dies_at == (self.writes, True):
            raise Killed


def right(record: Record, desk: Desk) -> Value | ReplyKind | None:
    """Somebody who knows what is right."""
    return RIGHT


@dataclass
class Household:
    """The channel to everybody: replies at once, or not at all. A reply to one opening has one token."""

    says: Says
    name: str = "house"

    def show(self, record: Record, desk: Desk) -> None:
        said = self.says(record, desk)
        if said is None:
            return
        kind = said if isinstance(said, ReplyKind) else ReplyKind.ANSWER
        value = None if isinstance(said, ReplyKind) else said
        token = f"{record.id}#{len(record.replies)}"
        desk.reply(Reply(question=record.id, kind=kind, by=record.turn or "", token=token, value=value))

    def taken(self, record: Record) -> None:
        pass

    def close(self) -> None:
        pass


@dataclass
class House:
    """Where a robot recovers. What is on disk survives; `live` is one program.

    Args:
        folder: Where journal and log lie.
        says: What people reply. It may look at the record, which survives, and at nothing that does not.
        people: Who they are.
        robot: Makes the robot, from its log.
        settings: Of the run.
        method: Of the run.
    """

    folder: Path
    says: Says = right
    people: Sequence[str] = ("Maya",)
    robot: Callable[[Path], Policy] = Robot
    settings: Settings | None = None
    method: str = "troubleshoot"
    clock: SkippingClock = field(default_factory=lambda: SkippingClock(1000.0))
    lives: int = 0
    writes: int = 0

    @property
    def log(self) -> Path:
        return self.folder / "effects.jsonl"

    @property
    def done(self) -> list[Any]:
        """The ids of the actions whose effect is in the world."""
        return [each["action"] for each in effects(self.log)]

    @contextmanager
    def desk(self, dies_at: Kill | None = None) -> Iterator[Desk]:
        """A desk on the journal, for one program."""
        journal = FragileJournal.open(self.folder / "journal.db", clock=self.clock)
        assert isinstance(journal, FragileJournal)
        journal.dies_at = dies_at
        try:
            yield Desk(journal, [Person(name=name) for name in self.people], channels=[Household(self._said)])
        finally:
            self.writes = journal.writes
            journal.close()

    def live(
        self, dies_at: tuple[int, bool] | None = None, policy: Policy | None = None, name: str = "bite"
    ) -> Episode:
        """One program: it runs to its end, or is killed."""
        self.lives += 1
        with self.desk(dies_at) as desk:
            return run(policy or self.robot(self.log), self.method, desk, run=name, settings=self.settings)

    def entries(self) -> list[Entry]:
        """What the journal holds; it must be whole."""
        with Journal.open(self.folder / "journal.db", readonly=True) as journal:
            assert journal.verify().ok
            return list(journal.read())

    def written(self, *kinds: type) -> list[Any]:
        """Events of some kinds that the journal holds."""
        return [entry.event for entry in self.entries() if isinstance(entry.event, kinds)]

    def _said(self, record: Record, desk: Desk) -> Value | ReplyKind | None:
        if record.step.startswith("act:"):
            return self._how_it_went(record)
        return self.says(record, desk)

    def _how_it_went(self, record: Record) -> Value:
        """What somebody says who looks at what the robot did."""
        action = f"{record.run}/act/{record.step.removeprefix('act:')}"
        seen = [bool(each["ok"]) for each in effects(self.log) if each["action"] == action]
        return NOT_STARTED if not seen else WORKED if seen[-1] else FAILED
