"""Who can be asked, and how much: one answer for all desks on a journal, and for the shell."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handup.core import Limits, Person, Question, QuietHours
from handup.desk import Desk, Status, replay
from handup.journal import Journal
from tests.cli.calls import here
from tests.desk.desks import SetClock, answer, at, says

START_S = datetime(2025, 1, 10, 12, 0, tzinfo=UTC).timestamp()
STRICT = Person(name="ana", limits=Limits(per_hour=1))
QUIET = Person(name="ana", limits=Limits(at_once=9, quiet=(QuietHours(start="11:00", end="13:00"),)))

ALWAYS = (QuietHours(start="00:00", end="23:59"), QuietHours(start="23:58", end="00:01"))
NEVER = Person(name="ana", limits=Limits(quiet=ALWAYS))
"""Quiet whenever the test runs."""


@pytest.fixture
def clock() -> SetClock:
    return SetClock(START_S)


def ask(desk: Desk, count: int = 4) -> list[str]:
    return [desk.ask(Question("Which one?", to=("ana",)), run="r", step=str(step)).id for step in range(count)]


def opened(journal: Journal) -> int:
    return sum(each.kind == "desk.opened" for each in journal.read())


def test_a_desk_that_is_told_of_nobody_goes_by_the_journals_people(journal: Journal) -> None:
    robot, tablet = Desk(journal, [STRICT]), Desk(journal)
    ids = ask(robot)
    for id_ in ids:
        assert tablet.reply(answer(id_, "ana", token=id_)).accepted
    tablet.tick()
    assert opened(journal) == 1
    assert tablet.state == robot.state == replay(journal.read())
    assert robot.state.people == {"ana": STRICT}


def test_the_latest_word_on_a_person_holds_for_all_desks(journal: Journal, clock: SetClock) -> None:
    robot = Desk(journal, [Person(name="ana", limits=Limits(at_once=9))])
    ask(robot, 2)
    seq = journal.head().seq
    Desk(journal, [STRICT])
    Desk(journal, [STRICT])
    assert journal.head().seq == seq + 1
    ask(robot, 5)
    assert opened(journal) == 2
    assert robot.free_from_s(clock.now_s()) == START_S + 3600.0


def test_quiet_hours_hold_for_all_desks(journal: Journal, clock: SetClock) -> None:
    robot, tablet = Desk(journal, [QUIET]), Desk(journal)
    ask(robot)
    tablet.tick()
    assert {each.status for each in tablet.pending()} == {Status.HELD}
    clock.set(START_S + 3600.0)
    tablet.tick()
    assert {each.status for each in robot.pending()} == {Status.OPEN}


@pytest.mark.parametrize(("person", "most"), [(STRICT, 1), (NEVER, 0)], ids=["an hour", "quiet"])
def test_the_shell_keeps_to_the_limits_that_a_robot_gave(person: Person, most: int, tmp_path: Path) -> None:
    """Nobody gets round them with a command that knows only a name."""
    store = at(tmp_path)
    with Journal.open(store) as journal, Desk(journal, [person]) as desk:
        ask(desk, 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO("a\n" * 12))
        here("answer", "--by", "ana", "--once", "--store", store)
        here("ask", "And now?", "--to", "ana", "--timeout", "0", "--elsewhere", "--store", store)
    with Journal.open(store) as journal:
        assert opened(journal) == most
        assert Desk(journal).state.people == {"ana": person}


def test_who_was_erased_is_gone_until_somebody_introduces_them_again(journal: Journal) -> None:
    desk = Desk(journal, [STRICT, Person(name="ben")])
    journal.erase("ana")
    assert list(desk.state.people) == ["ben"]
    assert desk.ask(Question("Which one?"), run="r", step="s").audience == ("ben",)
    assert desk.reply(says("stop", "", "ana")).message.startswith("Nobody here knows you")
    assert 'per_hour":1' not in "".join(str(each) for each in journal.read())
    assert list(Desk(journal, [STRICT]).state.people) == ["ben", "ana"]


def test_a_name_is_the_same_however_its_accents_were_typed(journal: Journal) -> None:
    desk = Desk(journal, [Person(name="Jose\u0301")])
    record = desk.ask(Question("Which one?", to=("Jose\u0301",)), run="r", step="s")
    assert record.turn == "Jos\u00e9"
    assert desk.reply(answer(record, "Jose\u0301")).accepted
