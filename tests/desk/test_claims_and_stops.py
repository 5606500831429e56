"""What becomes of claims and stops, and who is known."""

from __future__ import annotations

import pytest

from handup.core import BadSetting, Limits, Person, Question, QuietHours, Reply, ReplyKind, Role
from handup.desk import DeskState, ReceiptStatus, Record, Status, WithdrawalCause
from handup.desk.question_state import MOST_ENDED, MOST_STOPS
from handup.desk.rules import ClaimQuestion, Enable, Introduce, Release, StopRobots, Withdraw
from tests.desk.pure import ANA, BEN, PureDesk, claim


@pytest.fixture
def desk() -> PureDesk:
    return PureDesk()


# -- claims -----------------------------------------------------------------------------------------------------------


def test_a_claimed_question_is_answered_only_by_its_claimant_until_the_lease_ends(desk: PureDesk) -> None:
    record = desk.ask()
    assert claim(desk, record, "ben", 60) is ReceiptStatus.ACCEPTED
    refused = desk.reply(record, "ana")
    assert (refused.status, refused.message) == (ReceiptStatus.CLAIMED, "ben has taken this on for another 60 seconds.")
    assert claim(desk, record, "ana") is ReceiptStatus.CLAIMED
    desk.now_s += 60
    assert desk.reply(record, "ana").accepted


def test_the_claimant_may_answer_from_another_device(desk: PureDesk) -> None:
    record = desk.ask()
    desk.do(ClaimQuestion(question=record.id, by="ana", device="tablet"))
    assert desk.reply(record, "ana", device="telephone").accepted


def test_a_claim_can_be_made_longer_but_not_too_long(desk: PureDesk) -> None:
    record = desk.ask()
    claim(desk, record, "ana", 60)
    assert claim(desk, record, "ana", 1e9) is ReceiptStatus.ACCEPTED
    assert desk[record].until_s == 1000.0 + desk.terms.longest_lease_s
    assert claim(desk, record, "ana", -1.0) is ReceiptStatus.INVALID


def test_a_claim_that_changes_next_to_nothing_writes_nothing(desk: PureDesk) -> None:
    record = desk.ask()
    claim(desk, record, "ana", 100)
    entries, held = len(desk.entries), desk[record]
    for _ in range(9):
        desk.now_s += 1
        receipt = desk.do(ClaimQuestion(question=record.id, by="ana", lease_s=100))
        assert (receipt.accepted, receipt.again, receipt.record) == (True, True, held)
    assert desk.do(ClaimQuestion(question=record.id, by="ana", lease_s=5)).message == "It is yours for 91 seconds."
    assert len(desk.entries) == entries
    desk.now_s += 1
    assert not desk.do(ClaimQuestion(question=record.id, by="ana", lease_s=100)).again
    assert desk[record].until_s == 1110.0
    assert not desk.do(ClaimQuestion(question=record.id, by="ana", lease_s=100, device="telephone")).again


def test_a_claim_given_back_leaves_it_to_others(desk: PureDesk) -> None:
    record = desk.ask()
    claim(desk, record, "ben")
    assert desk.do(Release(question=record.id, by="ana")).status is ReceiptStatus.CLAIMED
    assert desk.do(Release(question=record.id, by="ben")).accepted
    assert desk[record].status is Status.OPEN
    assert desk.do(Release(question=record.id, by="ben")).status is ReceiptStatus.STALE
    assert desk.reply(record, "ana").accepted


def test_what_is_before_nobody_cannot_be_claimed(desk: PureDesk) -> None:
    desk.ask()
    assert claim(desk, desk.ask(step="t"), "ana") is ReceiptStatus.STALE
    assert desk.do(ClaimQuestion(question="r/none/1", by="ana")).status is ReceiptStatus.UNKNOWN
    assert desk.do(Release(question="r/none/1", by="ana")).status is ReceiptStatus.UNKNOWN


