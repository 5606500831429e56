"""What becomes of each command: asks, replies of all kinds, withdrawals, and of time."""

from __future__ import annotations

from typing import Any

import pytest

from handup.core import BadSetting, Limits, Person, Question, QuestionKind
from handup.desk import ReceiptStatus, Status, Terms, WithdrawalCause, question_id
from handup.desk.question_state import MOST_REPLIES
from handup.desk.record import may_be_id
from handup.desk.rules import ClaimQuestion, Withdraw
from tests.desk.pure import ANA, BEN, CEM, PureDesk, claim

CHOICE = Question("Which one?", QuestionKind.CHOICE, ("plum", "pear"))


@pytest.fixture
def desk() -> PureDesk:
    return PureDesk()


# -- asking -----------------------------------------------------------------------------------------------------------


def test_a_question_is_put_to_the_first_of_its_audience(desk: PureDesk) -> None:
    record = desk.ask()
    assert (record.id, record.status, record.turn, record.opened_s) == ("r/s/1", Status.OPEN, "ana", 1000.0)


def test_asking_again_is_the_same_question(desk: PureDesk) -> None:
    record = desk.ask()
    desk.now_s += 5
    assert desk.ask(Question("Something else?")) == record
    assert len(desk.entries) == 2


@pytest.mark.parametrize(
    ("run", "step", "attempt"),
    [
        ("", "s", 1),
        ("r", "", 1),
        ("r", "s", 0),
        ("r", "a/b", 1),
        ("r\n", "s", 1),
        ("r" * 201, "s", 1),
        ("r", "s", True),
        ("r", "s", 10**9 + 1),
        ("r\0", "s", 1),
        ("r", "\ud800", 1),
    ],
)
def test_names_that_make_no_id_are_refused(run: str, step: str, attempt: int) -> None:
    with pytest.raises(BadSetting):
        question_id(run, step, attempt)


def test_different_runs_steps_and_attempts_make_different_ids() -> None:
    assert question_id("a/b", "c", 2) == "a/b/c/2"


def test_a_question_for_nobody_is_refused() -> None:
    with pytest.raises(BadSetting, match="nobody"):
        PureDesk([]).ask()


def test_more_questions_than_may_wait_are_refused_to_the_asker() -> None:
    desk = PureDesk(terms=Terms(most_waiting=1))
    desk.ask()
    with pytest.raises(BadSetting, match="wait already"):
        desk.ask(step="t")


def test_a_deadline_in_the_past_is_expired_at_once(desk: PureDesk) -> None:
    assert desk.ask(Question("Which one?", deadline_s=999.0)).status is Status.EXPIRED


def test_a_question_goes_to_somebody_whom_it_can_ever_fit() -> None:
    desk = PureDesk([Person(name="ana", limits=Limits(load_per_hour=1.0)), BEN])
    assert desk.ask(load=2.0).turn == "ben"


def test_a_question_that_can_never_fit_anybody_is_told_to_the_asker_at_once() -> None:
    desk = PureDesk([Person(name="ana", limits=Limits(load_per_hour=1.0))])
    record = desk.ask(load=2.0)
    assert (record.status, record.cause) == (Status.WITHDRAWN, WithdrawalCause.NOBODY)
    assert record.why == "it can never be put to anybody: no more load than 1 an hour"


def test_someone_else_is_nobody_whom_it_can_never_fit() -> None:
    desk = PureDesk([ANA, Person(name="ben", limits=Limits(load_per_hour=1.0)), CEM])
    record = desk.ask(load=2.0)
    desk.reply(record, "ana", "someone-else")
    assert desk[record].turn == "cem"


# -- answers ----------------------------------------------------------------------------------------------------------


def test_the_first_valid_answer_wins_and_the_next_is_told(desk: PureDesk) -> None:
    record = desk.ask(CHOICE)
    desk.now_s += 7
    first = desk.reply(record, "ana", value="plum", certainty=0.5)
    second = desk.reply(record, "ben", value="pear", token="u")
    assert first.accepted
    assert second.status is ReceiptStatus.LATE
    assert second.message == "Ana has already answered this."
    answer = desk[record].answer
    assert answer is not None
    assert (answer.value, answer.by, answer.latency_s, answer.certainty) == ("plum", "ana", 7.0, 0.5)


