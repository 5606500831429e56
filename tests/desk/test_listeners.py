"""Whoever listens to a desk is told of every entry, once and in order, without a look into the journal."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from handup.core import Limits, Person, Question, Reply, ReplyKind
from handup.desk import Desk, DeskState
from handup.journal import Entry, Journal

ANA = Person(name="ana", limits=Limits(at_once=1000))


def test_every_entry_is_told_once_and_in_order_whoever_wrote_it(tmp_path: Path) -> None:
    heard: list[int] = []
    states: list[DeskState] = []

    def hear(before: DeskState, after: DeskState, entries: Sequence[Entry]) -> None:
        assert before.seq == entries[0].seq - 1
        assert after.seq == entries[-1].seq
        heard.extend(entry.seq for entry in entries)
        states.append(after)

    with (
        Journal.open(tmp_path / "house.db") as mine,
        Journal.open(tmp_path / "house.db") as theirs,
        Desk(mine, [ANA]) as desk,
        Desk(theirs) as other,
        ThreadPoolExecutor(4) as threads,
    ):
        began = desk.state.seq
        desk.listeners.append(hear)

        def ask(number: int) -> None:
            who = other if number % 5 == 0 else desk
            id_ = who.ask(Question("Which food?"), run="meal", step=str(number)).id
            desk.reply(Reply(question=id_, kind=ReplyKind.ANSWER, by="ana", token="1", value="plum"))

        list(threads.map(ask, range(20)))
        last = desk.state.seq
    assert heard == list(range(began + 1, last + 1))
    assert [each.seq for each in states] == sorted(each.seq for each in states)
