"""What channels are told: once, after it is durable, whatever other channels do."""

from __future__ import annotations

import logging
import threading

import pytest

from handup.core import BadSetting, Limits, Person, Question
from handup.desk import Channel, Desk, Record, Status
from handup.journal import Journal
from tests.desk.desks import PEOPLE, Eager, Screen, SetClock, answer, says

WHICH = Question("Which one?")
ID = "meal/food/1"


def test_a_question_is_shown_once_and_taken_once(journal: Journal) -> None:
    screen = Screen()
    assert isinstance(screen, Channel)
    desk = Desk(journal, PEOPLE, channels=[screen])
    desk.ask(WHICH, run="meal", step="food")
    desk.ask(WHICH, run="meal", step="food")
    desk.claim(ID, "ana")
    desk.tick()
    assert screen.told == [("show", ID)]
    desk.reply(answer(ID, "ana"))
    desk.reply(answer(ID, "ana"))
    desk.tick()
    assert screen.told == [("show", ID), ("taken", ID)]


def test_what_is_put_off_or_passed_on_is_taken_and_shown_again(journal: Journal) -> None:
    screen = Screen()
    desk = Desk(journal, PEOPLE, channels=[screen])
    desk.ask(WHICH, run="meal", step="food")
    desk.reply(says("someone-else", ID, "ana"))
    desk.reply(says("not-now", ID, "ben"))
    assert [each for each, _ in screen.told] == ["show", "taken", "show", "taken"]


def test_what_is_held_is_not_shown(journal: Journal) -> None:
    screen = Screen()
    desk = Desk(journal, PEOPLE[:1], channels=[screen])
    desk.ask(WHICH, run="meal", step="food")
    desk.ask(WHICH, run="meal", step="drink")
    assert screen.told == [("show", ID)]
    desk.withdraw(ID, "no need")
    assert screen.told == [("show", ID), ("taken", ID), ("show", "meal/drink/1")]


def test_only_channels_that_reach_the_person_are_told(journal: Journal) -> None:
    tablet, voice = Screen("tablet"), Screen("voice")
    desk = Desk(journal, [Person(name="ana", channels=("voice",)), PEOPLE[1]], channels=[tablet, voice])
    desk.ask(WHICH, run="meal", step="food")
    assert (tablet.told, voice.told) == ([], [("show", ID)])
    desk.reply(says("someone-else", ID, "ana"))
    assert (tablet.told, voice.told) == ([("show", ID)], [("show", ID), ("taken", ID), ("show", ID)])