def test_a_claimant_whose_turn_it_is_not_may_pass_it_back(desk: PureDesk) -> None:
    record = desk.ask()
    claim(desk, record, "ben")
    desk.reply(record, "ben", "someone-else")
    assert (desk[record].status, desk[record].turn) == (Status.OPEN, "ana")


# -- stop -------------------------------------------------------------------------------------------------------------


def course_of(desk: PureDesk, status: Status) -> Record:
    """A question that got into a state."""
    if status is Status.HELD:
        desk.ask(step="ahead")
    record = desk.ask(Question("Which one?", deadline_s=2000.0))
    kinds = {Status.ANSWERED: "answer", Status.DEFERRED: "not-now", Status.DELEGATED: "let-robot-try"}
    if status in kinds:
        desk.reply(record, "ana", kinds[status])
    elif status is Status.CLAIMED:
        claim(desk, record, "ben")
    elif status is Status.HANDED_ON:
        desk.reply(record, "ana", "someone-else")
        desk.reply(record, "ben", "someone-else")
    elif status is Status.WITHDRAWN:
        desk.do(Withdraw(question=record.id))
    elif status is Status.EXPIRED:
        desk.tick(1000)
    assert desk[record].status is status
    return desk[record]


@pytest.mark.parametrize("status", Status)
def test_stop_is_accepted_in_every_state_and_takes_back_what_waits(desk: PureDesk, status: Status) -> None:
    record = course_of(desk, status)
    assert desk.reply(record, "ben", "stop", token="stop").accepted
    now = desk[record]
    assert desk.state.stopped is not None
    assert (now.status, now.cause) == (
        (record.status, record.cause) if record.ended else (Status.WITHDRAWN, WithdrawalCause.STOP)
    )


def test_stop_is_accepted_for_a_question_nobody_knows_but_not_from_a_stranger(desk: PureDesk) -> None:
    assert desk.reply("r/none/1", "mallory", "stop").status is ReceiptStatus.UNAUTHORISED
    assert desk.reply("r/none/1", "ana", "stop").accepted
    assert desk.state.stopped is not None


def test_a_stop_holds_until_a_person_enables(desk: PureDesk) -> None:
    desk.do(StopRobots(by="watchdog", why="no heartbeat"))
    record = desk.ask()
    assert (record.status, record.why) == (Status.HELD, "the robot is stopped")
    assert desk.reply(record, "ana").status is ReceiptStatus.STOPPED
    desk.tick(1e6)
    assert desk[record].status is Status.HELD
    assert desk.do(Enable(by="watchdog")).status is ReceiptStatus.UNAUTHORISED
    assert desk.do(Enable(by="ben")).accepted
    assert (desk[record].status, desk.state.stopped) == (Status.OPEN, None)
    assert desk.do(Enable(by="ben")).again


def test_an_old_stop_sent_again_after_it_was_lifted_stops_again(desk: PureDesk) -> None:
    stop = Reply(question="", kind=ReplyKind.STOP, by="ana", token="t")
    desk.do(stop)
    desk.do(Enable(by="ben"))
    receipt = desk.do(stop)
    assert (receipt.accepted, receipt.again) == (True, False)
    assert desk.state.stopped is not None
    assert desk.do(stop).again


def test_a_stop_while_stopped_is_remembered_too(desk: PureDesk) -> None:
    desk.reply("", "ana", "stop", token="t")
    desk.reply("", "ben", "stop", token="u")
    entries = len(desk.entries)
    assert desk.reply("", "ben", "stop", token="u").again
    assert len(desk.entries) == entries


def test_the_last_stop_is_remembered_though_it_was_lifted(desk: PureDesk) -> None:
    assert desk.state.last_stop == 0
    desk.ask()
    desk.reply("", "ana", "stop")
    assert desk.state.last_stop == 3
    desk.do(Enable(by="ben"))
    assert (desk.state.stopped, desk.state.last_stop) == (None, 3)
    desk.do(StopRobots(by="watchdog"))
    assert desk.state.last_stop == desk.state.seq


