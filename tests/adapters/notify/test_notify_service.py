"""When people are told, how often and of what: the journal decides, over restarts and several servers."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from handup.adapters.notify.notifier import Notice, Notifier, NotTold, PerhapsTold
from handup.adapters.notify.notify_file import NotifySettings, PersonNotices
from handup.adapters.notify.notify_service import MOST_ATTEMPTS, NAMELESS, NotificationService
from handup.core import Limits, ManualClock, Person, Question, QuietHours, StoreUnavailable
from handup.desk import Desk, Record
from handup.desk.events import Asked, NoticeBegun, NoticeEnded, NoticeOutcome, Opened
from handup.journal import Journal
from tests.deadlines import soon
from tests.desk.desks import SetClock, answer, says

NIGHT_S, MORNING_S = 1_794_780_000.0, 1_794_808_800.0
"""2026-11-15, 23:00 in Berlin, and 07:00 of the next day."""
WHICH = Question("Is this a cherry tomato?")
ADA = PersonNotices(addresses={"note": "ada-7391"})
REMINDED = PersonNotices(addresses={"note": "ada-7391"}, every_s=60.0, most=2)
ID = "meal/food/1"


class Notes:
    """A way that notes what it is told, and may fail."""

    def __init__(self, way: str = "note") -> None:
        self.way = way
        self.told: list[Notice] = []
        self.shown: list[dict[str, list[str]]] = []
        self.gone: list[tuple[str, str]] = []
        self.blind: list[str] = []
        self.fails: list[Exception] = []
        self.closed = threading.Event()
        self.before: Callable[[], object] = lambda: None

    def tell(self, notice: Notice) -> None:
        self.told.append(notice)
        self.before()
        if self.fails:
            raise self.fails.pop(0)

    def update(self, told: Mapping[str, Sequence[Notice]], gone: Sequence[Notice]) -> None:
        self.gone += [(notice.question, notice.address) for notice in gone]
        if self.blind:
            raise NotTold(self.blind.pop())
        self.shown.append({robot: [notice.question for notice in notices] for robot, notices in told.items()})

    def close(self) -> None:
        self.closed.set()


class Home:
    """A store with a desk, a way and the service between them; a test looks when it likes."""

    def __init__(self, store: Path | str, clock: ManualClock, *people: Person, **wanted: PersonNotices) -> None:
        self.clock = clock
        self.journal = Journal.open(store, clock=clock)
        self.desk = Desk(self.journal, people)
        self.way = Notes()
        self.settings = NotifySettings(people=wanted, page="https://house.example")
        self.service = NotificationService(self.desk, self.settings, [self.way], robots=lambda: ["arm"])
        self.line = self.service.lines["note"]

    def ask(self, step: str = "food", question: Question = WHICH) -> Record:
        return self.desk.ask(question, run="meal", step=step)

    def look(self, after_s: float = 0.0) -> list[int]:
        """Do all that is due after some time; the numbers of the reminders that went out by then."""
        self.clock.advance(after_s)
        self.desk.tick()
        count = len(self.way.told)
        for _ in range(1000):
            if self.line.look() > self.service.now_s():
                return [notice.reminder for notice in self.way.told[count:]]
        raise AssertionError("it never comes to rest")

    @property
    def notices(self) -> list[tuple[int, int, NoticeOutcome | None]]:
        """Notices of the journal: the reminder, the attempt, and how it ended."""
        entries = list(self.journal.read(run="told"))
        ended = {entry.event.begun: entry.event.outcome for entry in entries if isinstance(entry.event, NoticeEnded)}
        return [
            (entry.event.reminder, entry.event.attempt, ended.get(entry.seq))
            for entry in entries
            if isinstance(entry.event, NoticeBegun)
        ]

    def close(self) -> None:
        self.service.close()
        self.desk.close()
        self.journal.close()


Homes = Callable[..., Home]
ANA, BEN = Person(name="ana"), Person(name="ben")


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NIGHT_S)


@pytest.fixture
def homes(tmp_path: Path, clock: SetClock) -> Iterator[Homes]:
    """Homes on one store, each as another server would be."""
    made: list[Home] = []

    def home(*people: Person, **wanted: PersonNotices) -> Home:
        made.append(Home(tmp_path / "home.db", clock, *(people or (ANA, BEN)), **wanted))
        return made[-1]

    yield home
    for each in made:
        each.close()


def test_whoever_wants_it_is_told_once_of_robot_and_urgency_and_of_nothing_private(homes: Homes) -> None:
    home = homes(ana=ADA)
    assert isinstance(home.way, Notifier)
    home.ask(question=Question("Is this a cherry tomato?", deadline_s=NIGHT_S + 300.0))
    assert home.look() == [0]
    assert home.look(10.0) == []
    (notice,) = home.way.told
    assert (notice.robot, notice.address, notice.link) == ("arm", "ada-7391", "https://house.example")
    assert (notice.title, notice.text) == ("arm has a question", "It can wait for 5 minutes.")
    assert home.notices == [(0, 1, NoticeOutcome.SENT)]


def test_words_go_out_only_where_the_person_allowed_it(homes: Homes) -> None:
    home = homes(ana=PersonNotices(addresses={"note": "a"}, words=True))
    home.ask()
    home.look()
    assert home.way.told[0].text == "Is this a cherry tomato?\nThere is no hurry."


def test_nobody_is_told_who_did_not_ask_for_it_or_wants_another_channel(homes: Homes) -> None:
    home = homes(Person(name="ana", channels=("tablet",)), BEN, ana=ADA)
    home.ask()
    assert home.look() == []
    home.desk.reply(says("someone-else", ID, "ana"))
    assert home.look() == []
    assert home.notices == []


def test_a_channel_of_the_person_may_be_a_way(homes: Homes) -> None:
    home = homes(Person(name="ana", channels=("tablet", "note")), ana=ADA)
    home.ask()
    assert home.look() == [0]


def test_who_answers_soon_is_not_told(homes: Homes) -> None:
    home = homes(ana=PersonNotices(addresses={"note": "a"}, after_s=20.0))
    record = home.ask()
    assert home.look(19.0) == []
    home.desk.reply(answer(record, "ana"))
    assert home.look(100.0) == []


def test_reminders_come_so_often_and_no_more(homes: Homes) -> None:
    home = homes(ana=REMINDED)
    home.ask()
    assert [home.look(), home.look(59.0), home.look(1.0), home.look(60.0), home.look(600.0)] == [[0], [], [1], [2], []]


def test_after_handing_on_the_next_person_is_told_and_the_first_no_more(homes: Homes) -> None:
    home = homes(ana=REMINDED, ben=PersonNotices(addresses={"note": "ben-1"}, every_s=60.0, most=1))
    record = home.ask()
    home.look()
    home.desk.reply(says("someone-else", record, "ana"))
    assert home.look(10.0) == [0]
    assert home.look(60.0) == [1]
    assert [notice.address for notice in home.way.told] == ["ada-7391", "ben-1", "ben-1"]


def test_a_question_that_comes_back_is_told_anew(homes: Homes) -> None:
    home = homes(ana=ADA)
    record = home.ask()
    home.look()
    home.desk.reply(says("not-now", record, "ana", until_s=NIGHT_S + 600.0))
    assert home.look(300.0) == []
    assert home.look(300.0) == [0]


def test_a_claimed_question_is_in_somebodys_hands_and_nobody_is_reminded(homes: Homes) -> None:
    home = homes(ana=REMINDED)
    record = home.ask()
    home.look()
    home.desk.claim(record.id, "ana", lease_s=100.0)
    assert home.look(60.0) == []
    assert home.line.look() == math.inf
    assert home.look(50.0) == [1]


def test_a_held_question_is_not_told_before_its_quiet_hours_are_over(homes: Homes) -> None:
    quiet = (QuietHours(start="22:00", end="07:00", zone="Europe/Berlin"),)
    home = homes(Person(name="ana", limits=Limits(quiet=quiet)), ana=ADA)
    home.ask()
    assert home.look() == []
    assert home.look(MORNING_S - NIGHT_S - 1.0) == []
    assert home.look(1.0) == [0]


def test_quiet_hours_that_begin_later_hold_reminders_and_so_do_own_ones(homes: Homes) -> None:
    late = (QuietHours(start="23:01", end="07:00", zone="Europe/Berlin"),)
    own = PersonNotices(addresses={"note": "b"}, quiet=(QuietHours(start="22:00", end="07:00", zone="Europe/Berlin"),))
    home = homes(Person(name="ana", limits=Limits(quiet=late)), BEN, ana=REMINDED, ben=own)
    home.ask()
    home.ask("drink", Question("Water?", to=("ben",)))
    assert home.look() == [0], "ben may be asked at the page, and wants no notice now"
    assert home.look(61.0) == []
    assert sorted(home.look(MORNING_S - NIGHT_S - 61.0)) == [0, 1]


def test_what_did_not_go_out_is_tried_again_with_longer_pauses_and_given_up_some_time(homes: Homes) -> None:
    home = homes(ana=ADA)
    home.way.fails = [NotTold("the server answered 500")] * 3
    home.ask()
    assert [home.look(), home.look(1.9), home.look(0.1), home.look(3.9), home.look(0.1)] == [[0], [], [0], [], [0]]
    assert home.look(8.0) == [0]
    assert [outcome for _, _, outcome in home.notices] == [NoticeOutcome.FAILED] * 3 + [NoticeOutcome.SENT]
    home.ask("drink", Question("Water?", to=("ben",)))
    home.way.fails = [NotTold("the server answered 500")] * 1000
    home.ask("soup", Question("Soup?", to=("ana",)))
    home.desk.reply(answer(ID, "ana"))
    for _ in range(100):
        home.look(400.0)
    assert len(home.notices) == 4 + MOST_ATTEMPTS


def test_what_may_have_gone_out_is_never_sent_again(homes: Homes) -> None:
    home = homes(ana=REMINDED)
    home.way.fails = [PerhapsTold("the server ended the connection")]
    home.ask()
    assert [home.look(), home.look(10.0), home.look(50.0)] == [[0], [], [1]]
    assert home.notices[0] == (0, 1, NoticeOutcome.UNSURE)


def test_a_way_that_is_wrong_ends_nothing_and_its_words_are_not_kept(
    homes: Homes, caplog: pytest.LogCaptureFixture
) -> None:
    home = homes(ana=ADA)
    home.way.fails = [ValueError("the password is hunter2")]
    home.ask()
    assert [home.look(), home.look(1000.0)] == [[0], []]
    (ended,) = [entry.event for entry in home.journal.read(run="told") if isinstance(entry.event, NoticeEnded)]
    assert (ended.outcome, ended.why) == (NoticeOutcome.UNSURE, "it failed (ValueError)")
    assert "hunter2" not in caplog.text


def test_a_restart_tells_nothing_twice_and_goes_on_with_reminders(homes: Homes) -> None:
    home = homes(ana=REMINDED)
    home.ask()
    home.look()
    home = homes(ana=REMINDED)
    assert home.look() == []
    assert home.way.shown[-1] == {"arm": [ID]}, "what holds is shown again"
    assert home.look(60.0) == [1]
    home = homes(ana=REMINDED)
    assert [home.look(59.0), home.look(1.0), home.look(60.0)] == [[], [2], []]


@pytest.mark.parametrize("sent", [False, True])
def test_a_program_that_is_killed_while_it_tells_leaves_it_at_that(
    homes: Homes, sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    home = homes(ana=REMINDED)
    home.ask()

    def kill() -> None:
        raise Killed

    if sent:  # it went out, and the program died before it could write so
        monkeypatch.setattr(home.journal, "append", lambda *_, **__: kill())
    else:
        home.way.before = kill
    with pytest.raises(Killed):
        home.look()
    home = homes(ana=REMINDED)
    assert home.look() == []
    assert home.notices == [(0, 1, None)]
    assert home.look(60.0) == [1]


def test_a_failed_attempt_goes_on_after_a_restart(homes: Homes) -> None:
    home = homes(ana=ADA)
    home.way.fails = [NotTold("no connection to the server")]
    home.ask()
    home.look()
    home = homes(ana=ADA)
    assert [home.look(), home.look(2.0), home.look(100.0)] == [[], [0], []]
    assert [attempt for _, attempt, _ in home.notices] == [1, 2]


def test_of_two_servers_one_tells(store: str, clock: SetClock) -> None:
    first, second = (Home(store, clock, ANA, ana=REMINDED) for _ in range(2))
    first.ask()
    second.desk.tick()
    told = [home.look(10.0) for home in (first, second) * 20]
    assert sorted(number for numbers in told for number in numbers) == [0, 1, 2]
    assert sorted(notice.reminder for home in (first, second) for notice in home.way.told) == [0, 1, 2]
    second.close()
    first.close()


def test_a_question_that_was_answered_meanwhile_elsewhere_is_not_told(homes: Homes) -> None:
    home = homes(ana=ADA)
    record = home.ask()
    with Journal.open(home.journal.store, clock=home.clock) as journal, Desk(journal) as other:
        other.reply(answer(record, "ana"))
    home.line.look()  # this desk has not read the answer yet
    assert home.way.told == []
    assert home.notices == []


def test_an_erased_person_is_not_told_and_is_no_more_in_the_journal(homes: Homes) -> None:
    home = homes(ana=REMINDED)
    home.ask()
    home.look()
    home.journal.erase("ana")
    assert home.look(60.0) == []
    begun = [entry.event for entry in home.journal.read(run="told") if isinstance(entry.event, NoticeBegun)]
    assert [event.person[:7] for event in begun] == ["erased-"]
    home = homes(ana=REMINDED)
    home.desk.state  # noqa: B018 - ana is introduced again, and has no questions
    assert home.look(60.0) == []


def test_what_was_answered_is_taken_back(homes: Homes) -> None:
    home = homes(ana=ADA)
    record = home.ask()
    home.look()
    assert home.way.gone == []
    home.desk.reply(answer(record, "ana"))
    home.look()
    assert home.way.shown == [{"arm": []}, {"arm": [ID]}, {"arm": []}]
    assert home.way.gone == [(ID, "ada-7391")]
    home.look(100.0)
    assert len(home.way.shown) == 3


def test_what_was_answered_while_the_server_was_away_is_taken_back_at_its_start(homes: Homes) -> None:
    home = homes(ana=ADA)
    record = home.ask()
    home.look()
    home.desk.reply(answer(record, "ana"))
    home = homes(ana=ADA)
    home.look(3600.0)
    assert home.way.gone == [(ID, "ada-7391")]
    home = homes(ana=ADA)
    home.look(86_400.0)
    assert home.way.gone == [], "long ago"


def test_what_cannot_be_taken_back_now_is_tried_again_later(homes: Homes, caplog: pytest.LogCaptureFixture) -> None:
    home = homes(ana=ADA)
    record = home.ask()
    home.look()
    home.way.blind = ["no connection"] * 2
    home.desk.reply(answer(record, "ana"))
    for _ in range(3):
        home.look(1000.0)
    assert home.way.gone == [(ID, "ada-7391")] * 3
    assert home.way.shown[-1] == {"arm": []}
    assert caplog.text.count("cannot show") == 1


def test_a_stop_takes_back_what_was_told_and_nothing_is_told_before_enable(homes: Homes) -> None:
    home = homes(ana=REMINDED)
    home.ask()
    home.look()
    home.desk.stop("ana")
    assert home.look(100.0) == []
    assert home.way.shown[-1] == {"arm": []}
    home.ask("drink")
    assert home.look() == []
    home.desk.enable("ana")
    assert home.look() == [0]


def test_thousands_of_questions_are_so_many_notices_an_hour_and_the_oldest_comes_first(homes: Homes) -> None:
    wanted = PersonNotices(addresses={"note": "a"}, per_hour=5)
    home = homes(Person(name="ana", limits=Limits(at_once=5000)), ana=wanted)
    asked: dict[str, Any] = {
        "attempt": 1,
        "turn": "ana",
        "audience": ("ana",),
        "question": WHICH.to_json(),
        "of": ("ana",),
    }
    with home.journal.writing() as writer:  # as if they had come one after the other
        for number in range(2000):
            for event in (Asked(step=str(number), **asked), Opened(turn="ana")):
                writer.append(event, run="meal", key=f"meal/{number}/1")
    assert len(home.look()) == 5
    assert [notice.question for notice in home.way.told] == [f"meal/{number}/1" for number in range(5)]
    assert home.look(1800.0) == []
    assert len(home.look(1800.0)) == 5


def test_a_reminder_far_away_makes_no_room_in_this_hour(homes: Homes) -> None:
    wanted = PersonNotices(addresses={"note": "a"}, per_hour=1, every_s=7200.0, most=1)
    home = homes(Person(name="ana", limits=Limits(at_once=2)), ana=wanted)
    home.ask()
    assert home.look() == [0]
    home.ask("drink")
    assert [home.look(10.0), home.look(3590.0), home.look(3600.0)] == [[], [0], [1]]


def test_a_robot_whose_name_nobody_knows(homes: Homes) -> None:
    home = homes(ana=ADA)
    assert home.service.robot("meal") == "arm", "there is only one"
    home.service.robots = lambda: ["arm", "cart"]
    assert home.service.robot("meal") == NAMELESS
    home.service._robot_of = {"meal": "cart\n"}.get
    assert home.service.robot("meal") == "cart"


def test_the_threads_tell_by_themselves_and_a_slow_way_keeps_neither_desk_nor_stop_nor_other_ways_waiting(
    tmp_path: Path,
) -> None:
    slow, quick, go, telling = Notes("slow"), Notes("quick"), threading.Event(), threading.Event()

    def wait() -> None:
        telling.set()
        go.wait(60.0)

    slow.before = wait
    both = PersonNotices(addresses={"slow": "", "quick": ""})
    with Journal.open(tmp_path / "home.db") as journal, Desk(journal, [ANA]) as desk:
        service = NotificationService(desk, NotifySettings(people={"ana": both}), [slow, quick])
        service.start()
        record = desk.ask(WHICH, run="meal", step="food")
        assert telling.wait(30.0)
        soon(lambda: quick.told)
        desk.stop("ana")
        assert desk.stopped
        desk.enable("ana")
        assert desk.reply(answer(record, "ana")).status != "accepted"
        service.close()
        assert quick.closed.wait(30.0)
        assert not slow.closed.is_set(), "it was left behind"
        go.set()
        assert slow.closed.wait(30.0)
        soon(lambda: not any(thread.name.startswith("handup notices") for thread in threading.enumerate()))


def test_a_store_that_is_away_is_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handup.adapters.notify.notify_service.FIRST_PAUSE_S", 0.01)
    way, away = Notes(), [True, True, True]
    with Journal.open(tmp_path / "home.db") as journal, Desk(journal, [ANA]) as desk:
        service = NotificationService(desk, NotifySettings(people={"ana": ADA}), [way])
        write = journal.writing

        def writing() -> object:
            if threading.current_thread().name.startswith("handup notices") and away:
                away.pop()
                raise StoreUnavailable("the store is away", hint="Wait.")
            return write()

        monkeypatch.setattr(journal, "writing", writing)
        with caplog.at_level(logging.WARNING, "handup.notify"):
            service.start()
            desk.ask(WHICH, run="meal", step="food")
            soon(lambda: way.told)
        service.close()
    assert caplog.text.count("have to wait") == 1
    assert len(way.told) == 1