@pytest.mark.parametrize(("kind", "why"), [("permission", "gives permission"), ("physical", "a person's hands")])
def test_what_only_people_can_settle_is_not_left_to_the_robot(desk: PureDesk, kind: str, why: str) -> None:
    record = desk.ask(Question("May I, or will you?", QuestionKind(kind)))
    before, entries = desk[record], len(desk.entries)
    receipt = desk.reply(record, "ana", "let-robot-try")
    assert receipt.status is ReceiptStatus.INVALID
    assert why in receipt.message
    assert (desk[record], len(desk.entries)) == (before, entries)
    assert desk.reply(record, "ana", "answer", value=True).accepted, "the same token is still good"


@pytest.mark.parametrize("kind", ["answer", "not-now", "someone-else", "let-robot-try", "stop"])
def test_the_same_reply_again_gets_the_same_receipt(desk: PureDesk, kind: str) -> None:
    record = desk.ask()
    first = desk.reply(record, "ana", kind)
    desk.now_s += 30
    entries = len(desk.entries)
    again = desk.reply(record, "ana", kind)
    assert (first.accepted, first.again, again.accepted, again.again) == (True, False, True, True)
    assert first.message == again.message
    assert len(desk.entries) == entries


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("answer", {"value": "plum"}), ("answer", {"value": "pear"})),
        (("answer", {"value": "plum"}), ("answer", {"value": "apple"})),
        (("answer", {"value": "plum"}), ("answer", {"value": "plum", "certainty": 0.5})),
        (("answer", {"value": "plum"}), ("let-robot-try", {})),
        (("not-now", {"until_s": 1090.0}), ("answer", {"value": "plum"})),
        (("not-now", {"until_s": 1090.0}), ("not-now", {"until_s": 1091.0})),
        (("not-now", {"until_s": 9e9}), ("not-now", {"until_s": 8e9})),
        (("not-now", {}), ("not-now", {"until_s": 1600.0})),
        (("someone-else", {}), ("not-now", {})),
        (("let-robot-try", {}), ("someone-else", {})),
    ],
)
def test_a_token_that_was_used_for_another_reply_is_refused(desk: PureDesk, first: Any, second: Any) -> None:
    record = desk.ask(CHOICE)
    assert desk.reply(record, "ana", first[0], **first[1]).accepted
    before, entries = desk[record], len(desk.entries)
    receipt = desk.reply(record, "ana", second[0], **second[1])
    assert (receipt.status, receipt.again) == (ReceiptStatus.INVALID, False)
    assert receipt.message == "This token was used for another reply; send a new one."
    assert (desk[record], len(desk.entries)) == (before, entries)
    again = desk.reply(record, "ana", first[0], device="another", **first[1])
    assert (again.accepted, again.again) == (True, True)


def test_only_so_many_replies_to_a_question_are_remembered(desk: PureDesk) -> None:
    record = desk.ask()
    for number in range(3 * MOST_REPLIES):
        desk.reply(record, "ana", "not-now", token=str(number))
    tokens = [each.token for each in desk[record].replies]
    assert tokens == [str(each) for each in range(2 * MOST_REPLIES, 3 * MOST_REPLIES)]
    assert desk.reply(record, "ana", "not-now", token=tokens[0]).again


def test_who_passes_on_again_and_again_is_remembered_once(desk: PureDesk) -> None:
    record = desk.ask()
    for number in range(3):
        claim(desk, record, "ben")
        desk.reply(record, "ben", "someone-else", token=str(number))
    assert desk[record].passed == ("ben",)


def test_a_device_that_cannot_be_kept_is_refused_but_not_for_a_stop(desk: PureDesk) -> None:
    record = desk.ask()
    assert desk.reply(record, "ana", device="tab\0let").status is ReceiptStatus.INVALID
    assert desk.do(ClaimQuestion(question=record.id, by="ana", device="a\ud800")).status is ReceiptStatus.INVALID
    assert desk[record] == record
    assert desk.do(Withdraw(question=record.id, why="why\0")).accepted
    assert desk[record].why == "why\ufffd"
    assert desk.reply("", "ana", "stop", device="tab\0let").accepted
    assert desk.state.stopped is not None
    assert desk.state.stopped.device == "tab\ufffdlet"


