"""Somebody at a page, with a real desk and a clock of the test's own: limits and "not now" are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from handup.client.sticks import Stick
from handup.core import Limits, Person, Reply, ReplyKind
from handup.desk import Desk, Record
from handup.desk.events import Asked, Opened
from handup.desk.status import Status
from handup.domains.reaching import Ending, Rules, scene
from handup.domains.reaching.driving import Drive, Driven
from handup.domains.reaching.live import NAME, PERSON, Seat, go_on, keep
from handup.journal import Journal


class Page:
    """A page that pushes forward all the time, and a clock that runs as fast as the robot does."""

    alive, stopped = True, False

    def __init__(self) -> None:
        self.now_s = 0.0
        self.states: list[Mapping[str, Any]] = []

    @property
    def stick(self) -> Stick:
        return Stick(by=NAME, device="a", mode="translate", push=(0.1, 0.0, 0.0), close=False, heard_s=self.now_s)

    def state(self, state: Mapping[str, Any], /) -> None:
        self.states.append(state)


def sat(store: Path, person: Person, reply: Callable[[Desk, Record], object], limit_s: float = 30.0) -> Driven:
    """One attempt of somebody who replies at once, in the way that is given."""
    page = Page()
    with Journal.open(store) as journal, Desk(journal, [person]) as desk:

        def sleep(seconds: float) -> None:
            page.now_s += seconds
            for each in desk.pending(NAME):
                if each.status is Status.OPEN:
                    reply(desk, each)

        drive, run = go_on(Drive(scene("U22"), "", "entropy", Rules(limit_s=limit_s)), desk)
        return Seat(drive, page, desk, run, clock=lambda: page.now_s, sleep=sleep).drive_on()


def said(kind: ReplyKind, **how: Any) -> Callable[[Desk, Record], object]:
    def reply(desk: Desk, record: Record) -> object:
        return desk.reply(Reply(question=record.id, kind=kind, by=NAME, token=record.id, **how))

    return reply


def events(store: Path, kind: type) -> int:
    with Journal.open(store, readonly=True) as journal:
        return sum(isinstance(each.event, kind) for each in journal.read())


def test_not_now_is_not_asked_again_at_once(tmp_path: Path) -> None:
    found = sat(tmp_path / "a.db", PERSON, said(ReplyKind.NOT_NOW))
    assert found.ending is Ending.TOO_LATE
    assert 1 <= found.questions <= 3, "after ten seconds, then after twenty"


def test_more_than_a_person_may_be_asked_is_not_waited_for(tmp_path: Path) -> None:
    once = Person(name=NAME, limits=Limits(per_hour=1))
    found = sat(tmp_path / "a.db", once, said(ReplyKind.ANSWER, value=False))
    assert found.questions > 1, "it would have asked more"
    assert found.joystick_input > 60.0, "and goes on instead"
    assert events(tmp_path / "a.db", Opened) == 1
    with Journal.open(tmp_path / "a.db") as journal, Desk(journal, [once]) as desk:
        assert desk.pending() == ()


def test_the_person_at_the_page_has_limits_and_their_load_stays_theirs(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    assert PERSON.limits.per_hour is not None
    sat(store, PERSON, said(ReplyKind.ANSWER, value=False), limit_s=2.0)
    assert events(store, Asked) > 0
    with Journal.open(store) as journal, Desk(journal, [PERSON]) as desk:
        again, _ = go_on(Drive(scene("U22"), "", "entropy"), desk)
        state = again.assistant.state
        assert state.workload.person == NAME
        assert state.workload.load(state.now_s) > 0.0, "a new attempt is no rest"
        assert again.time_s == 0.0, "what is over does not go on"


def test_the_next_attempt_knows_their_pace_and_that_they_would_rather_not_be_asked(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    sat(store, PERSON, said(ReplyKind.NOT_NOW), limit_s=5.0)
    with Journal.open(store) as journal, Desk(journal, [PERSON]) as desk:
        again, _ = go_on(Drive(scene("S1"), "cup/top", "assist"), desk)
        known, fresh = again.assistant.state, Drive(scene("S1"), "cup/top", "assist").assistant.state
    assert known.pace.seconds > 1.0
    assert known.pace.usual(0.8) < fresh.pace.usual(0.8), "they push softly"
    assert known.unheard >= 1
    assert known.quiet_until_s > 0.0
    assert (known.questions, known.asked, known.open) == (0, frozenset(), None)
    assert known.belief.to_json() == fresh.belief.to_json()


def test_what_cannot_be_read_of_the_attempt_before_is_left(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "a.db") as journal, Desk(journal, [PERSON]) as desk:
        keep(desk, {"assistant": {"helper": "nobody"}})
        drive, _ = go_on(Drive(scene("S1"), "cup/top", "assist"), desk)
    assert drive.assistant.state.pace.seconds == 0.0