@pytest.mark.parametrize("error", [OSError("unplugged"), BadSetting("no", hint="no"), KeyError("x"), RuntimeError("x")])
def test_a_channel_that_breaks_stops_nobody(
    journal: Journal, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    broken, screen = Screen("broken", breaks=error), Screen()
    desk = Desk(journal, PEOPLE, channels=[broken, screen])
    with caplog.at_level(logging.ERROR, "handup.desk"):
        desk.ask(WHICH, run="meal", step="food")
        assert desk.reply(answer(ID, "ana")).accepted
        desk.close()
    assert screen.told == [("show", ID), ("taken", ID)]
    assert (broken.closed, screen.closed) == (1, 1)
    assert "broken" in caplog.text


def test_what_a_channel_failed_at_is_told_again_after_a_pause_and_no_longer_than_it_holds(
    journal: Journal, clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    broken = Screen("broken", breaks=OSError("unplugged"))
    desk = Desk(journal, PEOPLE, channels=[broken])
    desk.ask(WHICH, run="meal", step="food")
    desk.tick()
    assert broken.told == [("show", ID)]
    for _ in range(3):
        clock.advance(10.0)
        desk.tick()
    assert broken.told == [("show", ID)] * 4
    broken.mend()
    clock.advance(10.0)
    for _ in range(3):
        desk.tick()
        clock.advance(1000.0)
    assert broken.told == [("show", ID)] * 5
    assert "broken" in caplog.text
    desk.withdraw(ID, "no need")
    assert broken.told[5:] == [("taken", ID)]


def test_a_question_that_could_not_be_shown_is_not_shown_once_it_is_settled(journal: Journal, clock: SetClock) -> None:
    broken = Screen("broken", breaks=OSError("unplugged"))
    desk = Desk(journal, PEOPLE, channels=[broken])
    desk.ask(WHICH, run="meal", step="food")
    broken.mend()
    desk.reply(answer(ID, "ana"))
    clock.advance(1000.0)
    desk.tick()
    assert broken.told == [("show", ID), ("taken", ID)]


def test_a_channel_that_never_works_is_given_up_some_time(
    journal: Journal, clock: SetClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("handup.desk.channel.MOST_TRIES", 3)
    broken = Screen("broken", breaks=OSError("unplugged"))
    desk = Desk(journal, PEOPLE, channels=[broken])
    desk.ask(WHICH, run="meal", step="food")
    for _ in range(9):
        clock.advance(1000.0)
        desk.tick()
    assert broken.told == [("show", ID)] * 3
    assert "given up" in caplog.text


def test_a_slow_channel_keeps_no_other_one_waiting_and_each_is_told_in_order(journal: Journal) -> None:
    showing, go = threading.Event(), threading.Event()

    class Slow(Screen):
        def show(self, record: Record, desk: Desk) -> None:
            showing.set()
            assert go.wait(10.0)
            super().show(record, desk)

    slow, screen = Slow("slow"), Screen()
    desk = Desk(journal, PEOPLE, channels=[screen, slow])
    asker = threading.Thread(target=lambda: desk.ask(WHICH, run="meal", step="food"))
    asker.start()
    assert showing.wait(10.0)
    assert desk.reply(answer(ID, "ana")).accepted
    assert (screen.told, slow.told) == ([("show", ID), ("taken", ID)], [])
    go.set()
    asker.join()
    assert slow.told == [("show", ID), ("taken", ID)]


def test_somebody_whom_only_the_journal_knows_is_reached_and_nobody_is_warned_of(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    Desk(journal, PEOPLE).ask(WHICH, run="meal", step="food")
    screen = Screen()
    Desk(journal, PEOPLE[1:], channels=[screen])
    assert screen.told == [("show", ID)]
    assert caplog.text == ""


def test_a_channel_may_reply_from_within_show(journal: Journal) -> None:
    desk = Desk(journal, PEOPLE, channels=[Screen(reply=answer(ID, "ana"))])
    assert desk.ask(WHICH, run="meal", step="food").status is Status.ANSWERED


def test_a_long_row_of_held_questions_answered_from_within_show_does_not_nest(journal: Journal) -> None:
    asker = Desk(journal, [Person(name="ana", limits=Limits())])
    for step in range(40):
        asker.ask(WHICH, run="meal", step=str(step))
    eager = Eager()
    desk = Desk(journal, [Person(name="ana")], channels=[eager])
    assert (eager.shown, eager.deepest, desk.pending()) == (40, 1, ())


def test_after_a_restart_what_is_open_is_shown_and_nothing_else(journal: Journal) -> None:
    first = Desk(journal, PEOPLE)
    first.ask(WHICH, run="meal", step="food")
    first.ask(Question("Which one?", to=("ben",)), run="meal", step="drink")
    first.reply(answer(ID, "ana"))
    screen = Screen()
    Desk(journal, PEOPLE, channels=[screen])
    assert screen.told == [("show", "meal/drink/1")]


def test_what_another_desk_did_is_told_at_the_next_tick(journal: Journal) -> None:
    screen = Screen()
    here, there = Desk(journal, PEOPLE, channels=[screen]), Desk(journal, PEOPLE)
    there.ask(WHICH, run="meal", step="food")
    here.tick()
    there.reply(answer(ID, "ana"))
    here.tick()
    assert screen.told == [("show", ID), ("taken", ID)]


def test_what_came_and_went_between_two_ticks_is_not_shown(journal: Journal) -> None:
    screen = Screen()
    here, there = Desk(journal, PEOPLE, channels=[screen]), Desk(journal, PEOPLE)
    there.ask(WHICH, run="meal", step="food")
    there.reply(answer(ID, "ana"))
    here.tick()
    assert screen.told == []


def test_what_a_person_breaks_off_reaches_the_caller_and_nothing_is_lost(journal: Journal) -> None:
    desk = Desk(journal, PEOPLE, channels=[Screen(breaks=KeyboardInterrupt())])
    with pytest.raises(KeyboardInterrupt):
        desk.ask(WHICH, run="meal", step="food")
    assert [each.id for each in desk.pending()] == [ID]
