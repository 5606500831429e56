"""One episode in one process, with nobody killed: everything that is made at first use is made."""

from __future__ import annotations

from pathlib import Path

from handup.core import Person, Reply, ReplyKind
from handup.desk import Desk, Record
from handup.journal import Journal
from handup.recover import run
from tests.kill.scenario import METHODS
from tests.kill.shared import SharedClock
from tests.recover.robot import RIGHT, SensingRobot


class Answers:
    """A channel that answers at once, after a claim."""

    name = "answers"

    def show(self, record: Record, desk: Desk) -> None:
        desk.claim(record.id, "ana")
        said = Reply(question=record.id, kind=ReplyKind.ANSWER, by="ana", token=record.id, value=RIGHT)
        desk.reply(said)

    def taken(self, record: Record) -> None: ...

    def close(self) -> None: ...


def warm(folder: Path, clock: SharedClock) -> None:
    """Play it once with each method."""
    with Journal.open(folder / "journal.db", clock=clock) as journal:
        desk = Desk(journal, [Person(name="ana")], channels=[Answers()])
        for method in METHODS:
            run(SensingRobot(folder / method), method, desk, run=method)
        desk.close()
        assert journal.verify().ok