def test_only_so_many_stops_are_remembered_and_each_once(desk: PureDesk) -> None:
    for number in range(2 * MOST_STOPS):
        desk.reply("", "ana", "stop", token=str(number))
    assert [token for token, _ in desk.state.stops] == [str(each) for each in range(MOST_STOPS, 2 * MOST_STOPS)]
    desk.do(Enable(by="ben"))
    desk.reply("", "ana", "stop", token=str(MOST_STOPS))
    assert len(desk.state.stops) == MOST_STOPS
    assert desk.state.stops[-1] == (str(MOST_STOPS), "ana")


def test_a_stop_at_a_question_that_the_state_then_drops_is_receipted_with_it() -> None:
    desk = PureDesk()
    records = [desk.ask(step=str(step)) for step in range(MOST_ENDED + 5)]
    receipt = desk.reply(records[0], "ana", "stop")
    assert records[0].id not in desk.state.records
    assert receipt.record is not None
    assert (receipt.record.id, receipt.record.status) == (records[0].id, Status.WITHDRAWN)


# -- people -----------------------------------------------------------------------------------------------------------


def test_people_are_introduced_once_and_again_where_something_is_new(desk: PureDesk) -> None:
    quiet = Limits(per_hour=2, quiet=(QuietHours(start="22:00", end="06:00", zone="Europe/Berlin"),))
    dora = Person(name="dora", role=Role.OPERATOR, limits=quiet, channels=("tablet",))
    assert desk.do(Introduce(people=(ANA, dora))).accepted
    assert desk.kinds() == ["Introduced"]
    assert desk.state.people == {"ana": ANA, "ben": BEN, "dora": dora}
    desk.do(Introduce(people=(dora, ANA)))
    assert len(desk.entries) == 1
    desk.do(Introduce(people=(Person(name="dora"),)))
    assert desk.state.people["dora"] == Person(name="dora")


def test_what_was_set_up_on_the_page_holds_until_a_program_says_something_new(desk: PureDesk) -> None:
    by_file, by_page, by_new_file = (Person(name="ana", limits=Limits(per_hour=hourly)) for hourly in (1, 2, 3))
    desk.do(Introduce(people=(by_file,)))
    desk.do(Introduce(people=(by_page,), by="ben"))
    desk.do(Introduce(people=(by_file,)))
    assert desk.state.people["ana"] == by_page
    assert DeskState.from_json(desk.state.to_json()) == desk.state
    desk.do(Introduce(people=(by_new_file,)))
    assert desk.state.people["ana"] == by_new_file
    assert not desk.state.replaced


def test_a_program_may_take_over_what_was_set_up_on_the_page(desk: PureDesk) -> None:
    by_page, later = Person(name="ana", limits=Limits(per_hour=2)), Person(name="ana", limits=Limits(per_hour=3))
    desk.do(Introduce(people=(by_page,), by="ben"))
    desk.do(Introduce(people=(by_page,)))
    desk.do(Introduce(people=(later,), by="ben"))
    desk.do(Introduce(people=(by_page,)))
    assert desk.state.people["ana"] == later


def test_limits_that_grow_let_in_what_is_held_and_limits_that_shrink_keep_the_rest(desk: PureDesk) -> None:
    records = [desk.ask(step=str(step), audience=("ana",)) for step in range(4)]
    desk.do(Introduce(people=(Person(name="ana", limits=Limits(at_once=2)),)))
    assert [desk[each].status for each in records] == [Status.OPEN] * 2 + [Status.HELD] * 2
    desk.do(Introduce(people=(ANA,)))
    desk.reply(records[0], "ana")
    assert [desk[each].status for each in records[1:]] == [Status.OPEN] + [Status.HELD] * 2


def test_nobody_is_called_like_somebody_who_was_erased(desk: PureDesk) -> None:
    with pytest.raises(BadSetting, match="erased-"):
        desk.do(Introduce(people=(Person(name="erased-12"),)))
