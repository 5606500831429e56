"""Desks on real journals for tests: people, clocks, channels, processes."""

from __future__ import annotations

import multiprocessing
import threading
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from handup.core import Limits, ManualClock, Person, Question, Reply, ReplyKind
from handup.desk import Desk, Record, Terms, replay
from handup.journal import Journal

PEOPLE = (Person(name="ana"), Person(name="ben"))
WHICH = Question("Which one?")


class SetClock(ManualClock):
    """A clock that can be set back too, as the wall's can."""

    def set(self, at_s: float) -> None:
        self._now_s = at_s


def answer(record: Record | str, by: str, value: Any = "this one", token: str = "t", **more: Any) -> Reply:
    id_ = record if isinstance(record, str) else record.id
    return Reply(question=id_, kind=ReplyKind.ANSWER, by=by, token=token, value=value, **more)


def says(kind: str, record: Record | str, by: str, token: str = "t", **more: Any) -> Reply:
    id_ = record if isinstance(record, str) else record.id
    return Reply(question=id_, kind=ReplyKind(kind), by=by, token=token, **more)


class Screen:
    """A channel that notes what it is told, and may reply at once or break."""

    def __init__(
        self, name: str = "screen", *, reply: Reply | None = None, breaks: BaseException | None = None
    ) -> None:
        self.name = name
        self.told: list[tuple[str, str]] = []
        self.closed = 0
        self._reply = reply
        self._breaks = breaks

    def mend(self) -> None:
        self._breaks = None

    def show(self, record: Record, desk: Desk) -> None:
        self.told.append(("show", record.id))
        if self._breaks is not None:
            raise self._breaks
        if self._reply is not None:
            assert desk.reply(self._reply).accepted

    def taken(self, record: Record) -> None:
        self.told.append(("taken", record.id))
        if self._breaks is not None:
            raise self._breaks

    def close(self) -> None:
        self.closed += 1
        if self._breaks is not None:
            raise self._breaks


class Eager:
    """A channel through which everybody answers everything at once."""

    name = "eager"

    def __init__(self) -> None:
        self.shown = 0
        self.deepest = 0
        self._depth = threading.local()

    def show(self, record: Record, desk: Desk) -> None:
        depth = getattr(self._depth, "now", 0) + 1
        self._depth.now, self.shown, self.deepest = depth, self.shown + 1, max(depth, self.deepest)
        desk.reply(answer(record, str(record.turn), token=f"{record.id} {self.shown}"))
        self._depth.now = depth - 1

    def taken(self, record: Record) -> None:
        pass

    def close(self) -> None:
        pass


def race(store: str, by: str, questions: Sequence[str], barrier: Any, results: Any) -> None:
    """One process of a race: answer each question at the same moment as the other."""
    people = [Person(name=name, limits=Limits(at_once=len(questions))) for name in ("ana", "ben")]
    with (
        Journal.open(store, create=False, busy_timeout_s=30.0) as journal,
        Desk(journal, people, terms=Terms()) as desk,
    ):
        for question in questions:
            barrier.wait(60)
            receipt = desk.reply(answer(question, by, value=f"from {by}", token=f"{by} {question}"))
            results.put((question, by, str(receipt.status), receipt.message))


def run_race(store: str, questions: int) -> None:
    """Two processes answer each question at the same moment: one is accepted, the other is told who was first."""
    people = [Person(name=name, limits=Limits(at_once=questions)) for name in ("ana", "ben")]
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(2), context.Queue()
    with Journal.open(store) as journal:
        desk = Desk(journal, people)
        ids = [desk.ask(Question("Which one?"), run="race", step=str(step)).id for step in range(questions)]
        racers = [context.Process(target=race, args=(store, by, ids, barrier, results)) for by in ("ana", "ben")]
        for racer in racers:
            racer.start()
        outcomes: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
        for _ in range(2 * questions):
            question, by, status, message = results.get(timeout=60)
            outcomes[question][by] = (status, message)
        for racer in racers:
            racer.join(60)
            assert racer.exitcode == 0
        for id_ in ids:
            record = desk.record(id_)
            assert record is not None
            assert record.answer is not None
            (winner,) = (by for by, (status, _) in outcomes[id_].items() if status == "accepted")
            (loser,) = set(outcomes[id_]) - {winner}
            assert record.answer.value == f"from {winner}"
            assert outcomes[id_][loser] == ("late", f"{winner.capitalize()} has already answered this.")
        assert desk.state == replay(journal.read())
    results.close()
    results.join_thread()


def at(path: Path) -> str:
    return str(path / "journal.db")
