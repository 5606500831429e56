"""Somebody at a page, with a real desk and a clock of the test's own: limits and "not now" are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from handup.core import Limits, Person, Reply, ReplyKind
from handup.core.stick import Stick
from handup.desk import Desk, Record
from handup.desk.events import Asked, Opened
from handup.desk.status import Status
from handup.domains.domain import Workplace
from handup.domains.reaching import AttemptEnding, Rules, scene
from handup.domains.reaching.driven_hand import Drive, Driven
from handup.domains.reaching.page_drive import NAME, PERSON, READ_S, ROBOT, RUN, Seat, go_on, keep
from handup.domains.reaching.task import Reach, run_of
from handup.domains.runs import end_task
from handup.intent.pose import STILL, Vector
from handup.journal import Journal
from tests.fakes.panels import checked

LEFT, AWAY, BACK, UP, DOWN = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)
CAN = "Something is in the way: the chips can"


class Page:
    """A page that pushes, forward if nothing else is said, and a clock that runs as fast as the robot does."""

    alive, stopped = True, False

    def __init__(self, push: Callable[[float], Vector] = lambda now_s: (0.1, 0.0, 0.0), close_s: float = -1.0) -> None:
        self.now_s = 0.0
        self.states: list[tuple[float, Mapping[str, Any]]] = []
        self._push, self._close_s = push, close_s

    @property
    def stick(self) -> Stick:
        close = 0.0 <= self.now_s - self._close_s < 0.3
        return Stick(
            by=NAME, device="a", mode="translate", push=self._push(self.now_s), close=close, heard_s=self.now_s
        )

    def state(self, state: Mapping[str, Any], /) -> None:
        self.states.append((self.now_s, checked(state)))

    def picture(self, name: str, picture: bytes, /) -> None:
        raise AssertionError("a hand has no camera")

    def at(self, now_s: float) -> tuple[str, str, str]:
        """Phase, what it does and why, as the page shows them at a time."""
        shown = next(state for told_s, state in reversed(self.states) if told_s <= now_s)
        return shown["phase"], shown["doing"], shown["why"]


def one_after_the_other(*pushes: tuple[float, Vector]) -> Callable[[float], Vector]:
    """Each push for some seconds; then nothing."""

    def push(now_s: float) -> Vector:
        for seconds, pushed in pushes:
            if now_s < seconds:
                return pushed
            now_s -= seconds
        return STILL

    return push


def shown(store: Path, drive: Drive, page: Page) -> Page:
    """What a page was told in an attempt until its time was up."""
    with Journal.open(store) as journal:

        def sleep(seconds: float) -> None:
            page.now_s += seconds

        driven(Seat(drive, place_at(page, journal, sleep)), page)
    return page


def place_at(page: Page, journal: Journal, sleep: Callable[[float], object]) -> Workplace:
    return Workplace(journal, "reach", robot=ROBOT, person=NAME, link=page, clock=lambda: page.now_s, sleep=sleep)


def driven(seat: Seat, page: Page) -> Driven:
    """An attempt to its end, shown as a harness does it: ten times a second."""
    shown_s = float("-inf")
    while seat.step() is not None:
        if page.now_s >= shown_s + 0.1:
            shown_s = page.now_s
            seat.place.show(seat.view())
    seat.place.show(seat.view())
    seat.close()
    return seat.drive.result()


def sat(store: Path, person: Person, reply: Callable[[Desk, Record], object], limit_s: float = 30.0) -> Driven:
    """One attempt of somebody who replies at once, in the way that is given."""
    page = Page()
    with Journal.open(store) as journal, Desk(journal, [person]) as desk:

        def sleep(seconds: float) -> None:
            page.now_s += seconds
            for each in desk.pending(NAME):
                if each.status is Status.OPEN:
                    reply(desk, each)

        place = place_at(page, journal, sleep)
        place.sit_down(desk=desk)
        return driven(
            Seat(go_on(Drive(scene("U22"), "", "entropy", Rules(limit_s=limit_s)), desk, place.run), place), page
        )


def said(kind: ReplyKind, **how: Any) -> Callable[[Desk, Record], object]:
    def reply(desk: Desk, record: Record) -> object:
        return desk.reply(Reply(question=record.id, kind=kind, by=NAME, token=record.id, **how))

    return reply


def events(store: Path, kind: type) -> int:
    with Journal.open(store, readonly=True) as journal:
        return sum(isinstance(each.event, kind) for each in journal.read())


def test_the_same_order_goes_on_and_another_begins(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "a.db") as journal:
        first = run_of(journal, Reach())
        assert (first, run_of(journal, Reach())) == ("reach-1", "reach-1")
        assert run_of(journal, Reach(scene="U6")) == "reach-2"
        end_task(journal, "reach-2", {})
        assert run_of(journal, Reach(scene="U6")) == "reach-3"


def test_an_attempt_of_the_first_version_that_was_cut_off_keeps_its_name(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "a.db") as journal, Desk(journal, [PERSON]) as desk:
        keep(desk, {"run": "reach-57", "drive": Drive(scene("S1"), "", "assist").to_json()})
        assert (run_of(journal, Reach()), run_of(journal, Reach())) == ("reach-57", "reach-57")


def test_not_now_is_not_asked_again_at_once(tmp_path: Path) -> None:
    found = sat(tmp_path / "a.db", PERSON, said(ReplyKind.NOT_NOW))
    assert found.ending is AttemptEnding.TOO_LATE
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
        again = go_on(Drive(scene("U22"), "", "entropy"), desk, "reach")
        state = again.assistant.state
        assert state.workload.person == NAME
        assert state.workload.load(state.now_s) > 0.0, "a new attempt is no rest"
        assert again.time_s == 0.0, "what is over does not go on"


def test_the_next_attempt_knows_their_pace_and_that_they_would_rather_not_be_asked(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    sat(store, PERSON, said(ReplyKind.NOT_NOW), limit_s=5.0)
    with Journal.open(store) as journal, Desk(journal, [PERSON]) as desk:
        again = go_on(Drive(scene("S1"), "cup/top", "assist"), desk, "reach")
        known, fresh = again.assistant.state, Drive(scene("S1"), "cup/top", "assist").assistant.state
    assert known.pace.seconds > 1.0
    assert known.pace.usual(0.8) < fresh.pace.usual(0.8), "they push softly"
    assert known.unheard >= 1
    assert known.quiet_until_s > 0.0
    assert (known.questions, known.asked, known.open) == (0, frozenset(), None)
    assert known.belief.to_json() == fresh.belief.to_json()


def test_of_a_helper_with_other_settings_the_load_is_known(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    sat(store, PERSON, said(ReplyKind.ANSWER, value=False), limit_s=2.0)
    with Journal.open(store) as journal, Desk(journal, [PERSON]) as desk:
        found = journal.snapshot(RUN)
        assert found is not None
        kept = found.state["assistant"]
        assert not kept["confirmed"] + kept["denied"] + kept["asked"], "what they answered is not kept"
        keep(desk, {"assistant": {**kept, "settings": {}}})
        again = go_on(Drive(scene("U22"), "", "entropy"), desk, "reach")
        state = again.assistant.state
    assert state.workload.load(state.now_s) > 0.0
    assert (state.workload.person, state.pace.seconds) == (NAME, 0.0)


def test_what_cannot_be_read_of_the_attempt_before_is_left(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "a.db") as journal, Desk(journal, [PERSON]) as desk:
        keep(desk, {"assistant": {"helper": "nobody"}})
        drive = go_on(Drive(scene("S1"), "cup/top", "assist"), desk, "reach")
    assert drive.assistant.state.pace.seconds == 0.0


def test_who_is_stopped_by_something_is_told_by_what_until_they_get_on(tmp_path: Path) -> None:
    pushes = one_after_the_other((1.3, LEFT), (10.0, AWAY), (5.0, STILL), (1.0, BACK))
    drive = Drive(scene("S1"), "chips can/side", "assist", Rules(limit_s=18.0))
    page = shown(tmp_path / "a.db", drive, Page(pushes))
    assert page.at(5.0)[1:] == ("helping towards the chips can", "")
    assert page.at(10.0) == ("holding", "standing still", CAN)
    assert page.at(16.0) == ("resting", "standing still", CAN), "who reads slowly has time, and may go on"
    assert page.at(16.8) == ("moving", "only following you", "")


def test_helping_is_said_only_where_something_is_added(tmp_path: Path) -> None:
    drive = Drive(scene("S1"), "chips can/side", "assist", Rules(limit_s=12.0))
    adds: list[bool] = []

    class Compares(Page):
        def state(self, state: Mapping[str, Any], /) -> None:
            if state["doing"].startswith("helping"):
                adds.append(not drive.command.still)

    shown(tmp_path / "a.db", drive, Compares(one_after_the_other((1.3, LEFT), (10.0, AWAY))))
    assert adds
    assert all(adds)


def test_taps_against_something_add_up(tmp_path: Path) -> None:
    """A switch moves the hand for a moment at a time, too short to be called stopped by itself."""

    def taps(now_s: float) -> Vector:
        return DOWN if now_s < 6.0 or now_s % 1.0 < 0.1 else STILL

    page = shown(tmp_path / "a.db", Drive(scene("S1"), "", "manual", Rules(limit_s=12.0)), Page(taps))
    assert page.at(11.5) == ("resting", "standing still", "Something is in the way: the table")


def test_where_the_arm_ends_nothing_is_in_the_way(tmp_path: Path) -> None:
    up = one_after_the_other((14.0, UP))
    page = shown(tmp_path / "a.db", Drive(scene("S1"), "", "manual", Rules(limit_s=15.0)), Page(up))
    assert page.at(3.0) == ("moving", "only following you", "")
    assert page.at(13.0) == ("holding", "standing still", "The arm reaches no further")


@pytest.mark.parametrize(("pushed", "phase"), [(STILL, "resting"), (UP, "moving")])
def test_that_there_was_nothing_to_hold_can_be_read(tmp_path: Path, pushed: Vector, phase: str) -> None:
    drive = Drive(scene("S1"), "", "manual", Rules(limit_s=7.0))
    page = shown(tmp_path / "a.db", drive, Page(one_after_the_other((1.0, UP), (3.5, pushed), (9.0, BACK)), 1.0))
    for after_s in (0.1, 1.0, READ_S - 0.1):
        assert page.at(1.0 + after_s) == (phase, "the hand is open again", "There was nothing to hold")
    if pushed == STILL:
        assert page.at(4.4)[2] == "There was nothing to hold", "at rest nothing takes its place"
    assert page.at(4.8) == ("moving", "only following you", "")
