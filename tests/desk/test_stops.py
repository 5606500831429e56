"""Stops: never refused, never lost, from wherever they come."""

from __future__ import annotations

import time
from typing import Any, NoReturn

import pytest

from handup.core import BadSetting, Question, StoreUnavailable
from handup.desk import Desk, Status, WithdrawalCause, replay
from handup.desk.question_state import Fold
from handup.journal import Journal
from tests.desk.desks import PEOPLE, WHICH, answer, says


def out_of_reach() -> NoReturn:
    raise StoreUnavailable("the disk is full", hint="Make room.")


@pytest.mark.parametrize("by_reply", [False, True])
def test_a_stop_that_cannot_be_written_holds_all_the_same(
    desk: Desk, journal: Journal, monkeypatch: pytest.MonkeyPatch, by_reply: bool
) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    with monkeypatch.context() as broken:
        broken.setattr(journal, "writing", out_of_reach)
        with pytest.raises(StoreUnavailable):
            if by_reply:
                desk.reply(says("stop", record, "ana"))
            else:
                desk.stop("ana")
        assert desk.stopped
        assert desk.wait(record.id, timeout_s=5.0) is not None
        assert desk.free_from_s(1000.0) == float("inf")
    assert desk.ask(WHICH, run="meal", step="drink").status is Status.HELD
    taken_back = desk.record(record.id)
    assert taken_back is not None
    assert taken_back.cause is WithdrawalCause.STOP
    assert Desk(journal, PEOPLE).stopped
    desk.enable("ben")
    assert desk.state.stopped is None
    assert replay(journal.read()) == desk.state


@pytest.mark.parametrize("by", ["pi\0lot", "half \ud800", "x" * 5000, "", None, 7])
def test_no_stop_is_refused_for_its_words_and_none_stands_in_the_way(desk: Desk, journal: Journal, by: Any) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    desk.stop(by, by or "why")
    assert Desk(journal, PEOPLE).stopped
    now = desk.record(record.id)
    assert now is not None
    assert now.cause is WithdrawalCause.STOP
    desk.enable("ana")
    assert not desk.stopped
    assert desk.ask(WHICH, run="meal", step="drink").status is Status.OPEN


def test_a_refused_command_does_not_take_a_stop_back_that_was_to_be_written_before_it(
    desk: Desk, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(journal, "writing", out_of_reach)
        with pytest.raises(StoreUnavailable):
            desk.stop("ana")
    with pytest.raises(BadSetting):
        desk.ask(Question("Which one?", to=("carol",)), run="meal", step="food")
    assert Desk(journal, PEOPLE).stopped
    assert [each.kind for each in journal.read()].count("desk.stopped") == 1


def test_whether_there_was_a_stop_since(desk: Desk, journal: Journal) -> None:
    before = journal.head().seq
    assert not desk.stopped_since(before)
    desk.stop("ana")
    assert desk.stopped_since(before)
    desk.enable("ana")
    assert desk.stopped_since(before)
    assert Desk(journal).stopped_since(before)
    assert not desk.stopped_since(journal.head().seq)


def test_a_stop_from_a_signal_handler_never_blocks(
    desk: Desk, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    said: list[str] = []
    fold = Fold.take

    def interrupted(self: Any, entry: Any) -> None:
        fold(self, entry)
        if not said:
            said.append("stop")
            desk.stop("ana", "as a handler would, while the desk holds its lock")
            assert desk._stops

    monkeypatch.setattr(Fold, "take", interrupted)
    assert desk.reply(answer(record, "ana")).accepted
    until = time.monotonic() + 10.0
    while not Desk(journal, PEOPLE).stopped:
        assert time.monotonic() < until
        time.sleep(0.01)
    desk.enable("ana")
    with journal.writing():
        desk.stop("ana", "inside a transaction")
        assert desk.stopped
    while not Desk(journal, PEOPLE).stopped:
        assert time.monotonic() < until
        time.sleep(0.01)
