"""The desk on a real journal: restarts, forgetting and finding again, erasure, several desks as one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import handup.desk.question_state as state_module
from handup.core import BadSetting, IllegalCall, Limits, Person, Question, QuestionKind, StoreUnavailable
from handup.desk import (
    ERASED,
    Desk,
    DeskState,
    ReceiptStatus,
    Status,
    Terms,
    WithdrawalCause,
    replay,
)
from handup.journal import Erasure, Journal, Writer
from tests.desk.desks import PEOPLE, WHICH, SetClock, answer, at, run_race, says


def test_a_question_an_answer_and_what_the_asker_is_told(desk: Desk) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    assert desk.reply(answer(record, "ana", "plum")).accepted
    told = desk.wait(record.id)
    assert told is not None
    assert (told.status, told.answer and told.answer.value, told.told) == (Status.ANSWERED, "plum", "ana answered.")


def test_a_restart_finds_the_same_question_with_deadline_and_audience(desk: Desk, journal: Journal) -> None:
    question = Question("Which one?", deadline_s=5000.0, to=("ben", "ana"))
    record = desk.ask(question, run="meal", step="food", load=0.5)
    for close in (False, True):
        if close:
            desk.close()
        again = Desk(journal, PEOPLE)
        assert again.ask(question, run="meal", step="food", load=0.5) == record
        assert again.state == desk.state == replay(journal.read())
    assert record.question == question


@pytest.mark.parametrize("kind", ["answer", "not-now", "someone-else", "let-robot-try", "stop"])
def test_the_same_reply_after_a_restart_gets_the_same_receipt(
    desk: Desk, journal: Journal, clock: SetClock, kind: str
) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    reply = answer(record, "ana") if kind == "answer" else says(kind, record, "ana")
    first = desk.reply(reply)
    clock.advance(20)
    again = Desk(journal, PEOPLE).reply(reply)
    assert (again.accepted, again.again, again.message) == (True, True, first.message)


def test_refused_replies_write_nothing(desk: Desk, journal: Journal) -> None:
    record = desk.ask(Question("Which one?", QuestionKind.CHOICE, ("plum", "pear")), run="meal", step="food")
    desk.claim(record.id, "ana")
    seq = journal.head().seq
    for reply in (answer(record, "ben", "plum"), answer(record, "ana", "fig"), answer("none/none/1", "ana")):
        assert not desk.reply(reply).accepted
    assert not desk.reply(answer(record, "mallory", "plum")).accepted
    desk.tick()
    assert journal.head().seq == seq


def test_ended_questions_leave_the_state_and_are_found_again(
    desk: Desk, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_module, "MOST_ENDED", 2)
    records = [desk.ask(WHICH, run="meal", step=str(step)) for step in range(5)]
    for record in records:
        assert desk.reply(answer(record, "ana", f"for {record.id}")).accepted
    assert list(desk.state.records) == [record.id for record in records[3:]]
    first = desk.record(records[0].id)
    assert first is not None
    assert first.answer is not None
    assert first.answer.value == f"for {first.id}"
    seq = journal.head().seq
    assert desk.ask(WHICH, run="meal", step="0") == first
    assert desk.reply(answer(first, "ana", f"for {first.id}")).again
    assert desk.reply(answer(first, "ben", token="u")).status is ReceiptStatus.LATE
    assert desk.withdraw(first.id, "").status is ReceiptStatus.LATE
    assert desk.wait(first.id) == first
    assert journal.head().seq == seq
    assert desk.state == replay(journal.read())


def test_snapshots_are_made_on_the_way_and_on_closing(journal: Journal) -> None:
    desk = Desk(journal, PEOPLE, terms=Terms(snapshot_every=6))
    first = desk.ask(WHICH, run="meal", step="a")
    assert journal.snapshot("desk") is None
    desk.reply(answer(first, "ana"))
    desk.ask(WHICH, run="meal", step="b")
    kept = journal.snapshot("desk")
    assert kept is not None
    assert DeskState.from_json(kept.state) == replay(each for each in journal.read() if each.seq <= kept.seq)
    desk.withdraw("meal/b/1", "no need")
    desk.close()
    desk.close()
    kept = journal.snapshot("desk")
    assert kept is not None
    assert kept.seq == journal.head().seq
    assert Desk(journal, PEOPLE).state == replay(journal.read())


def test_a_snapshot_of_another_schema_is_left_alone_and_the_journal_replayed(desk: Desk, journal: Journal) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    journal.save_snapshot("desk", journal.head().seq, {**desk.state.to_json(), "schema": 99})
    assert Desk(journal, PEOPLE).record(record.id) == record


def test_the_clock_set_back_is_no_time_at_all(desk: Desk, clock: SetClock) -> None:
    record = desk.ask(Question("Which one?", deadline_s=1100.0), run="meal", step="food")
    clock.set(0.0)
    assert desk.now_s() == 1000.0
    desk.tick()
    clock.set(1100.0)
    desk.tick()
    expired = desk.record(record.id)
    assert expired is not None
    assert expired.status is Status.EXPIRED


def test_free_from(journal: Journal, clock: SetClock) -> None:
    desk = Desk(journal, [Person(name="ana", limits=Limits(per_hour=1))])
    assert desk.free_from_s(1000.0) == 1000.0
    record = desk.ask(WHICH, run="meal", step="food")
    desk.reply(answer(record, "ana"))
    assert desk.free_from_s(1500.0) == 4600.0
    assert desk.ask(WHICH, run="meal", step="more").until_s == 4600.0
    desk.stop("ana")
    assert desk.free_from_s(1500.0) == float("inf")
    assert Desk(journal, ()).free_from_s(1500.0) == float("inf")


def test_pending_questions_in_order_of_asking(desk: Desk) -> None:
    records = [desk.ask(Question("Which one?", to=(to,)), run="meal", step=to) for to in ("ben", "ana")]
    assert [each.id for each in desk.pending()] == [each.id for each in records]
    assert [each.id for each in desk.pending("ana")] == [records[1].id]


def test_settings_that_cannot_be_are_refused(desk: Desk, journal: Journal) -> None:
    with pytest.raises(BadSetting, match="different names, got ana, ana"):
        Desk(journal, [PEOPLE[0], PEOPLE[0]])
    with pytest.raises(BadSetting, match="carol"):
        desk.ask(Question("Which one?", to=("carol",)), run="meal", step="food")
    with pytest.raises(BadSetting, match="mallory"):
        desk.enable("mallory")
    with pytest.raises(BadSetting, match="lease_s"):
        Terms(lease_s=0)
    with pytest.raises(IllegalCall, match="none"):
        desk.wait("none/none/1")


# -- snapshots and erasure --------------------------------------------------------------------------------------------


def test_no_snapshot_of_a_full_disk_is_no_harm(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise StoreUnavailable("the disk is full", hint="Make room.")

    monkeypatch.setattr(journal, "save_snapshot", full)
    desk = Desk(journal, PEOPLE, terms=Terms(snapshot_every=1))
    assert desk.ask(WHICH, run="meal", step="food").status is Status.OPEN
    assert "disk is full" in caplog.text


def test_a_snapshot_that_an_erasure_overtook_is_made_again(
    desk: Desk, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.ask(Question("Which one?", to=("ben", "ana")), run="meal", step="food")
    save = journal.save_snapshot
    erased: list[Erasure] = []

    def overtaken(name: str, seq: int, state: Mapping[str, Any]) -> None:
        if not erased:
            erased.append(journal.erase("ana"))
        save(name, seq, state)

    monkeypatch.setattr(journal, "save_snapshot", overtaken)
    desk.close()
    kept = journal.snapshot("desk")
    assert kept is not None
    assert "ana" not in json.dumps(kept.state)
    assert kept.seq == journal.head().seq


def test_an_erasure_while_the_state_is_built_again_brings_nothing_back(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(journal, [*PEOPLE, Person(name="cem")], terms=Terms(snapshot_every=1))
    record = desk.ask(Question("Which one?", to=("ben", "ana")), run="meal", step="food")
    desk.reply(answer(record, "ana", "a secret"))
    open_one = desk.ask(Question("And which now?", to=("ben",)), run="meal", step="drink")
    journal.erase("cem")
    monkeypatch.setattr("handup.journal.writer.BATCH", 2)
    read = journal.read
    erased: list[Erasure] = []

    def overtaken(after: int = 0, **more: Any) -> Iterator[Any]:
        for entry in read(after, **more):
            yield entry
            if after == 0 and entry.seq == record.number + 4 and not erased:  # what was said has been read by now
                erased.append(journal.erase("ana"))

    monkeypatch.setattr(journal, "read", overtaken)
    desk.tick()
    assert erased
    assert "a secret" not in json.dumps(desk.state.to_json())
    assert desk.state == replay(journal.read())
    desk.reply(answer(open_one, "ben"))
    desk.close()
    kept = journal.snapshot("desk")
    assert kept is not None
    assert "a secret" not in json.dumps(kept.state)


def test_after_an_erasure_the_journal_is_replayed_before_the_transaction_not_inside(
    desk: Desk, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = desk.ask(Question("Which one?", to=("ben",)), run="meal", step="food")
    journal.erase("ana")
    read = Writer.read
    inside: list[int] = []

    def noted(self: Writer, after: int = 0, **more: Any) -> Iterator[Any]:
        entries = list(read(self, after, **more))
        inside.append(len(entries))
        yield from entries

    monkeypatch.setattr(Writer, "read", noted)
    assert desk.reply(answer(record, "ben")).accepted
    assert sum(inside) == 0


def test_a_question_whose_words_were_erased_is_withdrawn(desk: Desk, journal: Journal) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    journal.erase("ana")
    desk.tick()
    for each in (desk, Desk(journal, PEOPLE[1:])):
        now = each.record(record.id)
        assert now is not None
        assert (now.status, now.cause, now.question) == (Status.WITHDRAWN, WithdrawalCause.ERASED, ERASED)
        assert each.state == replay(journal.read())
    desk.close()
    assert "ana" not in json.dumps(desk.state.to_json())
    kept = journal.snapshot("desk")
    assert kept is not None
    assert DeskState.from_json(kept.state) == desk.state


def test_a_question_that_an_erased_person_was_asked_second_goes_on_to_the_next(journal: Journal) -> None:
    desk = Desk(journal, [*PEOPLE, Person(name="cem")])
    record = desk.ask(WHICH, run="meal", step="food")
    desk.reply(says("someone-else", record, "ana"))
    journal.erase("ben")
    desk.tick()
    now = desk.record(record.id)
    assert now is not None
    assert (now.status, now.turn, now.question.prompt) == (Status.OPEN, "cem", "Which one?")
    journal.erase("cem")
    desk.tick()
    now = desk.record(record.id)
    assert now is not None
    assert (now.status, now.cause) == (Status.WITHDRAWN, WithdrawalCause.NOBODY)
    assert desk.state == replay(journal.read())


def test_an_erased_answer_leaves_that_there_was_one(desk: Desk, journal: Journal) -> None:
    record = desk.ask(Question("Which one?", to=("ben", "ana")), run="meal", step="food")
    desk.reply(answer(record, "ana", "the blue one", device="ana's tablet"))
    journal.erase("ana")
    now = desk.record(record.id)
    assert now is not None
    assert now.answer is not None
    assert (now.status, now.answer.value, now.device) == (Status.ANSWERED, None, None)
    assert str(now.by).startswith("erased-")
    assert desk.reply(answer(record, "ben", token="u")).message == "Somebody has already answered this."


# -- several as one ---------------------------------------------------------------------------------------------------


def test_a_question_to_another_belongs_to_those_who_answered_in_the_run_before(desk: Desk, journal: Journal) -> None:
    record = desk.ask(WHICH, run="meal", step="food")
    desk.reply(answer(record, "ana", "a secret"))
    others = [
        desk.ask(Question("Not a secret?", to=("ben",)), run="meal", step="sure"),
        desk.ask(Question("Which one?", to=("ben",)), run="walk", step="way"),
    ]
    assert sum(b"a secret" in each.body.encode() for each, _ in journal.bodies()) == 0  # what lies in the chain
    journal.erase("ana")
    desk.tick()
    left = [desk.record(each.id) for each in others]
    assert [each.question for each in left if each is not None] == [ERASED, others[1].question]
    assert "a secret" not in json.dumps([body for _, body in journal.bodies()])
    assert desk.state == replay(journal.read())


def test_two_processes_race_and_each_time_exactly_one_answer_counts(tmp_path: Path) -> None:
    run_race(at(tmp_path), questions=50)


def test_threads_race_on_one_desk(desk: Desk, journal: Journal) -> None:
    record = desk.ask(WHICH, run="race", step="s")
    receipts: list[ReceiptStatus] = []

    def go(number: int) -> None:
        by = ("ana", "ben")[number % 2]
        receipts.append(desk.reply(answer(record, by, token=str(number))).status)

    threads = [threading.Thread(target=go, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(receipts) == sorted([ReceiptStatus.ACCEPTED, *[ReceiptStatus.LATE] * 7])
    assert desk.state == replay(journal.read())