@pytest.mark.parametrize("odd", ["a\0b", "a\ud800b", "", "x" * 9999])
def test_what_is_no_id_is_unknown(desk: PureDesk, odd: str) -> None:
    assert not may_be_id(odd)
    receipt = desk.do(Withdraw(question=odd))
    assert receipt.status is ReceiptStatus.UNKNOWN
    receipt.message.encode()


def test_the_token_of_another_person_or_question_is_no_token_of_ones_own(desk: PureDesk) -> None:
    first, second = desk.ask(), desk.ask(step="t", audience=("ben",))
    assert desk.reply(first, "ana").accepted
    assert desk.reply(first, "ben").status is ReceiptStatus.LATE
    fresh = desk.reply(second, "ben")
    assert (fresh.accepted, fresh.again) == (True, False)


@pytest.mark.parametrize("by", ["cem", "mallory"])
def test_who_is_not_in_the_audience_changes_nothing(by: str) -> None:
    desk = PureDesk([ANA, BEN, CEM])
    record = desk.ask(audience=("ana", "ben"))
    for kind in ("answer", "not-now", "someone-else", "let-robot-try"):
        assert desk.reply(record, by, kind).status is ReceiptStatus.UNAUTHORISED
    assert desk[record] == record


def test_a_value_that_the_question_does_not_allow_is_refused_with_what_is(desk: PureDesk) -> None:
    record = desk.ask(CHOICE)
    for value in ("apple", 3.0, True):
        receipt = desk.reply(record, "ana", value=value)
        assert receipt.status is ReceiptStatus.INVALID
        assert "plum" in receipt.message
    assert desk[record] == record


def test_a_question_that_does_not_exist_is_unknown(desk: PureDesk) -> None:
    assert desk.reply("r/none/1", "ana").status is ReceiptStatus.UNKNOWN
    assert desk.entries == []


def test_an_answer_after_the_deadline_is_late_though_nobody_noticed_it(desk: PureDesk) -> None:
    record = desk.ask(Question("Which one?", deadline_s=1010.0))
    desk.now_s = 1010.0
    assert desk.reply(record, "ana").status is ReceiptStatus.LATE
    assert desk[record].status is Status.EXPIRED


def test_everybody_in_the_audience_may_answer_whoevers_turn_it_is(desk: PureDesk) -> None:
    assert desk.reply(desk.ask(), "ben").accepted


def test_an_answer_to_a_question_that_was_put_off_or_held_is_welcome(desk: PureDesk) -> None:
    off, held = desk.ask(), desk.ask(step="t")
    assert desk[held].status is Status.HELD
    assert desk.reply(held, "ana").accepted
    desk.reply(off, "ana", "not-now")
    assert desk.reply(off, "ana", token="u").accepted


# -- not now ----------------------------------------------------------------------------------------------------------


def test_not_now_puts_a_question_off_and_time_brings_it_back(desk: PureDesk) -> None:
    record = desk.ask()
    receipt = desk.reply(record, "ana", "not-now", until_s=1090.0)
    assert receipt.message == "All right. I may go on without your answer; otherwise I ask again in 90 seconds."
    assert (desk[record].status, desk[record].until_s, desk[record].settled) == (Status.DEFERRED, 1090.0, True)
    desk.tick(89)
    assert desk[record].status is Status.DEFERRED
    desk.tick(1)
    assert (desk[record].status, desk[record].opened_s) == (Status.OPEN, 1090.0)


def test_not_now_is_bounded_and_has_a_default() -> None:
    desk = PureDesk(terms=Terms(not_now_s=60, longest_not_now_s=100))
    record = desk.ask()
    desk.reply(record, "ana", "not-now")
    assert desk[record].until_s == 1060.0
    desk.reply(record, "ana", "not-now", token="u", until_s=9e9)
    assert desk[record].until_s == 1100.0


def test_not_now_until_a_time_that_has_passed_is_refused(desk: PureDesk) -> None:
    assert desk.reply(desk.ask(), "ana", "not-now", until_s=1000.0).status is ReceiptStatus.INVALID


