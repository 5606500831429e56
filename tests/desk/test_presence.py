"""Busy and back: who is busy is not asked, nothing is lost meanwhile, and all of it can be erased."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from handup.core import Ability, Limits, Person, Question, QuietHours
from handup.desk import Desk, Status, replay
from handup.desk.deadlines import next_due_s
from handup.desk.events import Opened, Presence
from handup.desk.rules import AskPeople, Introduce, SetBusy
from handup.journal import Journal
from tests.desk.checking import assert_in_order, assert_limits_hold, assert_table_respected
from tests.desk.desks import SetClock
from tests.desk.pure import ANA, BEN, CEM, PureDesk, claim

NIGHT = Person(name="ben", limits=Limits(quiet=(QuietHours(start="00:00", end="12:00"),)))
"""Asleep at the time at which a `PureDesk` begins."""


def busy(desk: PureDesk, by: str, for_s: float | None = None) -> str:
    receipt = desk.do(SetBusy(by=by, busy=True, for_s=for_s))
    assert receipt.accepted
    return receipt.message


def back(desk: PureDesk, by: str) -> None:
    assert desk.do(SetBusy(by=by, busy=False)).accepted


def test_a_question_goes_to_the_next_person_who_can_be_asked() -> None:
    desk = PureDesk((ANA, NIGHT, CEM))
    busy(desk, "ana")
    record = desk.ask()
    assert (record.status, record.turn) == (Status.OPEN, "cem")
    back(desk, "ana")
    assert desk[record].turn == "cem"
    assert desk.ask(step="next").turn == "ana"
    assert desk.reply(record, "ana").accepted, "the first person may still answer"


def test_an_open_question_goes_on_at_once_and_may_come_back() -> None:
    desk = PureDesk()
    record = desk.ask()
    busy(desk, "ana")
    assert (desk[record].status, desk[record].turn, desk[record].passed) == (Status.OPEN, "ben", ())
    back(desk, "ana")
    desk.reply(record, "ben", "someone-else")
    assert (desk[record].status, desk[record].turn) == (Status.OPEN, "ana")


def test_whoever_said_someone_else_does_not_get_it_back() -> None:
    desk = PureDesk()
    record = desk.ask()
    desk.reply(record, "ana", "someone-else")
    busy(desk, "ben")
    assert (desk[record].status, desk[record].turn) == (Status.HELD, "ben")


def test_without_anybody_else_it_is_held_and_says_so() -> None:
    desk = PureDesk((ANA,))
    record = desk.ask()
    busy(desk, "ana")
    assert (desk[record].status, desk[record].told) == (Status.HELD, "Waits for its turn: they are busy.")
    later = desk.ask(step="later")
    back(desk, "ana")
    assert [desk[record].status, desk[later].status] == [Status.OPEN, Status.HELD]
    assert_in_order(desk.entries)


def test_an_end_brings_them_back() -> None:
    desk = PureDesk((ANA,))
    record = desk.ask()
    busy(desk, "ana", 600.0)
    assert desk[record].until_s == next_due_s(desk.state, desk.now_s) == desk.now_s + 600.0
    desk.tick(599.0)
    assert desk[record].status is Status.HELD
    desk.tick(1.0)
    assert desk[record].status is Status.OPEN


def test_a_claim_of_theirs_ends_and_one_of_somebody_else_does_not() -> None:
    desk = PureDesk((Person(name="ana", limits=Limits(at_once=2)), Person(name="ben", limits=Limits(at_once=2))))
    mine, bens = desk.ask(step="mine"), desk.ask(step="bens")
    claim(desk, mine, "ana")
    claim(desk, bens, "ben")
    busy(desk, "ana")
    assert (desk[mine].status, desk[mine].turn) == (Status.OPEN, "ben")
    assert (desk[bens].status, desk[bens].by) == (Status.CLAIMED, "ben")


def test_what_was_put_off_is_held_when_its_time_comes() -> None:
    desk = PureDesk((ANA,))
    record = desk.ask()
    desk.reply(record, "ana", "not-now", until_s=desk.now_s + 60.0)
    busy(desk, "ana")
    assert desk[record].status is Status.DEFERRED
    desk.tick(60.0)
    assert desk[record].status is Status.HELD


def test_the_person_is_told_what_happens_next() -> None:
    desk = PureDesk()
    assert busy(desk, "ana", 3600.0).endswith("for 60 minutes. Meanwhile I ask somebody else, or wait.")
    assert busy(desk, "ben").endswith("until you say that you are back. My questions wait for you.")
    assert desk.do(SetBusy(by="ana", busy=False)).message == "Welcome back. I ask you again."


def test_the_same_word_again_writes_nothing() -> None:
    desk = PureDesk()
    busy(desk, "ana", 60.0)
    busy(desk, "ana", 60.0)
    back(desk, "ana")
    back(desk, "ana")
    back(desk, "ben")
    assert desk.kinds() == ["Presence", "Presence"]


@pytest.mark.parametrize(("by", "for_s"), [("mallory", None), ("ana", 0.0), ("ana", float("inf")), ("ana", -1.0)])
def test_strangers_and_no_time_at_all_are_refused(by: str, for_s: float | None) -> None:
    desk = PureDesk()
    assert not desk.do(SetBusy(by=by, busy=True, for_s=for_s)).accepted
    assert desk.entries == []


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("ask", "ask", "busy", "back", "answer", "wait")),
        st.integers(0, 2),
        st.sampled_from((None, 30.0, 500.0)),
    ),
    max_size=40,
)


@given(STEPS)
def test_nobody_busy_is_asked_and_nothing_is_lost(steps: list[tuple[str, int, float | None]]) -> None:
    people = (ANA, Person(name="ben", limits=Limits(at_once=2, per_hour=3)), CEM)
    desk = PureDesk(people, now_s=50_000.0)
    asked = set()
    for number, (what, who, span_s) in enumerate(steps):
        name = people[who].name
        if what == "ask":
            audience = tuple(person.name for person in people[who:])
            asked.add(desk.ask(step=str(number), audience=audience).id)
        elif what == "busy":
            busy(desk, name, span_s)
        elif what == "back":
            back(desk, name)
        elif what == "wait":
            desk.tick(span_s or 5000.0)
        else:
            for record in [record for record in desk.state.waiting if record.turn == name]:
                desk.reply(record, name, token=str(number))
    said: dict[str, Presence] = {}
    for entry in desk.entries:
        if isinstance(entry.event, Presence):
            said[entry.event.person] = entry.event
        elif isinstance(entry.event, Opened) and (word := said.get(entry.event.turn)) and word.busy:
            assert word.until_s is not None
            assert word.until_s <= entry.at_s
    assert_table_respected(desk.entries)
    assert_in_order(desk.entries)
    assert_limits_hold(desk.entries, people, dict.fromkeys(asked, 0.0))
    for person in people:
        back(desk, person.name)
    for _ in range(4 * len(asked)):
        for record in [record for record in desk.state.waiting if record.status is Status.OPEN]:
            desk.reply(record, str(record.turn), token=f"at last {record.id}")
        desk.tick(3600.0)
    assert not desk.state.waiting


def test_who_comes_later_joins_the_questions_for_everybody() -> None:
    desk = PureDesk(())
    asked = AskPeople(run="r", step="s", attempt=1, question=Question("?"), audience=(), newcomers=True)
    record = desk.do(asked).record
    assert record is not None
    assert (record.status, record.turn, record.why) == (Status.HELD, None, "nobody can be asked yet")
    desk.do(Introduce(people=(ANA, BEN)))
    assert (desk[record].status, desk[record].turn, desk[record].audience) == (Status.OPEN, "ana", ("ana", "ben"))
    assert_table_respected(desk.entries)


def test_busy_holds_in_the_journal_and_for_all_desks(journal: Journal, clock: SetClock) -> None:
    robot, tablet = Desk(journal, [ANA]), Desk(journal)
    tablet.busy("ana")
    assert robot.free_from_s(clock.now_s()) == float("inf")
    assert robot.ask(Question("?"), run="r", step="s").status is Status.HELD
    tablet.back("ana")
    tablet.busy("ana", 60.0)
    assert robot.free_from_s(clock.now_s()) == clock.now_s() + 60.0
    assert robot.state == tablet.state == replay(journal.read())
    tablet.close()
    assert Desk(journal).state == robot.state, "also from a snapshot"


def test_all_that_was_set_up_for_somebody_is_erased(journal: Journal) -> None:
    desk = Desk(journal)
    ada = Person(name="Ada", abilities=(Ability.DIAGNOSE,), channels=("ntfy-of-ada",), limits=Limits(per_hour=98765))
    desk.introduce(Person(name="Ada"), Person(name="Ben"))
    desk.introduce(ada, by="Ben")
    desk.introduce(Person(name="Ben", limits=Limits(per_hour=3)), by="Ada")
    desk.busy("Ada", 1234.5678)
    journal.erase("Ada")
    assert list(desk.state.people) == list(desk.state.replaced) == ["Ben"]
    assert desk.state.busy == {}
    kept = "".join(str(body) for _, body in journal.bodies())
    assert not [word for word in ("Ada", "diagnose", "ntfy-of-ada", "98765", "1234.5678") if word in kept]
    assert journal.verify().ok
