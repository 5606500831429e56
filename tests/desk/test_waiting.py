"""Who waits for an answer: woken at once, by their own question, with one at a time who follows the journal."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from handup.core import Limits, Person, Question, QuestionKind
from handup.desk import Desk, Simulated, SkippingClock, Status, Terms, WithdrawalCause
from handup.journal import Journal
from tests.desk.desks import PEOPLE, WHICH, Eager, answer, at


def test_wait_gives_up_when_its_time_is_up(desk: Desk) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    assert desk.wait(record.id, timeout_s=0.0) is None
    assert desk.wait(record.id, timeout_s=0.05) is None


@pytest.fixture
def no_polling(monkeypatch: pytest.MonkeyPatch) -> Terms:
    """Whoever looks only now and then looks too late: a test that ends was woken."""
    monkeypatch.setattr("handup.journal.journal.POLL_S", 60.0)
    return Terms(look_every_s=60.0)


def test_wait_wakes_at_once_for_an_answer_in_this_process(
    journal: Journal, no_polling: Terms, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(journal, PEOPLE, terms=no_polling)
    record = desk.ask(WHICH, run="meal", step="food")
    watch, waits = journal.wait, threading.Event()
    told: list[object] = []

    def watched(after: int, timeout_s: float) -> bool:
        waits.set()
        return watch(after, timeout_s)

    monkeypatch.setattr(journal, "wait", watched)
    waiting = threading.Thread(target=lambda: told.append(desk.wait(record.id, timeout_s=600.0)))
    waiting.start()
    assert waits.wait(30.0)
    desk.reply(answer(record, "ana"))
    waiting.join(30.0)
    assert told != []
    assert told != [None]


def test_each_of_many_who_wait_is_woken_for_its_own_answer_and_one_at_a_time_follows_the_journal(
    journal: Journal, no_polling: Terms, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(journal, [Person(name="ana", limits=Limits(at_once=20))], terms=no_polling)
    ids = [desk.ask(WHICH, run="meal", step=str(step)).id for step in range(12)]
    watch = journal.wait
    inside: list[str] = []
    most: list[int] = []
    woken: list[str] = []

    def counted(after: int, timeout_s: float) -> bool:
        inside.append("")
        most.append(len(inside))
        try:
            return watch(after, timeout_s)
        finally:
            inside.pop()

    def go(id_: str) -> None:
        told = desk.wait(id_, timeout_s=30.0)
        assert told is not None
        assert told.answer is not None
        assert told.answer.value == id_
        woken.append(id_)

    monkeypatch.setattr(journal, "wait", counted)
    threads = [threading.Thread(target=go, args=(id_,)) for id_ in ids]
    for thread in threads:
        thread.start()
    other = Desk(journal, terms=no_polling)
    for number, (id_, thread) in enumerate(zip(ids, threads, strict=True)):
        here = (desk, other)[number % 2]  # who leads leaves, too
        assert here.reply(answer(id_, "ana", id_)).accepted
        thread.join(10.0)
        assert not thread.is_alive()
    assert woken == ids
    assert max(most) == 1


def test_who_waits_is_told_of_a_stop_that_comes_meanwhile(journal: Journal, no_polling: Terms) -> None:
    desk = Desk(journal, [Person(name="ana", limits=Limits(at_once=20))], terms=no_polling)
    ids = [desk.ask(WHICH, run="meal", step=str(step)).id for step in range(4)]
    causes: list[WithdrawalCause | None] = []

    def go(id_: str) -> None:
        told = desk.wait(id_, timeout_s=30.0)
        assert told is not None
        causes.append(told.cause)

    threads = [threading.Thread(target=go, args=(id_,)) for id_ in ids]
    for thread in threads:
        thread.start()
    desk.stop("ana")
    for thread in threads:
        thread.join(10.0)
    assert len(causes) == 4
    assert desk.stopped


def test_who_gives_up_leaves_the_journal_to_another_one(journal: Journal, no_polling: Terms) -> None:
    desk = Desk(journal, [Person(name="ana", limits=Limits(at_once=20))], terms=no_polling)
    first, second = (desk.ask(WHICH, run="meal", step=step) for step in "ab")
    leader = threading.Thread(target=desk.wait, args=(first.id, 0.3))
    leader.start()
    threading.Timer(0.6, Desk(journal).reply, [answer(second, "ana")]).start()
    told = desk.wait(second.id, timeout_s=30.0)
    leader.join()
    assert told is not None
    assert told.status is Status.ANSWERED


def test_wait_is_told_of_a_stop(desk: Desk) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    desk.stop("ana", "spilt")
    told = desk.wait(record.id)
    assert told is not None
    assert (told.status, told.cause, desk.stopped) == (Status.WITHDRAWN, WithdrawalCause.STOP, True)
    desk.enable("ben")
    assert desk.state.stopped is None


def test_wait_skips_time_where_the_clock_can(tmp_path: Path) -> None:
    clock = SkippingClock(1000.0)
    with Journal.open(at(tmp_path), clock=clock) as journal:
        desk = Desk(journal, [Person(name="ana", limits=Limits(per_hour=1))], channels=[Eager()])
        for step in range(24):
            record = desk.ask(WHICH, run="day", step=str(step))
            told = desk.wait(record.id)
            assert told is not None
            assert told.status is Status.ANSWERED
        assert clock.now_s() == 1000.0 + 23 * 3600.0
        late = desk.ask(Question("Which one?", deadline_s=clock.now_s() + 60.0), run="day", step="late")
        told = desk.wait(late.id)
        assert told is not None
        assert told.status is Status.EXPIRED


def test_wait_lets_simulated_people_reply_in_their_own_time(tmp_path: Path) -> None:
    clock = SkippingClock(1000.0)
    with Journal.open(at(tmp_path), clock=clock) as journal:
        someone = Simulated(lambda _: "plum", random=np.random.default_rng(1), accuracy=1.0)
        desk = Desk(journal, PEOPLE, channels=[someone])
        record = desk.ask(Question("Which one?", QuestionKind.CHOICE, ("plum", "pear")), run="meal", step="food")
        told = desk.wait(record.id)
        assert told is not None
        assert told.answer is not None
        assert told.answer.value == "plum"
        assert told.answer.latency_s == pytest.approx(clock.now_s() - 1000.0)
        assert clock.now_s() > 1000.0


def test_watching_sees_to_what_another_desk_wrote(desk: Desk, journal: Journal) -> None:
    other = Desk(journal, PEOPLE)
    assert not other.watch(0.01)
    desk.ask(WHICH, run="meal", step="food")
    assert other.watch(5.0)