@pytest.mark.parametrize("kind", ["not-now", "someone-else"])
def test_nobody_puts_off_or_passes_on_for_another(desk: PureDesk, kind: str) -> None:
    record = desk.ask()
    receipt = desk.reply(record, "ben", kind)
    assert (receipt.status, receipt.message) == (ReceiptStatus.STALE, "This question is with ana now.")


# -- someone else -----------------------------------------------------------------------------------------------------


def test_someone_else_reopens_it_for_the_next_person(desk: PureDesk) -> None:
    record = desk.ask()
    assert desk.reply(record, "ana", "someone-else").accepted
    assert (desk[record].status, desk[record].turn, desk[record].settled) == (Status.OPEN, "ben", False)
    assert desk.kinds(2) == ["HandedOn", "Held", "Opened"]


def test_someone_else_holds_it_for_a_next_person_who_is_busy(desk: PureDesk) -> None:
    desk.ask(step="other", audience=("ben",))
    record = desk.ask()
    desk.reply(record, "ana", "someone-else")
    assert (desk[record].status, desk[record].turn) == (Status.HELD, "ben")


def test_with_nobody_left_the_asker_is_told(desk: PureDesk) -> None:
    record = desk.ask()
    desk.reply(record, "ana", "someone-else")
    desk.reply(record, "ben", "someone-else", token="u")
    now = desk[record]
    assert (now.status, now.turn, now.ended, now.settled) == (Status.HANDED_ON, None, True, True)
    assert desk.reply(record, "ana", token="v").status is ReceiptStatus.LATE


def test_who_passed_it_on_may_still_change_their_mind(desk: PureDesk) -> None:
    record = desk.ask()
    desk.reply(record, "ana", "someone-else")
    assert desk.reply(record, "ana", token="u").accepted


def test_passing_on_twice_does_not_skip_the_next_person(desk: PureDesk) -> None:
    record = desk.ask()
    desk.reply(record, "ana", "someone-else")
    assert desk.reply(record, "ana", "someone-else", token="u").status is ReceiptStatus.STALE
    assert desk[record].turn == "ben"


def test_let_the_robot_try_ends_it(desk: PureDesk) -> None:
    record = desk.ask()
    assert desk.reply(record, "ben", "let-robot-try").accepted
    assert (desk[record].status, desk[record].by, desk[record].ended) == (Status.DELEGATED, "ben", True)


# -- withdrawing, time ------------------------------------------------------------------------------------------------


def test_a_question_can_be_taken_back_once(desk: PureDesk) -> None:
    record = desk.ask()
    assert desk.do(Withdraw(question=record.id, why="it was found")).accepted
    assert (desk[record].status, desk[record].cause) == (Status.WITHDRAWN, WithdrawalCause.ASKER)
    assert desk.do(Withdraw(question=record.id)).again
    assert desk.reply(record, "ana").message == "This question was taken back: it was found."
    assert desk.do(Withdraw(question="r/none/1")).status is ReceiptStatus.UNKNOWN


def test_an_answered_question_is_not_taken_back(desk: PureDesk) -> None:
    record = desk.ask()
    desk.reply(record, "ana")
    assert desk.do(Withdraw(question=record.id)).status is ReceiptStatus.LATE


def test_a_jump_of_the_clock_ends_things_in_order() -> None:
    desk = PureDesk([Person(name="ana", limits=Limits(at_once=5))])
    third, first, second = (
        desk.ask(Question("Which one?", deadline_s=1000.0 + due), step=str(due)) for due in (300, 100, 200)
    )
    claim(desk, second, "ana", 150)
    start = len(desk.entries)
    desk.tick(10_000)
    assert [(each.key, type(each.event).__name__) for each in desk.entries[start:]] == [
        (first.id, "Expired"),
        (second.id, "ClaimEnded"),
        (second.id, "Expired"),
        (third.id, "Expired"),
    ]


def test_a_clock_that_is_set_back_counts_as_standing_still(desk: PureDesk) -> None:
    record = desk.ask()
    desk.now_s = 10.0
    desk.reply(record, "ana", "not-now")
    assert desk[record].until_s == 1000.0 + desk.terms.not_now_s
